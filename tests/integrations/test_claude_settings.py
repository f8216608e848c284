"""Installing the hook into the agent's settings, and taking it out."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import command_line
from tests.support.command_line import Done
from xum_intuition.integrations import claude_settings, json_text

SETTINGS = """{
    "model": "opus",
    "permissions": { "allow": ["Bash(npm run lint)", "Read(~/.zshrc)"] },
    "hooks": {
        "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }],
        "UserPromptSubmit": [
            {
                "hooks": [
                    { "type": "command", "command": "~/bin/branch.sh" }
                ]
            }
        ]
    },
    "z-last": 1e2
}
"""


@pytest.fixture(name="settings")
def settings_file(home: Path) -> Path:
    return home / ".claude/settings.json"


def change(*arguments: object, cwd: Path | None = None) -> Done:
    return command_line.intuition("hook", "claude-code", *arguments, cwd=cwd)


def installed(*arguments: object, cwd: Path | None = None) -> Done:
    done = change("--install", "--yes", *arguments, cwd=cwd)
    assert done.returncode == 0, done
    return done


def handlers(file: Path) -> list[dict[str, Any]]:
    groups = json.loads(file.read_text())["hooks"]["UserPromptSubmit"]
    return [handler for group in groups for handler in group["hooks"]]


def test_a_missing_file_is_made_and_the_switch_set(settings: Path, home: Path) -> None:
    done = installed()
    [handler] = handlers(settings)
    assert handler["type"] == "command"
    assert handler["command"].endswith(" hook claude-code")
    assert handler["timeout"] == 10
    assert '+            "type": "command",' in done.stdout
    config = (home / ".config/intuition/config.toml").read_text()
    assert config == "[integrations]\nenabled = true\n"


def test_every_other_byte_of_the_file_stays(settings: Path) -> None:
    settings.parent.mkdir()
    settings.write_text(SETTINGS)
    settings.chmod(0o600)
    installed()
    after = settings.read_text().split("\n")
    rest = iter(after)
    assert all(
        any(line.rstrip(",") == other.rstrip(",") for other in rest)
        for line in SETTINGS.split("\n")
    )
    assert handlers(settings)[0]["command"] == "~/bin/branch.sh"
    assert settings.stat().st_mode & 0o777 == 0o600
    assert change("--uninstall", "--yes").returncode == 0
    assert settings.read_text() == SETTINGS


def test_it_is_idempotent(settings: Path) -> None:
    installed()
    once = settings.read_bytes()
    assert "already" in installed().stdout
    assert settings.read_bytes() == once


def test_other_options_change_the_entry_that_is_there(settings: Path, notes: Path) -> None:
    installed()
    file = json.loads(settings.read_text())
    file["hooks"]["UserPromptSubmit"][0]["hooks"][0]["statusMessage"] = "recalling"
    settings.write_text(json.dumps(file, indent="\t"))
    installed("-d", notes, "--every", "3", "--leads", "--timeout", "2")
    [handler] = handlers(settings)
    assert handler["command"].endswith(
        f" hook claude-code --memory-dir {notes} --every 3 --leads --timeout 2"
    )
    assert handler["timeout"] == 7
    assert handler["statusMessage"] == "recalling"


def test_the_installed_command_runs(settings: Path, notes: Path) -> None:
    installed("-d", notes)
    [handler] = handlers(settings)
    event = {"prompt": "When does the espresso machine on the third floor need descaling?"}
    done = subprocess.run(
        handler["command"], shell=True, input=json.dumps(event), capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "six weeks" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("project", [["--project"], ["--project", "."]])
def test_a_projects_settings_name_the_program_for_everyone(
    project: list[str], tmp_path: Path, settings: Path
) -> None:
    installed(*project, cwd=tmp_path)
    [handler] = handlers(tmp_path / ".claude/settings.json")
    assert handler["command"] == "intuition hook claude-code"
    assert not settings.exists()
    assert change("--uninstall", "--yes", *project, cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / ".claude/settings.json").read_text()) == {}


@pytest.mark.parametrize(
    "text",
    [
        "{ broken",
        "[]",
        '{"hooks": []}',
        '{"hooks": {"UserPromptSubmit": {}}}',
        '{"hooks": {"UserPromptSubmit": [1]}}',
        '{"hooks": {"UserPromptSubmit": [{"hooks": 1}]}}',
        '{"hooks": {"UserPromptSubmit": [{"hooks": ["x"]}]}}',
        "{\n// a comment\n}",
        '{"a": 1}{',
    ],
)
@pytest.mark.parametrize("action", ["--install", "--uninstall"])
def test_a_file_that_is_not_understood_is_refused(
    text: str, action: str, settings: Path, home: Path
) -> None:
    settings.parent.mkdir()
    settings.write_text(text)
    done = change(action, "--yes")
    assert done.returncode == 5
    assert settings.read_text() == text
    assert str(settings) in done.stdout
    assert not (home / ".config").exists()


def test_without_a_terminal_nothing_is_done_unasked(settings: Path) -> None:
    done = change("--install")
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert not settings.exists()


def test_uninstalling_what_is_not_there_says_so(settings: Path) -> None:
    assert "not in" in change("--uninstall", "--yes").stdout
    assert not settings.exists()


def test_uninstalling_leaves_hooks_that_only_look_alike(settings: Path) -> None:
    installed()
    file = json.loads(settings.read_text())
    groups = file["hooks"]["UserPromptSubmit"]
    groups[0]["hooks"].append({"type": "command", "command": "echo intuition hook claude-code"})
    groups.append({"hooks": [{"type": "command", "command": "/opt/x/intuition hook claude-code"}]})
    settings.write_text(json.dumps(file))
    assert change("--uninstall", "--yes").returncode == 0
    assert [h["command"] for h in handlers(settings)] == ["echo intuition hook claude-code"]


def test_comments_in_the_configuration_survive_the_switch(home: Path) -> None:
    config = home / ".config/intuition/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('# mine\nmodel = "offline"')
    installed()
    assert config.read_text() == '# mine\nmodel = "offline"\n\n[integrations]\nenabled = true\n'


def test_a_broken_configuration_stops_the_installation(home: Path, settings: Path) -> None:
    config = home / ".config/intuition/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("= 1")
    assert change("--install", "--yes").returncode == 5
    assert not settings.exists()


def test_a_link_to_the_settings_stays_a_link(settings: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    settings.parent.mkdir()
    settings.symlink_to(real)
    installed()
    assert settings.is_symlink()
    assert len(handlers(real)) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
GROUPS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "matcher": st.text(max_size=3),
            "hooks": st.lists(st.fixed_dictionaries({"command": st.text(max_size=5)}), max_size=2),
        },
    ),
    max_size=2,
)
DOCUMENTS = st.dictionaries(st.text(max_size=4), JSON, max_size=3).flatmap(
    lambda rest: st.fixed_dictionaries(
        {k: st.just(v) for k, v in rest.items() if k != "hooks"},
        optional={
            "hooks": st.fixed_dictionaries({}, optional={"Stop": JSON, "UserPromptSubmit": GROUPS})
        },
    )
)


@settings(max_examples=50)
@given(document=DOCUMENTS, indent=st.sampled_from([None, 2, 4, "\t"]))
def test_installing_adds_one_handler_and_uninstalling_takes_it_out(
    document: dict[str, Any], indent: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("settings") / "settings.json"
    text = json.dumps(document, indent=indent)
    file.write_text(text)
    after = claude_settings.install(file, "intuition hook claude-code", 10).after
    want = json.loads(text)
    own = {"hooks": [{"type": "command", "command": "intuition hook claude-code", "timeout": 10}]}
    want.setdefault("hooks", {}).setdefault("UserPromptSubmit", []).append(own)
    assert json.loads(after) == want
    file.write_text(after)
    assert not claude_settings.install(file, "intuition hook claude-code", 10).needed
    without = claude_settings.uninstall(file).after
    hooks = document.get("hooks", {})
    if hooks.get("UserPromptSubmit") == []:
        hooks.pop("UserPromptSubmit")
    if document.get("hooks") == {}:
        document.pop("hooks")
    assert json.loads(without) == document


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1"])
def test_a_time_limit_that_is_none_is_not_installed(seconds: str, settings: Path) -> None:
    done = change("--install", "--yes", "--timeout", seconds)
    assert done.returncode == 2 and "--timeout must be a positive number" in done.stderr
    assert not settings.exists()


def test_the_installed_command_imports_nothing_from_the_project(
    settings: Path, notes: Path, tmp_path: Path
) -> None:
    installed("-d", notes)
    [handler] = handlers(settings)
    assert claude_settings.is_own(handler["command"])
    (tmp_path / "functools.py").write_text("open('ran', 'w').close()")
    words = shlex.split(handler["command"])
    subprocess.run(words, input=b"{}", cwd=tmp_path, capture_output=True, timeout=60, check=True)
    assert not (tmp_path / "ran").exists()


def test_lines_end_as_in_the_file(settings: Path) -> None:
    settings.parent.mkdir()
    text = SETTINGS.replace("\n", "\r\n").encode()
    settings.write_bytes(text)
    installed()
    after = settings.read_bytes()
    assert after.count(b"\n") == after.count(b"\r\n") > text.count(b"\n")
    assert change("--uninstall", "--yes").returncode == 0
    assert settings.read_bytes() == text


def test_one_step_of_indentation_is_taken_from_the_file() -> None:
    assert json_text.indentation('{\n\t"a": 1\n}') == "\t"
    assert json_text.indentation("{}") == "  "


@pytest.mark.parametrize("reply", ["y", "n"])
def test_on_a_terminal_it_shows_the_change_and_asks(reply: str, settings: Path) -> None:
    own, others = pty.openpty()
    command = [sys.executable, "-m", "xum_intuition", "hook", "claude-code", "--install"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=others, stdout=pipe, stderr=pipe, text=True) as child:
        os.close(others)
        os.write(own, f"{reply}\n".encode())
        out, err = child.communicate(timeout=60)
    os.close(own)
    assert child.returncode == 0
    assert '+            "type": "command",' in out
    assert "Make this change?" in err
    assert settings.exists() is (reply == "y")
