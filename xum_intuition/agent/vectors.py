"""Word vectors that ship with the program: how near a passage is to a cue in other words.

The table is one file beside this module, mapped and never decoded as a whole: opening it costs
well under a millisecond, a word some microseconds when it is first seen. Words are found by a
32-bit hash, so the file holds no text. Source and licence: VECTORS.md.
"""

import mmap
import re
import struct
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from math import sqrt
from operator import mul
from pathlib import Path
from zlib import crc32

MAGIC = b"XUMV"
VERSION = 1
HEADER = struct.Struct("<4sHHI4x")  # magic, version, dimensions, number of words
PER_WORD = 4 + 1 + 1  # bytes of a word beside its vector: key, rarity, scale
DATA = Path(__file__).with_name("vectors.bin")

_ASCII_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+[a-z]*")
_RUN = re.compile(r"[^\W_]+")
_CJK_FIRST, _CJK_LAST = "\u3040", "\ud7af"  # kana to hangul
BIAS = 8  # a dimension is stored as value + 8 in four bits, even ones in the low half
_LOW = bytes(byte & 15 for byte in range(256))
_HIGH = bytes(byte >> 4 for byte in range(256))
_SQUARES = bytes((byte & 15) ** 2 for byte in range(256))
_HALF = 127  # a dimension of a vector that is held against many words is scaled to -127 .. 127
LANE = 4  # bytes of one dimension in a packed row: sums of rows cannot carry over


def words(text: str) -> list[str]:
    """Return the words of a text as the table spells them, in order, with repeats.

    Lower case; identifiers are split (fooBar, foo_bar); runs of Chinese, Japanese or Korean
    become overlapping pairs of characters.
    """
    if text.isascii():
        return [word.lower() for word in _ASCII_WORD.findall(text)]
    found: list[str] = []
    for run in _RUN.findall(text):
        if run.isascii():
            found += [word.lower() for word in _ASCII_WORD.findall(run)]
        elif max(run) < _CJK_FIRST:
            found.append(run.lower())
        else:
            found += _mixed(run)
    return found


def _mixed(run: str) -> Iterator[str]:
    """Yield the words of a run of letters that holds Chinese, Japanese or Korean ones."""
    for cjk, letters in groupby(run, _is_cjk):
        part = "".join(letters)
        if cjk and len(part) > 1:
            yield from map("".join, pairwise(part))
        else:
            yield part.lower()


def _is_cjk(letter: str) -> bool:
    return _CJK_FIRST <= letter <= _CJK_LAST


def places(word: str, find: Callable[[str], int | None]) -> list[int]:
    """Return the rows that stand for a word: its own, its characters' or its longest stem's."""
    own = find(word)
    if own is not None:
        return [own]
    if _is_cjk(word[:1]):
        return [row for row in map(find, word) if row is not None]
    for length in range(len(word) - 1, max(3, len(word) - 5), -1):
        stem = find(word[:length])
        if stem is not None:
            return [stem]
    return []


