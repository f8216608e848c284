from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition.memory.preselect import Preselect, Ranking

Memory = tuple[str, str, str | None]


def ranking(cue: str, *memories: Memory) -> Ranking:
    preselect = Preselect(cue)
    for memory in memories:
        preselect.add(*memory)
    return preselect.finish()


def memory(name: str, text: str | None, description: str = "") -> Memory:
    return (f"/memories/global/{name}.md", description, text)


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("restart the gateway", "The gateway must be restarted by hand."),
        ("fooBar is undefined", "call fooBar() late"),
        ("foo_bar is undefined", "see foo_bar"),
        ("may I use --no-verify", "never pass --no-verify"),
        ("it says ECONNRESET", "ECONNRESET comes from the pool"),
        ("change /etc/hosts", "add it to /etc/hosts"),
        ("tag v2.3.1", "tags look like v2.3.1"),
        ("設定画面を直して", "設定画面の文字列"),
        ("部署到生产环境", "生产环境需要两个人"),
        ("플러그인을 켜 줘", "플러그인 설정"),
        ("Aktualisiere den Treiber", "Der Druckertreiber ist alt"),
        ("почини сервер", "Сервера перезапускаются ночью"),
        ("vider la mémoire", "La memoire cache"),
    ],
)
def test_what_the_body_says_is_found(cue: str, text: str) -> None:
    found = ranking(cue, memory("a", "Nothing of the kind."), memory("b", text))
    assert found.scores[1] > found.scores[0]


def test_path_and_description_are_enough_where_the_text_is_hidden() -> None:
    found = ranking(
        "rotate the certificate",
        memory("x", None, "Rotating certificates"),
        memory("certificate", None),
        memory("y", None),
    )
    assert found.scores[0] > 0 and found.scores[1] > 0 and found.scores[2] == 0


def test_rare_terms_weigh_more_than_common_ones() -> None:
    common = [memory(f"c{i}", "deploy the server") for i in range(8)]
    found = ranking("deploy kubernetes", memory("rare", "kubernetes"), *common)
    assert found.scores[0] == max(found.scores)


def test_a_short_term_is_a_word_of_its_own() -> None:
    found = ranking("run it", memory("a", "prune the trunk"), memory("b", "running late"))
    assert found.scores[0] == 0 and found.scores[1] > 0


def test_a_short_name_is_not_found_in_words_that_begin_like_it() -> None:
    found = ranking("Ask Tim about exams", memory("a", "An example of timing."), memory("b", "Tim"))
    assert found.scores[0] == 0 and found.scores[1] > 0


def test_nothing_in_common_is_zero_and_an_empty_store_is_no_error() -> None:
    assert list(ranking("quantum chemistry", memory("a", "Tea and cake.")).scores) == [0]
    assert list(ranking("anything").scores) == []
    assert list(ranking("???", memory("a", "Tea")).scores) == [0]


def test_the_statistics_of_the_store_are_told() -> None:
    found = ranking("deploy kubernetes", memory("a/x", "deploy"), memory("b/y", "deploy it"))
    by_stem = {t.stem: f for t, f in zip(found.terms, found.frequencies, strict=True)}
    assert by_stem["deploy"] == 2 and found.count == 2
    assert set(found.folders) == {"/memories/global/a", "/memories/global/b"}


@given(st.lists(st.text(max_size=80), max_size=6), st.text(min_size=1, max_size=60))
def test_scores_are_finite_and_depend_on_nothing_else(texts: list[str], cue: str) -> None:
    store = [memory(str(i), text, text[:9]) for i, text in enumerate(texts)]
    one, other = ranking(cue, *store), ranking(cue, *store)
    assert list(one.scores) == list(other.scores)
    assert all(0 <= score < 10 for score in one.scores)


@pytest.mark.parametrize(
    "text", ["a" * 100_000, "deploy" * 16_000, "deploy " * 14_000, "é" * 50_000, "テ" * 33_000]
)
def test_a_hostile_text_takes_no_longer_than_its_length(text: str) -> None:
    began = time.process_time()
    ranking("deploy the aaaaaaa server テスト", *[memory(str(i), text) for i in range(20)])
    assert time.process_time() - began < 5.0


def test_how_often_a_term_is_said_that_most_of_many_memories_say_does_not_count() -> None:
    preselect = Preselect("deploying to the lighthouse")
    texts = ["deploy deploy deploy, again", *["deploy it, and again"] * 400, "the lighthouse"]
    for number, text in enumerate(texts):
        preselect.add(f"/memories/global/{number}.md", "", text)
    first, *others, last = preselect.finish().scores
    assert abs(first - others[0]) < 0.01
    assert last > first
