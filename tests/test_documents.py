"""What the documents say of commands, options, settings and exit codes holds for the program."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.support.command_line import intuition
from tools import command_tree, readme_command
from xum_intuition.config_rules import KEYS
from xum_intuition.errors import ExitCode

ROOT = command_tree.ROOT
DOCUMENTS = {
    file.name: file.read_text(encoding="utf-8")
    for file in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))
}
OF_OTHERS = {
    *("--require-hashes", "--no-deps", "--disable-pip"),
    *("--all-extras", "--group", "--universal", "--generate-hashes", "--no-header"),
}
"""Options of pip, pip-audit and uv that the documents show."""


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_name_no_option_that_no_command_has(name: str) -> None:
    known = {n for doc in command_tree.every() for o in command_tree.options(doc) for n in o.names}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", DOCUMENTS[name]))
    assert named <= known | OF_OTHERS


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_name_no_command_that_is_none(name: str) -> None:
    depth = {doc.name: 3 if doc.commands else 2 for doc in command_tree.every()}
    for words in re.findall(
        r"(?:^|[`|(] ?)(intuition [a-z-]+(?: [a-z-]+)?)", DOCUMENTS[name], re.M
    ):
        first = " ".join(words.split()[:2])
        assert first in depth
        assert " ".join(words.split()[: depth[first]]) in depth


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_set_no_key_that_the_configuration_lacks(name: str) -> None:
    for key in re.findall(r"intuition config (?:un)?set ([\w.]+)", DOCUMENTS[name]):
        assert key in KEYS


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_within_the_repository_lead_somewhere(name: str) -> None:
    folder = ROOT if (ROOT / name).exists() else ROOT / "docs"
    for target in re.findall(r"\]\(([^)#:]+)\)", DOCUMENTS[name]):
        assert (folder / target).exists(), target


def test_the_readme_tells_every_exit_code() -> None:
    told = re.findall(r"^\| (\d+) \| \w", DOCUMENTS["README.md"], re.M)
    assert [int(code) for code in told] == [code.value for code in ExitCode]


def test_the_readme_shows_what_its_recall_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    words = shlex.split(readme_command.command("try"))
    printed = intuition(*words[words.index(".venv/bin/intuition") + 1 :]).stdout
    shown = re.search(r"```\n\n```\n(.*?)\n *…\n```", DOCUMENTS["README.md"], re.S)
    assert shown and printed.startswith(shown[1])
