"""Whether an excerpt really stands in a memory, and where. Pure functions over text."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_WORD = re.compile(r"\S+")
_MIN_CHARS = 12
_MIN_ALPHANUMERIC = 4
_JOINERS = "\u200d\ufe0e\ufe0f"


class Quote(NamedTuple):
    """The file's own text at the place of an excerpt, and its first and last line from 1."""

    excerpt: str
    lines: tuple[int, int]
    truncated: bool


def verify(excerpt: str, text: str, visible: str, max_chars: int) -> Quote | None:
    """The quote that an excerpt names, or None where it does not count as verified.

    With runs of Unicode white space taken as one space and ends trimmed it must occur in `text`
    (the file's) and in `visible` (what hooks let through), and be substantial: at least 12
    characters that are no space, or a whole line with four letters or digits. A file that is
    hidden in part can so be quoted only where it is not.
    """
    wanted = fold(excerpt)
    if not wanted or not occurs(wanted, visible):
        return None
    if len(wanted.replace(" ", "")) >= _MIN_CHARS:
        place = _place(wanted, text)
    elif sum(c.isalnum() for c in wanted) >= _MIN_ALPHANUMERIC:
        place = _whole_line(wanted, text)
    else:
        place = None
    return None if place is None else _quote(text, *place, max_chars)


def fold(text: str) -> str:
    """Runs of white space as one space, ends trimmed."""
    return " ".join(text.split())


def occurs(folded: str, text: str) -> bool:
    """Whether a folded excerpt occurs in a text, white space folded too."""
    return folded in fold(text)


def _place(wanted: str, text: str) -> tuple[int, int] | None:
    """Start and end offset of the first place where the folded excerpt stands in the text.

    Searched in the folded text and then mapped back, so that the time is linear whatever the two
    hold; a pattern of words and gaps could be made to go quadratic.
    """
    start = fold(text).find(wanted)
    if start < 0:
        return None
    end = start + len(wanted)
    first = -1
    at = 0  # where the current word begins in the folded text
    for word in _WORD.finditer(text):
        after = at + len(word[0])
        if first < 0 and start < after:
            first = word.start() + start - at
        if end <= after:
            return first, word.start() + end - at
        at = after + 1
    return None


def _whole_line(wanted: str, text: str) -> tuple[int, int] | None:
    """Start and end offset of the first line that is the excerpt, but for white space."""
    at = 0
    for line in text.split("\n"):
        if fold(line) == wanted:
            indent = len(line) - len(line.lstrip())
            return at + indent, at + len(line.rstrip())
        at += len(line) + 1
    return None


def _quote(text: str, start: int, end: int, max_chars: int) -> Quote:
    cut = end if end - start <= max_chars else character_cut(text, start, start + max_chars)
    excerpt = text[start:cut].rstrip() if cut < end else text[start:end]
    first = text.count("\n", 0, start) + 1
    return Quote(excerpt, (first, first + excerpt.count("\n")), cut < end)


def character_cut(text: str, start: int, cut: int) -> int:
    """The last offset up to `cut` that does not fall inside what a reader sees as one character.

    A base and its combining marks, a sequence held together by joiners, a pair of regional
    indicators and a CR LF stay whole, unless they alone fill all the room.
    """
    at = cut
    while at > start and _inside_character(text, at):
        at -= 1
    return at if at > start else cut


def _inside_character(text: str, at: int) -> bool:
    if at >= len(text):
        return False
    previous, current = text[at - 1], text[at]
    if previous == "\r" and current == "\n":
        return True
    if previous == "\u200d" or current in _JOINERS or unicodedata.category(current)[0] == "M":
        return True
    if "\U0001f3fb" <= current <= "\U0001f3ff":  # a skin tone belongs to the sign before it
        return True
    return _regional(current) and _regional_run(text, at) % 2 == 1


def _regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _regional_run(text: str, at: int) -> int:
    """How many regional indicators (flags are pairs of them) stand right before `at`."""
    start = at
    while start > 0 and _regional(text[start - 1]):
        start -= 1
    return at - start
