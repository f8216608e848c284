"""The embedded recognizer: a model without a network, in the same seat as any other.

It is shown rows, asks for some of the files, and says of each how surely it answers the cue, with
the passage that does. `weights.json` holds its coefficients; `tools/fit_recognizer.py` writes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import exp
from pathlib import Path
from typing import NamedTuple

from xum_intuition.agent.cueview import CueView, merge
from xum_intuition.agent.features import Evidence, measure
from xum_intuition.memory.preselect import Ranking

MAX_READS = 16
"""Files that are asked for at most; the budget of bytes may allow fewer."""
_WEIGHTS = Path(__file__).with_name("weights.json")


class Judgement(NamedTuple):
    """How one memory answers the cue. `relevance` is a probability; `excerpt` stands in its text."""

    path: str
    relevance: float
    excerpt: str
    why: str
    features: Mapping[str, float]


class Weights(NamedTuple):
    """The coefficients of the logistic model over the features, by name."""

    coefficients: Mapping[str, float]
    intercept: float

    @classmethod
    def load(cls, file: Path = _WEIGHTS) -> Weights:
        data = json.loads(file.read_text(encoding="utf-8"))
        return cls(data["coefficients"], data["intercept"])

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability that a memory with these features answers its cue."""
        total = self.intercept
        for name, weight in self.coefficients.items():
            total += weight * features.get(name, 0.0)
        return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


class Recognizer:
    """Judges the memories of one cue."""

    def __init__(self, cue: str, ranking: Ranking, rows: Sequence[tuple[str, str, float]]) -> None:
        self._view = CueView(cue, ranking)
        self._rows = rows
        self._weights = Weights.load()
        self.judged: list[Judgement] = []
        """What `judge` last found, for a person who wants to see why."""

    def wants(self) -> list[str]:
        """The paths to read, best first; none that has nothing in common with the cue."""
        return [path for path, _, score in self._rows[:MAX_READS] if score > 0]

    def judge(self, texts: Mapping[str, str]) -> list[Judgement]:
        """Judge the memories that could be read, best first."""
        measured = [
            measure(self._view, path, description, score, texts[path])
            for path, description, score in self._rows[:MAX_READS]
            if path in texts
        ]
        compare([m.features for m in measured])
        judged = [self._judgement(m, texts[m.path]) for m in measured if m.passage]
        self.judged = sorted(judged, key=lambda j: (-j.relevance, j.path))
        return self.judged

    def _judgement(self, evidence: Evidence, text: str) -> Judgement:
        passage = evidence.passage
        assert passage is not None
        relevance = round(self._weights.probability(evidence.features), 3)
        excerpt = text[passage.start : passage.end]
        return Judgement(evidence.path, relevance, excerpt, self._why(evidence), evidence.features)

    def _why(self, evidence: Evidence) -> str:
        """The terms that matched, the weightiest first, and the heading they stand under."""
        passage = evidence.passage
        hits = merge(evidence.in_head, passage.hits if passage else (0, 0))
        weights = self._view.weights
        found = [
            (w * s, i)
            for i, (w, s) in enumerate(zip(weights, self._view.strengths(hits), strict=True))
            if s
        ]
        best = [i for _, i in sorted(found, key=lambda f: (-f[0], f[1]))[:4]]
        words = ", ".join(self._view.terms[i].word for i in sorted(best))
        heading = passage.heading if passage else ""
        return f"{words} — {heading[:80]}" if heading else words


def compare(candidates: Sequence[dict[str, float]]) -> None:
    """Add to each memory's features how it stands among the others of the same cue."""
    for name in ("close", "score"):
        values = sorted((f[name] for f in candidates), reverse=True)
        for features in candidates:
            own = features[name]
            others = list(values)
            others.remove(own)
            rest = others[:5]
            features[f"margin_{name}"] = own - (others[0] if others else 0.0)
            features[f"ratio_{name}"] = own / values[0] if values[0] else 0.0
            features[f"above_{name}"] = own - (sum(rest) / len(rest) if rest else 0.0)
