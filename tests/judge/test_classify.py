"""Items become memories, candidates, or nothing."""

from __future__ import annotations

import hashlib

import pytest

from xum_intuition.errors import Forbidden, Unreadable
from xum_intuition.judge.classify import Verdict, judge
from xum_intuition.judge.types import Item
from xum_intuition.limits import Limits
from xum_intuition.protocol import Row, Seen

TEXTS = {
    f"/memories/global/{name}.md": f"# {name}\n\nThe rule of {name} is long.\n"
    for name in "abcdefgh"
}
LINE = "The rule of {} is long."


class Shelf:
    """Memories in a dictionary; counts how often each is read."""

    def __init__(self, *, forbidden: str = "", unreadable: str = "", hidden: str = "") -> None:
        self.forbidden, self.unreadable, self.hidden = forbidden, unreadable, hidden

    def read(self, path: str) -> Seen:
        if path == self.forbidden:
            raise Forbidden("a hook forbids it")
        if path == self.unreadable:
            raise Unreadable("it is gone")
        text = TEXTS[path]
        digest = hashlib.sha256(text.encode()).hexdigest()
        return Seen(path, text, text.replace(self.hidden, "") if self.hidden else text, digest, 1)


def path(name: str) -> str:
    return f"/memories/global/{name}.md"


def item(name: str, relevance: float, excerpt: str | None = None) -> Item:
    return Item(path(name), relevance, LINE.format(name) if excerpt is None else excerpt, "why")


def judged(*items: Item, shelf: Shelf | None = None, limits: Limits | None = None) -> Verdict:
    rows = {p: Row(p, f"about {p}", "frontmatter", 1.0) for p in TEXTS}
    return judge(items, rows, lambda p: f"/disk{p}", shelf or Shelf(), limits or Limits())


def summary(verdict: Verdict) -> tuple[list[tuple[str, float]], list[tuple[str, float, str]]]:
    return (
        [(m.path[17], m.relevance) for m in verdict.memories],
        [(c.path[17], c.relevance, c.reason) for c in verdict.candidates],
    )


@pytest.mark.parametrize(
    ("relevance", "expected"),
    [
        (1.0, ([("a", 1.0)], [])),
        (0.7, ([("a", 0.7)], [])),
        (0.6999, ([], [("a", 0.6999, "below_threshold")])),
        (0.3, ([], [("a", 0.3, "below_threshold")])),
        (0.2999, ([], [])),
        (0.0, ([], [])),
    ],
)
def test_both_borders_are_inclusive(relevance: float, expected: object) -> None:
    assert summary(judged(item("a", relevance))) == expected


def test_a_memory_is_the_files_own_text_with_its_place() -> None:
    (memory,) = judged(item("a", 0.9, " The rule  of\na is long. ")).memories
    assert (memory.path, memory.file, memory.excerpt, memory.lines, memory.why) == (
        path("a"),
        f"/disk{path('a')}",
        "The rule of a is long.",
        (3, 3),
        "why",
    )
    assert memory.sha256 == hashlib.sha256(TEXTS[path("a")].encode()).hexdigest()


def test_an_excerpt_that_is_not_there_makes_a_candidate_however_relevant() -> None:
    verdict = judged(
        item("a", 1.0, "The rule of b is long."), item("b", 0.2, "nowhere at all here")
    )
    assert summary(verdict) == ([], [("a", 1.0, "excerpt_not_verified")])
    assert verdict.dropped == 1


def test_unknown_paths_are_dropped() -> None:
    verdict = judged(Item("/memories/global/zz.md", 0.9, "x" * 20, ""), Item("", 0.9, "x" * 20, ""))
    assert summary(verdict) == ([], [])
    assert verdict.dropped == 2


def test_sorted_by_relevance_then_path() -> None:
    verdict = judged(item("c", 0.8), item("b", 0.9), item("a", 0.8), item("d", 0.4), item("e", 0.5))
    assert summary(verdict) == (
        [("b", 0.9), ("a", 0.8), ("c", 0.8)],
        [("e", 0.5, "below_threshold"), ("d", 0.4, "below_threshold")],
    )


def test_one_entry_a_path_a_memory_before_a_candidate_then_the_higher_relevance() -> None:
    verdict = judged(
        item("a", 0.95, "nowhere in the file"),
        item("a", 0.75),
        item("a", 0.8),
        item("b", 0.5),
        item("b", 0.6, "nowhere in the file"),
    )
    assert summary(verdict) == ([("a", 0.8)], [("b", 0.6, "excerpt_not_verified")])


def test_results_are_limited_memories_first() -> None:
    items = [item("a", 0.4), item("b", 0.8), item("c", 0.9), item("d", 0.6)]
    assert summary(judged(*items, limits=Limits(max_results=3))) == (
        [("c", 0.9), ("b", 0.8)],
        [("d", 0.6, "below_threshold")],
    )


def test_a_forbidden_memory_is_never_quoted() -> None:
    verdict = judged(item("a", 0.9), item("b", 0.9), shelf=Shelf(forbidden=path("a")))
    assert summary(verdict) == ([("b", 0.9)], [("a", 0.9, "forbidden_excerpt")])


def test_a_hidden_excerpt_is_told_from_one_that_is_not_there() -> None:
    verdict = judged(item("a", 0.9), shelf=Shelf(hidden="rule of a"))
    assert summary(verdict) == ([], [("a", 0.9, "forbidden_excerpt")])


def test_a_memory_that_cannot_be_read_stays_a_lead() -> None:
    verdict = judged(item("a", 0.9), shelf=Shelf(unreadable=path("a")))
    assert summary(verdict) == ([], [("a", 0.9, "excerpt_not_verified")])
