"""The embedded recognizer in a model's seat: it asks for files, then reports what it recognized."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from xum_intuition.agent.model import Answer, Request, ToolCall, Usage
from xum_intuition.agent.offline import Judgement, Recognizer
from xum_intuition.agent.tools import READ, REPORT
from xum_intuition.limits import MAX_REPORT_ITEMS
from xum_intuition.names import OFFLINE


class OfflineModel:
    """Needs two steps: one to read, one to report; with a single step it reports nothing."""

    name = OFFLINE

    def __init__(self, recognizer: Recognizer) -> None:
        self._recognizer = recognizer

    def answer(self, request: Request) -> Answer:
        """Reads of what has no result yet; with nothing of the kind, or by force, the report.

        So it can also take over where another model has already read.
        """
        results = {result["path"]: result for result in _results(request)}
        wanted = [] if request.force else self._recognizer.wants()
        calls = [_call(n, READ, {"path": p}) for n, p in enumerate(wanted) if p not in results]
        if not calls:
            texts = {
                path: result["content"] for path, result in results.items() if "content" in result
            }
            judged = self._recognizer.judge(texts)[:MAX_REPORT_ITEMS]
            calls = [_call(0, REPORT, {"items": [_item(judgement) for judgement in judged]})]
        return Answer("", tuple(calls), Usage(cost_usd=0.0), OFFLINE)

    def greatest_cost(self, request: Request) -> float:
        """Nothing, ever."""
        return 0.0


def _results(request: Request) -> Iterator[dict[str, Any]]:
    """The results of reads so far, each with its path; a content before a later note on it."""
    for message in reversed(request.messages):
        if message["role"] == "tool":
            result = json.loads(message["content"])
            if "path" in result:
                yield result


def _call(number: int, name: str, arguments: object) -> ToolCall:
    return ToolCall(f"offline_{number}", name, json.dumps(arguments))


def _item(judged: Judgement) -> dict[str, object]:
    return {
        "path": judged.path,
        "relevance": judged.relevance,
        "excerpt": judged.excerpt,
        "why": judged.why,
    }
