"""The fitted coefficients of the embedded recognizer, and the relevance they give."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

LEAD = 0.3
"""The relevance from which a memory is a lead."""
_FILE = Path(__file__).with_name("weights.json")

Tree = Sequence[Sequence[Any]]
"""Nodes of a decision tree: (feature, border, left, right), or (value,) at a leaf.

All but border and value are integers."""


class Model(NamedTuple):
    """A logistic model and a few small trees over the same features; their mean is mapped."""

    names: Sequence[str]
    coefficients: Sequence[float]
    intercept: float
    trees: Sequence[Tree]
    base: float
    """What the trees start from."""
    share: float
    """The share of the logistic model in the mean."""
    scale: Sequence[tuple[float, float]]
    """Log-odds and the relevance that is shown for them, rising."""
    runner_up: float
    """Beside a lead, the log-odds from which a memory is a lead as well."""

    def odds(self, features: Mapping[str, float]) -> float:
        """The log-odds that a memory with these features answers its cue."""
        values = [features.get(name, 0.0) for name in self.names]
        linear = self.intercept
        for value, weight in zip(values, self.coefficients, strict=True):
            linear += value * weight
        grown: float = self.base
        for tree in self.trees:
            node = tree[0]
            while len(node) > 1:
                feature, border, left, right = node
                node = tree[left if values[feature] <= border else right]
            grown += node[0]
        return self.share * linear + (1 - self.share) * grown

    def relevance(self, odds: float) -> float:
        """The relevance on the broken line of `scale`."""
        at = bisect_right([border for border, _ in self.scale], odds)
        if at == 0:
            return 0.0
        if at == len(self.scale):
            return self.scale[-1][1]
        (low, less), (high, more) = self.scale[at - 1], self.scale[at]
        return round(less + (more - less) * (odds - low) / (high - low), 3)


class Weights(NamedTuple):
    """One model for notes and one for conversations, in which words mean something else."""

    notes: Model
    conversations: Model

    @classmethod
    def load(cls) -> Weights:
        """The weights that ship, read once a process."""
        return _load(_FILE)

    def relevances(self, candidates: Sequence[Mapping[str, float]]) -> list[float]:
        """The relevance of each memory of one cue.

        Where the best one is a lead, the cue seems to have its answer here: a runner-up is a lead
        already at lower odds.
        """
        models = [self.conversations if f.get("conversation") else self.notes for f in candidates]
        odds = [model.odds(f) for model, f in zip(models, candidates, strict=True)]
        shown = [model.relevance(value) for model, value in zip(models, odds, strict=True)]
        if max(shown, default=0.0) < LEAD:
            return shown
        return [
            max(relevance, LEAD) if value >= model.runner_up else relevance
            for model, relevance, value in zip(models, shown, odds, strict=True)
        ]


@lru_cache(maxsize=2)
def _load(file: Path) -> Weights:
    data = json.loads(file.read_text(encoding="utf-8"))
    return Weights(*(Model(**data[kind]) for kind in Weights._fields))
