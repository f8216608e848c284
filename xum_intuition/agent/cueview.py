"""A cue as the recognizer sees it: its terms, what each weighs in this store, what matches them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log

from xum_intuition.agent.meaning import Meaning
from xum_intuition.memory.language import language
from xum_intuition.memory.preselect import Ranking, top_folder
from xum_intuition.memory.stopwords import IRREGULAR
from xum_intuition.memory.terms import fold, split_identifier, stem, word_pattern

_PRIOR = 3
_QUESTION = re.compile(
    r"[?？]|^(?:how|what|which|where|when|who|why|is|are|does|do|did|can)\b", re.IGNORECASE
)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|often|big|large|old)\b|\bwhat (?:number|time|date|limit|percent)"
    r"|\bwhen\b|\bcombien\b|\bcu[aá]nt|\bwie ?viel|\bсколько\b|いくつ|何[秒分件個回]|多少|几|몇",
    re.IGNORECASE,
)
NEAR = 0.65
"""What a word counts that only begins like a term, or is a part of it."""

Hits = tuple[int, int]
"""Two sets of terms as bit masks: those that occur, and those that something like them does."""


class CueView:
    """Finds the cue's terms in texts and weighs what was found."""

    def __init__(self, cue: str, ranking: Ranking) -> None:
        self.cue = cue
        self.terms = ranking.terms
        self.ranking = ranking
        self.rarities = [ranking.rarity(i) for i in range(len(ranking.terms))]
        self.meaning = Meaning(cue)
        self.background = [self.meaning.rarity(t.word.lower()) for t in self.terms]
        self.asks = bool(_QUESTION.search(cue))
        self.asks_number = bool(_ASKS_NUMBER.search(cue))
        self._language = language(cue)
        self.weights = [t.weight * r for t, r in zip(ranking.terms, self.rarities, strict=True)]
        self.plain = [t.weight * b for t, b in zip(self.terms, self.background, strict=True)]
        """What each term weighs by its rarity at large."""
        self.both = [w * r for w, r in zip(self.plain, self.rarities, strict=True)]
        """What it weighs by its rarity in the store as well."""
        self.total = sum(self.weights) or 1.0
        self._known: dict[str, Hits] = {}
        self._shares: dict[Hits, float] = {}
        self._words = [(1 << i, t.stem) for i, t in enumerate(self.terms) if not t.whole]
        self._names = sum(1 << i for i, t in enumerate(self.terms) if t.exact)
        self._beginnings = {term[:2] for _, term in self._words}
        self._folders = {
            name: self._likelihood(number, frequencies)
            for name, (number, frequencies) in ranking.folders.items()
        }
        self._pieces = [(1 << i, t.stem) for i, t in enumerate(self.terms) if t.whole]

    def hits(self, text: str) -> Hits:
        """Which terms occur in a text."""
        exact = near = 0
        known = self._known
        for word in word_pattern(text).findall(text):
            found = known.get(word)
            if found is None:
                found = known[word] = self._match(word)
            exact |= found[0]
            near |= found[1]
        if self._pieces:
            low = text.lower()
            for bit, piece in self._pieces:
                if piece in low:
                    exact |= bit
        return exact, near & ~exact

    def _match(self, word: str) -> Hits:
        exact = near = 0
        parts = split_identifier(word)
        if len(parts) > 1:
            parts = [word, *parts]
        for part in parts:
            folded = fold(part)
            known = folded[:2] in self._beginnings or folded in IRREGULAR
            if not known and len(folded) < 6:
                continue
            root = stem(folded) if known else folded
            first, start = root[0], root[:6] if len(root) >= 6 else None
            for bit, term in self._words:
                if bit & self._names:
                    exact |= bit if folded == term else 0
                elif root == term:
                    exact |= bit
                elif (
                    (term[0] == first and _same_beginning(term, root))
                    or (len(term) >= 5 and term in folded)
                    or (start and start in term)
                ):
                    near |= bit
        return exact, near

    def is_foreign(self, text: str) -> bool:
        """Whether cue and text share a language that is not English."""
        return self._language != "en" and language(text) == self._language

    def folder(self, path: str, found: int) -> dict[str, float]:
        """How well the memories beside this one fit the cue, and how well its folder among all.

        `found` are the terms of the memory itself: it does not speak for its own folder.
        """
        name = top_folder(path)
        number, frequencies = self.ranking.folders[name]
        others = [max(0, f - (found >> i & 1)) for i, f in enumerate(frequencies)]
        rivals = [v for k, v in self._folders.items() if k != name]
        return {
            "folder": self._likelihood(number - 1, others),
            "folder_gap": self._folders[name] - max(rivals, default=0.0),
        }

    def _likelihood(self, number: int, frequencies: Sequence[int]) -> float:
        """How much more often than in the whole store the terms occur here, in logarithms."""
        total = 0.0
        for weight, here, overall in zip(
            self.weights, frequencies, self.ranking.frequencies, strict=True
        ):
            if overall:
                usual = overall / self.ranking.count
                total += weight * log((here + _PRIOR * usual) / (number + _PRIOR) / usual)
        return total / self.total

    def share(self, hits: Hits) -> float:
        """The part of the cue's weight that was found, 0 to 1."""
        known = self._shares.get(hits)
        if known is None:
            known = sum(w * s for w, s in zip(self.weights, self.strengths(hits), strict=True))
            known = self._shares[hits] = known / self.total
        return known

    def strengths(self, hits: Hits) -> list[float]:
        """How surely each term was found: 1, NEAR or 0."""
        exact, near = hits
        return [
            1.0 if exact >> i & 1 else NEAR if near >> i & 1 else 0.0
            for i in range(len(self.terms))
        ]


def merge(*parts: Hits) -> Hits:
    """What occurs in one of the parts at least."""
    exact = near = 0
    for some_exact, some_near in parts:
        exact |= some_exact
        near |= some_near
    return exact, near & ~exact


def _same_beginning(one: str, other: str) -> bool:
    """Whether one of two stems is the other with a few letters more."""
    short, long = (one, other) if len(one) < len(other) else (other, one)
    return len(short) >= 5 and len(long) - len(short) <= 4 and long.startswith(short)
