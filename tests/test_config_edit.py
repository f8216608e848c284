"""Changing the configuration file: typed like loading, and never at the cost of what is there."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from xum_intuition.config_edit import has_comments, parse_key, set_value, unset
from xum_intuition.errors import ConfigError, UsageProblem


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "made" / "on first set" / "config.toml"


def values(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text())


def put(file: Path, key: str, *texts: str, force: bool = False) -> Any:
    return set_value(file, key, list(texts), force=force).after


@pytest.mark.parametrize(
    ("key", "texts", "value"),
    [
        ("model", ["openai/gpt-5"], "openai/gpt-5"),
        ("model", ["true"], "true"),
        ("budgets.max_steps", ["4"], 4),
        ("budgets.threshold", ["0.8"], 0.8),
        ("budgets.max_cost_usd", ["1"], 1),
        ("agent.enabled", ["false"], False),
        ("agent.fallback_models", ["a/b"], ["a/b"]),
        ("agent.fallback_models", ["a/b", "c/d"], ["a/b", "c/d"]),
        ("agent.fallback_models", ['["a/b"]'], ["a/b"]),
        ("agent.fallback_models", ["[]"], []),
        ("tools.remove", ["5"], ["5"]),
        ("memory_dir", ["/notes"], "/notes"),
        ("memory_dir", ["project=/p", "global=/g"], ["project=/p", "global=/g"]),
        ("root", ["~/x"], "~/x"),
        ("hooks.filter", ["/bin/cat"], "/bin/cat"),
        ("hooks.filter", ["sed", "s/a/b/"], ["sed", "s/a/b/"]),
        ("hooks.filter", ['["cat"]'], ["cat"]),
    ],
)
def test_a_value_is_written_in_the_type_that_its_key_wants(
    file: Path, key: str, texts: list[str], value: Any
) -> None:
    assert put(file, key, *texts) == value
    found: Any = values(file)
    for part in key.split("."):
        found = found[part]
    assert found == value
    assert type(found) is type(value)


def test_a_relative_path_is_meant_from_where_it_is_typed(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert put(file, "root", "x") == f"{tmp_path}/x"
    assert put(file, "memory_dir", "project=./p", "g") == [f"project={tmp_path}/p", f"{tmp_path}/g"]
    assert put(file, "hooks.tool_pre", "guard") == f"{tmp_path}/guard"
    assert put(file, "hooks.tool_pre", "./guard", "x") == [f"{tmp_path}/guard", "x"]
    assert put(file, "hooks.tool_pre", "sh", "x") == ["sh", "x"]


def test_a_relative_path_needs_a_current_directory(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageProblem, match="absolute"):
        put(file, "root", "x")
    assert put(file, "root", "/x") == "/x"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("budgets.max_steps", ("budgets", "max_steps")),
        ('models."openai/gpt-4.1".api_base', ("models", "openai/gpt-4.1", "api_base")),
        ("models.openai/gpt-4.1.api_base", ("models", "openai/gpt-4.1", "api_base")),
        ("models.'a'.api_base", ("models", "a", "api_base")),
        ("workspaces.w1.agent.model", ("workspaces", "w1", "agent", "model")),
        ("workspaces.a b.model", ("workspaces", "a b", "model")),
        ('workspaces."w.1".model', ("workspaces", "w.1", "model")),
    ],
)
def test_keys_are_read_with_and_without_quotes(text: str, key: tuple[str, ...]) -> None:
    assert parse_key(text) == key


@pytest.mark.parametrize(
    "text", ["", "a b", "a.", ".a", "a = 1\nb", "a = 1 #", "[a]", "a = {b = 1}\nc", '"a']
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem):
        parse_key(text)


@pytest.mark.parametrize(
    ("key", "text", "reason"),
    [
        ("budgets.max_steps", "six", "not 'six'"),
        ("budgets.max_steps", "0", "greater than 0, not 0"),
        ("budgets.max_steps", "2.5", "not 2.5"),
        ("budgets.threshold", "nan", "greater than 0, not nan"),
        ("agent.enabled", "yes", "true or false"),
        ("api_base", "localhost", "http://"),
        ("modle", "x", "did you mean model"),
        ("budget.max_steps", "3", "did you mean budgets"),
        ("max_steps", "3", "did you mean budgets.max_steps"),
        ("model.x", "3", "model must be"),
        ("models", "3", "models must be"),
        ("budgets.floor", "0.9", r"0\.9.*0\.7"),
    ],
)
def test_a_wrong_value_or_key_is_a_usage_error_and_nothing_is_written(
    file: Path, key: str, text: str, reason: str
) -> None:
    with pytest.raises(UsageProblem, match=reason):
        put(file, key, text)
    assert not file.exists()


def test_other_values_stay(file: Path) -> None:
    put(file, "budgets.max_steps", "4")
    put(file, "budgets.threshold", "0.9")
    change = set_value(file, "budgets.max_steps", ["5"], force=False)
    assert (change.before, change.after) == (4, 5)
    assert values(file) == {"budgets": {"max_steps": 5, "threshold": 0.9}}


def test_unset_takes_out_the_value_and_the_tables_it_leaves_empty(file: Path) -> None:
    put(file, "workspaces.w1.agent.model", "a/b")
    put(file, "model", "c/d")
    assert unset(file, "workspaces.w1.agent.model", force=False).before == "a/b"
    assert values(file) == {"model": "c/d"}
    assert unset(file, "budgets", force=False).before is None
    assert unset(file, "budgets.max_steps", force=False).before is None
    with pytest.raises(UsageProblem, match=r"did you mean budgets\.max_steps"):
        unset(file, "budgets.max_step", force=False)


def test_unset_of_what_was_never_set_creates_nothing(file: Path) -> None:
    unset(file, "model", force=False)
    assert not file.exists()


def test_unset_mends_a_file_with_an_unknown_key(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('modle = "x"\nmodel = "a/b"\n')
    with pytest.raises(ConfigError, match="unknown key modle"):
        put(file, "model", "c/d")
    unset(file, "modle", force=False)
    assert put(file, "model", "c/d") == "c/d"


@pytest.mark.parametrize("broken", ["model = \n", "\udcff", "[[a]\n"])
def test_a_broken_file_is_never_overwritten(tmp_path: Path, broken: str) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(os.fsencode(broken))
    for force in (False, True):
        with pytest.raises(ConfigError, match=r"line 1, column"):
            put(file, "model", "a/b", force=force)
        with pytest.raises(ConfigError, match=r"line 1, column"):
            unset(file, "model", force=force)
    assert file.read_bytes() == os.fsencode(broken)


def test_comments_are_the_user_s(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    text = '# mine\nmodel = "a/b"\n'
    file.write_text(text)
    with pytest.raises(UsageProblem, match="--force"):
        put(file, "model", "c/d")
    with pytest.raises(UsageProblem, match="--force"):
        unset(file, "model", force=False)
    assert file.read_text() == text
    put(file, "model", "c/d", force=True)
    assert file.read_text() == 'model = "c/d"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a = "#"', False),
        ("a = '#'", False),
        ('a = "\\"#"', False),
        ('a = """\n# "" \\""" #\n"""', False),
        ("a = '''\n# '' #'''", False),
        ('"#" = 1', False),
        ("a = 1 # x", True),
        ("#", True),
        ('a = "x" # "y"', True),
        ('a = """x""" # y', True),
        ("a = [1,\n# x\n2]", True),
        ("", False),
    ],
)
def test_a_comment_is_told_from_a_hash_in_a_string(text: str, expected: bool) -> None:
    tomllib.loads(text)
    assert has_comments(text) is expected


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "intuition.toml"
    real.parent.mkdir()
    real.write_text('model = "a/b"\n')
    real.chmod(0o640)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    put(link, "model", "c/d")
    assert link.is_symlink()
    assert values(real) == {"model": "c/d"}
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert os.listdir(real.parent) == ["intuition.toml"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("")
    with pytest.raises(ConfigError, match="cannot be"):
        put(tmp_path / "in the way" / "config.toml", "model", "a/b")
