"""Write `man/`, one page a command, from the application itself.

With --check nothing is written, and it fails where a page is not up to date.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.command_tree import ROOT, arguments, below, options, root, top_level, write
from xum_intuition import __version__
from xum_intuition.cli.help import OPTIONS, Doc, Option, Section
from xum_intuition.errors import ExitCode

DATE = "2026-11-30"
"""Of the last change to what the pages say beside the options."""
EXIT_CODES = {
    ExitCode.OK: "A classified result, recognized or uncertain; of the other commands, success.",
    ExitCode.DIFFERENT: "With --exit-code only: nothing is recognized, or two sidecars differ.",
    ExitCode.USAGE: "The command line or the cue is wrong. Plain text on standard error.",
    ExitCode.LIMIT: "The limit of recalls in this turn is reached.",
    ExitCode.PROVIDER: "The model or its provider failed.",
    ExitCode.STORE: "The memory store, the sidecar or the configuration cannot be read.",
    ExitCode.DISABLED: "Recall is disabled by policy.",
    ExitCode.BUG: "A bug in this program, or output that cannot be written.",
    ExitCode.INTERRUPTED: "Interrupted.",
}
ENVIRONMENT = {
    "INTUITION_CONFIG": "The configuration file. --config wins.",
    "INTUITION_DEBUG": "If not empty, a bug ends in a traceback instead of one line.",
    "INTUITION_MEMORY_DIR": "A folder of memory files. --memory-dir and --root win.",
    "INTUITION_MODEL": "The model that reads and judges. --model wins.",
    "INTUITION_SUBAGENT": "Unless empty or 0, recall is disabled: a sub-agent does not recall.",
    "INTUITION_TURN": "The turn that a recall belongs to. --turn wins.",
    "XUM_ROOT": "An xum root. --root, --memory-dir and INTUITION_MEMORY_DIR win.",
    "XUM_WORKSPACE_ID": "The workspace whose memories count, in an xum root. --workspace wins.",
    "NO_COLOR": "If not empty, nothing is coloured; bold and dim may stay.",
    "COLUMNS": "The width of tables and help, instead of the terminal's.",
    "CLAUDE_CONFIG_DIR": "The folder of Claude Code, instead of ~/.claude, for its hook and for"
    " index --discover.",
    "XDG_CONFIG_HOME, XDG_STATE_HOME": "Where the folders of configuration and state are.",
}
FILES = {
    "~/.config/intuition/config.toml": "Configuration, shown and written by `intuition config`.",
    "~/.local/state/intuition/ledger.jsonl": "What recalls cost; no cue is in it.",
    "~/.xum, ~/.mux": "The xum root, and its older name, where none is named.",
    "memory-meta.json": "Pins and use counts: in an xum root beside its memories, otherwise in the"
    " state folder.",
}


def pages() -> dict[str, str]:
    """File names and the texts of all pages."""
    names = ["intuition", *(doc.name.replace(" ", "-") for doc in top_level())]
    docs = [root(), *top_level()]
    return {
        f"{name}.1": "\n".join(_page(doc, [n for n in names if n != name])) + "\n"
        for name, doc in zip(names, docs, strict=True)
    }


def _page(doc: Doc, others: list[str]) -> Iterator[str]:
    name = doc.name.replace(" ", "-")
    yield '.\\" Made by tools/generate_man.py; do not edit.'
    yield f'.TH "{_text(name.upper())}" "1" "{DATE}" "intuition {__version__}" "User Commands"'
    yield ".SH NAME"
    yield from _wrapped(f"{name} \0 {doc.summary.rstrip('.')}")
    yield ".SH SYNOPSIS"
    yield from _synopsis(doc)
    yield ".SH DESCRIPTION"
    yield from _paragraphs((doc.summary, *doc.details))
    groups = list(below(doc)) if doc.name != "intuition" else []
    if groups:
        yield from _commands(groups)
    elif doc.commands:
        yield ".SH COMMANDS"
        for command, summary in doc.commands:
            yield from _tagged(f"\\fB{_text(command)}\\fR", summary)
        yield from _wrapped("Each has a page of its own, such as intuition-recall(1).", ".PP")
    yield ".SH OPTIONS"
    yield from _sections(_union([doc, *groups]))
    yield from _examples([e for d in (doc, *groups) for e in d.examples])
    yield ".SH EXIT STATUS"
    for code in ExitCode:
        yield from _tagged(f"\\fB{code.value}\\fR", EXIT_CODES[code])
    yield ".SH ENVIRONMENT"
    for variable, text in ENVIRONMENT.items():
        yield from _tagged(f"\\fB{_text(variable)}\\fR", text)
    yield ".SH FILES"
    for file, text in FILES.items():
        yield from _tagged(f"\\fI{_text(file)}\\fR", text)
    yield ".SH SEE ALSO"
    for number, other in enumerate(others, 1):
        yield f".BR {_text(other)} (1)" + ("," if number < len(others) else "")


def _synopsis(doc: Doc) -> Iterator[str]:
    shown = (list(below(doc)) if doc.name != "intuition" else []) or [doc]
    for one in shown:
        yield f"\\fB{_text(one.name)}\\fR \\fI{_text(one.arguments)}\\fR"
        if one != shown[-1]:
            yield ".br"


def _commands(groups: list[Doc]) -> Iterator[str]:
    """The commands of a group, each with its arguments and the names of its options."""
    yield ".SH COMMANDS"
    for doc in groups:
        yield f'.SS "{_text(doc.name.removeprefix("intuition "))}"'
        yield from _paragraphs((doc.summary, *doc.details))
        for argument in arguments(doc):
            yield from _tagged(f"\\fI{_text(argument.metavar)}\\fR", _whole(argument))
        names = [option.long for option in options(doc)]
        yield from _wrapped(f"Options: {', '.join(names)}", ".PP")


def _union(docs: list[Doc]) -> list[Section]:
    """Every option once, by its group."""
    found: dict[str, dict[tuple[str, ...], Option]] = {}
    for doc in docs:
        for section in doc.sections:
            for option in section.options:
                if option.names or len(docs) == 1:
                    key = option.names or (option.metavar,)
                    found.setdefault(section.title, {}).setdefault(key, option)
    return [Section(title, tuple(options.values())) for title, options in found.items() if options]


def _sections(sections: list[Section]) -> Iterator[str]:
    ordered = sorted(sections, key=lambda section: section.title == OPTIONS)
    for section in ordered:
        title = "Other" if section.title == OPTIONS and len(ordered) > 1 else section.title
        yield f'.SS "{_text(title)}"'
        for option in section.options:
            named = ", ".join(f"\\fB{_text(name)}\\fR" for name in sorted(option.names, key=len))
            yield from _tagged(f"{named} \\fI{_text(option.metavar)}\\fR".strip(), _whole(option))


def _whole(option: Option) -> str:
    return f"{option.text} [{option.facts}]" if option.facts else option.text


def _examples(examples: list[str]) -> Iterator[str]:
    if examples:
        yield ".SH EXAMPLES"
        for number, example in enumerate(examples):
            if number:
                yield ".PP"
            yield ".nf"
            yield _guarded(_text(example))
            yield ".fi"


def _tagged(tag: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield tag.removesuffix(" \\fI\\fR")
    yield from _wrapped(text)


def _paragraphs(texts: Iterable[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        yield from _wrapped(text, ".PP" if number else "")


def _wrapped(text: str, before: str = "") -> Iterator[str]:
    """Text on lines that begin anew with each sentence, as such sources are written."""
    if before:
        yield before
    for sentence in re.split(r"(?<=[.:;]) (?=[A-Z-])", text):
        for line in textwrap.wrap(
            _text(sentence), 78, break_on_hyphens=False, break_long_words=False
        ):
            yield _guarded(line)


def _text(text: str) -> str:
    """Text in which nothing is a request or an escape sequence."""
    text = (
        text.replace("\\", "\\e")
        .replace("-", "\\-")
        .replace("\0", "\\-")
        .replace('"', "\\(dq")
        .replace("`", "\\(ga")
    )
    text = text.replace("~", "\\(ti").replace("^", "\\(ha").replace("'", "\\(aq")
    return "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)


def _guarded(line: str) -> str:
    return f"\\&{line}" if line.startswith(".") else line


if __name__ == "__main__":
    write(ROOT / "man", pages(), "tools/generate_man.py")