class Table:
    """The vectors and the background rarity of some ten thousand words."""

    def __init__(self, data: memoryview) -> None:
        """Lay the table over its bytes; raise ValueError when they are not such a table."""
        magic, version, self.dimensions, self.size = HEADER.unpack_from(data)
        self._row = self.dimensions // 2
        body = len(data) - HEADER.size
        right = (magic, version, self.dimensions % 2) == (MAGIC, VERSION, 0)
        if not right or body != self.size * (self._row + PER_WORD):
            raise ValueError("not a table of word vectors of this version")
        keys = HEADER.size + 4 * self.size
        self._keys = data[HEADER.size : keys].cast("I")
        self._rarity = data[keys : keys + self.size]
        self._scale = data[keys + self.size : keys + 2 * self.size]
        self._rows = data[keys + 2 * self.size :]
        self._packed: dict[str, tuple[int, int]] = {}
        self._places: dict[str, list[int]] = {}

    def _at(self, word: str) -> list[int]:
        """Return the rows that stand for a word, found once."""
        known = self._places.get(word)
        if known is None:
            known = self._places[word] = places(word, self._find)
        return known

    def _find(self, word: str) -> int | None:
        key = crc32(word.encode("utf-8", "replace"))
        at = bisect_left(self._keys, key)
        return at if at < self.size and self._keys[at] == key else None

    def rarity(self, word: str) -> float:
        """Return how rare a word is in documentation at large: 0 everywhere, 1 rare or unknown."""
        rows = self._at(word)
        return max(self._rarity[row] for row in rows) / 255 if rows else 1.0

    def _lanes(self, row: int) -> int:
        """Return a row as one number with 32 bits for each dimension, so that rows add at once."""
        half = self._rows[row * self._row : (row + 1) * self._row].tobytes()
        lanes = bytearray(LANE * self.dimensions)
        lanes[:: 2 * LANE] = half.translate(_LOW)
        lanes[LANE :: 2 * LANE] = half.translate(_HIGH)
        return int.from_bytes(lanes, "little") * self._scale[row]

    def packed(self, word: str) -> tuple[int, int]:
        """Return a word's vector as such a number, and the sum of its scales (0: unknown)."""
        known = self._packed.get(word)
        if known is None:
            rows = self._at(word)
            known = (sum(map(self._lanes, rows)), sum(self._scale[row] for row in rows))
            self._packed[word] = known
        return known

    def knows(self, word: str) -> bool:
        """Return whether the word, its stem or its characters have a vector."""
        return self.packed(word)[1] > 0

    def sum(self, found: Iterable[str]) -> list[int]:
        """Return the sum of the vectors of the distinct words; empty when none is known."""
        total = scales = 0
        for word in set(found):
            lanes, scale = self.packed(word)
            total += lanes
            scales += scale
        if not scales:
            return []
        raw = memoryview(total.to_bytes(LANE * self.dimensions, "little")).cast("I")
        return [lane - BIAS * scales for lane in raw]

    def batch(self, found: Iterable[str]) -> "Batch":
        """Return the words that have a row of their own, laid out to be held against vectors."""
        rows = {}
        for word in found:
            at = self._at(word)
            if len(at) == 1:
                rows[word] = self._nibbles(at[0])
        return Batch(self.dimensions, rows)

    def _nibbles(self, row: int) -> bytes:
        """Return a row's dimensions, a byte each, from 0 to 15."""
        half = self._rows[row * self._row : (row + 1) * self._row].tobytes()
        whole = bytearray(self.dimensions)
        whole[::2] = half.translate(_LOW)
        whole[1::2] = half.translate(_HIGH)
        return bytes(whole)

    def cue(self, found: Iterable[str]) -> "Cue | None":
        """Return the cue as a vector; None when the table knows none of its words."""
        distinct = set(found)
        vector = self.sum(distinct)
        if not any(vector):
            return None
        return Cue(self, vector, sum(map(self.knows, distinct)) / len(distinct))


class Batch:
    """Many words, by dimension: one long number holds a dimension of all of them."""

    def __init__(self, dimensions: int, rows: Mapping[str, bytes]) -> None:
        """Turn the words' rows into columns."""
        self._rows = rows
        together = b"".join(rows.values())
        self._columns = []
        for at in range(dimensions):
            lanes = bytearray(LANE * len(rows))
            lanes[::LANE] = together[at::dimensions]
            self._columns.append(int.from_bytes(lanes, "little"))
        self._sums = [sum(row) for row in rows.values()]
        self._lengths = [
            sqrt(sum(row.translate(_SQUARES)) - 2 * BIAS * total + BIAS * BIAS * dimensions)
            for row, total in zip(rows.values(), self._sums, strict=True)
        ]

    def cosines(self, vector: Sequence[int]) -> dict[str, float]:
        """Return the cosine (-1 to 1) of a vector and each of the words."""
        longest = max(map(abs, vector))
        scaled = [round(_HALF * value / longest) for value in vector]
        products = sum(
            (value + _HALF) * column for value, column in zip(scaled, self._columns, strict=True)
        )
        lanes = memoryview(products.to_bytes(LANE * len(self._rows), "little")).cast("I")
        length, bias = _length(scaled), BIAS * sum(scaled)
        return {
            word: (lane - _HALF * total - bias) / (length * own) if own else 0.0
            for word, lane, total, own in zip(
                self._rows, lanes, self._sums, self._lengths, strict=True
            )
        }


class Cue:
    """A cue as a vector, to be held against passages and words."""

    def __init__(self, table: Table, vector: list[int], coverage: float) -> None:
        """Hold the summed vector; coverage is the share of distinct words the table knows."""
        self.coverage = coverage
        self._table = table
        self._vector = vector
        self._length = _length(vector)

    def passage(self, found: Iterable[str]) -> float:
        """Return the cosine (-1 to 1) of the cue and a passage's words; 0 when none is known."""
        other = self._table.sum(found)
        length = _length(other)
        return sum(map(mul, self._vector, other)) / (self._length * length) if length else 0.0

    def closeness(self, word: str) -> float | None:
        """Return the cosine (-1 to 1) of the cue and one word; None when it is unknown."""
        return self.passage([word]) if self._table.knows(word) else None


def _length(vector: list[int]) -> float:
    return sqrt(sum(map(mul, vector, vector)))


@lru_cache(maxsize=1)
def open_table(path: Path = DATA) -> Table | None:
    """Return the table, mapped once a process; None where its file is absent or of no use here."""
    if sys.byteorder != "little":
        return None  # the file's numbers are little-endian; all works without it
    try:
        with path.open("rb") as file:
            return Table(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
    except (OSError, ValueError, struct.error):
        return None
