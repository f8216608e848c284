"""`intuition recall`."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from xum_intuition.cli.options import OutputOptions, StoreOptions, command
from xum_intuition.cli.output import Output, print_text
from xum_intuition.cli.panels import OUTPUT
from xum_intuition.cli.recall_options import BoundOptions, CueOptions, ModelOptions
from xum_intuition.errors import UsageProblem
from xum_intuition.limits import MAX_CUE_CHARS
from xum_intuition.text import dump_json

if TYPE_CHECKING:
    from xum_intuition.desk import Desk
    from xum_intuition.recall import Wish

app = typer.Typer(add_completion=False)

MAX_COUNTED_BYTES = 64 * 1024 * 1024
"""Of a batch's file: a larger one's lines are not counted before they are answered."""


@app.command(
    epilog='Example: intuition recall --example --cue "show the last lines of the newest log"'
)
@command
def recall(
    what: CueOptions,
    where: StoreOptions,
    model: ModelOptions,
    bounds: BoundOptions,
    out: OutputOptions,
    no_record: Annotated[
        bool,
        typer.Option(
            "--no-record", help="Touch neither sidecar nor ledger.", rich_help_panel=OUTPUT
        ),
    ] = False,
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code", help="Exit with 1 if nothing is recognized.", rich_help_panel=OUTPUT
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Tell what was considered as well.", rich_help_panel=OUTPUT
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Print the first request that would be sent, and call no model.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    schema: Annotated[
        bool,
        typer.Option(
            "--schema",
            help="Print the JSON Schema of a result, and recall nothing.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
) -> None:
    """Recognize which memories a task calls up, and quote them verbatim."""
    if schema:
        from xum_intuition.result import schema_text

        print_text(schema_text())
        return
    _check(what, dry_run=dry_run)
    from xum_intuition.desk import open_desk
    from xum_intuition.recall import Wish

    given = where.flags() | model.flags() | bounds.flags()
    desk = open_desk(given, os.environ, example=what.example)
    wish = Wish(turn=desk.settings.turn, record=not no_record, verbose=verbose)
    if what.batch is not None:
        raise typer.Exit(_recall_many(what, desk, wish, out.output(), exit_code=exit_code))
    cue = _cue(what)
    if dry_run:
        from xum_intuition.recall import first_request

        print_text(dump_json(first_request(cue, desk), indent=2))
        return
    raise typer.Exit(_recall_one(cue, desk, wish, out.output(), exit_code=exit_code))


def _check(what: CueOptions, *, dry_run: bool) -> None:
    sources = {"--cue": what.cue, "--cue-file": what.cue_file, "--batch": what.batch}
    named = [option for option, value in sources.items() if value is not None]
    if len(named) != 1:
        told = f"not {' and '.join(named)} together" if named else "and none is given"
        raise UsageProblem(
            f"One of --cue TEXT, --cue-file FILE and --batch FILE is needed, {told}."
        )
    if what.batch is None and what.jobs is not None:
        raise UsageProblem("--jobs goes with --batch.")
    if what.batch is not None and dry_run:
        raise UsageProblem("--dry-run goes with --cue or --cue-file, not with --batch.")


def _cue(what: CueOptions) -> str:
    """The cue's text, unchecked but for being UTF-8."""
    if what.cue is not None and what.cue != "-":
        return _as_utf8(what.cue)
    limit = MAX_CUE_CHARS * 16  # bytes enough for any cue within the limit, and white space around
    if what.cue_file in (None, "-"):
        data, name = sys.stdin.buffer.read(limit), "standard input"
    else:
        name = str(what.cue_file)
        try:
            with Path(name).open("rb") as file:
                data = file.read(limit)
        except OSError as error:
            raise UsageProblem(f"--cue-file {name} cannot be read: {error.strerror}.") from None
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise UsageProblem(
            f"The cue from {name} is not UTF-8 text (of 1 to {MAX_CUE_CHARS:,} characters)."
        ) from None


def _as_utf8(argument: str) -> str:
    """An argument that is UTF-8, though the locale says otherwise."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return argument  # which is refused as a cue


def _recall_one(cue: str, desk: Desk, wish: Wish, out: Output, *, exit_code: bool) -> int:
    from xum_intuition.clock import Interrupt
    from xum_intuition.recall import recall as run
    from xum_intuition.result import exit_code_of, to_json

    interrupt = Interrupt()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: interrupt.request())
    with out.progress(desk.settings.limits.timeout_ms / 1000) as progress:
        found = run(cue, desk, wish, interrupt=interrupt, progress=progress)
    out.emit(to_json(found), "show_result", found)
    return exit_code_of(found, uncertain_differs=exit_code)


def _recall_many(what: CueOptions, desk: Desk, wish: Wish, out: Output, *, exit_code: bool) -> int:
    from xum_intuition.batch import recall_lines

    assert what.batch is not None
    with contextlib.ExitStack() as stack:
        try:
            lines = _lines_of(what.batch, stack)
        except OSError as error:
            told = f"--batch {what.batch} cannot be read: {error.strerror}."
            raise UsageProblem(told) from None
        advance = stack.enter_context(out.counter(lambda: _count(lines)))
        return recall_lines(
            lines,
            desk,
            wish,
            jobs=what.jobs or 1,
            print_line=print_text,
            advance=advance,
            uncertain_differs=exit_code,
        )


def _lines_of(batch: str, stack: contextlib.ExitStack) -> BinaryIO:
    if batch == "-":
        return sys.stdin.buffer
    return stack.enter_context(Path(batch).open("rb"))


def _count(lines: BinaryIO) -> int | None:
    """How many lines there are to answer, where that can be told without using them up."""
    if not lines.seekable():
        return None
    begin = lines.tell()
    end = lines.seek(0, os.SEEK_END)
    lines.seek(begin)
    if end - begin > MAX_COUNTED_BYTES:
        return None
    number = sum(not line.isspace() for line in lines)
    lines.seek(begin)
    return number
