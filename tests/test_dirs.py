"""Where the user's own files are looked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs
import pytest

from xum_intuition import dirs


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere platformdirs is asked")
@pytest.mark.parametrize("set_to", [None, "", "relative", "/absolute"])
def test_the_short_rule_agrees_with_platformdirs(
    set_to: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
        if set_to is not None:
            monkeypatch.setenv(name, set_to)
    config = platformdirs.user_config_path("intuition", appauthor=False) / "config.toml"
    assert dirs.config_path(os.environ) == config
    assert dirs.state_dir(os.environ) == platformdirs.user_state_path("intuition", appauthor=False)


@pytest.mark.parametrize("env", [{}, {"HOME": ""}, {"HOME": "relative"}])
def test_without_a_home_the_account_s_is_taken_and_never_the_current_directory(
    env: dict[str, str],
) -> None:
    assert dirs.home(env).is_absolute()
    assert dirs.config_path(env).is_absolute()
    assert dirs.state_dir(env).is_absolute()


def test_paths_are_read_as_users_write_them() -> None:
    env = {"HOME": "/home/me"}
    assert dirs.from_user("~", None, env) == Path("/home/me")
    assert dirs.from_user("~/x", Path("/base"), env) == Path("/home/me/x")
    assert dirs.from_user("x", Path("/base"), env) == Path("/base/x")
    assert dirs.from_user("/x", Path("/base"), env) == Path("/x")
    assert dirs.from_user("x", None, env) == Path.cwd() / "x"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        dirs.read_regular(tmp_path / "pipe", 10)
