"""How near a text is to a cue by the shipped word vectors, and how rare a word is at large."""

from __future__ import annotations

from math import sqrt
from operator import mul

from xum_intuition.agent import vectors

Bag = tuple[int, int]
"""The packed sum of some words' vectors, and how many rows it sums; bags add up."""

EMPTY: Bag = (0, 0)


class Meaning:
    """The cue's words among the vectors. Without a table everything is equally near and rare."""

    def __init__(self, cue: str) -> None:
        self._table = vectors.open_table()
        self._cue = self._unpack(self.bag(cue))
        self._length = _length(self._cue)

    def bag(self, text: str) -> Bag:
        """The distinct words of a text."""
        if self._table is None:
            return EMPTY
        packed = self._table.packed
        total = count = 0
        for word in set(vectors.words(text)):
            lanes, rows = packed(word)
            total += lanes
            count += rows
        return total, count

    def nearness(self, bag: Bag, to: Bag | None = None) -> float:
        """The cosine of the cue (or of another bag) and a bag of words; 0 where one is unknown."""
        own, length = self._cue, self._length
        if to is not None:
            own = self._unpack(to)
            length = _length(own)
        lanes, bias = self._lanes(bag)
        if not own or not lanes:
            return 0.0
        # Each lane has the bias in it; taking it out of the sums is cheaper than out of the lanes.
        square = sum(map(mul, lanes, lanes)) - 2 * bias * sum(lanes) + len(lanes) * bias * bias
        norm = sqrt(square) * length
        return (sum(map(mul, own, lanes)) - bias * sum(own)) / norm if norm else 0.0

    def rarity(self, word: str) -> float:
        """0 for a word of every document, 1 for a rare or unknown one."""
        return self._table.rarity(word) if self._table else 1.0

    def _lanes(self, bag: Bag) -> tuple[list[int], int]:
        """The dimensions of a bag and what each is too large by."""
        total, count = bag
        if not count or self._table is None:
            return [], 0
        raw = total.to_bytes(vectors.LANE * self._table.dimensions, "little")
        return memoryview(raw).cast("I").tolist(), vectors.BIAS * count

    def _unpack(self, bag: Bag) -> list[int]:
        lanes, bias = self._lanes(bag)
        return [lane - bias for lane in lanes]


def add(*bags: Bag) -> Bag:
    """All their words together."""
    return sum(b[0] for b in bags), sum(b[1] for b in bags)


def _length(vector: list[int]) -> float:
    return sqrt(sum(map(mul, vector, vector)))
