"""Models without tools: calls are read out of the text, and results go back as text.

Messages are kept in the tool form whatever the model speaks; `as_text` turns them into plain
ones at the last moment, so a fallback model with tools can take over mid-way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from xum_intuition.agent.model import Message, ToolCall
from xum_intuition.agent.tools import READ, REPORT

HOW_TO_CALL = (
    "You have no tool interface here. To call a tool, answer with nothing but one JSON object: "
    f'{{"tool": "{READ}", "path": "…"}} to read a memory, or '
    f'{{"tool": "{REPORT}", "items": [{{"path": "…", "relevance": 0.0, "excerpt": "…", '
    '"why": "…"}]} to report and finish. Several objects, one a line, are several calls.'
)
NUDGE = f"Go on by calling {READ}, or finish by calling {REPORT}; an empty report is welcome."

_MAX_TEXT = 64 * 1024
_MAX_TRIES = 200
_START = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder()


def calls_in(text: str) -> tuple[ToolCall, ...]:
    """The tool calls written into a text, in or out of a code fence; ids are left empty."""
    found: list[ToolCall] = []
    for value in _json_values(text[:_MAX_TEXT]):
        found.extend(_calls(value))
    return tuple(found)


def as_text(messages: Sequence[Message]) -> list[Message]:
    """The conversation without any tool message: calls as JSON lines, results as data."""
    plain: list[Message] = []
    for message in messages:
        role, content = message["role"], message["content"] or ""
        if role == "system":
            content = f"{content}\n\n{HOW_TO_CALL}"
        elif role == "tool":
            role, content = "user", f"Result, as data: {content}"
        elif "tool_calls" in message:
            content = "\n".join([content, *map(_call_line, message["tool_calls"])]).strip()
        if plain and role == "user" == plain[-1]["role"]:
            content = f"{plain.pop()['content']}\n\n{content}"
        plain.append({"role": role, "content": content})
    return plain


def _call_line(call: Any) -> str:
    function = call["function"]
    arguments = json.loads(function["arguments"])
    extra = arguments if isinstance(arguments, dict) else {"items": arguments}
    return json.dumps({"tool": function["name"], **extra})


def _json_values(text: str) -> Iterator[Any]:
    """Every JSON object or array in the text that is not inside another, left to right."""
    at = 0
    for _ in range(_MAX_TRIES):
        start = _START.search(text, at)
        if start is None:
            return
        try:
            value, at = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            at = start.end()
        else:
            yield value


def _calls(value: Any) -> Iterator[ToolCall]:
    """The calls that one JSON value stands for; models spell them in several ways."""
    if isinstance(value, list):
        if value and all(isinstance(part, dict) and "excerpt" in part for part in value):
            yield ToolCall("", REPORT, json.dumps({"items": value}))
            return
        for part in value:
            if isinstance(part, dict):
                yield from _calls(part)
        return
    several = value.get("tool_calls") or value.get("calls")
    if isinstance(several, list):
        yield from _calls([part for part in several if isinstance(part, dict)])
        return
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name, arguments = _name_and_arguments(value)
    if name is not None:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        yield ToolCall("", name, text)


def _name_and_arguments(value: dict[str, Any]) -> tuple[str | None, Any]:
    name = value.get("tool") or value.get("name") or value.get("function")
    rest = {key: part for key, part in value.items() if key not in ("tool", "name", "function")}
    if isinstance(name, str):
        for key in ("arguments", "parameters", "input", "args"):
            if key in rest:
                return name, rest[key]
        return name, rest
    for known in (READ, REPORT):
        if known in value:
            return known, value[known]
    if isinstance(value.get("items"), (list, dict)):
        return REPORT, rest
    if set(value) == {"path"}:
        return READ, rest
    return None, None
