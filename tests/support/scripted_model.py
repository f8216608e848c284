"""A model that answers by script, inside the process; it fails on what the script lacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from xum_intuition.agent.model import Answer, ModelFailure, Request, ToolCall, Usage

Step = Answer | ModelFailure | Callable[[Request], Answer]


class ScriptedModel:
    """Answers each request with the next step and keeps the requests."""

    def __init__(
        self, *script: Step, name: str = "scripted/one", price: float | None = 0.001
    ) -> None:
        self.name = name
        self.requests: list[Request] = []
        self._script = list(script)
        self._price = price

    def __call__(self) -> ScriptedModel:
        """A model is its own seat."""
        return self

    def answer(self, request: Request) -> Answer:
        assert self._script, f"{self.name}: a call that the script does not foresee"
        self.requests.append(request)
        step = self._script.pop(0)
        if isinstance(step, ModelFailure):
            raise step
        answer = step if isinstance(step, Answer) else step(request)
        return Answer(answer.text, answer.calls, answer.usage, self.name)

    def greatest_cost(self, request: Request) -> float | None:
        return self._price

    def verify(self) -> None:
        assert not self._script, f"{self.name}: {len(self._script)} steps were never asked for"


def says(text: str = "", *calls: ToolCall, cost: float | None = 0.001) -> Answer:
    """An answer with text, calls, or both; 10 tokens in, 1 out."""
    return Answer(text, calls, Usage(10, 1, 0, cost), "")


def reads(*paths: str) -> Answer:
    return says("", *map(read_call, paths))


def reports(*items: dict[str, Any]) -> Answer:
    return says("", report_call(*items))


def read_call(path: str) -> ToolCall:
    return ToolCall(f"r{path}", "memory_read", json.dumps({"path": path}))


def report_call(*items: dict[str, Any]) -> ToolCall:
    return ToolCall("report", "intuition_report", json.dumps({"items": items}))


def item(path: str = "/memories/global/a.md", relevance: Any = 0.9, **rest: Any) -> dict[str, Any]:
    return {"path": path, "relevance": relevance, "excerpt": "alpha", "why": "it fits", **rest}


def results(request: Request) -> Sequence[dict[str, Any]]:
    """The tool results that a request carries, oldest first."""
    return [json.loads(m["content"]) for m in request.messages if m["role"] == "tool"]
