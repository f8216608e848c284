"""The hot set: the memories that are pinned, or used often and lately."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from xum_intuition.memory.sidecar import Entry, parse_key

HALF_LIFE_MS = 7 * 24 * 60 * 60 * 1000
MAX_FILES = 8
MAX_FILE_BYTES = 16 * 1024
"""Bytes of one file that the other program loads; a longer file is cut to this."""
MAX_TOTAL_BYTES = 48 * 1024


class HotEntry(NamedTuple):
    """One entry with its score at a moment; `last_accessed_at` in ms since the epoch."""

    key: str
    score: float
    pinned: bool
    access_count: int
    last_accessed_at: int | None


def score(entry: Entry, now_ms: int) -> float:
    """Uses, halved for every seven days since the last; a last use in the future is now."""
    if entry.last_accessed_at is None:
        return 0.0
    age = max(0, now_ms - entry.last_accessed_at)
    # Exponents beyond a double's range would raise, and end at zero in any case.
    decay: float = 0.5 ** min(age / HALF_LIFE_MS, 2000.0)
    return entry.access_count * decay


def rank(entries: Mapping[str, Entry], now_ms: int) -> list[HotEntry]:
    """All that may be hot: pinned first, then by score, ties by path."""
    found = (
        HotEntry(key, score(e, now_ms), e.pinned, e.access_count, e.last_accessed_at)
        for key, e in entries.items()
        if e.pinned or (e.access_count > 0 and e.last_accessed_at is not None)
    )
    return sorted(found, key=lambda e: (not e.pinned, -e.score, _path(e.key), e.key))


def select(ranked: Iterable[HotEntry], sizes: Mapping[str, int] | None = None) -> list[HotEntry]:
    """Who fits the budgets, in order; a file that does not fit leaves room for smaller ones.

    `sizes` has the bytes of files by key; where a size is not known, only the count is bounded.
    """
    hot: list[HotEntry] = []
    left = MAX_TOTAL_BYTES
    for entry in ranked:
        size = min((sizes or {}).get(entry.key, 0), MAX_FILE_BYTES)
        if len(hot) < MAX_FILES and size <= left:
            hot.append(entry)
            left -= size
    return hot


def _path(key: str) -> str:
    parts = parse_key(key)
    return key if parts is None else parts.path
