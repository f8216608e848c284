"""Preselect: how much each memory has in common with a cue, by path, description and full text.

A pure function of the cue and of what `add` was given, in that order. Only the cue's own terms are
counted, so the time is linear in the text, and no text is kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from math import log
from typing import NamedTuple

from xum_intuition.memory.terms import Fit, Term, cue_terms, fold, needles, stem

_K1 = 1.2
_B = 0.6
_HITS = 6
"""Occurrences of a term that are looked at in one text; more would add nothing to the score."""
_LOOKS = 20
"""Places that are looked at for them."""
_MANY = 256
"""Memories from which on a term that most of them hold is only looked for, not counted."""
_INSIDE = 0.35
"""What an occurrence inside of a longer word counts (`wagen` in `kinderwagen`)."""
_PATH = 2.0
_DESCRIPTION = 1.5
_WORD_TAIL = 14
_SMALL = 20
"""A smaller store says as little of how rare a term is as one of so many memories."""
_ENDING = re.compile(r"[^\W_]*")


@dataclass(frozen=True)
class Ranking:
    """The scores of all memories for one cue, and the term statistics of the store."""

    scores: Sequence[float]
    """In the order of `add`; 0 means nothing in common, 1 would be a text of the cue's terms."""
    terms: Sequence[Term]
    frequencies: Sequence[int]
    """For each term: in how many memories it occurs."""
    count: int
    """Memories in the store."""
    folders: Mapping[str, tuple[int, Sequence[int]]]
    """By top folder: the memories in it, and for each term in how many of them it occurs."""

    def rarity(self, index: int) -> float:
        """The inverse document frequency of a term, 0 (in every memory) to 1 (in one or none)."""
        count = max(self.count, _SMALL)
        seen = self.frequencies[index]
        return log(1 + (count - seen + 0.5) / (seen + 0.5)) / log(1 + count + 0.5)

    def idf(self, index: int) -> float:
        """The BM25 inverse document frequency of a term."""
        seen = self.frequencies[index]
        return log(1 + (self.count - seen + 0.5) / (seen + 0.5))


class _Needle(NamedTuple):
    """A piece of text that betrays a term."""

    form: str
    whole_word: bool
    """Whether it has to be one, as it is or as a stem."""
    inflected: bool
    """Whether such a word may have endings."""
    spaced: bool
    """Whether its script has words, so that an occurrence can be inside of one."""
    endings: dict[str, bool]
    """What was seen to follow it in a word, and whether it may."""


def _needle(form: str, fit: Fit) -> _Needle:
    spaced = form[0] < "\u0e00" and form[0].isalnum()
    return _Needle(form, fit is not Fit.BEGINNING, fit is Fit.STEM, spaced, {})


class Preselect:
    """Collects one cue's counts over a store, memory by memory."""

    def __init__(self, cue: str) -> None:
        self._terms = cue_terms(cue)
        self._needles = [list(starmap(_needle, needles(term))) for term in self._terms]
        self._rows: list[tuple[int, list[tuple[int, float]]]] = []
        self._frequencies = [0] * len(self._terms)
        self._length = 0
        self._folders: dict[str, tuple[int, list[int]]] = {}

    def add(self, path: str, description: str, text: str | None) -> None:
        """Count the cue's terms in one memory; without a text, in its path and description."""
        head = f"{_own_path(path)}\n{description}\n"
        path_end = len(head) - len(description) - 1
        whole = (head + text).lower() if text else head.lower()
        head_end, find = len(head), whole.find
        common = _common(len(self._rows))
        counts: list[tuple[int, float]] = []
        for index, forms in enumerate(self._needles):
            found = 0.0
            enough = _HITS if self._frequencies[index] <= common else _INSIDE
            for needle in forms:
                at = find(needle[0])
                if at >= 0:
                    found += _occurrences(whole, needle, at, path_end, head_end, enough)
            if found:
                counts.append((index, found))
                self._frequencies[index] += 1
        folder = top_folder(path)
        number, frequencies = self._folders.get(folder) or (0, [0] * len(self._terms))
        for index, _ in counts:
            frequencies[index] += 1
        self._folders[folder] = (number + 1, frequencies)
        self._length += len(whole)
        self._rows.append((len(whole), counts))

    def finish(self) -> Ranking:
        """Score what was added."""
        count = len(self._rows)
        mean = self._length / count if count else 0.0
        ranking = Ranking((), self._terms, self._frequencies, count, self._folders)
        weights = [ranking.idf(i) * term.weight for i, term in enumerate(self._terms)]
        whole = sum(weights) * (_K1 + 1) or 1.0
        common = {i for i, seen in enumerate(self._frequencies) if seen > _common(count)}
        scores = []
        for length, counts in self._rows:
            if common:
                counts = [(i, 1.0 if i in common else n) for i, n in counts]
            norm = _K1 * (1 - _B + _B * (length / mean if mean else 1.0))
            score = sum(weights[i] * n * (_K1 + 1) / (n + norm) for i, n in counts)
            scores.append(round(score / whole, 6))
        return Ranking(scores, self._terms, self._frequencies, count, self._folders)


def _common(count: int) -> int:
    """In how many of so many memories a term may be and still be counted.

    How often a memory says what most of them say tells next to nothing, and to count it took half
    of the time over a store whose every file holds the cue's words.
    """
    return count // 2 if count >= _MANY else count


def _own_path(path: str) -> str:
    """The part of a virtual path below its scope."""
    parts = path.split("/", 3)
    return parts[3] if path.startswith("/memories/") and len(parts) == 4 else path


def top_folder(path: str) -> str:
    """The scope and the first folder below it, which often stands for a project."""
    return "/".join(path.split("/", 4)[:4])


def _occurrences(
    text: str, needle: _Needle, at: int, path_end: int, head_end: int, enough: float
) -> float:
    """How often a form fits, up to about `enough`; in path and description it counts more."""
    form, whole_word, _, spaced, _ = needle
    found, step, looks, find = 0.0, len(form), _LOOKS, text.find
    in_path = in_description = False
    while 0 <= at < head_end and looks:
        value = _value(text, at, needle)
        if at < path_end:
            found += 0.0 if in_path else _PATH * value
            in_path = in_path or value > 0
        else:
            found += 0.0 if in_description else _DESCRIPTION * value
            in_description = in_description or value > 0
        looks -= 1
        at = find(form, at + step) if found < enough else -1
    # The same for the text below, written out: this is where the time of a recall goes.
    while at >= 0 and looks:
        if spaced and text[at - 1].isalnum():
            found += 0.0 if whole_word else _INSIDE
        elif not whole_word or _fits(text, at, needle):
            found += 1.0
        looks -= 1
        at = find(form, at + step) if found < enough else -1
    return found


def _value(text: str, at: int, needle: _Needle) -> float:
    """What one occurrence counts."""
    if needle.spaced and at and text[at - 1].isalnum():
        return 0.0 if needle.whole_word else _INSIDE
    return 1.0 if not needle.whole_word or _fits(text, at, needle) else 0.0


def _fits(text: str, at: int, needle: _Needle) -> bool:
    """Whether the word that begins here is this form, or has it as its stem."""
    end = at + len(needle.form)
    match = _ENDING.match(text, end, max(end + 1, at + _WORD_TAIL))
    ending = match[0] if match else ""
    known = needle.endings.get(ending)
    if known is None:
        known = not ending or (needle.inflected and _has_stem(needle.form, ending))
        needle.endings[ending] = known
    return known


def _has_stem(form: str, ending: str) -> bool:
    return stem(fold(form + ending)) == stem(form)
