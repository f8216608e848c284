"""Which keys the configuration file may hold and what each may be: one table for load and set.

Plain functions and not pydantic models: those took 200 ms of every start that finds a file, and
this takes 1 ms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from xum_intuition.limits import MAX_TIMEOUT_S
from xum_intuition.names import api_base_problem, workspace_problem

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")

Key = tuple[str, ...]


class Problem(NamedTuple):
    """What is wrong with one key, or with something below it."""

    key: Key
    text: str


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        return "must be a string"
    if not value.strip():
        return "must not be empty"
    return "must not hold a NUL character" if "\0" in value else None


def _texts(value: Any) -> str | None:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return "must be a list of strings"
    return next((problem for problem in map(_text, value) if problem), None)


def _text_or_texts(value: Any) -> str | None:
    if isinstance(value, str):
        return _text(value)
    return "must be a string or a list of strings" if _texts(value) else None


def _command(value: Any) -> str | None:
    """A path, or a program with its arguments, which may be empty strings."""
    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return "must be a path or a list of strings"
    if not value:
        return "must name a program"
    return _text(value[0]) or _text("".join(value))


def _address(value: Any) -> str | None:
    return _text(value) or api_base_problem(value)


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _count(value: Any) -> str | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return None if whole and value > 0 else "must be a whole number greater than 0"


def _milliseconds(value: Any) -> str | None:
    problem = _count(value)
    if problem is None and value > MAX_TIMEOUT_S * 1000:
        return f"must be at most {MAX_TIMEOUT_S * 1000}"
    return problem


def _amount(value: Any) -> str | None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return None if number and 0 < value < math.inf else "must be a number greater than 0"


def _share(value: Any) -> str | None:
    problem = _amount(value)
    return problem or ("must be at most 1" if value > 1 else None)


_COUNTED = [
    "max_steps",
    "max_output_tokens",
    "max_uses_per_turn",
    "max_results",
    "max_excerpt_chars",
    "max_read_bytes",
    "max_index_entries",
    "max_index_bytes",
    "max_files",
]

RULES: Mapping[str, Any] = {
    "model": _text,
    "root": _text,
    "memory_dir": _text_or_texts,
    "api_base": _address,
    "agent": {"enabled": _flag, "model": _text, "fallback_models": _texts},
    "workspaces": {"ID": {"model": _text, "agent": {"model": _text}}},
    "models": {'"NAME"': {"api_base": _address}},
    "budgets": {
        **dict.fromkeys(_COUNTED, _count),
        "timeout_ms": _milliseconds,
        "max_cost_usd": _amount,
        "threshold": _share,
        "floor": _share,
    },
    "experiments": {"memory": _flag, "memory_intuition": _flag},
    "integrations": {"enabled": _flag},
    "tools": {"remove": _texts},
    "hooks": {"tool_pre": _command, "tool_post": _command, "filter": _command},
}
"""Tables within tables, down to rules: what a value has to be, as the end of a sentence, or None
where it is that. ID and "NAME" stand for names of the user's own."""

_OWN_NAMES = ("ID", '"NAME"')


def _keys(rules: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, rule in rules.items():
        if isinstance(rule, Mapping):
            yield from _keys(rule, f"{above}{name}.")
        else:
            yield above + name


KEYS = tuple(_keys(RULES))
"""Every key, as it is written in messages."""


def problems(values: Mapping[str, Any]) -> list[Problem]:
    """All that is wrong with the values of a file."""
    return list(_problems(values, RULES, ()))


def _problems(values: Mapping[str, Any], rules: Mapping[str, Any], at: Key) -> Iterator[Problem]:
    own = next((name for name in _OWN_NAMES if name in rules), None)
    for name, value in values.items():
        key = (*at, name)
        rule = rules.get(own or name)
        refused = workspace_problem(name) if own == "ID" else None
        if refused:
            yield Problem(key, f"{dotted(key)} {refused}")
        elif rule is None:
            yield Problem(key, f"unknown key {dotted(key)}{suggestion(dotted(key))}")
        elif not isinstance(rule, Mapping):
            problem = rule(value)
            if problem:
                yield Problem(key, f"{dotted(key)} {problem}{_but_is(name, value)}")
        elif isinstance(value, Mapping):
            yield from _problems(value, rule, key)
        else:
            yield Problem(key, f"{dotted(key)} must be a table{_but_is(name, value)}")


def _but_is(name: str, value: Any) -> str:
    if name == "api_base":  # an address may hold a password
        return ""
    try:
        shown = repr(value)
    except ValueError:  # more digits than Python writes
        return ", not a number of that size"
    return f", not {shown if len(shown) <= 60 else shown[:59] + '…'}"


def dotted(parts: Key) -> str:
    """A key as TOML writes it."""
    return ".".join(part if _BARE_KEY.fullmatch(part) else _quoted(part) for part in parts)


def _quoted(part: str) -> str:
    return '"' + part.replace("\\", "\\\\").replace('"', '\\"') + '"'


def suggestion(key: str) -> str:
    """` (did you mean X?)` for a key that is nearly right, else an empty string."""
    import difflib

    close = difflib.get_close_matches(key, (*KEYS, *RULES), n=1, cutoff=0.6)
    if not close:
        last = key.rpartition(".")[2]
        close = [known for known in KEYS if known.rpartition(".")[2] == last][:1]
    return f" (did you mean {close[0]}?)" if close else ""
