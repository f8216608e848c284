"""Changing a JSON text in one place and leaving every other byte as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Part:
    """One member of an object, or one element of an array, of a text that is valid JSON."""

    key: str | None
    value: Any
    start: int
    """Where the member begins, its key included."""
    value_start: int
    end: int


def parts(text: str, start: int) -> list[Part]:
    """The members or elements of the object or array at `start`."""
    return list(_parts(text, start))


def root(text: str) -> int:
    """Where the document's value begins."""
    return _skip(text, 0)


def insert_last(text: str, start: int, piece: str, step: str) -> str:
    """Put a member or element, rendered at depth 0, last into the container at `start`."""
    inside = parts(text, start)
    at_line = ("\r\n" if "\r\n" in text else "\n") + _indent_of(text, start)
    inner = at_line + step
    lines = inner + piece.replace("\n", inner)
    if inside:
        end = inside[-1].end
        return f"{text[:end]},{lines}{text[end:]}"
    close = _skip(text, start + 1)
    return f"{text[: start + 1]}{lines}{at_line}{text[close:]}"


def remove(text: str, start: int, index: int) -> str:
    """Take a member or element, and the comma that it needs no more, out of a container."""
    inside = parts(text, start)
    if len(inside) == 1:
        return text[: start + 1] + text[_skip(text, inside[0].end) :]
    if index == 0:
        return text[: inside[0].start] + text[inside[1].start :]
    return text[: inside[index - 1].end] + text[inside[index].end :]


def indentation(text: str) -> str:
    """One step of indentation as the document has it; two spaces where it shows none."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _parts(text: str, start: int) -> Iterator[Part]:
    keyed = text[start] == "{"
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        begin, key = at, None
        if keyed:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value, end = _DECODER.raw_decode(text, at)
        yield Part(key, value, begin, at, end)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _indent_of(text: str, at: int) -> str:
    """The white space with which the line of a position begins."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
