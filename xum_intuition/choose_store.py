"""Which store is meant: folders or a root, the project, the workspace."""

from __future__ import annotations

import os
from pathlib import Path

from xum_intuition import dirs
from xum_intuition.errors import ConfigError, UsageProblem
from xum_intuition.lookup import Lookup, absolute_from_environment
from xum_intuition.memory.paths import SCOPES, Scope, StoreChoice
from xum_intuition.names import workspace_problem


def choose_store(look: Lookup) -> StoreChoice:
    root, folders = _place(look)
    project, meta = look.flags.project, look.flags.meta
    for key in ("project", "meta", "include", "exclude"):
        if getattr(look.flags, key):
            look.sources[key] = f"--{key}"
    return StoreChoice(
        root=root,
        memory_dirs=folders,
        project=None if project is None else dirs.from_user(project, None, look.env),
        workspace=_workspace(look),
        include=look.flags.include,
        exclude=look.flags.exclude,
        meta=None if meta is None else dirs.from_user(meta, None, look.env),
    )


def _place(look: Lookup) -> tuple[Path | None, tuple[tuple[Scope | None, Path], ...]]:
    """The root or the folders: flags, then environment, then file, then the usual roots."""
    flags, env, base = look.flags, look.env, look.file.parent
    if flags.memory_dirs:
        return None, _folders(look, flags.memory_dirs, None, "--memory-dir")
    if flags.root is not None:
        look.sources["root"] = "--root"
        return dirs.from_user(flags.root, None, env), ()
    if env.get("INTUITION_MEMORY_DIR"):
        named = (env["INTUITION_MEMORY_DIR"],)
        return None, _folders(look, named, None, "INTUITION_MEMORY_DIR")
    if env.get("XUM_ROOT"):
        look.sources["root"] = "XUM_ROOT"
        return absolute_from_environment("XUM_ROOT", env["XUM_ROOT"], env), ()
    named_by_file = look.at("memory_dir")
    if named_by_file:
        texts = (named_by_file,) if isinstance(named_by_file, str) else tuple(named_by_file)
        return None, _folders(look, texts, base, str(look.file))
    if look.from_file("root"):
        return dirs.from_user(look.at("root"), base, env), ()
    usual = (dirs.home(env) / name for name in (".xum", ".mux"))
    return next((path for path in usual if os.path.isdir(path)), None), ()


def _folders(
    look: Lookup, texts: tuple[str, ...], base: Path | None, source: str
) -> tuple[tuple[Scope | None, Path], ...]:
    look.sources["memory_dir"] = source
    return tuple(_folder(look, text, base, source) for text in texts)


def _folder(look: Lookup, text: str, base: Path | None, source: str) -> tuple[Scope | None, Path]:
    """`DIR` or `SCOPE=DIR`; a folder whose own name begins so is written `./global=x`."""
    word, equals, rest = text.partition("=")
    scope = next((s for s in SCOPES if equals and s == word), None)
    if scope is None:
        return None, dirs.from_user(text, base, look.env)
    if not rest:
        problem = UsageProblem if base is None else ConfigError
        raise problem(f"memory directory {text!r} from {source} names no folder after the scope.")
    return scope, dirs.from_user(rest, base, look.env)


def _workspace(look: Lookup) -> str | None:
    identity, source = look.flags.workspace, "--workspace"
    if identity is None:
        identity, source = look.env.get("XUM_WORKSPACE_ID") or None, "XUM_WORKSPACE_ID"
    if identity is None:
        return None
    problem = workspace_problem(identity)
    if problem:
        raise UsageProblem(f"The workspace id {identity!r} from {source} {problem}.")
    look.sources["workspace"] = source
    return identity
