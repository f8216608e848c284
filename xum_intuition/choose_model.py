"""Which model recalls, which take over, and where each is reached."""

from __future__ import annotations

from collections.abc import Mapping

from xum_intuition.errors import UsageProblem
from xum_intuition.lookup import Lookup
from xum_intuition.memory.paths import StoreChoice
from xum_intuition.names import OFFLINE, api_base_problem, model_name, provider_of
from xum_intuition.xum_root import RootFacts


def choose_model(
    look: Lookup, store: StoreChoice, facts: RootFacts
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The model, and all that were named with who named them: the first of them wins, and the
    embedded recognizer where there is none."""
    workspace, file = store.workspace or "", str(look.file)
    cascade: tuple[tuple[str | None, str], ...] = (
        (look.flags.model, "--model"),
        (look.env.get("INTUITION_MODEL"), "INTUITION_MODEL"),
        (
            look.at("workspaces", workspace, "agent", "model"),
            f"{file} [workspaces.{workspace}.agent] model",
        ),
        (look.at("agent", "model"), f"{file} [agent] model"),
        (facts.model, f"{store.root}/config.json agentAiDefaults.intuition.modelString"),
        (look.at("workspaces", workspace, "model"), f"{file} [workspaces.{workspace}] model"),
        (look.at("model"), f"{file} model"),
    )
    named = tuple((model_name(n), source) for n, source in cascade if n and n.strip())
    if not named:
        return OFFLINE, ()
    look.sources["model"] = named[0][1]
    return named[0][0], named


def fallback_models(look: Lookup) -> tuple[str, ...]:
    names: tuple[str, ...] = look.flags.fallback_models
    if names:
        look.sources["agent.fallback_models"] = "--fallback-model"
    else:
        names = tuple(look.from_file("agent", "fallback_models") or ())
    return tuple(model_name(name) for name in names)


def model_api_bases(look: Lookup) -> dict[str, str]:
    entries: dict[str, dict[str, str]] = look.at("models") or {}
    return {model_name(n): e["api_base"] for n, e in entries.items() if "api_base" in e}


def api_base(look: Lookup, model: str, bases: Mapping[str, str]) -> str | None:
    given = look.flags.api_base
    if given is not None:
        problem = api_base_problem(given)
        if problem:
            raise UsageProblem(f"--api-base {problem}.")
        look.sources["api_base"] = "--api-base"
        return given
    if model in bases:
        look.sources["api_base"] = f'{look.file} [models."{model}"] api_base'
        return bases[model]
    general: str | None = look.at("api_base")
    if general is None or model == OFFLINE:
        return None
    named = [n for n in (look.at("model"), look.at("agent", "model")) if n]
    if named and provider_of(model) not in {provider_of(name) for name in named}:
        look.warnings.append(
            f"api_base of {look.file} is not used for {model}: it belongs to the provider of"
            f' {named[0]}. Set [models."{model}"] api_base if it is meant for both.'
        )
        return None
    look.sources["api_base"] = str(look.file)
    return general
