"""The public form of results."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition import result
from xum_intuition.result import Failure, LimitReached, Result, Stats, Uncertain, to_json
from xum_intuition.text import dump_json, hidden, visible

ROOT = Path(__file__).parent.parent
SCHEMA = json.loads(result.schema_text())


def test_the_schema_in_the_package_is_made_from_the_dataclasses() -> None:
    command = [sys.executable, "tools/generate_schema.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "found",
    [
        Uncertain("cue", (), None, (), Stats()),
        LimitReached("no more"),
        Failure("provider", "it said no"),
        Failure("interrupted", "stopped", usage=(), stats=Stats(steps=1)),
    ],
)
def test_every_kind_is_valid_against_it(found: Result) -> None:
    jsonschema.validate(to_json(found), SCHEMA)


def test_uncertain_has_no_memories_and_an_error_says_that_it_is_one() -> None:
    assert "memories" not in to_json(Uncertain("cue", (), None, (), Stats()))
    assert to_json(Failure("store", "gone")) == {
        "schemaVersion": 1,
        "kind": "error",
        "isError": True,
        "code": "store",
        "message": "gone",
        "warnings": [],
    }


def test_a_wrong_result_is_not_valid() -> None:
    wrong = to_json(Uncertain("cue", (), None, (), Stats())) | {"kind": "recognized"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)


@given(st.text(st.characters()))
def test_json_shows_nothing_that_does_not_print_and_loses_nothing(text: str) -> None:
    for indent in (None, 2):
        dumped = dump_json({text: text}, indent=indent)
        assert not any(hidden(c) for c in dumped if c != "\n")
        dumped.encode()
        assert json.loads(dumped) == {text: text}


@given(st.text(st.characters()))
def test_visible_text_holds_no_control(text: str) -> None:
    shown = visible(text)
    assert not any(hidden(c) for c in shown)
    shown.encode()


@pytest.mark.parametrize(
    "text", ["日本語　テキスト", "naïve “quotes” – dash", "Ελλάδα", "😀👍🏽", "a b"]
)
def test_printable_text_of_any_language_stays_readable(text: str) -> None:
    assert dump_json(text) == f'"{text}"'
    assert visible(text) == text


@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\x7f", "\x9b", "\u200b", "\u202e", "\u2066", "\ufeff", "\ud800"]
)
def test_controls_are_hidden_characters(character: str) -> None:
    assert hidden(character)
    assert character not in dump_json(character)
