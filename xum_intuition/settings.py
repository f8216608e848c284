"""Flag, then environment, then configuration file, then default: one frozen Settings.

Creates nothing, reads nothing from the current directory, and imports what reads a configuration
file only where there is one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from xum_intuition import dirs, xum_root
from xum_intuition.agent_definition import AgentDefinition
from xum_intuition.choose_model import (
    api_base,
    choose_model,
    fallback_models,
    model_api_bases,
)
from xum_intuition.choose_store import choose_store
from xum_intuition.errors import ConfigError, UsageProblem
from xum_intuition.limits import MAX_TIMEOUT_S, Limits
from xum_intuition.lookup import Flags, Lookup
from xum_intuition.memory.hooks import Hook, HookSet
from xum_intuition.memory.paths import StoreChoice
from xum_intuition.names import OFFLINE, provider_of

__all__ = ["OFFLINE", "Flags", "Settings", "Switches", "load"]

_LIMIT_FLAGS = {
    "max_steps": "max_steps",
    "max_results": "max_results",
    "timeout_s": "timeout_ms",
    "max_cost": "max_cost_usd",
    "threshold": "threshold",
    "floor": "floor",
}


class Switches(NamedTuple):
    """What decides whether recall may run; None stands for: nobody said anything."""

    memory: bool | None = None
    memory_intuition: bool | None = None
    agent_enabled: bool | None = None
    integrations_enabled: bool = False
    tools_remove: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """Everything that was decided before a recall begins."""

    limits: Limits
    store: StoreChoice
    """Its root is None where nothing is named and no usual root exists."""
    model: str
    fallback_models: tuple[str, ...]
    api_base: str | None
    """Where `model` is reached; see `api_base_for`."""
    model_api_bases: Mapping[str, str]
    hooks: HookSet
    agent: AgentDefinition
    switches: Switches
    turn: str | None
    config_file: Path
    config_exists: bool
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where a value came from, by the configuration file's key; what is absent is a default."""
    warnings: tuple[str, ...] = ()
    model_cascade: tuple[tuple[str, str], ...] = ()
    """Every model that is named and by whom; the first one wins."""
    without_effect: tuple[str, ...] = ()
    """Settings for thinking and the like that were found and that nothing here obeys."""
    file_values: Mapping[str, Any] = field(default_factory=dict)
    """What the configuration file says, checked."""

    def api_base_for(self, model: str) -> str | None:
        """Where a model is reached. No provider's key is to travel to another's host, so a
        general address serves `model` and fallbacks of the same provider only."""
        same = model == self.model or (
            provider_of(model) is not None and provider_of(model) == provider_of(self.model)
        )
        own = self.model_api_bases.get(model)
        if same and self.sources.get("api_base", "").startswith("--"):
            return self.api_base
        return own or (self.api_base if same else None)

    def source(self, key: str) -> str:
        return self.sources.get(key, "default")


def load(flags: Flags, env: Mapping[str, str]) -> Settings:
    """Settings of one run; raises UsageProblem for flags, ConfigError for the file."""
    look = Lookup(flags, env)
    limits = _limits(look)
    store = choose_store(look)
    facts = xum_root.RootFacts()
    if store.root is not None:
        facts = xum_root.read(store.root, look.warnings)
    model, cascade = choose_model(look, store, facts)
    bases = model_api_bases(look)
    return Settings(
        limits=limits,
        store=store,
        model=model,
        fallback_models=fallback_models(look),
        api_base=api_base(look, model, bases),
        model_api_bases=bases,
        hooks=_hooks(look, facts),
        agent=_agent(look, facts),
        switches=_switches(look, facts, store),
        turn=_turn(look),
        config_file=look.file,
        config_exists=look.exists,
        sources=look.sources,
        warnings=tuple(look.warnings),
        model_cascade=cascade,
        without_effect=_without_effect(facts, store),
        file_values=look.values,
    )


def _limits(look: Lookup) -> Limits:
    chosen: dict[str, Any] = {}
    for item in fields(Limits):
        value = look.from_file("budgets", item.name)
        if value is not None:
            chosen[item.name] = value
    for flag, name in _LIMIT_FLAGS.items():
        value = getattr(look.flags, flag)
        if value is None:
            continue
        option = "--" + flag.removesuffix("_s").replace("_", "-")
        look.sources[f"budgets.{name}"] = option
        chosen[name] = _milliseconds(value, option) if flag == "timeout_s" else value
    limits = Limits(**chosen)
    problem = limits.problem()
    if problem:
        _refuse_limits(look, problem)
    return limits


