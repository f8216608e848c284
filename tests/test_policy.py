"""Every combination of the switches that decide whether a recall may run."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from xum_intuition import policy
from xum_intuition.errors import Disabled
from xum_intuition.settings import Flags, Settings, load

TRUE_FALSE_UNSET = (True, False, None)


def make_root(
    home: Path,
    *,
    frontmatter: str = "missing",
    config_json: bool | None = None,
    flags_json: dict[str, Any] | None = None,
) -> None:
    root = home / ".xum"
    (root / "agents").mkdir(parents=True)
    definition = {
        "true": "---\ndisabled: true\n---\nRemember.\n",
        "false": "---\ndisabled: false\n---\nRemember.\n",
        "broken": "---\ndisabled: [\n---\nRemember.\n",
        "missing": None,
    }[frontmatter]
    if definition is not None:
        (root / "agents" / "intuition.md").write_text(definition)
    if config_json is not None:
        value = {"agentAiDefaults": {"intuition": {"enabled": config_json}}}
        (root / "config.json").write_text(json.dumps(value))
    if flags_json is not None:
        (root / "feature_flags.json").write_text(json.dumps({"overrides": flags_json}))


def settings_for(home: Path, config: str = "") -> Settings:
    folder = home / ".config" / "intuition"
    if config:
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(config)
    return load(Flags(), {"HOME": str(home)})


def reason(
    settings: Settings, way: policy.Way = "command", env: dict[str, str] | None = None
) -> str | None:
    try:
        policy.check(settings, way=way, env=env or {})
    except Disabled as refusal:
        return str(refusal)
    return None


@pytest.mark.parametrize(
    ("config", "config_json", "frontmatter"),
    list(
        itertools.product(
            TRUE_FALSE_UNSET, TRUE_FALSE_UNSET, ("true", "false", "broken", "missing")
        )
    ),
)
def test_the_agent_is_enabled_by_file_then_root_then_frontmatter(
    tmp_path: Path, config: bool | None, config_json: bool | None, frontmatter: str
) -> None:
    make_root(tmp_path, frontmatter=frontmatter, config_json=config_json)
    toml = "" if config is None else f"[agent]\nenabled = {str(config).lower()}\n"
    said = config if config is not None else config_json
    expected = said if said is not None else frontmatter != "true"
    settings = settings_for(tmp_path, toml)
    assert (reason(settings) is None) is expected
    assert any("intuition.md" in w for w in settings.warnings) is (frontmatter == "broken")


@pytest.mark.parametrize("switch", ["memory", "memory_intuition"])
@pytest.mark.parametrize(
    ("config", "root"), list(itertools.product(TRUE_FALSE_UNSET, TRUE_FALSE_UNSET))
)
def test_experiments_are_on_unless_switched_off_and_the_file_wins(
    tmp_path: Path, switch: str, config: bool | None, root: bool | None
) -> None:
    key = switch.replace("_", "-")
    make_root(tmp_path, flags_json=None if root is None else {key: root})
    toml = "" if config is None else f"[experiments]\n{switch} = {str(config).lower()}\n"
    expected = config if config is not None else root is not False
    told = reason(settings_for(tmp_path, toml))
    assert (told is None) is expected
    if told:
        assert f"experiments.{switch} is false in" in told
        assert ("config.toml" if config is False else "feature_flags.json") in told
        assert f"`intuition config set experiments.{switch} true`" in told


@pytest.mark.parametrize(
    ("pattern", "off"),
    [
        ("memory", True),
        ("mem*", True),
        ("*", True),
        ("intuition", True),
        ("memor[xy]", True),
        ("memory_*", False),
        ("bash", False),
        ("Memory", False),
    ],
)
def test_without_the_memory_tool_there_is_no_recall(
    tmp_path: Path, pattern: str, off: bool
) -> None:
    told = reason(settings_for(tmp_path, f"[tools]\nremove = ['web', '{pattern}']\n"))
    assert (told is not None) is off
    if told:
        assert repr(pattern) in told


@pytest.mark.parametrize(("value", "off"), [("1", True), ("true", True), ("0", False), ("", False)])
def test_a_sub_agent_does_not_recall(tmp_path: Path, value: str, off: bool) -> None:
    told = reason(settings_for(tmp_path), env={"INTUITION_SUBAGENT": value})
    assert (told is not None) is off


def test_nothing_in_a_file_lets_a_sub_agent_recall(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "[agent]\nenabled = true\n[integrations]\nenabled = true\n")
    assert "INTUITION_SUBAGENT" in (reason(settings, env={"INTUITION_SUBAGENT": "1"}) or "")


@pytest.mark.parametrize("config", TRUE_FALSE_UNSET)
def test_other_agents_get_recall_only_where_it_is_switched_on(
    tmp_path: Path, config: bool | None
) -> None:
    toml = "" if config is None else f"[integrations]\nenabled = {str(config).lower()}\n"
    settings = settings_for(tmp_path, toml)
    assert reason(settings) is None
    told = reason(settings, way="integration")
    assert (told is None) is (config is True)
    if told:
        assert "config set integrations.enabled true" in told


@pytest.mark.parametrize("removed", [False, True], ids=["", "removed"])
@pytest.mark.parametrize("off", ["", "memory", "memory-intuition", "memory memory-intuition"])
@pytest.mark.parametrize("frontmatter", ["true", "false", "broken", "missing"])
@pytest.mark.parametrize("config_json", TRUE_FALSE_UNSET)
@pytest.mark.parametrize("config", TRUE_FALSE_UNSET)
def test_no_switch_undoes_another(
    tmp_path: Path,
    config: bool | None,
    config_json: bool | None,
    frontmatter: str,
    off: str,
    removed: bool,
) -> None:
    make_root(
        tmp_path,
        frontmatter=frontmatter,
        config_json=config_json,
        flags_json=dict.fromkeys(off.split(), False),
    )
    toml = "" if config is None else f"[agent]\nenabled = {str(config).lower()}\n"
    toml += "[tools]\nremove = ['memory']\n" if removed else ""
    said = config if config is not None else config_json
    agent = said if said is not None else frontmatter != "true"
    expected = agent and not off and not removed
    assert (reason(settings_for(tmp_path, toml)) is None) is expected


def test_a_disabled_agent_says_which_file_disabled_it_and_how_to_bring_it_back(
    tmp_path: Path,
) -> None:
    make_root(tmp_path, frontmatter="true")
    told = reason(settings_for(tmp_path)) or ""
    assert str(tmp_path / ".xum" / "agents" / "intuition.md") in told
    assert "`intuition config set agent.enabled true`" in told
