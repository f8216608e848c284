"""The embedded recognizer: a model without a network, in the same seat as any other.

It is shown rows, asks for some of the files, and says of each how surely it answers the cue, with
the passage that does. `weights.json` holds its coefficients; `tools/fit_recognizer.py` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xum_intuition.agent.cueview import CueView, merge
from xum_intuition.agent.features import Evidence, compare, measure, soften
from xum_intuition.agent.meaning import Meaning
from xum_intuition.agent.weights import Weights
from xum_intuition.memory.preselect import Ranking

MAX_READS = 12
"""Files that are asked for at most; the budget of bytes may allow fewer."""
_LOOKED_AT = 48
"""Rows of which the nearness in meaning is looked at, best first."""
_FAR = 0.3
"""A row that shares no term with the cue is read only from this nearness on."""
_NEARNESS = 0.4
"""What a row's nearness in meaning counts beside its preselect score."""


class Judgement(NamedTuple):
    """How surely one memory answers the cue: `relevance` 0 to 1; `excerpt` stands in its text."""

    path: str
    relevance: float
    excerpt: str
    why: str
    features: Mapping[str, float]


class Recognizer:
    """Judges the memories of one cue."""

    def __init__(self, cue: str, ranking: Ranking, rows: Sequence[tuple[str, str, float]]) -> None:
        self._view = CueView(cue, ranking)
        self._rows = _chosen(self._view.meaning, rows)
        self.judged: list[Judgement] = []
        """What `judge` last found, for a person who wants to see why."""

    def wants(self) -> list[str]:
        """The paths to read, best first; none that has nothing in common with the cue."""
        return [path for path, _, _ in self._rows]

    def measured(self, texts: Mapping[str, str]) -> list[Evidence]:
        """What was measured of the memories that could be read."""
        found = [
            measure(self._view, path, description, score, texts[path])
            for path, description, score in self._rows
            if path in texts
        ]
        soften(self._view, found, texts)
        compare([evidence.features for evidence in found])
        return found

    def judge(self, texts: Mapping[str, str]) -> list[Judgement]:
        """Judge the memories that could be read, best first."""
        weights = Weights.load()
        measured = [evidence for evidence in self.measured(texts) if evidence.passage]
        relevances = weights.relevances([evidence.features for evidence in measured])
        judged = [
            self._judgement(evidence, relevance, texts[evidence.path])
            for evidence, relevance in zip(measured, relevances, strict=True)
        ]
        self.judged = sorted(judged, key=lambda j: (-j.relevance, j.path))
        return self.judged

    def _judgement(self, evidence: Evidence, relevance: float, text: str) -> Judgement:
        passage = evidence.passage
        excerpt = text[passage.start : passage.end] if passage else ""
        why = self._why(evidence)
        return Judgement(evidence.path, relevance, excerpt, why, evidence.features)

    def _why(self, evidence: Evidence) -> str:
        """The terms that matched, the weightiest first, and the heading they stand under."""
        passage = evidence.passage
        hits = merge(evidence.in_head, passage.hits if passage else (0, 0))
        weights = zip(self._view.weights, self._view.strengths(hits), strict=True)
        found = [
            (-weight * strength, i) for i, (weight, strength) in enumerate(weights) if strength
        ]
        best = sorted(i for _, i in sorted(found)[:4])
        words = ", ".join(self._view.terms[i].word for i in best) or "near in meaning"
        heading = passage.heading[:80] if passage else ""
        return f"{words} — {heading}" if heading else words


def _chosen(
    meaning: Meaning, rows: Sequence[tuple[str, str, float]]
) -> list[tuple[str, str, float]]:
    """The rows whose files are worth reading: by what they share with the cue and by meaning."""
    ranked = []
    for place, (path, description, score) in enumerate(rows[:_LOOKED_AT]):
        near = meaning.nearness(meaning.bag(f"{path.split('/', 3)[-1]} {description}"))
        if score > 0 or near > _FAR:
            ranked.append((-score - _NEARNESS * near, place))
    return [rows[place] for _, place in sorted(ranked)[:MAX_READS]]
