"""`intuition index`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xum_intuition.cli.options import OutputOptions, StoreOptions, command
from xum_intuition.cli.panels import CUE, OUTPUT
from xum_intuition.errors import UsageProblem

if TYPE_CHECKING:
    from xum_intuition.protocol import Row

app = typer.Typer(add_completion=False)


@app.command(epilog='Example: intuition index -d ~/notes --cue "rotate the backup keys"')
@command
def index(
    *,
    cue: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Order the rows by what they have in common with this task.",
            rich_help_panel=CUE,
        ),
    ] = None,
    example: Annotated[
        bool,
        typer.Option(
            "--example", help="The memories that ship with this program.", rich_help_panel=CUE
        ),
    ] = False,
    discover: Annotated[
        bool,
        typer.Option(
            "--discover",
            help="Instead: the folders in which agents keep memories of the current project.",
            rich_help_panel=CUE,
        ),
    ] = False,
    where: StoreOptions,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Also the rows that the budgets leave out.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    out: OutputOptions,
) -> None:
    """Show the index rows as the nested agent would see them."""
    if discover:
        if cue is not None:
            raise UsageProblem("--discover finds folders; it goes without --cue.")
        from xum_intuition.cli.places import show_places

        show_places(where, out.output())
        return
    from xum_intuition.desk import open_desk
    from xum_intuition.memory.index import build
    from xum_intuition.recall import checked_cue

    desk = open_desk(where.flags(), os.environ, example=example)
    settings = desk.settings
    store, found = desk.documents(lambda: False)
    built = build(
        found,
        checked_cue(cue) if cue is not None else None,
        settings.limits,
        hidden=settings.hooks.hides,
    )
    rows = [(row, True) for row in built.shown]
    if everything:
        rows += [(row, False) for row in built.left_out()]
    warnings = [*settings.warnings, *store.warnings]
    document = {
        "rows": [_row(row, shown, scored=cue is not None) for row, shown in rows],
        "omitted": {"rows": built.omitted_by_rows, "bytes": built.omitted_by_bytes},
        "warnings": warnings,
    }
    out.output().emit(document, "show_index", rows, built, warnings)


def _row(row: Row, shown: bool, *, scored: bool) -> dict[str, Any]:
    return {
        "path": row.path,
        "description": row.description,
        "descriptionSource": row.description_source,
        "score": row.score if scored else None,
        "shown": shown,
    }
