"""`intuition __complete KIND WORD...`: what the shells' completions ask for, one value a line.

The words are those of the command line so far, as they are typed, so that the memories offered
are those of the store it names. Nothing is ever said but values: whatever is wrong, there are none.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from xum_intuition.text import hidden

MAX_VALUES = 5_000
_MANY = {
    "-d": "memory_dirs",
    "--memory-dir": "memory_dirs",
    "--include": "include",
    "--exclude": "exclude",
}
_ONE = {"--root", "--project", "--workspace", "--meta", "--config"}


def main(arguments: Sequence[str]) -> int:
    """Print the values of one kind; always succeeds."""
    kind, words = (arguments[0], arguments[1:]) if arguments else ("", ())
    kinds = {"memories": _memories, "models": _models, "workspaces": _workspaces}
    found: list[str] = []
    with contextlib.suppress(Exception):
        found = sorted(set(kinds[kind](_given(words))))[:MAX_VALUES]
    lines = "".join(f"{value}\n" for value in found if value and not any(map(hidden, value)))
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), lines.encode("utf-8"))
    return 0


def _given(words: Iterable[str]) -> dict[str, Any]:
    """The store's options among the words, by the names of `settings.Flags`."""
    given: dict[str, Any] = {"memory_dirs": (), "root": None}
    rest = iter(_split(words))
    for word in rest:
        if word == "--example":
            given["example"] = True
        elif word in _MANY:
            values = (*given.get(_MANY[word], ()), next(rest, ""))
            given[_MANY[word]] = tuple(value for value in values if value)
        elif word in _ONE:
            given[word.removeprefix("--")] = next(rest, "") or None
    return given


def _split(words: Iterable[str]) -> Iterator[str]:
    """Words without their quotes, and without the equals sign that bash hands over on its own."""
    for word in words:
        if word == "=":
            continue
        name, equals, value = word.partition("=")
        parts = (name, value) if equals and name.startswith("--") else (word,)
        for part in parts:
            try:
                whole = shlex.split(part)
            except ValueError:
                whole = [part]
            yield whole[0] if len(whole) == 1 else part


def _desk(given: dict[str, Any]) -> Any:
    from xum_intuition.desk import open_desk

    example = given.pop("example", False)
    return open_desk(given, os.environ, example=example)


def _memories(given: dict[str, Any]) -> Iterator[str]:
    from xum_intuition.memory.store import Store

    desk = _desk(given)
    for entry, _ in Store(desk.layout, max_files=desk.settings.limits.max_files).scan():
        yield entry.path


def _models(given: dict[str, Any]) -> Iterator[str]:
    """The embedded one, those of the ledger, and those of the configuration."""
    from xum_intuition import dirs, ledger
    from xum_intuition.names import OFFLINE

    yield OFFLINE
    with contextlib.suppress(OSError):
        summary = ledger.read(dirs.state_dir(os.environ), store=None, since_ms=None)
        yield from (total.model for total in summary.models)
    from xum_intuition.settings import Flags, load

    settings = load(Flags(config=given.get("config")), os.environ)
    yield from (settings.model, *settings.fallback_models)


def _workspaces(given: dict[str, Any]) -> Iterator[str]:
    from xum_intuition import dirs

    named = given.get("root") or os.environ.get("XUM_ROOT")
    home = dirs.home(os.environ)
    roots = [dirs.from_user(named, None, os.environ)] if named else [home / ".xum", home / ".mux"]
    for root in roots:
        with contextlib.suppress(OSError):
            yield from (d.parent.name for d in Path(root).glob("sessions/*/memory") if d.is_dir())
