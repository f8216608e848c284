"""Every setting in force with where it came from, for `intuition config show`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from xum_intuition import policy
from xum_intuition.config_rules import dotted
from xum_intuition.errors import Disabled
from xum_intuition.limits import Limits
from xum_intuition.memory.hooks import Hook
from xum_intuition.settings import Settings

_USER_INFO = re.compile(r"//[^/@]*@")


def report(settings: Settings, env: Mapping[str, str]) -> dict[str, Any]:
    """The document of `config show`."""
    return {
        "file": str(settings.config_file),
        "fileExists": settings.config_exists,
        "settings": {
            key: {"value": value, "source": source} for key, value, source in _rows(settings)
        },
        "modelCascade": [
            {"model": model, "source": source, "wins": position == 0}
            for position, (model, source) in enumerate(settings.model_cascade)
        ],
        "recall": _verdict(settings, "command", env),
        "integrations": _verdict(settings, "integration", env),
        "notes": [
            f"{found} has no effect here: nothing about thinking or reasoning is ever sent, and"
            " the model is chosen by the cascade."
            for found in settings.without_effect
        ],
        "warnings": list(settings.warnings),
    }


def _verdict(settings: Settings, way: policy.Way, env: Mapping[str, str]) -> dict[str, Any]:
    try:
        policy.check(settings, way=way, env=env)
    except Disabled as refusal:
        return {"enabled": False, "reason": str(refusal)}
    return {"enabled": True, "reason": None}


def _rows(settings: Settings) -> Iterator[tuple[str, Any, str]]:
    """Key, value in force (None: not set), source."""
    for key, value in _values(settings):
        yield key, value, settings.source(key)
    for path, value in _named(settings.file_values):
        yield dotted(path), value, str(settings.config_file)


def _values(settings: Settings) -> Iterator[tuple[str, Any]]:
    store, switches = settings.store, settings.switches
    yield "model", settings.model
    yield "agent.fallback_models", list(settings.fallback_models)
    yield "api_base", masked(settings.api_base)
    yield "root", _text(store.root)
    folders = store.memory_dirs
    yield "memory_dir", [f"{scope}={path}" if scope else str(path) for scope, path in folders]
    yield "project", _text(store.project)
    yield "workspace", store.workspace
    yield "include", list(store.include)
    yield "exclude", list(store.exclude)
    yield "meta", _text(store.meta)
    yield "turn", settings.turn
    for item in fields(Limits):
        yield f"budgets.{item.name}", getattr(settings.limits, item.name)
    yield "experiments.memory", switches.memory is not False
    yield "experiments.memory_intuition", switches.memory_intuition is not False
    yield "agent.enabled", switches.agent_enabled
    yield "agent.definition", settings.agent.source
    yield "integrations.enabled", switches.integrations_enabled
    yield "tools.remove", list(switches.tools_remove)
    yield "hooks.tool_pre", _commands(settings.hooks.tool_pre)
    yield "hooks.tool_post", _commands(settings.hooks.tool_post)
    yield "hooks.filter", list(settings.hooks.filter.argv) if settings.hooks.filter else None


def _named(values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The file's entries under names of the user's own."""
    for name, entry in values.get("models", {}).items():
        if "api_base" in entry:
            yield ("models", name, "api_base"), masked(entry["api_base"])
    for name, entry in values.get("workspaces", {}).items():
        if "model" in entry:
            yield ("workspaces", name, "model"), entry["model"]
        if "model" in entry.get("agent", {}):
            yield ("workspaces", name, "agent", "model"), entry["agent"]["model"]


def _commands(hooks: tuple[Hook, ...]) -> list[list[str]] | None:
    return [list(hook.argv) for hook in hooks] or None


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def masked(address: str | None) -> str | None:
    """An address without the name and password that it may hold, nor its query."""
    if address is None:
        return None
    shown = _USER_INFO.sub("//…@", address)
    return f"{shown.partition('?')[0]}?…" if "?" in shown else shown
