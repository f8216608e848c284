"""Flag, then environment, then configuration file, then default: one frozen Settings.

Creates nothing, reads nothing from the current directory, and imports pydantic only where there
is a configuration file.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from xum_intuition import dirs, xum_root
from xum_intuition.agent_definition import AgentDefinition
from xum_intuition.errors import ConfigError, UsageProblem
from xum_intuition.limits import Limits
from xum_intuition.memory.hooks import Hook, HookSet
from xum_intuition.memory.paths import SCOPES, Scope, StoreChoice
from xum_intuition.names import api_base_problem, model_name, provider_of, workspace_problem

OFFLINE = "offline"
"""The embedded recognizer's name."""
MAX_TIMEOUT_S = 24 * 60 * 60
_LIMIT_FLAGS = {
    "max_steps": "max_steps",
    "max_results": "max_results",
    "timeout_s": "timeout_ms",
    "max_cost": "max_cost_usd",
    "threshold": "threshold",
    "floor": "floor",
}


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
    return _Loader(flags, env).settings()


def config_location(flags: Flags, env: Mapping[str, str]) -> tuple[Path, str]:
    """The configuration file and who named it."""
    if flags.config is not None:
        return dirs.from_user(flags.config, None, env), "--config"
    named = env.get("INTUITION_CONFIG")
    if named:
        return _absolute_from_environment("INTUITION_CONFIG", named, env), "INTUITION_CONFIG"
    return dirs.config_path(env), "default"


def _absolute_from_environment(variable: str, value: str, env: Mapping[str, str]) -> Path:
    """A path that names hooks to run is not to depend on the current directory."""
    path = dirs.from_user(value, None, env)
    if not path.is_absolute():
        raise UsageProblem(
            f"{variable} is {value!r}: it must be an absolute path, so that the directory you"
            " happen to be in cannot decide what this program runs."
        )
    return path