def _refuse_limits(look: Lookup, problem: str) -> None:
    """Raise for bounds that cannot be, naming who set each of them."""
    names = [f.name for f in fields(Limits) if re.search(rf"\b{f.name}\b", problem)]
    origins = {name: look.sources.get(f"budgets.{name}", "the default") for name in names}
    told = ", ".join(f"{name} is from {origin}" for name, origin in origins.items())
    message = f"{problem}; {told}."
    if any(origin.startswith("--") for origin in origins.values()):
        raise UsageProblem(message)
    raise ConfigError(message)


def _turn(look: Lookup) -> str | None:
    if look.flags.turn is not None:
        look.sources["turn"] = "--turn"
        return look.flags.turn
    turn = look.env.get("INTUITION_TURN") or None
    if turn is not None:
        look.sources["turn"] = "INTUITION_TURN"
    return turn


def _hooks(look: Lookup, facts: xum_root.RootFacts) -> HookSet:
    own = {name: _configured_hook(look, name) for name in ("tool_pre", "tool_post", "filter")}
    for name, of_root in (("tool_pre", facts.tool_pre), ("tool_post", facts.tool_post)):
        origins = [hook.source for hook in (*of_root, *own[name])]
        if origins:
            look.sources[f"hooks.{name}"] = " and ".join(origins)
    return HookSet(
        tool_pre=facts.tool_pre + own["tool_pre"],
        tool_post=facts.tool_post + own["tool_post"],
        filter=next(iter(own["filter"]), None),
    )


def _configured_hook(look: Lookup, name: str) -> tuple[Hook, ...]:
    """A hook of the file: paths count from the file's folder, a bare program from PATH."""
    value = look.from_file("hooks", name)
    if value is None:
        return ()
    first, *rest = [value] if isinstance(value, str) else value
    if isinstance(value, str) or "/" in first:
        first = str(dirs.from_user(first, look.file.parent, look.env))
    return (Hook((first, *rest), f"[hooks] {name} in {look.file}"),)


def _without_effect(facts: xum_root.RootFacts, store: StoreChoice) -> tuple[str, ...]:
    definition = facts.definition
    of_definition = (f"{key} in {definition.source}" for key in definition.without_effect)
    of_root = (
        f"agentAiDefaults.intuition.{key} in {store.root}/config.json"
        for key in facts.without_effect
    )
    return (*of_definition, *of_root)


def _agent(look: Lookup, facts: xum_root.RootFacts) -> AgentDefinition:
    if facts.definition.source is not None:
        look.sources["agent.definition"] = facts.definition.source
    return facts.definition


def _switches(look: Lookup, facts: xum_root.RootFacts, store: StoreChoice) -> Switches:
    """The configuration file's word wins over the root's."""
    return Switches(
        memory=_switch(
            look, ("experiments", "memory"), facts.memory, f"{store.root}/feature_flags.json"
        ),
        memory_intuition=_switch(
            look,
            ("experiments", "memory_intuition"),
            facts.memory_intuition,
            f"{store.root}/feature_flags.json",
        ),
        agent_enabled=_switch(
            look, ("agent", "enabled"), facts.agent_enabled, f"{store.root}/config.json"
        ),
        integrations_enabled=bool(look.from_file("integrations", "enabled")),
        tools_remove=tuple(look.from_file("tools", "remove") or ()),
    )


def _switch(
    look: Lookup, keys: tuple[str, str], of_root: bool | None, root_file: str
) -> bool | None:
    value: bool | None = look.from_file(*keys)
    if value is None and of_root is not None:
        look.sources[".".join(keys)] = root_file
        return of_root
    return value


def _milliseconds(seconds: float, option: str) -> float:
    """Milliseconds of a bound in seconds; what is no positive number is left to be refused."""
    if math.isfinite(seconds) and seconds > MAX_TIMEOUT_S:
        raise UsageProblem(f"{option} must be at most {MAX_TIMEOUT_S} seconds, not {seconds:g}.")
    if not math.isfinite(seconds) or seconds <= 0:
        raise UsageProblem(f"{option} must be a positive number of seconds, not {seconds}.")
    return max(1, round(seconds * 1000))
