"""Where the user's own files are, and reading them; looks nothing up at import."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

NOWHERE = Path("/nonexistent")
"""Stands for a home that cannot be found: reading finds nothing there, writing fails politely."""


def home(env: Mapping[str, str]) -> Path:
    """The user's home: HOME if it is absolute, else the account's, else NOWHERE.

    A relative HOME is never used: it would take files from the current directory.
    """
    named = env.get("HOME", "")
    if os.path.isabs(named):
        return Path(named)
    try:
        import pwd

        account = pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):
        return NOWHERE
    return Path(account) if os.path.isabs(account) else NOWHERE


def config_path(env: Mapping[str, str]) -> Path:
    """The user's configuration file, there or not."""
    return _user_dir("XDG_CONFIG_HOME", ".config", env) / "config.toml"


def state_dir(env: Mapping[str, str]) -> Path:
    """The folder of ledger, turns and foreign stores' sidecars, there or not."""
    return _user_dir("XDG_STATE_HOME", ".local/state", env)


def _user_dir(variable: str, below_home: str, env: Mapping[str, str]) -> Path:
    """This program's folder below an XDG base directory.

    On Linux the rule is so short that platformdirs, which takes 7 ms to import, is not asked;
    a test holds both to the same answer.
    """
    if sys.platform.startswith("linux"):
        base = env.get(variable, "")
        return (Path(base) if os.path.isabs(base) else home(env) / below_home) / "intuition"
    import platformdirs

    try:
        if variable == "XDG_CONFIG_HOME":
            return platformdirs.user_config_path("intuition", appauthor=False)
        return platformdirs.user_state_path("intuition", appauthor=False)
    except RuntimeError:  # no home at all
        return NOWHERE / "intuition"


def from_user(text: str, base: Path | None, env: Mapping[str, str]) -> Path:
    """A path as a user writes it: `~` is the home; a relative one counts from `base`, or from
    the current directory where there is none."""
    if text == "~" or text.startswith("~/"):
        return home(env) / text[2:]
    if base is not None:
        return base / text
    try:
        return Path(text).absolute()
    except OSError:  # the current directory is gone
        return Path(text)


def read_regular(file: str | Path, limit: int) -> bytes:
    """At most `limit` bytes of a regular file; raises OSError, also for a pipe or a device."""
    with open_regular(file) as stream:
        return stream.read(limit)


def open_regular(file: str | Path) -> BinaryIO:
    """Open a regular file to read; a pipe or a device, which could keep us, raises OSError."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        require_regular(descriptor, file)
    except OSError:
        os.close(descriptor)
        raise
    return open(descriptor, "rb")


def require_regular(descriptor: int, file: str | Path) -> None:
    """Raise OSError where what was opened is no regular file."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(file))
