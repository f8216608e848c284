"""What a root says beside its memories; nothing broken in it ends a recall."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xum_intuition import xum_root
from xum_intuition.agent_definition import NO_DEFINITION, AgentDefinition, read


def facts(root: Path) -> tuple[xum_root.RootFacts, list[str]]:
    warnings: list[str] = []
    return xum_root.read(root, warnings), warnings


def definition(root: Path, content: str | bytes) -> tuple[AgentDefinition, list[str]]:
    (root / "agents").mkdir(exist_ok=True)
    data = content if isinstance(content, bytes) else content.encode()
    (root / "agents" / "intuition.md").write_bytes(data)
    warnings: list[str] = []
    return read(root, warnings), warnings


@pytest.mark.parametrize("kind", ["missing", "empty", "a file"])
def test_a_root_that_says_nothing_is_no_problem(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "root"
    if kind == "empty":
        root.mkdir()
    elif kind == "a file":
        root.write_text("")
    assert facts(root) == (xum_root.RootFacts(), [])


def test_all_that_a_root_says_is_read(tmp_path: Path) -> None:
    (tmp_path / "feature_flags.json").write_text(
        '{"version": 1, "overrides": {"memory": true, "memory-intuition": false, "other": 3}}'
    )
    (tmp_path / "config.json").write_text(
        '{"projects": [], "agentAiDefaults": {"intuition":'
        ' {"enabled": true, "modelString": " openai:gpt-5 ", "thinkingLevel": "high"}}}'
    )
    (tmp_path / "tool_post").write_text("#!/bin/sh\n")
    found, warnings = facts(tmp_path)
    assert warnings == []
    assert (found.memory, found.memory_intuition, found.agent_enabled) == (True, False, True)
    assert found.model == "openai:gpt-5"
    assert [hook.argv for hook in found.tool_post] == [(str(tmp_path / "tool_post"),)]
    assert found.tool_pre == ()


@pytest.mark.parametrize("name", ["feature_flags.json", "config.json"])
@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b"\xff", b"", b"[" * 100_000, b'{"overrides": 1, "agentAiDefaults": 1}'],
)
def test_a_broken_file_is_one_warning(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    found, warnings = facts(tmp_path)
    assert found == xum_root.RootFacts()
    assert len(warnings) == 1
    assert str(tmp_path / name) in warnings[0]


def test_a_value_of_the_wrong_kind_is_told_and_ignored(tmp_path: Path) -> None:
    (tmp_path / "feature_flags.json").write_text('{"overrides": {"memory": "off"}}')
    found, warnings = facts(tmp_path)
    assert found.memory is None
    assert "true or false" in warnings[0]


def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    found, warnings = facts(tmp_path)
    assert found == xum_root.RootFacts()
    assert "not a regular file" in warnings[0]


def test_a_hook_that_is_only_a_dangling_link_still_guards(tmp_path: Path) -> None:
    (tmp_path / "tool_pre").symlink_to(tmp_path / "gone")
    assert facts(tmp_path)[0].tool_pre


def test_the_body_replaces_the_instructions(tmp_path: Path) -> None:
    content = "\ufeff---\r\nname: x\r\ndescription: |\r\n  y\r\n---\r\n\r\nBe brief.\r\nAlways.\r\n"
    found, warnings = definition(tmp_path, content)
    assert found.instructions == "Be brief.\nAlways."
    assert not found.disabled
    assert warnings == []


def test_a_file_without_frontmatter_is_all_body(tmp_path: Path) -> None:
    assert definition(tmp_path, "Just do it.\n---\nReally.")[0].instructions == (
        "Just do it.\n---\nReally."
    )


@pytest.mark.parametrize(
    ("written", "disabled"),
    [("true", True), ('"true"', True), ("yes", True), ("false", False), ("null", False)],
)
def test_disabled_is_read_from_the_frontmatter(
    tmp_path: Path, written: str, disabled: bool
) -> None:
    found, _ = definition(tmp_path, f"---\ndisabled: {written}\n---\nBody")
    assert found.disabled is disabled


def test_an_empty_body_keeps_the_built_in_instructions_and_the_switch(tmp_path: Path) -> None:
    found, warnings = definition(tmp_path, "---\ndisabled: true\n---\n \n")
    assert found.disabled
    assert found.instructions is None
    assert "built-in" in warnings[0]


BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("---\ndisabled: [\n---\nBody", "line"),
        ("---\nno end", "not closed"),
        ("---\n- a\n- b\n---\nBody", "key: value"),
        ("---\ndisabled: perhaps\n---\nBody", "true or false"),
        (f"---\n{BOMB}\n---\nBody", "aliases"),
        ("---\nx: " + "[" * 5000 + "\n---\nBody", "YAML"),
        ("---\nx: !!python/object:os.system y\n---\nBody", "YAML"),
        ("---\nx: " + "y" * 20_000 + "\n---\nBody", "larger"),
        (b"---\nx: y\n---\n\xff", "UTF-8"),
        ("Body\0", "NUL"),
        ("x" * 200_000, "larger"),
    ],
)
def test_a_broken_definition_is_a_warning_and_counts_as_none(
    tmp_path: Path, content: str | bytes, reason: str
) -> None:
    found, warnings = definition(tmp_path, content)
    assert found == NO_DEFINITION
    assert len(warnings) == 1
    assert reason in warnings[0]


def test_settings_for_thinking_are_named_as_without_effect(tmp_path: Path) -> None:
    front = "---\nname: intuition\nai:\n  model: opus\n  thinkingLevel: high\nreasoning: 3\n---\n"
    found, _ = definition(tmp_path, front + "Body")
    assert found.without_effect == ("ai.model", "ai.thinkingLevel", "reasoning")
