"""Rows for a cue, within their budgets."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from xum_intuition.limits import Limits
from xum_intuition.memory.index import Document, build
from xum_intuition.memory.paths import SCOPES, Scope, virtual_path
from xum_intuition.memory.store import Entry
from xum_intuition.protocol import Row, render_row


def document(
    relative: str, description: str, text: str | None, scope: Scope = "global"
) -> Document:
    path = virtual_path(scope, relative)
    return Document(Entry(scope, relative, path, f"/x/{relative}", False), description, text)


def test_rows_are_sorted_by_score_and_ties_stay_in_index_order() -> None:
    found = [
        document("a.md", "", "nothing of interest"),
        document("b.md", "about kestrels", "kestrel kestrel"),
        document("a.md", "", "nothing of interest", "project"),
        document("c.md", "", "one kestrel"),
    ]
    built = build(found, "where do kestrels nest?", Limits(), hidden=False)
    assert [row.path for row in built.shown] == [
        "/memories/global/b.md",
        "/memories/global/c.md",
        "/memories/global/a.md",
        "/memories/project/a.md",
    ]
    assert built.shown[0].score > built.shown[1].score > built.shown[2].score == 0


def test_without_a_cue_rows_stay_in_index_order() -> None:
    found = [document("b.md", "", "x"), document("a.md", "", "x")]
    built = build(found, None, Limits(), hidden=False)
    assert [row.path for row in built.shown] == ["/memories/global/b.md", "/memories/global/a.md"]


def test_rows_that_score_zero_fill_what_is_left() -> None:
    found = [document(f"{i}.md", "", "x") for i in range(300)]
    built = build(found, "unrelated", Limits(), hidden=False)
    assert len(built.shown) == 200
    assert (built.omitted_by_rows, built.omitted_by_bytes) == (100, 0)
    assert len(list(built.left_out())) == 100


def test_a_hook_hides_bodies_and_what_is_made_of_them() -> None:
    found = [
        document("a.md", "", "# Secret heading\n\nkestrel\n"),
        document("b.md", "frontmatter kestrel", "x"),
    ]
    built = build(found, "kestrel", Limits(), hidden=True)
    assert [(r.path, r.description) for r in built.shown] == [
        ("/memories/global/b.md", "frontmatter kestrel"),
        ("/memories/global/a.md", ""),
    ]
    assert built.shown[1].score == 0


def test_the_first_row_is_shown_even_where_its_description_does_not_fit() -> None:
    found = [document("a.md", "x" * 200, "x")]
    built = build(found, "cue", Limits(max_index_bytes=60), hidden=False)
    assert [(r.path, r.description) for r in built.shown] == [("/memories/global/a.md", "")]


words = st.text(min_size=0, max_size=250)


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.sampled_from(SCOPES), words, words), max_size=40),
    st.integers(1, 50),
    st.integers(300, 4000),
)
def test_rows_never_pass_their_budgets(
    found: list[tuple[Scope, str, str]], rows: int, size: int
) -> None:
    documents = [document(f"{i}.md", d[:200], t, s) for i, (s, d, t) in enumerate(found)]
    limits = Limits(max_index_entries=rows, max_index_bytes=size)
    built = build(documents, "some cue", limits, hidden=False)
    rendered = [render_row(row) for row in built.shown]
    assert len(rendered) <= rows
    assert sum(len(row.encode()) + 1 for row in rendered[1:]) <= size
    assert len(rendered) + built.omitted == len(documents)
    assert bool(rendered) == bool(documents)


@given(words, words)
def test_nothing_in_a_row_can_end_it(path: str, description: str) -> None:
    rendered = render_row(Row(path, description, "frontmatter", 0.0))
    assert len(rendered.splitlines()) == 1
    assert json.loads(rendered) == {"path": path, "description": description}
