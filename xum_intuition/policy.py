"""Who may recall. Every way in calls `check`: command, batch, server, hook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from xum_intuition.errors import Disabled
from xum_intuition.settings import Settings

Way = Literal["command", "integration"]
"""A person or script that types the command, or what hands recall to another agent."""

_TOOLS = ("memory", "intuition")
"""Without the first there is nothing to recall; the second is recall itself."""


def check(settings: Settings, *, way: Way, env: Mapping[str, str]) -> None:
    """Raise Disabled, naming the first switch that forbids recall and how to bring it back."""
    reason = next(_reasons(settings, way, env), None)
    if reason is not None:
        raise Disabled(reason)


def _reasons(settings: Settings, way: Way, env: Mapping[str, str]) -> Iterator[str]:
    """Why recall is off, the strongest reason first."""
    switches = settings.switches
    if env.get("INTUITION_SUBAGENT", "") not in ("", "0"):
        yield (
            "A sub-agent does not recall: INTUITION_SUBAGENT is set in the environment."
            " Unset it where the agent of the user itself asks."
        )
    if switches.memory is False:
        yield _off(settings, "experiments.memory", "Memory is switched off")
    if switches.memory_intuition is False:
        yield _off(settings, "experiments.memory_intuition", "Recall is switched off")
    if switches.agent_enabled is False:
        yield _off(settings, "agent.enabled", "The agent `intuition` is disabled")
    if settings.agent.disabled and switches.agent_enabled is None:
        yield (
            f"The agent `intuition` is disabled by `disabled: true` in {settings.agent.source}."
            f" {_set('agent.enabled')} brings it back."
        )
    yield from _tool_policy(settings)
    if way == "integration" and not switches.integrations_enabled:
        yield (
            "Recall for other agents (server, hook) is off unless it is switched on:"
            f" {_set('integrations.enabled')}."
        )


def _tool_policy(settings: Settings) -> Iterator[str]:
    patterns = settings.switches.tools_remove
    if not patterns:
        return
    from fnmatch import fnmatchcase

    for tool in _TOOLS:
        for pattern in patterns:
            if fnmatchcase(tool, pattern):
                yield (
                    f"The tool policy removes `{tool}`, and without it there is no recall:"
                    f" [tools] remove holds {pattern!r} in {settings.source('tools.remove')}."
                    " Take it out to bring recall back."
                )


def _off(settings: Settings, key: str, what: str) -> str:
    return f"{what}: {key} is false in {settings.source(key)}. {_set(key)} brings it back."


def _set(key: str) -> str:
    return f"`intuition config set {key} true`"
