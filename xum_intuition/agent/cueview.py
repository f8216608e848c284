"""A cue as the recognizer sees it: its terms, what each weighs in this store, what matches them."""

from __future__ import annotations

from xum_intuition.memory.preselect import Ranking
from xum_intuition.memory.stopwords import IRREGULAR
from xum_intuition.memory.terms import fold, split_identifier, stem, word_pattern

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
        self.weights = [t.weight * r for t, r in zip(ranking.terms, self.rarities, strict=True)]
        self.total = sum(self.weights) or 1.0
        self._known: dict[str, Hits] = {}
        self._shares: dict[Hits, float] = {}
        self._words = [(1 << i, t.stem) for i, t in enumerate(self.terms) if not t.whole]
        self._beginnings = {term[:2] for _, term in self._words}
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
            for bit, term in self._words:
                if root == term:
                    exact |= bit
                elif _alike(term, root, folded):
                    near |= bit
        return exact, near

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


def _alike(term: str, root: str, word: str) -> bool:
    """Whether a text's word resembles a cue's term: the same beginning, or part of a compound."""
    if term[0] == root[0]:
        short, long = (term, root) if len(term) < len(root) else (root, term)
        if len(short) >= 4 and len(long) - len(short) <= 4 and long.startswith(short):
            return True
    return (len(term) >= 5 and term in word) or (len(root) >= 6 and root[:6] in term)
