"""How memories are named, and where the three layouts keep them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from xum_intuition.errors import StoreError, UsageProblem
from xum_intuition.limits import MAX_FILES_FOLDER, MAX_FILES_XUM

Scope = Literal["global", "project", "workspace"]
SCOPES: tuple[Scope, ...] = ("global", "project", "workspace")
SIDECAR_NAME = "memory-meta.json"
FOLDER_PATTERNS = ("*.md", "*.mdc", "*.markdown", "*.txt")
AGENT_FOLDERS = frozenset(
    {
        *(".agent", ".agents", ".aiassistant", ".amazonq", ".augment", ".claude", ".cline"),
        *(".clinerules", ".codex", ".continue", ".copilot", ".cursor", ".factory", ".gemini"),
        *(".github", ".goose", ".junie", ".kilocode", ".kiro", ".memories", ".memory"),
        *(".memory-bank", ".openhands", ".opencode", ".qoder", ".qwen", ".roo", ".rules"),
        *(".serena", ".trae", ".windsurf"),
    }
)
"""Dot folders in which coding agents are known to keep memories and rules.

In the folder layouts these are entered although their names begin with a dot: a repository's
memories are seldom anywhere else. An xum root has none of them.
"""

_FORBIDDEN = re.compile(r'\.\.|[~\\<>"\x00-\x1f\x7f-\x9f\ud800-\udfff]|%(?:2e|2f|5c)', re.I)
_OUTSIDE_NAME = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """What the command line, the environment and the configuration name as the store."""

    root: Path | None = None
    memory_dirs: tuple[tuple[Scope | None, Path], ...] = ()
    project: Path | None = None
    workspace: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    meta: Path | None = None


class ScopeRoot(NamedTuple):
    """One scope's folder and the component that names it in sidecar keys (None for global)."""

    scope: Scope
    folder: str
    component: str | None


class Layout(NamedTuple):
    """Where a store is: its scope folders in scope order, its sidecar, its rules."""

    kind: Literal["xum", "scoped", "folder"]
    base: str
    """Real path that names the store, in messages and in the ledger."""
    scopes: tuple[ScopeRoot, ...]
    sidecar_file: Path
    max_files: int
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    project: str | None = None
    workspace: str | None = None

    @property
    def emptiness(self) -> str:
        """What to say where the store holds no memory."""
        if self.kind != "xum":
            return f"There is no memory in {self.base}."
        return (
            f"There is no memory in the xum root {self.base}: its memories are below memory/global,"
            " memory/project and sessions. A plain folder of notes is named with --memory-dir."
        )

    @property
    def agent_folders(self) -> frozenset[str]:
        """The dot folders that are entered."""
        return frozenset() if self.kind == "xum" else AGENT_FOLDERS


def is_bad_name(segment: str) -> bool:
    """Whether one segment of a path breaks the rule for virtual paths."""
    return segment in ("", ".") or _FORBIDDEN.search(segment) is not None


def virtual_path(scope: str, relative: str) -> str:
    return f"/memories/{scope}/{relative}"


def path_problem(path: str) -> str | None:
    """Why a virtual path is refused, before anything is touched on disk; None if it is fine."""
    parts = path.split("/")
    if len(parts) < 4 or parts[:2] != ["", "memories"] or parts[2] not in SCOPES:
        return "a memory path looks like /memories/<global|project|workspace>/<file>"
    if any(is_bad_name(part) for part in parts[3:]):
        return "the path has a segment that is not allowed in a memory path"
    return None


def hashed_name(path: str) -> str:
    """`<name>-<hash>`: the folder that belongs to a path in an xum root or state directory."""
    name = _OUTSIDE_NAME.sub("_", os.path.basename(path))[:40]
    digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{name}-{digest[:12]}"


def locate(choice: StoreChoice, *, state_dir: Path, cwd: Path | None = None) -> Layout:
    """The layout that a choice means. Looks at folders, creates nothing.

    Raises StoreError for a folder that is missing, a file or unreadable, and UsageProblem for
    two folders of one scope.
    """
    if choice.memory_dirs:
        return _locate_folders(choice, state_dir)
    if choice.root is None:
        raise StoreError(
            "No memory store: name a folder with --memory-dir DIR (or INTUITION_MEMORY_DIR), or an"
            " xum root with --root DIR (or XUM_ROOT); ~/.xum does not exist. `intuition recall"
            ' --example --cue "..."` tries the memories that ship with this program.'
        )
    return _locate_xum(choice, choice.root, cwd)


