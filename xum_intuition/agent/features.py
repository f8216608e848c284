"""What can be told of a cue and one memory: the numbers that the embedded recognizer weighs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

from xum_intuition.agent.cueview import CueView, Hits, merge
from xum_intuition.agent.meaning import Bag, add
from xum_intuition.agent.nearwords import NearWords
from xum_intuition.agent.passages import MAX_PASSAGE, Block, blocks, is_conversation, widen, windows
from xum_intuition.memory.terms import Kind, fold, split_identifier, word_pattern

_RULE = re.compile(
    r"\b(?:always|never|must|do not|don't|fix|instead|avoid|only|cause|root cause|workaround|"
    r"immer|nie|niemals|muss|toujours|jamais|siempre|nunca|всегда|никогда|нельзя)\b"
    r"|必ず|禁止|しない|必须|不要|不能|해야|금지|말 것",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_FINALISTS = 6
"""Memories of a cue in which near words are looked for."""
_FRONT = 0.4
_RULES = 0.05
_EARLY = 0.15
_TIGHT = 0.5
_NEAR_WEIGHED, _NEAR_SHOWN = 0.5, 1.25
"""What nearness in meaning counts for the passage that is weighed, and for the one that is shown:
whether a memory answers is told by its terms, where it does so by its meaning."""
_RIVALS = 5
"""Others that a memory is compared with; where there are fewer, as in a small store, the missing
ones count as far off, or two memories that both answer would speak against each other."""


class Passage(NamedTuple):
    """The best passage of a memory: its place, its heading, and the terms found there."""

    start: int
    end: int
    heading: str
    hits: Hits
    bag: Bag


class Evidence(NamedTuple):
    """Everything measured about one memory."""

    path: str
    description: str
    weighed: Passage | None
    """What the features are about."""
    passage: Passage | None
    """What is shown."""
    features: dict[str, float]
    in_head: Hits
    close: Hits
    """The terms in the head or in the passage."""


class _Text:
    """One memory's text, taken apart for one cue."""

    def __init__(self, view: CueView, text: str, head: Bag) -> None:
        self.text = text
        self.view = view
        self.head = head
        self.blocks = blocks(text)
        pieces = [text[b.start : b.end] for b in self.blocks]
        self.hits = [view.hits(piece) for piece in pieces]
        self.bags = [view.meaning.bag(piece) for piece in pieces]
        self.nearest = 0.0

    def best(self) -> tuple[Passage, Passage] | None:
        """The windows to weigh and to show: with most of the cue's weight, near, early, rules."""
        view, hits, found = self.view, self.hits, self.blocks
        shares = [view.share(h) for h in hits]
        rules = [bool(_RULE.search(self.text, b.start, b.end)) for b in found]
        weighed = shown = (-9.0, 0, 0)
        until, near = -1, 0.0
        for first, last in windows(found):
            if first > until:
                near = view.meaning.nearness(add(self.head, *self.bags[first : last + 1]))
                self.nearest = max(self.nearest, near)
                until = first + (last - first) // 2
            score = view.share(merge(*hits[first : last + 1]))
            score += _TIGHT * max(shares[first : last + 1]) - _EARLY * first / len(found)
            front = found[first].kind == "front"
            factor = _FRONT if front else 1.0
            bonus = _RULES if not front and any(rules[first : last + 1]) else 0.0
            weighed = _better(weighed, factor * (score + _NEAR_WEIGHED * near) + bonus, first, last)
            shown = _better(shown, factor * (score + _NEAR_SHOWN * near) + bonus, first, last)
        return (self._passage(*weighed[1:]), self._passage(*shown[1:])) if until >= 0 else None

    def _passage(self, first: int, last: int) -> Passage:
        found = self.blocks
        first, last = widen(found, first, last, MAX_PASSAGE)
        start, end = found[first].start, min(found[last].end, found[first].start + MAX_PASSAGE)
        hits = merge(*self.hits[first : last + 1])
        return Passage(start, end, found[last].heading, hits, add(*self.bags[first : last + 1]))


def _better(
    best: tuple[float, int, int], score: float, first: int, last: int
) -> tuple[float, int, int]:
    return (score, first, last) if score > best[0] + 1e-9 else best


