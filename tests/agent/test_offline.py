"""The embedded recognizer on a corpus of our own words, and on texts that mean harm."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition.agent.offline import MAX_READS, Judgement, Recognizer
from xum_intuition.agent.passages import MAX_PASSAGE, blocks
from xum_intuition.agent.weights import Weights
from xum_intuition.memory.describe import describe
from xum_intuition.memory.preselect import Preselect

# What the corpus gives today, less a cue or two: these may rise, not fall.
FIRST, RECALL, PRECISION, LANGUAGE, EXCERPT = 0.90, 0.75, 0.97, 0.70, 0.98
FALSE, LEADS, HARD = 0.0, 0.09, 0.50

CORPUS = Path(__file__).parent.parent / "corpus"
Memory = tuple[str, str, str]


def judge(cue: str, store: Sequence[Memory]) -> list[Judgement]:
    preselect = Preselect(cue)
    for memory in store:
        preselect.add(*memory)
    ranking = preselect.finish()
    order = sorted(range(len(store)), key=lambda i: (-ranking.scores[i], store[i][0]))
    rows = [(store[i][0], store[i][1], ranking.scores[i]) for i in order]
    recognizer = Recognizer(cue, ranking, rows)
    texts = {path: text for path, _, text in store}
    wanted = recognizer.wants()
    assert len(wanted) <= MAX_READS and len(set(wanted)) == len(wanted)
    return recognizer.judge({path: texts[path] for path in wanted})


@cache
def store() -> tuple[Memory, ...]:
    found = []
    for file in sorted((CORPUS / "mem").rglob("*.md")):
        text = file.read_text(encoding="utf-8")
        path = f"/memories/global/{file.relative_to(CORPUS / 'mem').as_posix()}"
        found.append((path, describe(text)[0], text))
    return tuple(found)


@cache
def cues() -> tuple[dict[str, Any], ...]:
    lines = (CORPUS / "cues.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


@cache
def reported(cue: str) -> tuple[Judgement, ...]:
    return tuple(j for j in judge(cue, store()) if j.relevance >= 0.3)[:6]


def share(values: Sequence[bool]) -> float:
    return sum(values) / len(values)


def is_gold(judgement: Judgement, row: dict[str, Any]) -> bool:
    return judgement.path.removeprefix("/memories/global/") in row["gold"]


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [row for row in cues() if row["kind"] == kind]


def test_the_corpus_is_large_enough_to_say_something() -> None:
    assert len(store()) >= 60 and len(cues()) >= 100
    assert sum(not row["answerable"] for row in cues()) >= 40
    assert {row["lang"] for row in cues()} >= {"en", "de", "ja", "zh"}


def test_the_first_file_is_the_right_one() -> None:
    firsts = [reported(row["cue"])[:1] for row in of_kind("task")]
    right = [bool(f) and is_gold(f[0], r) for f, r in zip(firsts, of_kind("task"), strict=True)]
    assert share(right) >= FIRST


def test_recognized_memories_are_many_and_right() -> None:
    sure = [(j, r) for r in of_kind("task") for j in reported(r["cue"]) if j.relevance >= 0.7]
    found = {row["cue"] for judgement, row in sure if is_gold(judgement, row)}
    assert len(found) / len(of_kind("task")) >= RECALL
    assert share([is_gold(judgement, row) for judgement, row in sure]) >= PRECISION


def test_every_language_is_served() -> None:
    for name in ("en", "de", "ja", "zh"):
        rows = [row for row in of_kind("task") if row["lang"] == name]
        found = [any(is_gold(j, row) for j in reported(row["cue"])) for row in rows]
        assert share(found) >= LANGUAGE, name


def test_unrelated_cues_call_nothing_up() -> None:
    tops = [max((j.relevance for j in reported(r["cue"])), default=0) for r in of_kind("unrelated")]
    assert share([top >= 0.7 for top in tops]) <= FALSE
    assert share([top >= 0.3 for top in tops]) <= LEADS


def test_the_right_words_without_an_answer_seldom_pass() -> None:
    rows = of_kind("hard_negative")
    assert share([any(j.relevance >= 0.7 for j in reported(r["cue"])) for r in rows]) <= HARD


def test_the_excerpt_holds_the_evidence_and_stands_in_the_file() -> None:
    texts = {path: text for path, _, text in store()}
    held = []
    for row in of_kind("task"):
        for judgement in reported(row["cue"]):
            assert judgement.excerpt in texts[judgement.path]
            assert 0 < len(judgement.excerpt) <= MAX_PASSAGE and judgement.why
            if is_gold(judgement, row):
                held.append(row["evidence"][0] in judgement.excerpt)
    assert share(held) >= EXCERPT


def test_the_shipped_models_weigh_what_is_measured() -> None:
    note, talk = (
        "Ask Ines about the boat.",
        "**User**: where is the boat?\n\n**Assistant**: at Ines' house, by the lake.",
    )
    texts = [("/memories/global/a.md", "", note), ("/memories/global/b.md", "", talk)]
    judged = {judgement.path[-4]: judgement for judgement in judge("the boat of Ines", texts)}
    assert [judged[name].features["conversation"] for name in "ab"] == [0.0, 1.0]
    for model in Weights.load():
        assert set(model.names) <= set(judged["a"].features)


def test_the_same_cue_gets_the_same_judgement() -> None:
    cue = of_kind("task")[0]["cue"]
    assert judge(cue, store()) == judge(cue, store())


def test_an_excerpt_is_never_a_heading_alone() -> None:
    text = "# Certificates\n\n## Renewal of certificates\n\nThey are renewed at night.\n"
    [judgement, *_] = judge("renewal of certificates", [("/memories/global/a.md", "", text)])
    assert "They are renewed at night." in judgement.excerpt


def test_blocks_keep_code_and_lists_whole() -> None:
    prose = "# A\n\nOne\ntwo.\n\n- item\n  goes on\n- other\n\n"
    text = prose + "```sh\nx\n\n# y\n```\n| a | b |\n| c | d |\n"
    found = [text[b.start : b.end] for b in blocks(text)]
    assert found == [
        "# A",
        "One\ntwo.",
        "- item\n  goes on",
        "- other",
        "```sh\nx\n\n# y\n```",
        "| a | b |",
        "| c | d |",
    ]


@given(st.text(max_size=400))
def test_any_text_is_judged_with_an_excerpt_of_itself(text: str) -> None:
    for judgement in judge("restart the server", [("/memories/global/server.md", "server", text)]):
        assert judgement.excerpt in text
        assert 0 <= judgement.relevance <= 1


@pytest.mark.parametrize(
    "text",
    [
        "server " * 14_000,
        "server\n" * 14_000,
        "- server\n" * 11_000,
        "# server\n" * 11_000,
        "```\n" * 25_000,
        "server" * 17_000,
        "|server" * 14_000,
        "サーバ" * 11_000,
        " \n" * 50_000 + "server",
        "---\n" * 25_000,
        ("a" * 99_000) + " server",
    ],
)
def test_a_hostile_text_takes_no_longer_than_its_length(text: str) -> None:
    began = time.process_time()
    judge("restart the server サーバ", [("/memories/global/a.md", "server", text)])
    assert time.process_time() - began < 4.0


def test_two_memories_that_both_answer_do_not_speak_against_each_other() -> None:
    small = [
        ("/memories/global/slow.md", "", "# Why the build takes so long\n\nThe build is slow at "
         "first: it compiles the vendored database.\n"),
        ("/memories/global/build.md", "", "# Build\n\nThe build is slow because the linker is bfd; "
         "use mold: `-fuse-ld=mold`.\n"),
        *(
            (f"/memories/global/{name}.md", "", f"# {name}\n\nNotes about {name}, nothing else.\n")
            for name in ("team", "printer", "backup", "soup")
        ),
    ]  # fmt: skip
    found = {j.path: j.relevance for j in judge("why is the build slow", small)}
    assert found["/memories/global/slow.md"] >= 0.7
    assert found["/memories/global/build.md"] >= 0.7
