"""What can be told of a cue and one memory: the numbers that the embedded recognizer weighs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from xum_intuition.agent.cueview import CueView, Hits, merge
from xum_intuition.agent.passages import MAX_PASSAGE, Block, blocks, widen, windows
from xum_intuition.memory.terms import Kind

_RULE = re.compile(
    r"\b(?:always|never|must|do not|don't|fix|instead|avoid|only|cause|root cause|workaround|"
    r"immer|nie|niemals|muss|toujours|jamais|siempre|nunca|всегда|никогда|нельзя)\b"
    r"|必ず|禁止|しない|必须|不要|不能|해야|금지|말 것",
    re.IGNORECASE,
)
_FRONT = 0.4
_RULES = 0.05
_EARLY = 0.15
_TIGHT = 0.5


class Passage(NamedTuple):
    """The best passage of a memory: its place, its heading, and the terms found there."""

    start: int
    end: int
    heading: str
    hits: Hits


class Evidence(NamedTuple):
    """Everything measured about one memory."""

    path: str
    passage: Passage | None
    features: dict[str, float]
    in_head: Hits


def best_passage(
    view: CueView, text: str, found: Sequence[Block], hits: Sequence[Hits]
) -> Passage | None:
    """The window of blocks that holds most of the cue's weight; earlier ones and rules first."""
    shares = [view.share(h) for h in hits]
    rules = [bool(_RULE.search(text, b.start, b.end)) for b in found]
    best: tuple[float, int, int] | None = None
    for first, last in windows(found):
        score = view.share(merge(*hits[first : last + 1]))
        score += _TIGHT * max(shares[first : last + 1]) - _EARLY * first / len(found)
        if found[first].kind == "front":
            score *= _FRONT
        elif any(rules[first : last + 1]):
            score += _RULES
        if best is None or score > best[0] + 1e-9:
            best = (score, first, last)
    if best is None:
        return None
    first, last = widen(found, best[1], best[2], MAX_PASSAGE)
    start, end = found[first].start, min(found[last].end, found[first].start + MAX_PASSAGE)
    return Passage(start, end, found[last].heading, merge(*hits[first : last + 1]))


def measure(view: CueView, path: str, description: str, score: float, text: str) -> Evidence:
    """The features of one memory for this cue."""
    in_path = view.hits(path.split("/", 3)[-1])
    in_head = merge(in_path, view.hits(description))
    found = blocks(text)
    hits = [view.hits(text[b.start : b.end]) for b in found]
    passage = best_passage(view, text, found, hits)
    here = passage.hits if passage else (0, 0)
    in_file = merge(in_head, *hits)
    close = merge(here, in_head)
    features = {
        "score": score,
        "passage": view.share(here),
        "file": view.share(in_file),
        "head": view.share(in_head),
        "path": view.share(in_path),
        "close": view.share(close),
        "block": max((view.share(h) for h in hits), default=0.0),
        **_counts(view, in_file, close),
        "pairs": _pairs(view, here),
    }
    return Evidence(path, passage, features, in_head)


def _counts(view: CueView, in_file: Hits, close: Hits) -> dict[str, float]:
    rarities = view.rarities
    near = view.strengths(close)
    anywhere = view.strengths(in_file)
    found = sorted((r * s for r, s in zip(rarities, near, strict=True) if s), reverse=True)
    missing = [r * (1 - s) for r, s in zip(rarities, anywhere, strict=True)]
    kinds = (Kind.NAME, Kind.NUMBER, Kind.IDENTIFIER)
    special = [s for t, s in zip(view.terms, anywhere, strict=True) if t.kind in kinds]
    named = [t.kind is Kind.IDENTIFIER and s > 0 for t, s in zip(view.terms, anywhere, strict=True)]
    frequencies = view.ranking.frequencies
    unseen = sum(w for w, n in zip(view.weights, frequencies, strict=True) if not n)
    return {
        "rarest": found[0] if found else 0.0,
        "second": found[1] if len(found) > 1 else 0.0,
        "third": found[2] if len(found) > 2 else 0.0,
        "informative": min(8, sum(f > 0.4 for f in found)) / 8,
        "found_weight": sum(found) / 10,
        "missing_rarest": max(missing, default=0.0),
        "missing_weight": sum(missing) / 10,
        "unseen": unseen / view.total,
        "special_lacking": 1 - sum(special) / len(special) if special else 0.0,
        "special": min(4, len(special)) / 4,
        "identifiers": min(2, sum(named)) / 2,
        "terms": min(20, len(view.terms)) / 20,
    }


def _pairs(view: CueView, here: Hits) -> float:
    """The part of neighbouring cue terms of which both are in the passage."""
    both = here[0] | here[1]
    count = len(view.terms) - 1
    return (both & both >> 1).bit_count() / count if count > 0 else 0.0
