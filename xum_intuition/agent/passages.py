"""Passages of a memory: consecutive blocks of lines under one heading, as places in the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MAX_PASSAGE = 1_200
"""Characters of an excerpt at most."""
GOAL = 900
"""Characters up to which a passage is widened."""
_LONG_BLOCK = 900
_MAX_BLOCKS = 1_500

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")
_TURN = re.compile(
    r"^[># ]{0,4}[*_]{0,3}([^\W\d_][\w .'-]{0,30}?)[*_]{0,3}[:：](?=.{12})", re.MULTILINE
)
_ASKING = {"user", "human", "me", "ユーザー", "用户", "사용자"}
_ANSWERING = {"assistant", "ai", "bot", "claude", "chatgpt", "アシスタント", "助手", "어시스턴트"}
_TURNS = 3
"""Turns from which on somebody takes part in a conversation."""
_SENTENCE_END = re.compile(r"[.!?;]\s|[。！？；]|\s")


class Block(NamedTuple):
    """A paragraph, a list item, a table row, a code block: `text[start:end]`, under a heading."""

    start: int
    end: int
    section: int
    """Which heading it stands under: 0 before the first one."""
    heading: str
    kind: str
    """`text`, `item`, `code`, `heading` or `front`."""


def blocks(text: str) -> list[Block]:
    """The blocks of a text in order, headings among them; none of them is longer than a passage."""
    found: list[Block] = []
    section, heading = 0, ""
    for start, end, kind in _raw_blocks(text):
        if kind == "heading":
            section += 1
            heading = text[start:end].strip().lstrip("#").strip()
        for begin, stop in _cut(text, start, end):
            found.append(Block(begin, stop, section, heading, kind))
        if len(found) >= _MAX_BLOCKS:
            break
    return found


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end without the line break, and the text of each line."""
    start = 0
    while start < len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        yield start, stop, text[start:stop]
        start = stop + 1


def _raw_blocks(text: str) -> Iterator[tuple[int, int, str]]:
    start = end = 0
    kind = ""
    fence = ""
    front = text.startswith(("---\n", "---\r\n"))
    for begin, stop, line in _lines(text):
        bare = line.strip()
        if front:
            end = stop
            if begin and bare == "---":
                front = False
                yield start, end, "front"
            elif begin > 4096:
                front = False
            continue
        mark = _FENCE.match(line)
        if fence:
            end = stop
            if mark and mark.group(1).startswith(fence) and bare == mark.group(1):
                fence = ""
                yield start, end, kind
                kind = ""
            continue
        opens = not bare or bool(mark) or _starts(line, bare, kind)
        if kind and opens:
            yield start, end, kind
            kind = ""
        if not bare:
            continue
        if not kind:
            start, kind = begin, _kind(line, bare, bool(mark))
            fence = mark.group(1) if mark else ""
        end = stop
    if kind:
        yield start, end, kind


def _starts(line: str, bare: str, kind: str) -> bool:
    """Whether this line cannot go on with the block before it."""
    return (
        kind == "heading"
        or bool(_HEADING.match(line))
        or bool(_ITEM.match(line))
        or bare.startswith("|")
    )


def _kind(line: str, bare: str, fenced: bool) -> str:
    if fenced:
        return "code"
    if _HEADING.match(line):
        return "heading"
    return "item" if _ITEM.match(line) or bare.startswith("|") else "text"


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A block, in pieces that end with a line, a sentence or a word where it is too long."""
    while end - start > _LONG_BLOCK:
        stop = text.rfind("\n", start + _LONG_BLOCK // 3, start + _LONG_BLOCK)
        if stop < 0:
            ends = [m.end() for m in _SENTENCE_END.finditer(text, start, start + _LONG_BLOCK)]
            stop = ends[-1] if ends else start + _LONG_BLOCK
        yield start, stop
        start = stop
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end


def is_conversation(text: str) -> bool:
    """Whether a text is what some people, or a person and an assistant, said in turns."""
    turns = Counter(name.lower() for name in _TURN.findall(text))
    if turns.keys() & _ASKING and turns.keys() & _ANSWERING:
        return True
    speakers = [count for count in turns.values() if count >= _TURNS]
    return len(speakers) > 1 and 2 * sum(speakers) > text.count("\n\n")


def windows(found: Sequence[Block], goal: int = GOAL) -> Iterator[tuple[int, int]]:
    """From each block on (first, last) as many as fit into `goal` under the same heading."""
    last = 0
    for first, block in enumerate(found):
        last = max(last, first)
        while (
            last + 1 < len(found)
            and found[last + 1].section == block.section
            and found[last + 1].kind != "front"
            and block.kind != "front"
            and found[last + 1].end - block.start <= goal
        ):
            last += 1
        if not (block.kind == "heading" and last == first):
            yield first, last


def widen(found: Sequence[Block], first: int, last: int, goal: int = GOAL) -> tuple[int, int]:
    """Take neighbours under the same heading, the later ones first, while they fit."""
    section = found[first].section
    if found[first].kind == "front":
        return first, last
    while last + 1 < len(found) and found[last + 1].section == section:
        if found[last + 1].end - found[first].start > goal:
            break
        last += 1
    while first > 0 and found[first - 1].section == section and found[first - 1].kind != "front":
        if found[last].end - found[first - 1].start > goal:
            break
        first -= 1
    return first, last
