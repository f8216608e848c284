"""What a configuration file may hold, and how its mistakes are told."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from xum_intuition import config_file, config_rules
from xum_intuition.errors import ConfigError
from xum_intuition.limits import Limits

WHOLE = """
model = "openai/gpt-5"
root = "~/.xum"
memory_dir = ["project=/p", "global=/g"]
api_base = "https://host/v1"
[agent]
enabled = true
model = "a/b"
fallback_models = ["c/d"]
[workspaces.w-1]
model = "e/f"
[workspaces.w-1.agent]
model = "g/h"
[models."openai/gpt-5"]
api_base = "http://localhost:1"
[budgets]
max_steps = 1
timeout_ms = 2
max_output_tokens = 3
max_uses_per_turn = 4
max_results = 5
max_excerpt_chars = 6
max_read_bytes = 7
max_index_entries = 8
max_index_bytes = 9
max_files = 10
max_cost_usd = 1
threshold = 0.9
floor = 0.1
[experiments]
memory = true
memory_intuition = false
[integrations]
enabled = true
[tools]
remove = ["mem*"]
[hooks]
tool_pre = "/bin/true"
tool_post = ["/bin/true", ""]
filter = "cat"
"""


def problem(tmp_path: Path, toml: str | bytes) -> str:
    file = tmp_path / "config.toml"
    file.write_bytes(toml if isinstance(toml, bytes) else toml.encode())
    before = file.read_bytes()
    with pytest.raises(ConfigError) as caught:
        config_file.read(file)
    assert file.read_bytes() == before
    assert str(file) in str(caught.value)
    return str(caught.value)


def test_every_key_of_the_manual_is_known(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(WHOLE)
    values = config_file.read(file)
    assert values["budgets"]["max_cost_usd"] == 1
    assert values["memory_dir"] == ["project=/p", "global=/g"]
    assert values["hooks"]["tool_post"] == ["/bin/true", ""]
    named = set(config_rules.KEYS)
    for key in ("workspaces.ID.agent.model", 'models."NAME".api_base', "budgets.max_files"):
        assert key in named


@pytest.mark.parametrize(
    ("toml", "place"),
    [
        ("model = \n", "line 1, column 9"),
        ('model = "x"\nagent = {\n', "line 2, column 10"),
        ("a = [1,\n2", "line 2, column 2"),
        ("a = 1\na = 2\n", "line 2"),
        (b"model = 'a'\nroot = '\xfc'\n", "line 2, column 9"),
        ("x = " + "[" * 5000 + "]" * 5000, "line 1"),
        ("x = " + "9" * 5000 + "\n", "line"),
    ],
)
def test_broken_toml_is_told_with_line_and_column(
    tmp_path: Path, toml: str | bytes, place: str
) -> None:
    told = problem(tmp_path, toml)
    assert place in told
    assert "column" in told


@pytest.mark.parametrize(
    ("toml", "key", "nearest"),
    [
        ('modle = "x"', "modle", "model"),
        ("[budgets]\nmax_step = 3", "budgets.max_step", "budgets.max_steps"),
        ("[budget]\nmax_steps = 3", "budget", "budgets"),
        ("max_steps = 3", "max_steps", "budgets.max_steps"),
        ("threshold = 0.5", "threshold", "budgets.threshold"),
        ('[models."a/b"]\napi_bse = "http://x"', "api_bse", "api_base"),
        ("[experiments]\nmemory-intuition = true", "memory-intuition", "memory_intuition"),
        ("[integration]\nenabled = true", "integration", "integrations"),
    ],
)
def test_an_unknown_key_is_told_with_the_nearest_right_one(
    tmp_path: Path, toml: str, key: str, nearest: str
) -> None:
    told = problem(tmp_path, toml)
    assert "unknown key" in told
    assert key in told
    assert "did you mean" in told
    assert nearest in told.partition("did you mean")[2]


@pytest.mark.parametrize(
    ("toml", "key", "reason"),
    [
        ("model = 3", "model", "string"),
        ('model = " "', "model", "empty"),
        ("memory_dir = 3", "memory_dir", "list of strings"),
        ('memory_dir = ["a", 3]', "memory_dir", "list of strings"),
        ('root = "a\\u0000b"', "root", "NUL"),
        ('api_base = "ftp://user:secret@x"', "api_base", "http://"),
        ("[budgets]\nmax_steps = 0", "budgets.max_steps", "greater than 0"),
        ("[budgets]\nmax_steps = 2.5", "budgets.max_steps", "whole number"),
        ("[budgets]\nmax_steps = true", "budgets.max_steps", "whole number"),
        ('[budgets]\nmax_steps = "6"', "budgets.max_steps", "whole number"),
        ("[budgets]\nthreshold = nan", "budgets.threshold", "greater than 0, not nan"),
        ("[budgets]\nthreshold = 1.5", "budgets.threshold", "at most 1"),
        ("[budgets]\ntimeout_ms = 999999999999", "budgets.timeout_ms", "at most 86400000"),
        ('[agent]\nenabled = "yes"', "agent.enabled", "true or false"),
        ("agent = 3", "agent", "must be a table"),
        ("[hooks]\nfilter = []", "hooks.filter", "program"),
        ('[hooks]\nfilter = [""]', "hooks.filter", "empty"),
        ("[hooks]\nfilter = {a = 1}", "hooks.filter", "list of strings"),
        ('[workspaces."a/b"]\nmodel = "x/y"', "workspaces", "a/b"),
    ],
)
def test_a_wrong_value_is_told_with_key_and_reason(
    tmp_path: Path, toml: str, key: str, reason: str
) -> None:
    told = problem(tmp_path, toml)
    assert key in told
    assert reason in told
    assert "secret" not in told


def test_all_mistakes_are_told_at_once_in_a_bounded_message(tmp_path: Path) -> None:
    told = problem(tmp_path, "".join(f"wrong{i} = {'1' * 4000}\n" for i in range(20)))
    assert "and 15 more" in told
    assert len(told) < 2000


def test_a_folder_and_a_huge_file_are_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        config_file.read(tmp_path)
    assert "larger" in problem(tmp_path, "#" * (config_file.MAX_CONFIG_BYTES + 1))


def test_every_bound_can_be_configured() -> None:
    assert set(config_rules.RULES["budgets"]) == {field.name for field in fields(Limits)}
