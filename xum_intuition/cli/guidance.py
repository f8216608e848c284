"""`intuition guidance`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from xum_intuition.cli.options import command
from xum_intuition.cli.output import print_text

app = typer.Typer(add_completion=False)


class Style(StrEnum):
    MARKDOWN = "markdown"
    XML = "xml"


@app.command(epilog="Example: intuition guidance >> AGENTS.md")
@command
def guidance(
    style: Annotated[Style, typer.Option(help="How the block is marked up.")] = Style.MARKDOWN,
    skill: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Write a skill folder `intuition` with its SKILL.md below DIR instead;"
            " - prints the SKILL.md.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a SKILL.md that is another text.")
    ] = False,
) -> None:
    """Print what to tell an agent about recall, for its AGENTS.md, CLAUDE.md or skills.

    It is plain text whatever the format, and printed whether or not recall is switched on.
    """
    from xum_intuition.integrations import guidance as texts

    if skill is None:
        print_text(texts.block(style.value))
    elif skill == "-":
        print_text(texts.skill())
    else:
        file = texts.write_skill(Path(skill).expanduser(), replace=force)
        print_text(str(file))
