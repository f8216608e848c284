"""The embedded recognizer in the seat of a model: it reads, then reports."""

from __future__ import annotations

import json

from xum_intuition.agent.model import Answer, Request, ToolCall, Usage
from xum_intuition.agent.offline import Recognizer
from xum_intuition.limits import MAX_REPORT_ITEMS


class OfflineModel:
    """One recall's embedded model: no key, no network, no cost."""

    name = "offline"

    def __init__(self, recognizer: Recognizer) -> None:
        self._recognizer = recognizer
        self._wanted: list[str] = []

    def greatest_cost(self, request: Request) -> float | None:
        return 0.0

    def answer(self, request: Request) -> Answer:
        """First the reads, then, from what came back, the report."""
        if not self._wanted:
            self._wanted = self._recognizer.wants()
            if self._wanted:
                calls = [("memory_read", {"path": path}) for path in self._wanted]
                return self._answer(calls)
        texts = {}
        for message in request.messages:
            if message.get("role") == "tool":
                result = json.loads(message["content"])
                if "content" in result:
                    texts[result["path"]] = result["content"]
        judged = self._recognizer.judge(texts)[:MAX_REPORT_ITEMS]
        items = [
            {"path": j.path, "relevance": j.relevance, "excerpt": j.excerpt, "why": j.why}
            for j in judged
        ]
        return self._answer([("intuition_report", {"items": items})])

    def _answer(self, calls: list[tuple[str, dict[str, object]]]) -> Answer:
        made = tuple(
            ToolCall(f"call_{i}", name, json.dumps(arguments))
            for i, (name, arguments) in enumerate(calls)
        )
        return Answer("", made, Usage(cost_usd=0.0), self.name)
