"""For each term of a cue the nearest word of a passage, by the shipped word vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xum_intuition.agent import vectors
from xum_intuition.agent.cueview import CueView, Hits

_NEAR_ENOUGH = 0.35
"""The cosine from which a word speaks for a term; below it, any two words are as near."""
_TELLING = 0.25
"""How rare in documentation at large a word is at least that can speak for a term."""
_MOST_WORDS = 150
"""Words of one passage that are looked at."""
_MOST_TERMS = 16
"""Terms that are looked at, the weightiest ones."""


class NearWords:
    """The cosines of a cue's terms and the words of all passages, made at once."""

    def __init__(self, view: CueView, passages: Iterable[str]) -> None:
        self._view = view
        self._words = [telling_words(text) for text in passages]
        distinct = dict.fromkeys(word for words in self._words for word in words)
        weights = view.both
        order = sorted(range(len(weights)), key=lambda i: -weights[i])[:_MOST_TERMS]
        table = vectors.open_table()
        self._cosines: dict[int, dict[str, float]] = {}
        if table is None or not distinct:
            return
        batch = table.batch(distinct)
        for index in order:
            vector = table.sum(vectors.words(view.terms[index].word))
            if any(vector):
                self._cosines[index] = batch.cosines(vector)

    def strengths(self, number: int, found: Hits) -> list[float]:
        """How surely each term was found in a passage, in its own form or in another word."""
        strengths = self._view.strengths(found)
        words = self._words[number]
        for index, cosines in self._cosines.items():
            if strengths[index] < 1.0:
                best = max((cosines[word] for word in words if word in cosines), default=0.0)
                if best >= _NEAR_ENOUGH:
                    strengths[index] = max(strengths[index], min(best, 1.0))
        return strengths


def telling_words(text: str) -> Sequence[str]:
    """The distinct words of a text that are not words of every text."""
    table = vectors.open_table()
    if table is None:
        return ()
    found = [w for w in dict.fromkeys(vectors.words(text)) if table.rarity(w) >= _TELLING]
    return found[:_MOST_WORDS]
