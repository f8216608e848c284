"""What can be told of a cue and one memory: the numbers that the embedded recognizer weighs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xum_intuition.agent.passages import MAX_PASSAGE, Block, blocks, widen, windows
from xum_intuition.memory.preselect import Ranking
from xum_intuition.memory.terms import WORD, Kind, fold, split_identifier, stem

_RULE = re.compile(
    r"\b(?:always|never|must|do not|don't|fix|instead|avoid|only|cause|root cause|workaround|"
    r"immer|nie|niemals|muss|toujours|jamais|siempre|nunca|всегда|никогда|нельзя)\b"
    r"|必ず|禁止|しない|必须|不要|不能|해야|금지|말 것",
    re.IGNORECASE,
)


class CueView:
    """The cue's terms with what each of them weighs in this store, and which words match them."""

    def __init__(self, cue: str, ranking: Ranking) -> None:
        self.cue = cue
        self.terms = ranking.terms
        self.ranking = ranking
        self.weights = [t.weight * ranking.rarity(i) for i, t in enumerate(ranking.terms)]
        self.total = sum(self.weights) or 1.0
        self._known: dict[str, tuple[tuple[int, float], ...]] = {}
        self._words = [(i, t.stem) for i, t in enumerate(self.terms) if not t.whole]
        self._pieces = [(i, t.stem) for i, t in enumerate(self.terms) if t.whole]

    def matches(self, text: str) -> dict[int, float]:
        """Which terms occur in a text, and how exactly (0 to 1)."""
        found: dict[int, float] = {}
        for word in WORD.findall(text):
            known = self._known.get(word)
            if known is None:
                known = self._known[word] = self._match(word)
            for index, strength in known:
                if found.get(index, 0.0) < strength:
                    found[index] = strength
        if self._pieces:
            low = text.lower()
            for index, piece in self._pieces:
                if piece in low:
                    found[index] = 1.0
        return found

    def _match(self, word: str) -> tuple[tuple[int, float], ...]:
        best: dict[int, float] = {}
        for part in {word, *split_identifier(word)}:
            folded = fold(part)
            root = stem(folded)
            for index, term in self._words:
                strength = _alike(term, root, folded)
                if strength > best.get(index, 0.0):
                    best[index] = strength
        return tuple(best.items())

    def share(self, found: Mapping[int, float]) -> float:
        """The part of the cue's weight that was found, 0 to 1."""
        return sum(self.weights[i] * s for i, s in found.items()) / self.total


def _alike(term: str, root: str, word: str) -> float:
    """How surely a text's word means a cue's term: same stem 1, same beginning or compound less."""
    if root == term:
        return 1.0
    short, long = sorted((term, root), key=len)
    if len(short) >= 4 and long.startswith(short) and len(long) - len(short) <= 4:
        return 0.8
    if len(term) >= 5 and term in word:
        return 0.6
    if len(root) >= 6 and root in term:
        return 0.5
    return 0.0


@dataclass(frozen=True)
class Passage:
    """The best passage of a memory: its place, its heading, and the terms found there."""

    start: int
    end: int
    heading: str
    found: Mapping[int, float]


@dataclass(frozen=True)
class Evidence:
    """Everything measured about one memory."""

    path: str
    passage: Passage | None
    features: dict[str, float]
    in_file: Mapping[int, float]
    in_head: Mapping[int, float]


def merge(*parts: Mapping[int, float]) -> dict[int, float]:
    """The best strength of each term."""
    whole: dict[int, float] = {}
    for part in parts:
        for index, strength in part.items():
            if whole.get(index, 0.0) < strength:
                whole[index] = strength
    return whole


def best_passage(
    view: CueView, text: str, found: Sequence[Block]
) -> tuple[Passage | None, dict[int, float]]:
    """The window of blocks that holds most of the cue's weight, and the terms of the whole text."""
    per_block = [view.matches(text[b.start : b.end]) for b in found]
    best: tuple[float, int, int] | None = None
    for first, last in windows(found):
        here = merge(*per_block[first : last + 1])
        score = view.share(here)
        tight = max(view.share(per_block[i]) for i in range(first, last + 1))
        score += 0.5 * tight
        if found[first].kind == "front":
            score *= 0.6
        elif _RULE.search(text, found[first].start, found[last].end):
            score += 0.03
        if best is None or score > best[0] + 1e-9:
            best = (score, first, last)
    if best is None:
        return None, merge(*per_block)
    _, first, last = best
    first, last = widen(found, first, last)
    start, end = found[first].start, min(found[last].end, found[first].start + MAX_PASSAGE)
    here = merge(*per_block[first : last + 1])
    return Passage(start, end, found[last].heading, here), merge(*per_block)


def measure(view: CueView, path: str, description: str, score: float, text: str | None) -> Evidence:
    """The features of one memory for this cue; without a text, of its row alone."""
    own = path.split("/", 3)[-1]
    in_path = view.matches(own)
    in_description = view.matches(description)
    in_head = merge(in_path, in_description)
    passage: Passage | None = None
    in_file: dict[int, float] = {}
    if text:
        passage, in_file = best_passage(view, text, blocks(text))
    in_file = merge(in_file, in_head)
    here = passage.found if passage else {}
    close = merge(here, in_head)
    features = {
        "score": score,
        "passage": view.share(here),
        "file": view.share(in_file),
        "head": view.share(in_head),
        "path": view.share(in_path),
        "close": view.share(close),
        **_counts(view, here, in_file, close),
    }
    return Evidence(path, passage, features, in_file, in_head)


def _counts(
    view: CueView,
    here: Mapping[int, float],
    in_file: Mapping[int, float],
    close: Mapping[int, float],
) -> dict[str, float]:
    ranking = view.ranking
    rarities = [ranking.rarity(i) for i in range(len(view.terms))]
    hits = sorted((rarities[i] * s for i, s in close.items()), reverse=True)
    missing = [rarities[i] * (1 - in_file.get(i, 0.0)) for i in range(len(view.terms))]
    special = [
        i for i, t in enumerate(view.terms) if t.kind in (Kind.NAME, Kind.NUMBER, Kind.IDENTIFIER)
    ]
    lacking = sum(1 - in_file.get(i, 0.0) for i in special)
    identifiers = [i for i in special if view.terms[i].kind is Kind.IDENTIFIER and i in in_file]
    return {
        "rarest": hits[0] if hits else 0.0,
        "second": hits[1] if len(hits) > 1 else 0.0,
        "third": hits[2] if len(hits) > 2 else 0.0,
        "informative": min(8, sum(h > 0.4 for h in hits)) / 8,
        "found_weight": sum(hits) / 10,
        "missing_rarest": max(missing, default=0.0),
        "missing_weight": sum(missing) / 10,
        "unseen": sum(w for i, w in enumerate(view.weights) if not ranking.frequencies[i])
        / view.total,
        "special_lacking": lacking / len(special) if special else 0.0,
        "special": min(4, len(special)) / 4,
        "identifiers": min(2, len(identifiers)) / 2,
        "terms": min(20, len(view.terms)) / 20,
        "pairs": _pairs(view, here),
    }


def _pairs(view: CueView, here: Mapping[int, float]) -> float:
    """The part of neighbouring cue terms of which both are in the passage."""
    count = len(view.terms) - 1
    return sum(i in here and i + 1 in here for i in range(count)) / count if count > 0 else 0.0
