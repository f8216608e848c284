"""The application's commands as data, for the pages and scripts that are made from it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from typer.main import get_command

from xum_intuition.cli.app import COMMANDS, app
from xum_intuition.cli.help import Doc, Option, describe

ROOT = Path(__file__).resolve().parent.parent


def root() -> Doc:
    return describe(get_command(app), "intuition", COMMANDS)


def top_level() -> Iterator[Doc]:
    """The commands, in the order of the help."""
    commands = getattr(get_command(app), "commands")  # noqa: B009 a group's, which typer hides
    for name in COMMANDS:
        yield describe(commands[name], f"intuition {name}")


def below(doc: Doc) -> Iterator[Doc]:
    """The commands of a group."""
    commands = getattr(get_command(app), "commands")  # noqa: B009
    group = commands[doc.name.split()[1]]
    for name, _ in doc.commands:
        yield describe(group.commands[name], f"{doc.name} {name}")


def every() -> Iterator[Doc]:
    """Every command, groups before what is below them."""
    yield root()
    for doc in top_level():
        yield doc
        yield from below(doc)


def options(doc: Doc) -> tuple[Option, ...]:
    return tuple(o for section in doc.sections for o in section.options if o.names)


def arguments(doc: Doc) -> tuple[Option, ...]:
    return tuple(o for section in doc.sections for o in section.options if not o.names)


def write(folder: Path, texts: dict[str, str], tool: str) -> None:
    """Write the files, or with --check fail where a folder is not up to date."""
    if "--check" in sys.argv:
        there = {f.name: f.read_text(encoding="utf-8") for f in sorted(folder.iterdir())}
        stale = sorted({n for n in texts.keys() | there.keys() if texts.get(n) != there.get(n)})
        if stale:
            sys.exit(f"{folder.name}/ is out of date ({', '.join(stale)}): run python {tool}")
        return
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        if file.name not in texts:
            file.unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
