"""A cue's terms in a passage's other words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from xum_intuition.agent.cueview import CueView
from xum_intuition.agent.nearwords import NearWords
from xum_intuition.memory.preselect import Preselect


def view(cue: str) -> CueView:
    preselect = Preselect(cue)
    preselect.add("/memories/global/a.md", "", "some text")
    return CueView(cue, preselect.finish())


def strengths(cue: str, passage: str) -> dict[str, float]:
    of_cue = view(cue)
    found = NearWords(of_cue, [passage]).strengths(0, of_cue.hits(passage))
    return {term.word: strength for term, strength in zip(of_cue.terms, found, strict=True)}


def test_a_near_word_speaks_for_a_term_less_than_the_word_itself() -> None:
    found = strengths("deploy the database", "Postgres settings: how to deploy.")
    assert found["deploy"] == 1.0
    assert 0.35 <= found["database"] < 1.0


def test_a_word_on_something_else_does_not_speak_for_a_term() -> None:
    assert strengths("deploy", "Bananas grow in warm countries.") == {"deploy": 0.0}


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_text_gives_strengths_between_nothing_and_the_word_itself(cue: str, text: str) -> None:
    assert all(0.0 <= strength <= 1.0 for strength in strengths(cue, text).values())
