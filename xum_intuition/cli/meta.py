"""`intuition meta`: the sidecar, looked at and pinned by hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xum_intuition.cli.options import OutputOptions, StoreOptions, command
from xum_intuition.cli.output import Output, print_text
from xum_intuition.errors import ExitCode, UsageProblem

if TYPE_CHECKING:
    from xum_intuition.desk import Desk
    from xum_intuition.memory.sidecar import Sidecar

app = typer.Typer(add_completion=False, no_args_is_help=True)

MemoryPath = Annotated[
    str,
    typer.Argument(
        metavar="PATH", help="A memory: /memories/<scope>/<file>, or where it is on disk."
    ),
]


@app.callback()
def meta() -> None:
    """Pins and use counts: show, compare, pin, keep a copy."""


@app.command(epilog="Example: intuition meta diff before.json")
@command
def diff(
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="A sidecar; - is standard input.")
    ],
    where: StoreOptions,
    out: OutputOptions,
    after: Annotated[
        str | None,
        typer.Argument(
            metavar="[AFTER]", help="A later sidecar.  [default: the live one]", show_default=False
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="The moment of the hot sets: a date, 3d (ago), +7d (ahead).  [default: now]",
        ),
    ] = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 1 if anything differs.")
    ] = False,
) -> None:
    """Show what changed between two sidecars, and what that does to the hot set."""
    from xum_intuition import when
    from xum_intuition.clock import Clock
    from xum_intuition.memory import diff as sidecars
    from xum_intuition.memory import inspect

    if before == after == "-":
        raise UsageProblem("Only one of BEFORE and AFTER can be standard input.")
    now_ms = Clock().now_ms()
    at_ms = now_ms if at is None else when.moment(at, now_ms, "--at")
    old = inspect.read_argument(before, "BEFORE")
    new = _live(where) if after is None else inspect.read_argument(after, "AFTER")
    found = sidecars.diff(old, new, at_ms)
    out.output().emit(found.to_json(), "render_meta.show_diff", found, at_ms)
    if exit_code and found:
        raise typer.Exit(ExitCode.DIFFERENT)


@app.command(epilog="Example: intuition meta show --json")
@command
def show(where: StoreOptions, out: OutputOptions) -> None:
    """Show every entry of the sidecar, the hottest first."""
    from xum_intuition.memory import inspect, sidecar

    desk = _desk(where)
    found = inspect.listing(
        desk.layout, sidecar.load(desk.layout.sidecar_file), desk.clock.now_ms()
    )
    out.output().emit(found.to_json(), "render_meta.show_listing", found)


@app.command(epilog="Example: intuition meta path")
@command
def path(where: StoreOptions, out: OutputOptions) -> None:
    """Print where the sidecar is, there or not."""
    print_text(str(_desk(where).layout.sidecar_file))


@app.command(epilog="Example: intuition meta pin /memories/global/preferences.md")
@command
def pin(memory: MemoryPath, where: StoreOptions, out: OutputOptions) -> None:
    """Pin a memory, so that it comes first in the hot set; counts as a use."""
    _set_pin(memory, True, where, out.output())


@app.command(epilog="Example: intuition meta unpin /memories/global/preferences.md")
@command
def unpin(memory: MemoryPath, where: StoreOptions, out: OutputOptions) -> None:
    """Take a memory's pin away; its use count stays."""
    _set_pin(memory, False, where, out.output())


@app.command(epilog="Example: intuition meta snapshot before.json")
@command
def snapshot(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where the copy goes.")],
    where: StoreOptions,
    out: OutputOptions,
) -> None:
    """Keep a copy of the sidecar, to compare with later."""
    from xum_intuition.memory import inspect

    if file == "-":
        raise UsageProblem("FILE must be a file; `intuition meta show --json` prints a copy.")
    source = _desk(where).layout.sidecar_file
    count = inspect.snapshot(source, Path(file))
    document = {"sidecar": str(source), "snapshot": os.path.abspath(file), "entries": count}
    out.output().emit(document, "render_meta.show_snapshot", document)


def _desk(where: StoreOptions) -> Desk:
    from xum_intuition.desk import open_desk

    return open_desk(where.flags(), os.environ)


def _live(where: StoreOptions) -> Sidecar:
    from xum_intuition.memory import sidecar

    return sidecar.load(_desk(where).layout.sidecar_file)


def _set_pin(memory: str, pinned: bool, where: StoreOptions, output: Output) -> None:
    from xum_intuition.memory import inspect, sidecar
    from xum_intuition.memory.store import Store

    desk = _desk(where)
    file, now_ms = desk.layout.sidecar_file, desk.clock.now_ms()
    store = Store(desk.layout, max_files=desk.settings.limits.max_files)
    key = inspect.key_of(store, memory, sidecar.load(file), must_exist=pinned)
    entry = sidecar.set_pin(file, key, pinned, now_ms=now_ms)
    document = inspect.pin_document(key, entry)
    output.emit(document, "render_meta.show_pin", document)