def _require_folder(path: Path, wanted: str) -> str:
    """The real path of a folder that can be listed."""
    try:
        with os.scandir(path):
            return os.path.realpath(path)
    except NotADirectoryError:
        reason = "is not a folder"
    except FileNotFoundError:
        reason = "does not exist"
        word, equals, _ = str(path).rpartition("/")[2].partition("=")
        if equals and word.isalpha():
            reason += f" (there is no scope {word}: global, project and workspace are all)"
    except (OSError, ValueError) as error:
        reason = f"cannot be read ({getattr(error, 'strerror', None) or error})"
    raise StoreError(f"{path} {reason}; {wanted} was looked for.")


def _locate_folders(choice: StoreChoice, state_dir: Path) -> Layout:
    named: dict[Scope, str] = {}
    kind: Literal["scoped", "folder"] = "folder"
    for scope, folder in choice.memory_dirs:
        real = _require_folder(folder, "a folder of memory files")
        inner = _scope_folders(real) if scope is None and len(choice.memory_dirs) == 1 else {}
        if inner:
            kind = "scoped"
        for key, path in (inner or {scope or "global": real}).items():
            if key in named:
                raise UsageProblem(
                    f"--memory-dir names the {key} scope twice: {named[key]} and {path}; give each"
                    " folder a scope of its own, as in --memory-dir project=DIR."
                )
            named[key] = path
    scopes = tuple(
        ScopeRoot(s, named[s], None if s == "global" else named[s]) for s in SCOPES if s in named
    )
    base = os.path.dirname(scopes[0].folder) if kind == "scoped" else scopes[0].folder
    sidecar = choice.meta or state_dir / hashed_name(base) / SIDECAR_NAME
    return Layout(
        kind=kind,
        base=base,
        scopes=scopes,
        sidecar_file=sidecar,
        max_files=MAX_FILES_FOLDER,
        include=choice.include or FOLDER_PATTERNS,
        exclude=choice.exclude,
        project=named.get("project"),
        workspace=named.get("workspace"),
    )


def _scope_folders(folder: str) -> dict[Scope, str]:
    """The scope folders in a scoped directory; empty where it is any other folder."""
    with os.scandir(folder) as entries:
        visible = [entry for entry in entries if not entry.name.startswith(".")]
    names = {entry.name for entry in visible}
    if not visible or not names <= set(SCOPES):
        return {}
    # A scope folder that is a link out of the directory is a scope as any other: its owner made
    # it; the reading rules hold within it.
    if not all(entry.is_dir() for entry in visible):
        return {}
    return {s: os.path.realpath(os.path.join(folder, s)) for s in SCOPES if s in names}


def _locate_xum(choice: StoreChoice, root: Path, cwd: Path | None) -> Layout:
    real = _require_folder(root, "an xum root with a folder `memory`")
    project = _project(choice.project, real, cwd)
    scopes = [ScopeRoot("global", os.path.join(real, "memory", "global"), None)]
    if project is not None:
        folder = os.path.join(real, "memory", "project", hashed_name(project))
        scopes.append(ScopeRoot("project", folder, project))
    if choice.workspace is not None:
        folder = os.path.join(real, "sessions", choice.workspace, "memory")
        scopes.append(ScopeRoot("workspace", folder, choice.workspace))
    return Layout(
        kind="xum",
        base=real,
        scopes=tuple(scopes),
        sidecar_file=choice.meta or Path(real) / SIDECAR_NAME,
        max_files=MAX_FILES_XUM,
        include=choice.include or ("*",),
        exclude=choice.exclude,
        project=project,
        workspace=choice.workspace,
    )


def _project(named: Path | None, root: str, cwd: Path | None) -> str | None:
    """The project's root path: the named one, else the nearest with memories in this root."""
    base = os.path.join(root, "memory", "project")
    if named is not None:
        candidates = [os.path.abspath(named), os.path.realpath(named)]
        return next((p for p in candidates if _has_folder(base, p)), candidates[0])
    return next((p for p in _upward(cwd) if _has_folder(base, p)), None)


def _has_folder(base: str, project: str) -> bool:
    return os.path.isdir(os.path.join(base, hashed_name(project)))


def _upward(cwd: Path | None) -> Iterator[str]:
    """The current directory and its parents, as the shell names it first, then as it really is."""
    try:
        real = str(cwd) if cwd is not None else os.getcwd()
    except OSError:  # the current directory is gone
        return
    starts = [real]
    shell = os.environ.get("PWD", "") if cwd is None else ""
    if os.path.isabs(shell) and shell != real and os.path.realpath(shell) == real:
        starts.insert(0, os.path.normpath(shell))
    for start in starts:
        path = start
        while True:
            yield path
            parent = os.path.dirname(path)
            if parent == path:
                break
            path = parent
