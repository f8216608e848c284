"""Help pages and what a typo gets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import intuition
from tests.support.terminal import assert_as_kept
from tools import command_tree
from xum_intuition.cli.app import COMMANDS
from xum_intuition.cli.help import Doc

DOCS = {doc.name: doc for doc in command_tree.every()}


def arguments(name: str) -> list[str]:
    return name.split()[1:]


@pytest.mark.parametrize("columns", ["40", "80"])
@pytest.mark.parametrize("name", ["intuition", "intuition recall"])
def test_help_is_as_it_was_kept(name: str, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    done = intuition(*arguments(name), "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert_as_kept(f"help-{name.replace(' ', '-')}-{columns}", done.stdout)


@pytest.mark.parametrize("name", DOCS)
def test_every_command_explains_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    doc = DOCS[name]
    assert doc.summary.endswith(".")
    assert doc.commands or doc.examples, "an example is missing"
    for section in doc.sections:
        for option in section.options:
            assert option.text, f"{option.names or option.metavar} has no help"
            assert option.text[0].isupper() and option.text.endswith((".", ")")), option.text
    for columns in (40, 80, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        shown = intuition(*arguments(name), "-h").stdout
        assert max(map(len, shown.split("\n"))) <= columns
        assert shown == intuition(*arguments(name), "--help").stdout


@pytest.mark.parametrize("name", DOCS)
def test_examples_name_real_commands_and_options(name: str) -> None:
    for example in DOCS[name].examples:
        words = example.split()
        if words[0] != "intuition":
            continue
        doc = max((d for d in DOCS.values() if f"{example} ".startswith(f"{d.name} ")), key=_length)
        known = {option for o in command_tree.options(doc) for option in o.names}
        assert {word for word in words if word.startswith("-") and len(word) > 1} <= known


def _length(doc: Doc) -> int:
    return len(doc.name)


def test_the_list_of_commands_says_what_the_commands_say() -> None:
    for name, summary in COMMANDS.items():
        assert DOCS[f"intuition {name}"].summary == summary


@pytest.mark.parametrize("group", [[], ["meta"], ["config"], ["hook"]])
def test_a_group_alone_prints_its_help(group: list[str]) -> None:
    done = intuition(*group)
    assert done.returncode == 0
    assert done.stdout == intuition(*group, "--help").stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["recal"], "Did you mean 'recall'?"),
        (["recall", "--modle", "x"], "No such option: --modle. Did you mean --model?"),
        (["recall", "--cue", "x", "--format", "jsno"], "Did you mean json?"),
        (["--cue", "x"], "It belongs to a command: `recall --cue`."),
        (["recall", "rotate the keys"], "A cue goes behind --cue, in quotes."),
        (["meta", "dif"], "Did you mean 'diff'?"),
        (["meta", "pni", "x"], "Did you mean 'pin'?"),
        (["index", "--al"], "Did you mean --all?"),
    ],
)
def test_a_typo_suggests_what_was_meant(words: list[str], told: str) -> None:
    done = intuition(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert done.stderr.endswith("--help\n")


@pytest.mark.parametrize("word", ["--\x1b[31m", "x\x1b]8;;y\x07", "\u202e--cue", "[bold]"])
def test_hostile_words_are_made_visible(word: str) -> None:
    done = intuition("recall", word, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert not set(done.stderr) & set("\x1b\x07\u202e╭")


def test_help_costs_neither_rich_nor_the_model_library(tmp_path: Path) -> None:
    for words in ([], ["recall"], ["meta", "diff"]):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "xum_intuition", *words, "--help"],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONPATH": str(command_tree.ROOT)},
            cwd=tmp_path,
        )
        for library in ("rich", "pydantic", "litellm", "yaml"):
            assert f" {library}\n" not in done.stderr, f"{words} imports {library}"