class _Loader:
    """Collects values with their sources; used once."""

    def __init__(self, flags: Flags, env: Mapping[str, str]) -> None:
        self.flags, self.env = flags, env
        _refuse_empty(flags)
        self.sources: dict[str, str] = {}
        self.warnings: list[str] = []
        self.file, named_by = config_location(flags, env)
        self.exists = os.path.exists(self.file) or named_by != "default"
        self.values: dict[str, Any] = {}
        if self.exists:
            from xum_intuition import config_file

            self.values = config_file.read(self.file)

    def settings(self) -> Settings:
        limits = self._limits()
        store = self._store()
        facts = xum_root.RootFacts()
        if store.root is not None:
            facts = xum_root.read(store.root, self.warnings)
        model = self._model(store, facts)
        bases = self._model_api_bases()
        return Settings(
            limits=limits,
            store=store,
            model=model,
            fallback_models=self._fallback_models(),
            api_base=self._api_base(model, bases),
            model_api_bases=bases,
            hooks=self._hooks(facts),
            agent=self._agent(facts),
            switches=self._switches(facts, store),
            turn=self._turn(),
            config_file=self.file,
            config_exists=self.exists,
            sources=self.sources,
            warnings=tuple(self.warnings),
        )

    def _at(self, *keys: str) -> Any:
        """A value of the file, or None."""
        value: Any = self.values
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def _from_file(self, *keys: str) -> Any:
        """A value of the file, its source noted under the same key."""
        value = self._at(*keys)
        if value is not None:
            self.sources[".".join(keys)] = str(self.file)
        return value

    def _limits(self) -> Limits:
        chosen: dict[str, Any] = {}
        for item in fields(Limits):
            value = self._from_file("budgets", item.name)
            if value is not None:
                chosen[item.name] = value
        for flag, name in _LIMIT_FLAGS.items():
            value = getattr(self.flags, flag)
            if value is None:
                continue
            option = "--" + flag.removesuffix("_s").replace("_", "-")
            self.sources[f"budgets.{name}"] = option
            chosen[name] = _milliseconds(value, option) if flag == "timeout_s" else value
        limits = Limits(**chosen)
        problem = limits.problem()
        if problem:
            self._refuse_limits(problem)
        return limits

    def _refuse_limits(self, problem: str) -> None:
        """Raise for bounds that cannot be, naming who set each of them."""
        names = [f.name for f in fields(Limits) if re.search(rf"\b{f.name}\b", problem)]
        origins = {name: self.sources.get(f"budgets.{name}", "the default") for name in names}
        told = ", ".join(f"{name} comes from {origin}" for name, origin in origins.items())
        message = f"{problem[0].upper()}{problem[1:]}: {told}."
        if any(origin.startswith("--") for origin in origins.values()):
            raise UsageProblem(message)
        raise ConfigError(message)

    def _store(self) -> StoreChoice:
        root, folders = self._place()
        project, meta = self.flags.project, self.flags.meta
        for key in ("project", "meta", "include", "exclude"):
            if getattr(self.flags, key):
                self.sources[key] = f"--{key}"
        return StoreChoice(
            root=root,
            memory_dirs=folders,
            project=None if project is None else dirs.from_user(project, None, self.env),
            workspace=self._workspace(),
            include=self.flags.include,
            exclude=self.flags.exclude,
            meta=None if meta is None else dirs.from_user(meta, None, self.env),
        )

    def _place(self) -> tuple[Path | None, tuple[tuple[Scope | None, Path], ...]]:
        """The root or the folders: flags, then environment, then file, then the usual roots."""
        flags, env, base = self.flags, self.env, self.file.parent
        if flags.memory_dirs:
            return None, self._folders(flags.memory_dirs, None, "--memory-dir")
        if flags.root is not None:
            self.sources["root"] = "--root"
            return dirs.from_user(flags.root, None, env), ()
        if env.get("INTUITION_MEMORY_DIR"):
            named = (env["INTUITION_MEMORY_DIR"],)
            return None, self._folders(named, None, "INTUITION_MEMORY_DIR")
        if env.get("XUM_ROOT"):
            self.sources["root"] = "XUM_ROOT"
            return _absolute_from_environment("XUM_ROOT", env["XUM_ROOT"], env), ()
        if self._at("memory_dir"):
            return None, self._folders(tuple(self._at("memory_dir")), base, str(self.file))
        if self._from_file("root"):
            return dirs.from_user(self._at("root"), base, env), ()
        usual = (dirs.home(env) / name for name in (".xum", ".mux"))
        return next((path for path in usual if os.path.isdir(path)), None), ()

    def _folders(
        self, texts: tuple[str, ...], base: Path | None, source: str
    ) -> tuple[tuple[Scope | None, Path], ...]:
        self.sources["memory_dir"] = source
        return tuple(self._folder(text, base, source) for text in texts)

    def _folder(self, text: str, base: Path | None, source: str) -> tuple[Scope | None, Path]:
        """`DIR` or `SCOPE=DIR`; a folder whose own name begins so is written `./global=x`."""
        word, equals, rest = text.partition("=")
        scope = next((s for s in SCOPES if equals and s == word), None)
        if scope is None:
            return None, dirs.from_user(text, base, self.env)
        if not rest:
            raise UsageProblem(f"{source} {text!r} names no folder after the scope.")
        return scope, dirs.from_user(rest, base, self.env)

    def _workspace(self) -> str | None:
        identity, source = self.flags.workspace, "--workspace"
        if identity is None:
            identity, source = self.env.get("XUM_WORKSPACE_ID") or None, "XUM_WORKSPACE_ID"
        if identity is None:
            return None
        problem = workspace_problem(identity)
        if problem:
            raise UsageProblem(f"The workspace id {identity!r} from {source} {problem}.")
        self.sources["workspace"] = source
        return identity

    def _turn(self) -> str | None:
        if self.flags.turn is not None:
            self.sources["turn"] = "--turn"
            return self.flags.turn
        turn = self.env.get("INTUITION_TURN") or None
        if turn is not None:
            self.sources["turn"] = "INTUITION_TURN"
        return turn

    def _model(self, store: StoreChoice, facts: xum_root.RootFacts) -> str:
        """The cascade: the first that is set wins, the embedded recognizer is last."""
        workspace, file = store.workspace or "", str(self.file)
        cascade: tuple[tuple[str | None, str], ...] = (
            (self.flags.model, "--model"),
            (self.env.get("INTUITION_MODEL"), "INTUITION_MODEL"),
            (
                self._at("workspaces", workspace, "agent", "model"),
                f"{file} [workspaces.{workspace}.agent] model",
            ),
            (self._at("agent", "model"), f"{file} [agent] model"),
            (facts.model, f"{store.root}/config.json agentAiDefaults.intuition.modelString"),
            (self._at("workspaces", workspace, "model"), f"{file} [workspaces.{workspace}] model"),
            (self._at("model"), f"{file} model"),
        )
        for name, source in cascade:
            if name and name.strip():
                self.sources["model"] = source
                return model_name(name)
        return OFFLINE

    def _fallback_models(self) -> tuple[str, ...]:
        names: tuple[str, ...] = self.flags.fallback_models
        if names:
            self.sources["agent.fallback_models"] = "--fallback-model"
        else:
            names = tuple(self._from_file("agent", "fallback_models") or ())
        return tuple(model_name(name) for name in names)

    def _model_api_bases(self) -> dict[str, str]:
        entries: dict[str, dict[str, str]] = self._at("models") or {}
        return {model_name(n): e["api_base"] for n, e in entries.items() if "api_base" in e}

    def _api_base(self, model: str, bases: Mapping[str, str]) -> str | None:
        given = self.flags.api_base
        if given is not None:
            problem = api_base_problem(given)
            if problem:
                raise UsageProblem(f"--api-base {problem}.")
            self.sources["api_base"] = "--api-base"
            return given
        if model in bases:
            self.sources["api_base"] = f'{self.file} [models."{model}"] api_base'
            return bases[model]
        general: str | None = self._at("api_base")
        if general is None or model == OFFLINE:
            return None
        named = [n for n in (self._at("model"), self._at("agent", "model")) if n]
        if named and provider_of(model) not in {provider_of(name) for name in named}:
            self.warnings.append(
                f"api_base of {self.file} is not used for {model}: it belongs to the provider of"
                f' {named[0]}. Set [models."{model}"] api_base if it is meant for both.'
            )
            return None
        self.sources["api_base"] = str(self.file)
        return general

    def _hooks(self, facts: xum_root.RootFacts) -> HookSet:
        own = {name: self._configured_hook(name) for name in ("tool_pre", "tool_post", "filter")}
        for name, of_root in (("tool_pre", facts.tool_pre), ("tool_post", facts.tool_post)):
            origins = [hook.source for hook in (*of_root, *own[name])]
            if origins:
                self.sources[f"hooks.{name}"] = " and ".join(origins)
        return HookSet(
            tool_pre=facts.tool_pre + own["tool_pre"],
            tool_post=facts.tool_post + own["tool_post"],
            filter=next(iter(own["filter"]), None),
        )

    def _configured_hook(self, name: str) -> tuple[Hook, ...]:
        """A hook of the file: paths count from the file's folder, a bare program from PATH."""
        value = self._from_file("hooks", name)
        if value is None:
            return ()
        first, *rest = [value] if isinstance(value, str) else value
        if isinstance(value, str) or "/" in first:
            first = str(dirs.from_user(first, self.file.absolute().parent, self.env))
        return (Hook((first, *rest), f"[hooks] {name} in {self.file}"),)

    def _agent(self, facts: xum_root.RootFacts) -> AgentDefinition:
        if facts.definition.source is not None:
            self.sources["agent.definition"] = facts.definition.source
        return facts.definition

    def _switches(self, facts: xum_root.RootFacts, store: StoreChoice) -> Switches:
        """The configuration file's word wins over the root's."""
        return Switches(
            memory=self._switch(
                ("experiments", "memory"), facts.memory, f"{store.root}/feature_flags.json"
            ),
            memory_intuition=self._switch(
                ("experiments", "memory_intuition"),
                facts.memory_intuition,
                f"{store.root}/feature_flags.json",
            ),
            agent_enabled=self._switch(
                ("agent", "enabled"), facts.agent_enabled, f"{store.root}/config.json"
            ),
            integrations_enabled=bool(self._from_file("integrations", "enabled")),
            tools_remove=tuple(self._from_file("tools", "remove") or ()),
        )

    def _switch(self, keys: tuple[str, str], of_root: bool | None, root_file: str) -> bool | None:
        value: bool | None = self._from_file(*keys)
        if value is None and of_root is not None:
            self.sources[".".join(keys)] = root_file
            return of_root
        return value


def _refuse_empty(flags: Flags) -> None:
    for name, value in flags._asdict().items():
        if "" in (value if isinstance(value, tuple) else (value,)):
            option = "--" + name.removesuffix("s").replace("_", "-")
            raise UsageProblem(f"{option} is empty; leave it out or give it a value.")


def _milliseconds(seconds: float, option: str) -> float:
    """Milliseconds of a bound in seconds; what is no positive number is left to be refused."""
    if math.isfinite(seconds) and seconds > MAX_TIMEOUT_S:
        raise UsageProblem(f"{option} must be at most {MAX_TIMEOUT_S} seconds, not {seconds:g}.")
    if not math.isfinite(seconds) or seconds <= 0:
        raise UsageProblem(f"{option} must be a positive number of seconds, not {seconds}.")
    return max(1, round(seconds * 1000))
