"""`intuition mcp`."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from xum_intuition.cli.options import StoreOptions, command
from xum_intuition.cli.panels import OUTPUT
from xum_intuition.cli.recall_options import BoundOptions, ModelOptions
from xum_intuition.errors import IntuitionError, UsageProblem
from xum_intuition.text import visible

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: claude mcp add intuition -- intuition mcp -d ~/notes")
@command
def mcp(
    model: ModelOptions,
    bounds: BoundOptions,
    where: StoreOptions,
    no_record: Annotated[
        bool,
        typer.Option(
            "--no-record", help="Touch neither sidecar nor ledger.", rich_help_panel=OUTPUT
        ),
    ] = False,
    example: Annotated[
        bool,
        typer.Option("--example", help="Serve the memories that ship with this program."),
    ] = False,
) -> None:
    """Serve recall to another agent: an MCP server on standard input and output.

    It has one tool, `intuition`, that takes a cue. Settings are read anew for each call. A call
    counts for the turn that it names in `_meta` as `intuition/turn`; with --turn, all calls that
    name none count as one turn; else there is no limit.
    """
    from xum_intuition.integrations.mcp_server import serve
    from xum_intuition.integrations.recalls import Recalls

    given = where.flags() | model.flags() | bounds.flags()
    _warn_early(given, example)
    if sys.stdin is None:
        raise UsageProblem("The protocol is spoken on standard input, which is closed.")
    if sys.stdin.isatty():
        print("This is a server for agents; Ctrl-D ends it.", file=sys.stderr)
    recalls = Recalls(given, os.environ, record=not no_record, example=example)
    raise typer.Exit(serve(recalls))


def _warn_early(given: dict[str, object], example: bool) -> None:
    """Refuse wrong options; say what else will keep calls from being answered, and serve."""
    from xum_intuition import policy
    from xum_intuition.desk import open_desk

    try:
        desk = open_desk(given, os.environ, example=example)
        policy.check(desk.settings, way="integration", env=os.environ)
        _ = desk.layout
    except UsageProblem:
        raise
    except IntuitionError as error:
        told = visible(str(error))
        print(f"warning: calls will be answered with an error: {told}", file=sys.stderr)
