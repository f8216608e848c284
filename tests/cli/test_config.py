"""`intuition config` from a shell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def intuition(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "xum_intuition", "config", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def document(*arguments: str) -> Any:
    done = intuition(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def file(home: Path) -> Path:
    return home / ".config" / "intuition" / "config.toml"


def test_path_is_plain_text_whatever_the_format(file: Path) -> None:
    for options in ((), ("--format", "json"), ("--format", "table")):
        assert intuition("path", *options).stdout == f"{file}\n"
    assert not file.parent.exists()


def test_what_is_set_is_shown_with_its_source(file: Path) -> None:
    assert document("set", "budgets.max_steps", "4")["after"] == 4
    document("set", 'models."openai/gpt-5".api_base', "http://me:secret@localhost:1/v1?key=secret")
    shown = document("show", "--threshold", "0.9")
    assert shown["file"] == str(file)
    assert shown["settings"]["budgets.max_steps"] == {"value": 4, "source": str(file)}
    assert shown["settings"]["budgets.threshold"] == {"value": 0.9, "source": "--threshold"}
    assert shown["settings"]["budgets.floor"] == {"value": 0.3, "source": "default"}
    assert "secret" not in json.dumps(shown)
    table = intuition("show", "--format", "table").stdout
    rows = {line.split()[0]: "".join(line.split()[1:]) for line in table.splitlines() if line}
    assert rows["budgets.max_steps"].startswith("4/")
    assert rows["budgets.floor"] == "0.3default"


def test_every_key_that_can_be_set_is_shown() -> None:
    from xum_intuition.config_rules import KEYS

    own = {key for key in KEYS if not key.startswith(("models.", "workspaces."))}
    # The agent's own model is one of the cascade, whose winner is shown as `model`.
    assert own - set(document("show")["settings"]) == {"agent.model"}


def test_the_model_cascade_names_the_winner_and_the_losers(file: Path) -> None:
    document("set", "model", "openai:general")
    document("set", "workspaces.w1.agent.model", "anthropic/mine")
    shown = document("show", "--workspace", "w1")
    assert shown["settings"]["model"] == {
        "value": "anthropic/mine",
        "source": f"{file} [workspaces.w1.agent] model",
    }
    assert [(row["model"], row["wins"]) for row in shown["modelCascade"]] == [
        ("anthropic/mine", True),
        ("openai/general", False),
    ]


def test_settings_without_effect_are_said_to_have_none(home: Path) -> None:
    agents = home / ".xum" / "agents"
    agents.mkdir(parents=True)
    (agents / "intuition.md").write_text("---\ndisabled: true\nthinkingLevel: high\n---\nBe brief.")
    defaults = {"agentAiDefaults": {"intuition": {"thinkingLevel": "high"}}}
    (home / ".xum" / "config.json").write_text(json.dumps(defaults))
    shown = document("show")
    assert len(shown["notes"]) == 2
    assert all("thinkingLevel" in note and "no effect" in note for note in shown["notes"])
    assert not shown["recall"]["enabled"]
    assert "disabled: true" in shown["recall"]["reason"]
    assert "no effect" in intuition("show", "--format", "table").stdout


def test_a_broken_file_ends_with_5_and_stays(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text('model = "a/b"\nbroken = \n')
    for arguments in (("show",), ("set", "model", "c/d"), ("unset", "model", "--force")):
        done = intuition(*arguments, "--json")
        assert done.returncode == 5
        assert "line 2, column 10" in json.loads(done.stdout)["message"]
        assert done.stderr == ""
    assert file.read_text() == 'model = "a/b"\nbroken = \n'


@pytest.mark.parametrize(
    "arguments",
    [
        ("set", "budgets.max_steps", "0"),
        ("set", "modle", "x"),
        ("set", "model"),
        ("set", "budgets.floor", "0.9"),
        ("unset", "budgets.max_step"),
        ("show", "--threshold", "0.1"),
    ],
)
def test_usage_errors_are_plain_text_on_standard_error(arguments: tuple[str, ...]) -> None:
    done = intuition(*arguments, "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Error:" in done.stderr


def test_hostile_text_of_a_file_is_made_visible(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text('model = "x/\\u001b[31mred\\u202e"\n')
    for options in (("--format", "table"), ("--format", "json")):
        shown = intuition("show", *options).stdout
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_config_flag_names_another_file(tmp_path: Path, file: Path) -> None:
    other = tmp_path / "new" / "other.toml"
    document("set", "model", "a/b", "--config", str(other))
    assert other.exists()
    assert not file.exists()
    assert document("show", "--config", str(other))["settings"]["model"]["value"] == "a/b"
