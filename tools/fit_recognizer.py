"""Fit the embedded recognizer's coefficients on corpora of memories and cues.

    python tools/fit_recognizer.py CORPUS [CORPUS …] [--weight NAME=W …] [--limit N] [--check]

A corpus is a folder that holds `cues.jsonl` and the memory folders which it names. A line of it is
`{"cue", "dir", "gold": [paths], "also": [paths], "answerable": bool, "kind"}`. --weight says what
each cue of a corpus counts whose path has a part NAME. The figures of the final fit on its own
corpora are written to weights.json beside the coefficients, with the date and the command that
made it; with --check, also those of fits that had not seen the folder (or third of the folders) in
question. Needs numpy and scikit-learn, which the program itself does not; the same versions of
them give the same file. More than one thread gains little: set OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from xum_intuition.agent.offline import Recognizer
from xum_intuition.agent.weights import LEAD, Model, Weights
from xum_intuition.errors import Unreadable
from xum_intuition.limits import Limits
from xum_intuition.memory.describe import frontmatter_description
from xum_intuition.memory.files import decode
from xum_intuition.memory.index import Document, build
from xum_intuition.memory.store import Entry

OUTPUT = Path(__file__).parent.parent / "xum_intuition" / "agent" / "weights.json"
SUFFIXES = (".md", ".mdc", ".markdown", ".txt")
ROOT = "/memories/global/"
SPLITS = ("dev", "train", "test")
THRESHOLD = 0.7
SHARE = 0.5
SEEDS = (1, 2, 3)
KINDS = {
    "notes": (0.2, ((0.005, 0.02), (0.2, LEAD), (0.43, THRESHOLD), (0.85, 0.92), (0.97, 0.99))),
    "conversations": (
        0.0,
        ((0.005, 0.02), (0.2, LEAD), (0.36, THRESHOLD), (0.85, 0.92), (0.97, 0.99)),
    ),
}
"""For each model what a memory of the other kind counts, and fitted probability → relevance shown.
A third of the corpora's cues has no answer on purpose, which is more than in use; so the fitted
probability is too low for most cues."""
RUNNER_UP = 0.05


@dataclass
class Candidate:
    """One memory that was read for a cue."""

    features: dict[str, float]
    gold: bool
    right: bool


@dataclass
class Case:
    """One cue with what was read for it."""

    corpus: str
    folder: str
    kind: str
    answerable: bool
    weight: float
    candidates: list[Candidate] = field(default_factory=list)


def memories(folder: Path) -> list[Document]:
    """Each memory in a folder, as a recall would have it."""
    found = []
    for file in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix in SUFFIXES):
        try:
            text = decode(file.read_bytes())
        except Unreadable:
            continue
        name = file.relative_to(folder).as_posix()
        entry = Entry("global", name, f"{ROOT}{name}", str(file), False)
        found.append(Document(entry, frontmatter_description(text), text))
    return found


def cases(corpus: Path, weight: float, limit: int) -> list[Case]:
    """The cues of a corpus (a seeded sample), measured on what the recognizer would read."""
    stores: dict[str, list[Document]] = {}
    found = []
    lines = (corpus / "cues.jsonl").read_text(encoding="utf-8").splitlines()
    if limit and len(lines) > limit:
        lines = random.Random(1).sample(lines, limit)
    for row in map(json.loads, lines):
        folder = row["dir"]
        if folder not in stores:
            stores[folder] = memories(corpus / folder)
        kind = "task" if row["answerable"] else row["kind"]
        place = (corpus / folder).resolve().as_posix()
        case = Case(corpus.as_posix(), place, kind, row["answerable"], weight)
        gold, right = set(row["gold"]), set(row["gold"]) | set(row.get("also", []))
        for path, features in measure(row["cue"], stores[folder]):
            name = path.removeprefix(ROOT)
            case.candidates.append(Candidate(features, name in gold, name in right))
        found.append(case)
    return found


def measure(cue: str, store: Sequence[Document]) -> Iterable[tuple[str, dict[str, float]]]:
    """Path and features of what the recognizer reads for a cue."""
    index = build(store, cue, Limits(), hidden=False)
    assert index.ranking is not None
    rows = [(row.path, row.description, row.score) for row in index.shown]
    texts = {memory.entry.path: memory.text or "" for memory in store}
    recognizer = Recognizer(cue, index.ranking, rows)
    for evidence in recognizer.measured({path: texts[path] for path in recognizer.wants()}):
        yield evidence.path, evidence.features


def fit(train: Sequence[Case]) -> dict[str, Any]:
    """The content of weights.json, without the figures."""
    return {kind: fit_kind(train, kind) for kind in KINDS}


def fit_kind(train: Sequence[Case], kind: str) -> dict[str, Any]:
    """The model of one kind of memories."""
    other, certainty = KINDS[kind]
    every = [(case.weight, c) for case in train for c in case.candidates]
    own = [(kind == "conversations") == bool(c.features["conversation"]) for _, c in every]
    scaled = [(w if o else w * other, c) for (w, c), o in zip(every, own, strict=True)]
    pairs = [(w, c) for w, c in scaled if w] or every
    names = [name for name in pairs[0][1].features if name != "conversation"]
    values = np.array([[c.features[name] for name in names] for _, c in pairs])
    right = np.array([c.right for _, c in pairs])
    weights = np.array([weight for weight, _ in pairs])
    scaler = StandardScaler().fit(values)
    linear = LogisticRegression(C=0.01, solver="newton-cholesky")
    linear.fit(scaler.transform(values), right, weights)
    coefficients = linear.coef_[0] / scaler.scale_
    trees: list[Any] = []
    base = 0.0
    for seed in SEEDS:
        grown = _boosting(seed).fit(values, right, weights)
        base += float(grown._baseline_prediction[0, 0]) / len(SEEDS)
        trees += [_tree(stage[0].nodes, 1 / len(SEEDS)) for stage in grown._predictors]
    return {
        "names": names,
        "coefficients": [round(float(c), 5) for c in coefficients],
        "intercept": round(float(linear.intercept_[0] - coefficients @ scaler.mean_), 5),
        "trees": trees,
        "base": round(base, 5),
        "share": SHARE,
        "scale": [[round(_odds(p), 4), shown] for p, shown in certainty],
        "runner_up": round(_odds(RUNNER_UP), 4),
    }


def _boosting(seed: int) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=60,
        learning_rate=0.08,
        max_leaf_nodes=6,
        min_samples_leaf=80,
        l2_regularization=10,
        max_features=0.3,
        random_state=seed,
    )


def _tree(nodes: Any, share: float) -> list[list[float]]:
    """A fitted tree as plain lists; see `Tree` in xum_intuition/agent/weights.py."""
    return [
        [round(float(node["value"]) * share, 5)]
        if node["is_leaf"]
        else [
            int(node["feature_idx"]),
            round(float(node["num_threshold"]), 6),
            int(node["left"]),
            int(node["right"]),
        ]
        for node in nodes
    ]


def _odds(probability: float) -> float:
    return math.log(probability / (1 - probability))


def weights_of(data: dict[str, Any]) -> Weights:
    """The weights as the program reads them."""
    return Weights(*(Model(**data[kind]) for kind in Weights._fields))


def shown(data: dict[str, Any], tested: Sequence[Case]) -> list[list[tuple[float, Candidate]]]:
    """For each cue what would be reported, at most six, best first."""
    weights = weights_of(data)
    found = []
    for case in tested:
        relevances = weights.relevances([c.features for c in case.candidates])
        pairs = zip(relevances, case.candidates, strict=True)
        ranked = sorted(pairs, key=lambda pair: -pair[0])
        found.append([(r, c) for r, c in ranked if r >= LEAD][:6])
    return found


def figures(
    tested: Sequence[Case], reports: Sequence[Sequence[tuple[float, Candidate]]]
) -> dict[str, dict[str, float]]:
    """The figures of each corpus."""
    found = {}
    for corpus in dict.fromkeys(case.corpus for case in tested):
        here = [(c, r) for c, r in zip(tested, reports, strict=True) if c.corpus == corpus]
        tasks = [report for case, report in here if case.answerable]
        sure = [[c for r, c in report if r >= THRESHOLD] for report in tasks]
        others = [r for c, r in here if c.kind not in ("task", "hard_negative")]
        hard = [r for c, r in here if c.kind == "hard_negative"]
        found[label(corpus)] = {
            "cues": len(here),
            "recognized_recall": _mean(any(c.gold for c in cs) for cs in sure),
            "recognized_precision": _mean(c.right for cs in sure for c in cs),
            "recognized_or_lead": _mean(any(c.gold for _, c in r) for r in tasks),
            "first_file": _mean(bool(r) and r[0][1].gold for r in tasks),
            "false_recognitions": _mean(bool(r) and r[0][0] >= THRESHOLD for r in others),
            "any_lead": _mean(bool(r) for r in others),
            "hard_negatives": _mean(bool(r) and r[0][0] >= THRESHOLD for r in hard),
        }
    return found


def _mean(values: Iterable[bool]) -> float:
    listed = list(values)
    return round(sum(listed) / len(listed), 3) if listed else 0.0


def left_out(everything: Sequence[Case]) -> list[list[tuple[float, Candidate]]]:
    """What would be reported for each cue by a fit that has not seen its folder."""
    folders = sorted({case.folder for case in everything})
    folds = {folder: (Path(folder).parent, at % 3) for at, folder in enumerate(folders)}
    reports: dict[int, list[tuple[float, Candidate]]] = {}
    for fold in sorted(set(folds.values())):
        inside = [i for i, c in enumerate(everything) if folds[c.folder] == fold]
        outside = [c for c in everything if folds[c.folder] != fold]
        found = shown(fit(outside), [everything[i] for i in inside])
        reports.update(zip(inside, found, strict=True))
    return [reports[i] for i in range(len(everything))]


def command(corpora: Sequence[Path], argv: Sequence[str]) -> str:
    """The command line, with CORPORA for the folder that holds the corpora."""
    above = {str(corpus): f"CORPORA/{label(corpus.as_posix())}" for corpus in corpora}
    return " ".join(["python tools/fit_recognizer.py", *(above.get(a, a) for a in argv[1:])])


def label(corpus: str) -> str:
    """The name of a corpus: of its folder, or of the one above where that is a split."""
    path = Path(corpus)
    return path.parent.name if path.name in SPLITS else path.name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--weight", action="append", default=[], metavar="NAME=W")
    parser.add_argument("--check", action="store_true", help="figures of folders left out, too")
    parser.add_argument("--limit", type=int, default=0, help="cues of a corpus at most; 0: all")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    named = {name: float(value) for name, _, value in (w.partition("=") for w in options.weight)}
    everything: list[Case] = []
    for corpus in options.corpora:
        weight = next((w for name, w in named.items() if name in corpus.parts), 1.0)
        everything += cases(corpus, weight, options.limit)
    data = fit(everything)
    data["made"] = {"on": date.today().isoformat(), "by": command(options.corpora, sys.argv)}
    data["figures"] = {"seen": figures(everything, shown(data, everything))}
    if options.check:
        data["figures"]["left_out"] = figures(everything, left_out(everything))
    options.output.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
    print(json.dumps(data["figures"], indent=1))


if __name__ == "__main__":
    main()
