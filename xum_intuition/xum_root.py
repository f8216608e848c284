"""What an xum root says beside its memories: switches, defaults of the agent, hooks.

The files belong to another program. A broken one is a warning, never the end of a recall.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from xum_intuition.agent_definition import NO_DEFINITION, AgentDefinition, concerns_thinking
from xum_intuition.agent_definition import read as read_definition
from xum_intuition.dirs import read_regular
from xum_intuition.memory.hooks import Hook

MAX_JSON_BYTES = 8 * 1024 * 1024
"""Of `config.json` or `feature_flags.json`; a larger one is not read."""


class RootFacts(NamedTuple):
    """None stands for: the root says nothing about it."""

    memory: bool | None = None
    memory_intuition: bool | None = None
    agent_enabled: bool | None = None
    model: str | None = None
    """As it stands in the file: `provider:model`."""
    definition: AgentDefinition = NO_DEFINITION
    tool_pre: tuple[Hook, ...] = ()
    tool_post: tuple[Hook, ...] = ()
    without_effect: tuple[str, ...] = ()
    """Keys of `agentAiDefaults.intuition` about thinking, which nothing here obeys."""


def read(root: Path, warnings: list[str]) -> RootFacts:
    """Everything a root says; what cannot be read is told in `warnings`."""
    flags_file, config_file = root / "feature_flags.json", root / "config.json"
    flags = _object_at(_read_json(flags_file, warnings), flags_file, ("overrides",), warnings)
    config = _read_json(config_file, warnings)
    agent = _object_at(config, config_file, ("agentAiDefaults", "intuition"), warnings)
    return RootFacts(
        memory=_typed(flags, "memory", bool, flags_file, warnings),
        memory_intuition=_typed(flags, "memory-intuition", bool, flags_file, warnings),
        agent_enabled=_typed(agent, "enabled", bool, config_file, warnings),
        model=(_typed(agent, "modelString", str, config_file, warnings) or "").strip() or None,
        definition=read_definition(root, warnings),
        tool_pre=_hook(root / "tool_pre"),
        tool_post=_hook(root / "tool_post"),
        without_effect=tuple(key for key in agent if concerns_thinking(key)),
    )


def _hook(file: Path) -> tuple[Hook, ...]:
    # A name that is there but cannot run still counts: the hook's owner meant it to guard.
    return (Hook((str(file),), str(file)),) if os.path.lexists(file) else ()


def _read_json(file: Path, warnings: list[str]) -> dict[str, Any]:
    try:
        raw = read_regular(file, MAX_JSON_BYTES + 1)
        if len(raw) > MAX_JSON_BYTES:
            raise ValueError(f"it is larger than {MAX_JSON_BYTES // (1024 * 1024)} MiB")
        value = json.loads(raw)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        warnings.append(f"{file} is ignored: {error}")
        return {}
    if not isinstance(value, dict):
        warnings.append(f"{file} is ignored: it is not a JSON object")
        return {}
    return value


def _object_at(
    value: dict[str, Any], file: Path, keys: tuple[str, ...], warnings: list[str]
) -> dict[str, Any]:
    for key in keys:
        inner = value.get(key)
        if inner is None:
            return {}
        if not isinstance(inner, dict):
            warnings.append(f"{file}: {key} is ignored, it is not an object")
            return {}
        value = inner
    return value


def _typed(
    value: dict[str, Any], key: str, kind: type[Any], file: Path, warnings: list[str]
) -> Any:
    found = value.get(key)
    if found is None or isinstance(found, kind):
        return found
    wanted = "true or false" if kind is bool else "text"
    warnings.append(f"{file}: {key} is ignored, it must be {wanted}")
    return None
