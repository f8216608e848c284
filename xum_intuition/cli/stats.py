"""`intuition stats`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from xum_intuition.cli.options import OutputOptions, StoreOptions, command
from xum_intuition.cli.output import print_text

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: intuition stats --since 7d")
@command
def stats(
    where: StoreOptions,
    out: OutputOptions,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Only recalls since then: 7d, 24h, 30m, or a date such as 2026-11-30.",
        ),
    ] = None,
    all_stores: Annotated[
        bool, typer.Option("--all-stores", help="Count the recalls of every store.")
    ] = False,
) -> None:
    """Show the store, its hot set, and what its recalls cost."""
    from xum_intuition import when
    from xum_intuition.desk import open_desk
    from xum_intuition.memory.store import Store
    from xum_intuition.overview import overview
    from xum_intuition.text import dump_json

    output = out.output()
    desk = open_desk(where.flags(), os.environ)
    now_ms = desk.clock.now_ms()
    found = overview(
        Store(desk.layout, max_files=desk.settings.limits.max_files),
        desk.state_dir,
        now_ms=now_ms,
        since_ms=None if since is None else when.moment(since, now_ms, "--since"),
        all_stores=all_stores,
    )
    found.warnings[:0] = desk.settings.warnings
    if output.as_json:
        print_text(dump_json(found.to_json(), indent=2))
        return
    from xum_intuition.cli import render_meta

    output.warn(*found.warnings)
    render_meta.show_overview(output, found)
