"""Finding the memory folders that agents have left for the project at hand. Reads names only."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from xum_intuition import dirs
from xum_intuition.errors import IntuitionError
from xum_intuition.integrations.claude_places import auto_memory, within_repository
from xum_intuition.memory.paths import Layout, Scope, StoreChoice, locate
from xum_intuition.memory.store import Store

_IN_PROJECT = (
    (".claude/memory", "Claude Code project memory"),
    (".claude/rules", "Claude Code rules"),
    (".serena/memories", "Serena memories"),
    (".cursor/rules", "Cursor rules"),
    (".github/instructions", "Copilot instructions"),
    ("memory-bank", "memory bank"),
    (".memory-bank", "memory bank"),
    (".windsurf/rules", "Windsurf rules"),
    (".clinerules", "Cline rules"),
    (".kiro/steering", "Kiro steering"),
    (".roo/rules", "Roo rules"),
    (".kilocode/rules", "Kilo Code rules"),
    (".continue/rules", "Continue rules"),
    (".amazonq/rules", "Amazon Q rules"),
    (".augment/rules", "Augment rules"),
    (".trae/rules", "Trae rules"),
    (".junie", "Junie guidelines"),
    (".openhands/microagents", "OpenHands microagents"),
    (".agents/memory", "agent memory"),
    (".agents/rules", "agent rules"),
    (".agent/memory", "agent memory"),
    (".agent/rules", "agent rules"),
    (".memory", "agent memory"),
    (".memories", "agent memory"),
)
_BESIDE_INSTRUCTIONS = ("memory", "memories", "notes", "docs/memory", "docs/agents")
"""Names too common to mean anything, but beside a file that instructs agents."""
_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
_IN_HOME = ((".codex/memories", "Codex memories"), (".claude/memory", "Claude Code user memory"))


@dataclass(frozen=True, slots=True)
class Place:
    """One folder with memories, and how to recall from it."""

    kind: str
    folder: str
    files: int
    options: tuple[str, ...]

    @property
    def command(self) -> str:
        return f'{shlex.join(["intuition", "recall", *self.options])} --cue "..."'


def discover(cwd: str, root: Path | None, env: Mapping[str, str]) -> list[Place]:
    """The places for a working directory, the most particular first; each folder once."""
    found: dict[str, Place] = {}
    for place in (*_root_places(root, cwd), *_folder_places(cwd, env)):
        found.setdefault(os.path.realpath(place.folder), place)
    return list(found.values())


def _root_places(root: Path | None, cwd: str) -> Iterator[Place]:
    """What an xum root holds for the project, and for everyone."""
    if root is None:
        return
    try:
        layout = locate(StoreChoice(root=root), state_dir=root, cwd=Path(cwd))
    except IntuitionError:
        return
    options = ["--root", str(root)]
    counts = _counts(layout)
    if layout.project is not None:
        options += ["--project", layout.project]
    for scope in reversed(layout.scopes):
        if os.path.isdir(scope.folder):
            kind = f"xum root, {scope.scope} memory"
            yield Place(kind, scope.folder, counts[scope.scope], tuple(options))


def _folder_places(cwd: str, env: Mapping[str, str]) -> Iterator[Place]:
    auto = auto_memory(cwd, env)
    candidates = [(auto, "Claude Code auto memory")] if auto is not None else []
    home = dirs.home(env)
    for project in _projects(Path(cwd), home):
        candidates += [(project / below, kind) for below, kind in _IN_PROJECT]
        if any((project / name).is_file() for name in _INSTRUCTIONS):
            candidates += [(project / b, "beside agent instructions") for b in _BESIDE_INSTRUCTIONS]
    candidates += [(home / below, kind) for below, kind in _IN_HOME]
    for folder, kind in candidates:
        if folder.is_dir():
            yield from _place(folder, kind)


def _projects(cwd: Path, home: Path) -> list[Path]:
    """The directory and its parents up to the repository's root, or up to the user's home."""
    inside = [Path(path) for path in within_repository(str(cwd))]
    if len(inside) == 1 and not os.path.lexists(cwd / ".git"):
        inside = [cwd, *cwd.parents][:-1]
    return [path for path in inside if path != home and path not in home.parents]


def _place(folder: Path, kind: str) -> Iterator[Place]:
    choice = StoreChoice(memory_dirs=((None, folder),))
    try:
        counts = _counts(locate(choice, state_dir=folder))
    except IntuitionError:
        return
    yield Place(kind, str(folder), sum(counts.values()), ("--memory-dir", str(folder)))


def _counts(layout: Layout) -> dict[Scope, int]:
    """The files of each scope by the rules of reading, those beyond the cap included."""
    store = Store(layout)
    for _ in store.scan():
        pass
    return {scope: count.files + count.beyond_cap for scope, count in store.counts.items()}
