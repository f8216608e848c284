"""From reported items to memories and candidates. Pure but for reading through `Memories`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from xum_intuition.errors import Forbidden, MemoryRefused
from xum_intuition.judge.types import Item
from xum_intuition.judge.verify import fold, occurs, verify
from xum_intuition.limits import Limits
from xum_intuition.protocol import Memories, Row
from xum_intuition.result import Candidate, CandidateReason, Memory


class Verdict(NamedTuple):
    """What judging made of a report. `dropped` counts items without a place in the result."""

    memories: tuple[Memory, ...]
    candidates: tuple[Candidate, ...]
    dropped: int


def judge(
    items: Iterable[Item],
    rows: Mapping[str, Row],
    files: Callable[[str], str],
    memories: Memories,
    limits: Limits,
) -> Verdict:
    """Verify and classify a report; `rows` are those shown, `files` tells their place on disk."""
    recognized: dict[str, Memory] = {}
    leads: dict[str, Candidate] = {}
    dropped = 0
    for item in sorted(items, key=lambda item: (-item.relevance, item.path)):
        row = rows.get(item.path)
        if row is None or item.relevance < limits.floor:
            dropped += 1
            continue
        found = _check(item, row, files(row.path), memories, limits)
        if isinstance(found, Memory):
            recognized.setdefault(row.path, found)
        else:
            leads.setdefault(row.path, found)
    best = list(recognized.values())[: limits.max_results]
    rest = [lead for path, lead in leads.items() if path not in recognized]
    return Verdict(tuple(best), tuple(rest[: limits.max_results - len(best)]), dropped)


def _check(
    item: Item, row: Row, file: str, memories: Memories, limits: Limits
) -> Memory | Candidate:
    """A memory if the item's excerpt is verified and its relevance reaches the threshold."""

    def lead(reason: CandidateReason) -> Candidate:
        return Candidate(row.path, file, item.relevance, row.description, reason)

    try:
        seen = memories.read(row.path)
    except Forbidden:
        return lead("forbidden_excerpt")
    except MemoryRefused:
        return lead("excerpt_not_verified")
    quote = verify(item.excerpt, seen.text, seen.visible, limits.max_excerpt_chars)
    if quote is None:
        wanted = fold(item.excerpt)
        hidden = occurs(wanted, seen.text) and not occurs(wanted, seen.visible)
        return lead("forbidden_excerpt" if hidden else "excerpt_not_verified")
    if item.relevance < limits.threshold:
        return lead("below_threshold")
    return Memory(
        path=row.path,
        file=file,
        relevance=item.relevance,
        excerpt=quote.excerpt,
        lines=quote.lines,
        sha256=seen.sha256,
        truncated=quote.truncated,
        why=item.why,
    )
