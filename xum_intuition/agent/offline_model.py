"""The embedded recognizer in a model's seat: it asks for files, then reports what it recognized."""

from __future__ import annotations

import json
from collections.abc import Iterator

from xum_intuition.agent.model import Answer, Message, Request, ToolCall, Usage
from xum_intuition.agent.offline import Judgement, Recognizer
from xum_intuition.agent.tools import READ, REPORT
from xum_intuition.limits import MAX_REPORT_ITEMS

NAME = "offline"


class OfflineModel:
    """Needs two steps: one to read, one to report; with a single step it reports nothing."""

    name = NAME

    def __init__(self, recognizer: Recognizer) -> None:
        self._recognizer = recognizer

    def answer(self, request: Request) -> Answer:
        """Reads until results are there or the report is forced, then the report."""
        asked = any(message["role"] == "assistant" for message in request.messages)
        wanted = [] if asked or request.force else self._recognizer.wants()
        calls = [_call(n, READ, {"path": path}) for n, path in enumerate(wanted)]
        if not calls:
            judged = self._recognizer.judge(dict(_texts(request)))
            items = [_item(judgement) for judgement in judged[:MAX_REPORT_ITEMS]]
            calls = [_call(0, REPORT, {"items": items})]
        return Answer("", tuple(calls), Usage(cost_usd=0.0), NAME)

    def greatest_cost(self, request: Request) -> float:
        """Nothing, ever."""
        return 0.0


def _texts(request: Request) -> Iterator[tuple[str, str]]:
    """Path and text of each memory that the results of earlier reads hold."""
    for message in request.messages:
        if message["role"] == "tool":
            result = json.loads(_content(message))
            if "content" in result:
                yield result["path"], result["content"]


def _content(message: Message) -> str:
    return str(message["content"])


def _call(number: int, name: str, arguments: object) -> ToolCall:
    return ToolCall(f"offline_{number}", name, json.dumps(arguments))


def _item(judged: Judgement) -> dict[str, object]:
    return {
        "path": judged.path,
        "relevance": judged.relevance,
        "excerpt": judged.excerpt,
        "why": judged.why,
    }
