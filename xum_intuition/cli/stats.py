"""`intuition stats`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from xum_intuition.cli.options import OutputOptions, StoreOptions, command

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
    out.output().emit(found.to_json(), "render_meta.show_overview", found)
