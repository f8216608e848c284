from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition.memory import hotset
from xum_intuition.memory.sidecar import Entry

NOW = 1_796_000_000_000
WEEK_MS = hotset.HALF_LIFE_MS


def used(count: int, age_ms: int = 0, pinned: bool = False) -> Entry:
    return Entry(pinned, count, NOW - age_ms)


def keys(entries: dict[str, Entry]) -> list[str]:
    return [entry.key for entry in hotset.rank(entries, NOW)]


@pytest.mark.parametrize(
    ("entry", "score"),
    [
        (used(8), 8.0),
        (used(8, WEEK_MS), 4.0),
        (used(8, 3 * WEEK_MS), 1.0),
        (used(1, WEEK_MS // 2), 0.5**0.5),
        (used(8, -WEEK_MS), 8.0),
        (used(0), 0.0),
        (Entry(access_count=8), 0.0),
        (Entry(access_count=10**300, last_accessed_at=1), 0.0),
    ],
)
def test_uses_are_halved_every_seven_days(entry: Entry, score: float) -> None:
    assert hotset.score(entry, NOW) == score


def test_pinned_come_first_then_the_score_then_the_path() -> None:
    entries = {
        "global:z.md": used(5),
        "global:a.md": used(5),
        "project:/p:b.md": used(9, WEEK_MS),
        "workspace:w:never.md": Entry(),
        "global:never-timed.md": Entry(access_count=3),
        "workspace:w:pinned.md": used(1, 9 * WEEK_MS, pinned=True),
        "global:pinned-unused.md": Entry(pinned=True),
    }
    assert keys(entries) == [
        "workspace:w:pinned.md",
        "global:pinned-unused.md",
        "global:a.md",
        "global:z.md",
        "project:/p:b.md",
    ]


def test_ties_go_by_the_path_and_not_by_its_encoding() -> None:
    assert keys({"global:a%3Ab.md": used(1), "global:a0.md": used(1)}) == [
        "global:a0.md",
        "global:a%3Ab.md",
    ]


def test_a_use_that_has_faded_to_nothing_still_ranks_behind_the_others() -> None:
    ancient = Entry(access_count=5, last_accessed_at=1)
    assert keys({"global:a.md": ancient, "global:b.md": used(1, 50 * WEEK_MS)}) == [
        "global:b.md",
        "global:a.md",
    ]


def test_at_most_eight_are_hot() -> None:
    ranked = hotset.rank({f"global:{n}.md": used(20 - n) for n in range(12)}, NOW)
    assert hotset.select(ranked) == ranked[:8]


def test_a_file_counts_with_16_kib_at_most_and_what_does_not_fit_leaves_room() -> None:
    ranked = hotset.rank({f"global:{n}.md": used(20 - n) for n in range(6)}, NOW)
    kib = [100, 16, 10, 7, 6, 1]
    sizes = {f"global:{n}.md": size * 1024 for n, size in enumerate(kib)}
    assert [entry.key for entry in hotset.select(ranked, sizes)] == [
        "global:0.md",
        "global:1.md",
        "global:2.md",
        "global:4.md",
    ]


entries = st.builds(
    Entry, st.booleans(), st.integers(0, 10**308), st.none() | st.integers(1, 10**308)
)


@given(st.dictionaries(st.text(), entries), st.integers(-(10**15), 10**15))
def test_any_entries_at_any_moment_have_an_order(found: dict[str, Entry], now_ms: int) -> None:
    ranked = hotset.rank(found, now_ms)
    assert [e.pinned for e in ranked] == sorted((e.pinned for e in ranked), reverse=True)
    assert all(e.pinned or e.access_count > 0 for e in ranked)