def measure(view: CueView, path: str, description: str, score: float, text: str) -> Evidence:
    """The features of one memory for this cue."""
    own = _own(path)
    in_path = view.hits(own)
    in_head = merge(in_path, view.hits(description))
    head = view.meaning.bag(f"{own} {description}")
    parts = _Text(view, text, head)
    weighed, shown = parts.best() or (None, None)
    in_file = merge(in_head, *parts.hits)
    here = weighed.hits if weighed else (0, 0)
    close = merge(here, in_head)
    features = {
        "score": score,
        "passage": view.share(here),
        "block": max((view.share(h) for h in parts.hits), default=0.0),
        "file": view.share(in_file),
        "head": view.share(in_head),
        "close": view.share(close),
        "title": _overlap(view, own.rsplit("/", 1)[-1]),
        "pairs": _pairs(view, here),
        **_strongest(view, close),
        **_found_and_missing(view, close, in_file, in_head),
        **view.folder(path, in_file[0] | in_file[1]),
        "foreign": float(view.is_foreign(text)),
        "conversation": float(is_conversation(text)),
        "length": log(1 + len(text)) / 8,
        "passage_length": (weighed.end - weighed.start) / MAX_PASSAGE if weighed else 0.0,
        **_nearness(view, parts, weighed, close),
        **_form(view, text[weighed.start : weighed.end] if weighed else ""),
    }
    return Evidence(path, description, weighed, shown, features, in_head, close)


def _own(path: str) -> str:
    """A virtual path without its scope."""
    return path.split("/", 3)[-1]


def _strongest(view: CueView, close: Hits) -> dict[str, float]:
    """The rarest terms that were found near each other."""
    weights = zip(view.rarities, view.strengths(close), strict=True)
    found = [*sorted((r * s for r, s in weights if s), reverse=True), 0.0, 0.0, 0.0]
    return {
        "rarest": found[0],
        "second": found[1],
        "third": found[2],
        "informative": min(8, sum(f > 0.4 for f in found)) / 8,
        "terms": min(20, len(view.terms)) / 20,
    }


def _found_and_missing(view: CueView, close: Hits, file: Hits, head: Hits) -> dict[str, float]:
    """Sums over the cue's terms, each weighed by its rarity in the store and at large."""
    near, anywhere, above = view.strengths(close), view.strengths(file), view.strengths(head)
    weights, both = view.plain, view.both
    kinds = (Kind.NAME, Kind.NUMBER, Kind.IDENTIFIER)
    special = [s for t, s in zip(view.terms, anywhere, strict=True) if t.kind in kinds]
    named = [t.kind is Kind.IDENTIFIER and s > 0 for t, s in zip(view.terms, anywhere, strict=True)]
    missing = [w * (1 - s) for w, s in zip(both, near, strict=True)]
    lacking = [w * (1 - s) for w, s in zip(both, anywhere, strict=True)]
    frequencies = view.ranking.frequencies
    unseen = sum(w for w, n in zip(view.weights, frequencies, strict=True) if not n)
    total = sum(both) or 1.0
    return {
        "found_rare": min(6.0, sum(map(_times, both, near))) / 4,
        "found_rarest": min(6.0, sum(w * w * s for w, s in zip(both, near, strict=True))) / 4,
        "found_plain": min(6.0, sum(map(_times, weights, near))) / 4,
        "found_head": min(6.0, sum(map(_times, weights, above))) / 4,
        "close_plain": sum(map(_times, weights, near)) / (sum(weights) or 1.0),
        "close_rare": sum(map(_times, both, near)) / total,
        "file_rare": sum(map(_times, both, anywhere)) / total,
        "missing": min(6.0, sum(missing)) / 4,
        "missing_most": max(missing, default=0.0),
        "lacking_most": max(lacking, default=0.0),
        "special_lacking": 1 - sum(special) / len(special) if special else 0.0,
        "identifiers": min(2, sum(named)) / 2,
        "unseen": unseen / view.total,
    }


def _times(a: float, b: float) -> float:
    return a * b


