"""Changing one value of the configuration file, by the rules that load it."""

from __future__ import annotations

import copy
import os
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from xum_intuition import atomic, config_file, config_rules
from xum_intuition.config_rules import Key, dotted
from xum_intuition.errors import ConfigError, UsageProblem
from xum_intuition.limits import Limits
from xum_intuition.memory.paths import SCOPES

_NAMED = re.compile(r"(models|workspaces)\.(.+?)\.(api_base|model|agent\.model)")
"""A key with a name of the user's own in it, which need not be quoted on a command line."""
_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|(#)', re.DOTALL
)
"""Strings are passed over; group 1 is a comment."""


class Change(NamedTuple):
    """What was written; None stands for: not set."""

    file: Path
    key: str
    before: Any
    after: Any


def set_value(file: Path, key_text: str, texts: list[str], *, force: bool) -> Change:
    """Write one value. Raises UsageProblem for the key or value, ConfigError for the file."""
    key = parse_key(key_text)
    text = _text(file)
    values = config_file.parse(text, file)
    complaints: list[UsageProblem] = []
    for reading in _readings(texts):
        value = _absolute(key, reading)
        changed = copy.deepcopy(values)
        try:
            _put(changed, key, value)
            _check(changed, key, file)
        except UsageProblem as problem:
            complaints.append(problem)
            continue
        _write(file, text, changed, force=force)
        return Change(file, dotted(key), _get(values, key), value)
    # That of the literal, if there is one: it is about the value and not about its quotes.
    raise complaints[1] if len(complaints) == 3 else complaints[0]


def unset(file: Path, key_text: str, *, force: bool) -> Change:
    """Take a value or a whole table out; one that is not there is no error if it is a key."""
    key = parse_key(key_text)
    text = _text(file)
    values = config_file.parse(text, file)
    before = _get(values, key)
    if before is None:
        _require_known(key)
    else:
        _remove(values, key)
        _write(file, text, values, force=force)
    return Change(file, dotted(key), before, None)


def parse_key(text: str) -> Key:
    """`a.b`, or `models."openai/gpt-5".api_base` with or without the quotes."""
    found = _NAMED.fullmatch(text)
    if found and found[2][0] not in "\"'":
        return (found[1], found[2], *found[3].split("."))
    try:
        if "\n" in text:
            raise ValueError
        value: Any = tomllib.loads(f"{text} = 'leaf'")
        key: list[str] = []
        while isinstance(value, dict):
            [(part, value)] = value.items()
            key.append(part)
        if value != "leaf":
            raise ValueError
    except ValueError:
        raise UsageProblem(
            f"{text!r} is no key; keys look like budgets.max_steps"
            ' or models."openai/gpt-5".api_base.'
        ) from None
    return tuple(key)


def _readings(texts: list[str]) -> list[Any]:
    """What the words of a command line can mean, the likeliest first."""
    if len(texts) != 1:
        return [list(texts)]
    text = texts[0]
    literal = _literal(text)
    if literal is None:
        return [text, [text]]
    if isinstance(literal, list):
        return [literal]
    return [text, literal, [text]]


def _absolute(key: Key, value: Any) -> Any:
    """Paths as the shell means them: in the file they would count from the file's own folder."""
    if key == ("memory_dir",):
        return [_path(v) for v in value] if isinstance(value, list) else _path(value)
    if key == ("root",) or (key[0] == "hooks" and isinstance(value, str)):
        return _path(value)
    if key[0] == "hooks" and isinstance(value, list) and value and "/" in str(value[0]):
        return [_path(value[0]), *value[1:]]
    return value


def _path(value: Any) -> Any:
    if not isinstance(value, str) or not value.strip() or value.startswith("~"):
        return value
    scope, equals, folder = value.partition("=")
    if equals and scope in SCOPES:
        return f"{scope}={_path(folder)}"
    try:
        return os.path.abspath(value)
    except OSError:
        raise UsageProblem(
            f"{value!r} is a relative path and the current directory is gone; use an absolute one."
        ) from None


def _literal(text: str) -> Any:
    """A TOML value, or None."""
    if "\n" in text:
        return None
    try:
        return tomllib.loads(f"value = {text}").get("value")
    except (ValueError, RecursionError):
        return None


def _check(values: dict[str, Any], key: Key, file: Path) -> None:
    """Raise for what is wrong: the change itself, or else the rest of the file."""
    problems = config_rules.problems(values)
    for problem in problems:
        shared = min(len(problem.key), len(key))
        if problem.key[:shared] == key[:shared]:
            raise UsageProblem(f"{problem.text}.")
    if problems:
        raise ConfigError(
            f"The configuration file {file} is wrong: {problems[0].text}. Mend it or"
            " `intuition config unset` it first; the file is not changed."
        )
    if key[0] == "budgets":
        clash = Limits(**values["budgets"]).problem()
        if clash:
            raise UsageProblem(f"{clash}; the file is not changed.")


def _require_known(key: Key) -> None:
    """Raise for a key that could not be set, so that a slip of the pen is noticed."""
    probe: dict[str, Any] = {}
    _put(probe, key, object())
    for problem in config_rules.problems(probe):
        if problem.text.startswith("unknown key"):
            raise UsageProblem(f"{problem.text}.")


def _put(values: dict[str, Any], key: Key, value: Any) -> None:
    for depth, part in enumerate(key[:-1]):
        values = values.setdefault(part, {})
        if not isinstance(values, dict):
            above = dotted(key[: depth + 1])
            raise UsageProblem(f"{above} is a value and not a table; unset it first.")
    values[key[-1]] = value


def _get(values: dict[str, Any], key: Key) -> Any:
    found: Any = values
    for part in key:
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _remove(values: dict[str, Any], key: Key) -> None:
    """Take a key out, and the tables that it leaves empty."""
    inner = values
    for part in key[:-1]:
        inner = inner[part]
    del inner[key[-1]]
    if not inner and len(key) > 1:
        _remove(values, key[:-1])


def _text(file: Path) -> str:
    """The file's text; empty where there is none yet."""
    return config_file.read_text(file) if os.path.exists(file) else ""


def has_comments(text: str) -> bool:
    """Whether valid TOML holds a comment."""
    return any(found[1] for found in _COMMENT.finditer(text))


def _write(file: Path, old: str, values: dict[str, Any], *, force: bool) -> None:
    if has_comments(old) and not force:
        raise UsageProblem(
            f"{file} holds comments, which this would lose. Edit the file by hand to keep them, or"
            " use --force."
        )
    import tomli_w

    data = tomli_w.dumps(values).encode()
    try:
        os.makedirs(os.path.dirname(os.path.realpath(file)), mode=0o700, exist_ok=True)
        atomic.replace(str(file), data)
    except OSError as error:
        raise ConfigError(
            f"The configuration file {file} cannot be written: {error.strerror}."
        ) from error
