"""Putting the hook into Claude Code's settings file, and taking it out again.

Only the hook's own lines change; a file that cannot be understood is not touched.
"""

from __future__ import annotations

import difflib
import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from xum_intuition import atomic, dirs
from xum_intuition.errors import ConfigError
from xum_intuition.integrations import json_text
from xum_intuition.integrations.claude_code import EVENT
from xum_intuition.text import visible

_MAX_BYTES = 16 * 1024 * 1024

_OWN_WORDS = ["hook", "claude-code"]


@dataclass(frozen=True, slots=True)
class Change:
    """A settings file as it is and as it will be."""

    file: Path
    before: str
    after: str

    @property
    def needed(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified diff, harmless on a terminal."""
        lines = difflib.unified_diff(
            self.before.split("\n"), self.after.split("\n"), "before", str(self.file), lineterm=""
        )
        return "\n".join(visible(line, keep="\t") for line in lines)

    def write(self) -> None:
        """Put the new text in place; raises ConfigError, also if the file changed meanwhile."""
        if _read(self.file) != self.before:
            raise ConfigError(f"{self.file} was changed by someone else just now; try again.")
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            atomic.replace(str(self.file), self.after.encode("utf-8", "surrogatepass"))
        except OSError as error:
            raise ConfigError(f"{self.file} cannot be written: {error.strerror}.") from error


def install(file: Path, command: str, timeout_s: int) -> Change:
    """The change that makes `command` run for each prompt. Raises ConfigError."""
    before = _read(file)
    text = before if before.strip() else "{}\n"
    _check(text, file)
    handler = {"type": "command", "command": command, "timeout": timeout_s}
    own = next(_own_handlers(text), None)
    if own is None:
        return Change(file, before, _inserted(text, handler))
    return Change(file, before, _updated(text, own.handler, handler))


def uninstall(file: Path) -> Change:
    """The change that takes the hook out, and what is empty without it. Raises ConfigError."""
    before = text = _read(file)
    if text.strip():
        _check(text, file)
        while own := next(_own_handlers(text), None):
            text = json_text.remove(text, *own.removable)
    return Change(file, before, text)


def is_own(command: object) -> bool:
    """Whether a handler's command runs this program's hook, wherever it is installed."""
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    if words[1:2] == ["-P"]:
        del words[1]
    if words[1:3] == ["-m", "xum_intuition"]:
        return words[3:5] == _OWN_WORDS
    return os.path.basename(words[0] if words else "") == "intuition" and words[1:3] == _OWN_WORDS


class _Level(NamedTuple):
    """A container, the place in it, and how many it holds."""

    start: int
    place: int
    holds: int


class _Own(NamedTuple):
    handler: json_text.Part
    removable: tuple[int, int]
    """The container, and the place in it, of the largest part that holds nothing else."""


def _own_handlers(text: str) -> Iterator[_Own]:
    for levels, inner in _handler_lists(text):
        handlers = json_text.parts(text, inner)
        for n, handler in enumerate(handlers):
            if is_own(handler.value.get("command")):
                own = _Level(inner, n, len(handlers))
                yield _Own(handler, _removable([own, *levels]))


def _handler_lists(text: str) -> Iterator[tuple[list[_Level], int]]:
    """Where each list of handlers for the event begins, and the levels around it, inmost first."""
    top = json_text.root(text)
    for n_hooks, hooks in _members(text, top, "hooks"):
        for n_event, event in _members(text, hooks.value_start, EVENT):
            groups = json_text.parts(text, event.value_start)
            for n_group, group in enumerate(groups):
                levels = [
                    _Level(event.value_start, n_group, len(groups)),
                    _Level(hooks.value_start, n_event, len(hooks.value)),
                    _Level(top, n_hooks, 0),
                ]
                for _, inner in _members(text, group.value_start, "hooks"):
                    yield levels, inner.value_start


def _removable(levels: list[_Level]) -> tuple[int, int]:
    """The first level, from within, that holds something else as well."""
    for level in levels:
        if level.holds != 1:
            return level.start, level.place
    raise AssertionError("the outermost level is never taken for alone")


def _members(text: str, start: int, key: str) -> Iterator[tuple[int, json_text.Part]]:
    if text[start] == "{":
        for n, part in enumerate(json_text.parts(text, start)):
            if part.key == key:
                yield n, part


def _inserted(text: str, handler: dict[str, Any]) -> str:
    step = json_text.indentation(text)
    top = json_text.root(text)
    hooks = next(_members(text, top, "hooks"), None)
    group = {"hooks": [handler]}
    if hooks is None:
        return _insert(text, top, "hooks", {EVENT: [group]}, step)
    start = hooks[1].value_start
    event = next(_members(text, start, EVENT), None)
    if event is None:
        return _insert(text, start, EVENT, [group], step)
    return _insert(text, event[1].value_start, None, group, step)


def _insert(text: str, start: int, key: str | None, value: Any, step: str) -> str:
    rendered = json.dumps(value, indent=step, ensure_ascii=False)
    return json_text.insert_last(
        text, start, rendered if key is None else f"{json.dumps(key)}: {rendered}", step
    )


def _updated(text: str, own: json_text.Part, handler: dict[str, Any]) -> str:
    """The handler's own keys brought up to date; others, as a status message, stay."""
    if own.value == {**own.value, **handler}:
        return text
    for key, value in handler.items():
        start = next(_own_handlers(text)).handler.value_start
        member = next(_members(text, start, key), None)
        if member is None:
            text = _insert(text, start, key, value, json_text.indentation(text))
        else:
            part = member[1]
            rendered = json.dumps(value, ensure_ascii=False)
            text = text[: part.value_start] + rendered + text[part.end :]
    return text


def _read(file: Path) -> str:
    """The file's text; empty where there is none yet."""
    try:
        data = dirs.read_regular(file, _MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise ConfigError(f"{file} is larger than 16 MiB; it is not changed.")
        return data.decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise ConfigError(f"{file} is not UTF-8; it is not changed.") from None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}.") from error


def _check(text: str, file: Path) -> None:
    """Raise ConfigError unless the text has the shape of settings as far as hooks go."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{file}, line {error.lineno}, column {error.colno}: {error.msg}. The file is not"
            " changed."
        ) from None
    except RecursionError:
        raise ConfigError(f"{file} is nested too deeply; it is not changed.") from None
    problem = _shape_problem(found)
    if problem:
        raise ConfigError(f"{file}: {problem}. The file is not changed.")


def _shape_problem(found: Any) -> str | None:
    if not isinstance(found, dict):
        return "the settings are no object"
    hooks = found.get("hooks", {})
    if not isinstance(hooks, dict):
        return "`hooks` is no object"
    groups = hooks.get(EVENT, [])
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        return f"`hooks.{EVENT}` is no list of objects"
    for group in groups:
        inner = group.get("hooks", [])
        if not isinstance(inner, list) or not all(isinstance(item, dict) for item in inner):
            return f"a `hooks` in `hooks.{EVENT}` is no list of objects"
    return None