def _nearness(
    view: CueView, parts: _Text, passage: Passage | None, close: Hits
) -> dict[str, float]:
    """Nearness in meaning: of the best and the chosen passage, of the head, of what is missing."""
    meaning = view.meaning
    here = add(parts.head, passage.bag) if passage else parts.head
    matched = close[0] | close[1]
    missing = " ".join(t.word for i, t in enumerate(view.terms) if not matched >> i & 1)
    return {
        "near": max(parts.nearest, 0.0),
        "near_passage": meaning.nearness(here),
        "near_head": meaning.nearness(parts.head),
        "near_missing": meaning.nearness(here, meaning.bag(missing)) if missing else 0.5,
    }


def _form(view: CueView, excerpt: str) -> dict[str, float]:
    """Whether the passage has the form of an answer to this cue."""
    return {
        "rule": float(bool(_RULE.search(excerpt))),
        "code": float("`" in excerpt),
        "question": float(view.asks),
        "number_asked": float(view.asks_number),
        "number_given": float(view.asks_number and bool(_DIGIT.search(excerpt))),
    }


def _overlap(view: CueView, title: str) -> float:
    """The part of a file name's words, the rarer the weightier, that the cue says too."""
    total, said = 0.5, 0.0
    stem = title.rsplit(".", 1)[0]
    for word in {part for w in word_pattern(stem).findall(stem) for part in split_identifier(w)}:
        if len(word) > 2:
            rarity = view.meaning.rarity(fold(word))
            exact, near = view.hits(word)
            total += rarity
            said += rarity * (1.0 if exact else 0.65 if near else 0.0)
    return said / total


def _pairs(view: CueView, here: Hits) -> float:
    """The part of neighbouring cue terms of which both are in the passage."""
    both = here[0] | here[1]
    count = len(view.terms) - 1
    return (both & both >> 1).bit_count() / count if count > 0 else 0.0


def soften(view: CueView, measured: Sequence[Evidence], texts: Mapping[str, str]) -> None:
    """Add how much of the cue the likeliest memories hold where a near word counts as well.

    Of the others, near words are not looked for: they hold what they hold word by word.
    """
    for evidence in measured:
        f = evidence.features
        f["soft"], f["soft_plain"], f["soft_found"] = (
            f["close_rare"],
            f["close_plain"],
            f["found_rare"],
        )
        f["soft_missing"], f["soft_missing_most"] = f["missing"], f["missing_most"]
    likely = sorted(measured, key=lambda e: (-_promise(e.features), e.path))[:_FINALISTS]
    near = NearWords(view, [_told(e, texts[e.path]) for e in likely])
    total, total_plain = sum(view.both) or 1.0, sum(view.plain) or 1.0
    for number, evidence in enumerate(likely):
        strengths = near.strengths(number, evidence.close)
        found = list(map(_times, view.both, strengths))
        lacking = [w - s for w, s in zip(view.both, found, strict=True)]
        evidence.features.update(
            soft=sum(found) / total,
            soft_plain=sum(map(_times, view.plain, strengths)) / total_plain,
            soft_found=min(6.0, sum(found)) / 4,
            soft_missing=min(6.0, sum(lacking)) / 4,
            soft_missing_most=max(lacking, default=0.0),
        )


def _told(evidence: Evidence, text: str) -> str:
    """What a memory says of itself and in the passage that is weighed."""
    passage = evidence.weighed
    here = text[passage.start : passage.end] if passage else ""
    return f"{_own(evidence.path)} {evidence.description} {here}"


def _promise(features: Mapping[str, float]) -> float:
    """A first guess of which memories may be the answer."""
    return features["close_rare"] + features["near"] + features["score"]


def compare(candidates: Sequence[dict[str, float]]) -> None:
    """Add to each memory's features how it stands among the others of the same cue."""
    for name in ("close", "score", "near", "soft"):
        values = sorted((f[name] for f in candidates), reverse=True)
        for features in candidates:
            own = features[name]
            others = list(values)
            others.remove(own)
            rest = others[:_RIVALS]
            features[f"margin_{name}"] = own - (others[0] if others else 0.0)
            features[f"ratio_{name}"] = own / values[0] if values[0] > 0 else 0.0
            features[f"above_{name}"] = own - sum(rest) / _RIVALS


__all__ = ["Block", "Evidence", "Passage", "compare", "measure"]
