"""What a command's help says, as data, and as a page of text.

The manual pages and the completions are made from the same data, so that all three agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from xum_intuition.cli.panels import BOUNDS, CUE, MODEL, OUTPUT, WHERE
from xum_intuition.cli.terminal import Ink

MAX_COLUMNS = 100
ARGUMENTS = "Arguments"
OPTIONS = "Options"
_NARROW = 60
"""Below it an option's text stands under its name."""
_MAX_NAMES = 28
_ORDER = (ARGUMENTS, CUE, WHERE, MODEL, BOUNDS, OUTPUT)
"""Groups of options in the order of the page; other groups follow, what is of no group is last."""
_FACTS = re.compile(r"\s*\[((?:env|default)[^\[\]]*)\]$")


class Option(NamedTuple):
    """One option or argument. `facts` tells environment variable and default, if any."""

    names: tuple[str, ...]
    metavar: str
    text: str
    facts: str
    choices: tuple[str, ...]
    key: str
    """The parameter's own name."""

    @property
    def long(self) -> str:
        """The name that says most."""
        return max(self.names, key=len)

    def label(self) -> str:
        """`-d, --memory-dir DIR`, the long name aligned whether there is a short one or not."""
        if not self.names:
            return self.metavar
        short = [name for name in self.names if not name.startswith("--")]
        long = [name for name in self.names if name.startswith("--")]
        head = f"{', '.join(short)}, " if short else "    "
        return f"{head}{', '.join(long)} {self.metavar}".rstrip()


class Section(NamedTuple):
    title: str
    options: tuple[Option, ...]


class Doc(NamedTuple):
    """A command, without the commands below it, which are named with their summaries."""

    name: str
    """The whole of it: `intuition meta diff`."""
    arguments: str
    summary: str
    details: tuple[str, ...]
    """Further paragraphs."""
    sections: tuple[Section, ...]
    commands: tuple[tuple[str, str], ...]
    examples: tuple[str, ...]


def describe(command: Any, name: str, summaries: dict[str, str] | None = None) -> Doc:
    """A click command as data; `summaries` spares building the commands below it."""
    summary, *details = paragraphs(command.help or "")
    sections: dict[str, list[Option]] = {}
    arguments = []
    for parameter in command.params:
        option = _option(parameter)
        if parameter.param_type_name == "argument":
            title = ARGUMENTS
            arguments.append(option.metavar)
        else:
            title = getattr(parameter, "rich_help_panel", None) or OPTIONS
        sections.setdefault(title, []).append(option)
    help_option = Option(("-h", "--help"), "", "Show this page and exit.", "", (), "help")
    sections.setdefault(OPTIONS, []).append(help_option)
    below = getattr(command, "commands", None)
    if below and summaries is None:
        summaries = {name: paragraphs(below[name].help)[0] for name in below}
    return Doc(
        name,
        " ".join(["COMMAND [OPTIONS]"] if below else ["[OPTIONS]", *arguments]),
        summary,
        tuple(details),
        tuple(Section(title, tuple(sections[title])) for title in sorted(sections, key=_rank)),
        tuple((summaries or {}).items()),
        tuple(examples(command.epilog or "")),
    )


def _rank(title: str) -> int:
    if title in _ORDER:
        return _ORDER.index(title)
    return len(_ORDER) + (title == OPTIONS)


def paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip())]


def examples(epilog: str) -> Iterator[str]:
    """The command lines of an epilog, each on a line that begins with `Example:`."""
    for line in epilog.splitlines():
        if line.strip():
            yield line.strip().removeprefix("Example:").strip()


def _option(parameter: Any) -> Option:
    text = " ".join((parameter.help or "").split())
    found = _FACTS.search(text)
    facts = found[1] if found else ""
    default = getattr(parameter.default, "value", parameter.default)
    if isinstance(default, (str, int, float)) and not isinstance(default, bool):
        shown = f"{default:g}" if isinstance(default, float) else default
        facts = facts or f"default: {shown}"
    choices = tuple(getattr(parameter.type, "choices", ()))
    metavar = "" if getattr(parameter, "is_flag", False) else parameter.metavar or ""
    argument = parameter.param_type_name == "argument"
    return Option(
        () if argument else (*parameter.opts, *parameter.secondary_opts),
        "|".join(str(getattr(c, "value", c)) for c in choices) or metavar,
        text[: found.start()] if found else text,
        facts,
        tuple(str(getattr(choice, "value", choice)) for choice in choices),
        parameter.name or "",
    )


def page(doc: Doc, width: int, ink: Ink) -> str:
    """A help page of at most `width` columns."""
    return "\n".join(_lines(doc, min(width, MAX_COLUMNS), ink))


def _lines(doc: Doc, width: int, ink: Ink) -> Iterator[str]:
    usage = _wrapped(f"{doc.name} {doc.arguments}", width, 7)
    yield ink("Usage: ", "bold") + usage[0].lstrip()
    yield from usage[1:]
    for text in (doc.summary, *doc.details):
        yield ""
        yield from _wrapped(text, width, 0)
    if doc.commands:
        yield ""
        yield ink("Commands", "bold")
        column = max(len(name) for name, _ in doc.commands) + 4
        for name, summary in doc.commands:
            yield from _item(f"  {name}", summary, "", column, width, ink)
    labels = [len(o.label()) for section in doc.sections for o in section.options]
    column = min(max(labels), _MAX_NAMES) + 4
    for section in doc.sections:
        yield ""
        yield ink(section.title, "bold")
        for option in section.options:
            yield from _item(f"  {option.label()}", option.text, option.facts, column, width, ink)
    if doc.examples:
        yield ""
        yield ink("Examples" if len(doc.examples) > 1 else "Example", "bold")
        for example in doc.examples:
            yield from _wrapped(example, width, 2, hang=4)


def _item(label: str, text: str, facts: str, column: int, width: int, ink: Ink) -> Iterator[str]:
    """A label with its text beside it, or below it where there is no room."""
    narrow = width < _NARROW
    if narrow:
        label = "  " + label.strip()
        column = 6
    whole = f"{text} [{facts}]" if facts else text
    rows = _wrapped(whole, width, column)
    beside = not narrow and len(label) + 2 <= column
    if beside:
        rows[0] = label.ljust(column) + rows[0][column:]
    else:
        rows.insert(0, label)
    named = len(label) - len(label.lstrip())
    rows[0] = rows[0][:named] + ink(label.strip(), "cyan") + rows[0][len(label) :]
    yield from rows


def _wrapped(text: str, width: int, indent: int, hang: int | None = None) -> list[str]:
    import textwrap

    return textwrap.wrap(
        text,
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent if hang is None else hang),
        break_on_hyphens=False,
    ) or [""]
