"""JSON that comes back as it was spelled: numbers are carried as the text they were written in."""

from __future__ import annotations

import json
import math
from typing import Any

_MAX_NUMBER_CHARS = 400
"""No finite double is longer when written out; longer numerals are not worth converting."""


class Number(str):
    """A JSON number as it was written."""

    __slots__ = ()


def loads(data: bytes) -> Any:
    """The value in `data`; raises ValueError, UnicodeDecodeError among them, and RecursionError."""
    return json.loads(
        data.decode("utf-8-sig"),
        parse_int=Number,
        parse_float=Number,
        parse_constant=_refuse_constant,
    )


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON number")


def dumps(value: Any) -> bytes:
    """The bytes of a value, indented by two spaces, characters as they are."""
    # A surrogate without its other half has no UTF-8; as an escape it comes back the same.
    return _text(value, "\n").encode("utf-8", "backslashreplace")


def _text(value: Any, line: str) -> str:
    inner = line + "  "
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict) and value:
        quote = json.encoder.encode_basestring
        pairs = (f"{quote(name)}: {_text(item, inner)}" for name, item in value.items())
        return "{" + inner + ("," + inner).join(pairs) + line + "}"
    if isinstance(value, list) and value:
        return "[" + inner + ("," + inner).join(_text(item, inner) for item in value) + line + "]"
    return json.dumps(value, ensure_ascii=False)


def number(value: Any) -> int | float | None:
    """A JSON number by value; None for anything else, and for what no double can hold."""
    if not isinstance(value, Number) or len(value) > _MAX_NUMBER_CHARS:
        return None
    as_float = float(value)
    if not math.isfinite(as_float):
        return None
    return int(value) if value.lstrip("-").isdigit() else as_float


def plain(value: Any) -> Any:
    """A value as Python's own types; a number that no double holds stays as it was written."""
    if isinstance(value, Number):
        found = number(value)
        return str(value) if found is None else found
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value
