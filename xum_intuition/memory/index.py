"""From a store and a cue to the rows that the nested agent is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from xum_intuition.errors import Unreadable
from xum_intuition.limits import Limits
from xum_intuition.memory.describe import body_description, frontmatter_description
from xum_intuition.memory.files import decode
from xum_intuition.memory.preselect import Preselect, Ranking
from xum_intuition.memory.store import Entry, Store
from xum_intuition.protocol import Row, render_row

_HEAD_CHARS = 4_096


class Document(NamedTuple):
    """One memory as the index knows it; `text` is None where it cannot be read."""

    entry: Entry
    description: str
    """The frontmatter's; empty where there is none."""
    text: str | None


class _Kept(NamedTuple):
    """What is kept of a memory until it is known whether its row is shown."""

    path: str
    description: str
    head: str
    """What a description can be made of; empty where there is one, or none may be made."""

    def row(self, score: float) -> Row:
        if self.description:
            return Row(self.path, self.description, "frontmatter", score)
        return Row(self.path, *body_description(self.head), score)


@dataclass(frozen=True, slots=True)
class Index:
    """The rows for one cue: those that the nested agent gets, and how many are left out."""

    shown: tuple[Row, ...]
    omitted_by_rows: int
    omitted_by_bytes: int
    ranking: Ranking | None
    _rest: list[tuple[_Kept, float]]

    @property
    def omitted(self) -> int:
        return self.omitted_by_rows + self.omitted_by_bytes

    def left_out(self) -> Iterator[Row]:
        """The rows that no budget had room for, in order."""
        return (kept.row(score) for kept, score in self._rest)


def documents(store: Store, stop: Callable[[], bool] = lambda: False) -> Iterator[Document]:
    """Each memory of the store, read once, in index order."""
    for entry, data in store.scan(stop):
        try:
            text = decode(data)
        except Unreadable:
            head = data[:_HEAD_CHARS].decode("utf-8", "ignore").removeprefix("\ufeff")
            yield Document(entry, frontmatter_description(head), None)
        else:
            yield Document(entry, frontmatter_description(text), text)


def build(
    found: Iterable[Document],
    cue: str | None,
    limits: Limits,
    *,
    hidden: bool,
) -> Index:
    """The index for a cue, or in index order without one.

    With `hidden` (a tool_pre or a filter is set) neither bodies nor what is made of them are used.
    """
    preselect = Preselect(cue) if cue is not None else None
    kept: list[_Kept] = []
    for entry, description, text in found:
        body = None if hidden else text
        if preselect is not None:
            preselect.add(entry.path, description, body)
        head = "" if description or body is None else body[:_HEAD_CHARS]
        kept.append(_Kept(entry.path, description, head))
    ranking = preselect.finish() if preselect is not None else None
    scored = list(zip(kept, ranking.scores if ranking else [0.0] * len(kept), strict=True))
    scored.sort(key=lambda pair: -pair[1])  # stable: ties stay in index order
    shown, by_bytes = _within_budget(scored, limits)
    rest = scored[len(shown) :]
    return Index(
        shown=tuple(shown),
        omitted_by_rows=0 if by_bytes else len(rest),
        omitted_by_bytes=len(rest) if by_bytes else 0,
        ranking=ranking,
        _rest=rest,
    )


def _within_budget(scored: list[tuple[_Kept, float]], limits: Limits) -> tuple[list[Row], bool]:
    """The rows until one budget is reached, and whether it was the bytes'.

    The first row is always shown, so that only an empty store has an empty index; where even it
    is too large, it goes without its description.
    """
    rows: list[Row] = []
    size = 0
    for kept, score in scored[: limits.max_index_entries]:
        row = kept.row(score)
        size += len(render_row(row).encode()) + 1
        if size > limits.max_index_bytes:
            if rows:
                return rows, True
            row = Row(row.path, "", "none", row.score)
        rows.append(row)
    return rows, False
