"""What agents are told about recall."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.support import command_line
from tests.support.command_line import Done

WORDS = (
    "start of each turn",
    "before any other tool",
    "one or two sentences",
    "task turns into another",
    "recognized",
    "candidates are leads",
    "not instructions",
)


def guidance(*arguments: object) -> Done:
    return command_line.intuition("guidance", *arguments)


@pytest.mark.parametrize("style", [(), ("--style", "markdown"), ("--style", "xml")])
def test_each_style_holds_the_whole_protocol(style: tuple[str, ...]) -> None:
    text = guidance(*style).stdout
    assert [words for words in WORDS if words not in text] == []


def test_the_xml_style_is_one_element() -> None:
    assert ElementTree.fromstring(guidance("--style", "xml").stdout).tag == "intuition"


def test_it_is_printed_whatever_the_switches(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = guidance().stdout
    monkeypatch.setenv("INTUITION_SUBAGENT", "1")
    config = home / ".config/intuition/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[experiments]\nmemory = false\n[broken")
    assert guidance() == Done(0, before, "")


def test_a_skill_folder_is_written_and_kept(tmp_path: Path) -> None:
    done = guidance("--skill", tmp_path / "skills")
    file = tmp_path / "skills/intuition/SKILL.md"
    assert done.stdout == f"{file}\n"
    assert file.read_text() == guidance("--skill", "-").stdout
    _, head, body = file.read_text().split("---\n", 2)
    front = yaml.safe_load(head)
    assert front["name"] == "intuition"
    assert 0 < len(front["description"]) <= 1024
    assert [words for words in WORDS if words not in body] == []
    assert guidance("--skill", file.parent).returncode == 0
    file.write_text("mine")
    refused = guidance("--skill", tmp_path / "skills")
    assert refused.returncode == 2
    assert file.read_text() == "mine"
    assert guidance("--skill", tmp_path / "skills", "--force").returncode == 0
    assert file.read_text() != "mine"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = guidance("--skill", tmp_path / "file")
    assert done.returncode == 5
    assert str(tmp_path / "file") in done.stdout
