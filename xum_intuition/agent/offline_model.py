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
from xum_intuition.protocol import Memories


class OfflineModel:
    """Needs two steps: one to read, one to report; with a single step there is no report.

    Where a filter hides lines, what it was shown is not the file: a quote is cut to a run of lines
    that stands in both, or it could not be verified.
    """

    name = OFFLINE

    def __init__(self, recognizer: Recognizer, memories: Memories) -> None:
        self._recognizer = recognizer
        self._memories = memories

    def answer(self, request: Request) -> Answer:
        """Reads of what has no result yet; with nothing of the kind, or by force, the report.

        So it can also take over where another model has already read.
        """
        results = {result["path"]: result for result in _results(request)}
        wanted = [] if request.force else self._recognizer.wants()
        calls = [_call(n, READ, {"path": p}) for n, p in enumerate(wanted) if p not in results]
        texts = {path: found["content"] for path, found in results.items() if "content" in found}
        if not calls and (texts or not request.force):
            judged = self._recognizer.judge(texts)[:MAX_REPORT_ITEMS]
            items = [self._item(judgement) for judgement in judged]
            calls = [_call(0, REPORT, {"items": items})]
        return Answer("", tuple(calls), Usage(cost_usd=0.0), OFFLINE)

    def _item(self, judged: Judgement) -> dict[str, object]:
        excerpt, seen = judged.excerpt, self._memories.read(judged.path)
        if excerpt not in seen.text:
            excerpt = _longest_run(excerpt, seen.text) or excerpt
        return {
            "path": judged.path,
            "relevance": judged.relevance,
            "excerpt": excerpt,
            "why": judged.why,
        }

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


def _longest_run(excerpt: str, text: str) -> str:
    """The longest run of the excerpt's lines that stands in the text as it is."""
    lines = excerpt.splitlines(keepends=True)
    runs = (
        "".join(lines[first:last])
        for first in range(len(lines))
        for last in range(len(lines), first, -1)
    )
    return max((run for run in runs if run in text), key=len, default="")
