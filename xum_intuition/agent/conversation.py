"""The messages of one run, kept in the tool form and always fit to be sent again.

What a model wrote is cleaned on the way in: another provider may take over and must not choke
on broken arguments, empty turns, odd tool names or ids that repeat.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from xum_intuition.agent.model import Message, ToolCall
from xum_intuition.agent.tools import BadCall, arguments_of

_MAX_ECHO = 16 * 1024
"""Characters of a model's own words that are sent back to it."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ID = re.compile(r"[!-~]{1,4096}")


class Conversation:
    """Grows at its end only, so a provider's prompt cache can follow."""

    def __init__(self, first: Sequence[Message]) -> None:
        self.messages: list[Message] = list(first)
        self._ids: set[str] = set()

    def tell(self, text: str) -> None:
        """Add to what the model is told; two user turns never follow each other."""
        last = self.messages[-1]
        if last["role"] == "user":
            self.messages[-1] = {**last, "content": f"{last['content']}\n\n{text}"}
        else:
            self.messages.append({"role": "user", "content": text})

    def said(self, text: str) -> None:
        """Add an answer without calls."""
        self.messages.append({"role": "assistant", "content": _clean(text) or "(no answer)"})

    def called(self, text: str, calls: Sequence[ToolCall], results: Sequence[str]) -> None:
        """Add an answer's calls and the result of each."""
        ids = [self._unique_id(call.id) for call in calls]
        tool_calls = [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": _name(call.name), "arguments": _arguments(call.arguments)},
            }
            for call_id, call in zip(ids, calls, strict=True)
        ]
        content = _clean(text) or None
        self.messages.append({"role": "assistant", "content": content, "tool_calls": tool_calls})
        for call_id, result in zip(ids, results, strict=True):
            self.messages.append({"role": "tool", "tool_call_id": call_id, "content": result})

    def _unique_id(self, wanted: str) -> str:
        good = _ID.fullmatch(wanted) and wanted not in self._ids
        chosen = wanted if good else f"call_{len(self._ids)}"
        while chosen in self._ids:
            chosen += "_"
        self._ids.add(chosen)
        return chosen


def _name(name: str) -> str:
    return name if _NAME.fullmatch(name) else "unknown_tool"


def _arguments(text: str) -> str:
    """The arguments as valid JSON; an empty object where they were not."""
    try:
        valid = json.dumps(arguments_of(text))
    except BadCall:
        return "{}"
    return valid if len(valid) <= _MAX_ECHO else "{}"


def _clean(text: str) -> str:
    """The text, cut and without lone surrogates, which cannot be sent."""
    return text[:_MAX_ECHO].encode("utf-8", "replace").decode("utf-8").strip()
