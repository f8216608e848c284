"""Where Claude Code keeps what belongs to the user: settings, and each project's auto memory.

The auto memory of a project is `projects/<slug>/memory` in the agent's folder; the slug is the
project's path with every character but ASCII letters and digits turned into a dash.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from xum_intuition import dirs

_NOT_IN_SLUG = re.compile(r"[^A-Za-z0-9]")


def agent_folder(env: Mapping[str, str]) -> Path:
    """`~/.claude`, or what CLAUDE_CONFIG_DIR names."""
    named = env.get("CLAUDE_CONFIG_DIR", "")
    return Path(named) if os.path.isabs(named) else dirs.home(env) / ".claude"


def slug(project: str) -> str:
    return _NOT_IN_SLUG.sub("-", project)


def auto_memory(cwd: str, env: Mapping[str, str], transcript: str = "") -> Path | None:
    """The auto memory that belongs to a working directory, if there is one.

    `transcript` is where the agent writes down the session: beside the memory it belongs to.
    """
    projects = agent_folder(env) / "projects"
    return next((f for f in _candidates(projects, cwd, transcript) if os.path.isdir(f)), None)


def _candidates(projects: Path, cwd: str, transcript: str) -> Iterator[Path]:
    folder = os.path.dirname(transcript)
    if os.path.dirname(folder) == str(projects):
        yield projects / os.path.basename(folder) / "memory"
    for path in dict.fromkeys((cwd, os.path.realpath(cwd))):
        for project in within_repository(path):
            yield projects / slug(project) / "memory"


def within_repository(cwd: str) -> list[str]:
    """A directory and its parents up to the repository's root; outside of one, itself alone."""
    found, path = [], os.path.normpath(cwd)
    while True:
        found.append(path)
        if os.path.lexists(os.path.join(path, ".git")):
            return found
        parent = os.path.dirname(path)
        if parent == path:
            return found[:1]
        path = parent
