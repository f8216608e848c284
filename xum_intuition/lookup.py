"""The three places a setting can come from, and the note of which one it came from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from xum_intuition import dirs
from xum_intuition.errors import UsageProblem


class Flags(NamedTuple):
    """The command line's values that settings care about; None or () stands for: not given."""

    root: str | None = None
    memory_dirs: tuple[str, ...] = ()
    """Each `DIR` or `SCOPE=DIR`."""
    project: str | None = None
    workspace: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    meta: str | None = None
    config: str | None = None
    model: str | None = None
    fallback_models: tuple[str, ...] = ()
    api_base: str | None = None
    turn: str | None = None
    max_steps: int | None = None
    max_results: int | None = None
    timeout_s: float | None = None
    max_cost: float | None = None
    """US dollars."""
    threshold: float | None = None
    floor: float | None = None


class Lookup:
    """Flags, environment and file of one run; collects sources and warnings on the way."""

    def __init__(self, flags: Flags, env: Mapping[str, str]) -> None:
        _refuse_empty(flags)
        self.flags, self.env = flags, env
        self.sources: dict[str, str] = {}
        """By the file's key; what is absent is a default."""
        self.warnings: list[str] = []
        self.file, named_by = config_location(flags, env)
        self.exists = named_by != "default" or os.path.exists(self.file)
        self.values: dict[str, Any] = {}
        if self.exists:
            from xum_intuition import config_file

            self.values = config_file.read(self.file)

    def at(self, *keys: str) -> Any:
        """A value of the file, or None."""
        value: Any = self.values
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def from_file(self, *keys: str) -> Any:
        """A value of the file, its source noted under the same key."""
        value = self.at(*keys)
        if value is not None:
            self.sources[".".join(keys)] = str(self.file)
        return value


def config_location(flags: Flags, env: Mapping[str, str]) -> tuple[Path, str]:
    """The configuration file and who named it."""
    if flags.config is not None:
        return dirs.from_user(flags.config, None, env), "--config"
    named = env.get("INTUITION_CONFIG")
    if named:
        return absolute_from_environment("INTUITION_CONFIG", named, env), "INTUITION_CONFIG"
    return dirs.config_path(env), "default"


def absolute_from_environment(variable: str, value: str, env: Mapping[str, str]) -> Path:
    """A path that names hooks to run is not to depend on the current directory."""
    if not value.startswith(("/", "~")):
        raise UsageProblem(
            f"{variable} is {value!r}: it must be an absolute path, so that the directory you"
            " happen to be in cannot decide what this program runs."
        )
    return dirs.from_user(value, None, env)


def _refuse_empty(flags: Flags) -> None:
    for name, value in flags._asdict().items():
        given = value if isinstance(value, tuple) else (value,)
        if any(isinstance(text, str) and not text.strip() for text in given):
            option = "--" + name.removesuffix("s").replace("_", "-")
            raise UsageProblem(f"{option} is empty; leave it out or give it a value.")
