"""The two tools of the nested loop: their schemas, and reading what a model made of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from xum_intuition.agent.model import ToolSchema
from xum_intuition.judge.types import Item
from xum_intuition.limits import MAX_REPORT_ITEMS

READ = "memory_read"
REPORT = "intuition_report"


def _tool(name: str, description: str, properties: dict[str, Any]) -> ToolSchema:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


_ITEM = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "The path of a memory, as its row has it."},
        "relevance": {"type": "number", "description": "From 0 to 1, by the rubric."},
        "excerpt": {"type": "string", "description": "Exact lines of the memory."},
        "why": {"type": "string", "description": "How it bears on the cue, in a few words."},
    },
    "required": ["path", "relevance", "excerpt", "why"],
    "additionalProperties": False,
}
TOOLS: tuple[ToolSchema, ...] = (
    _tool(
        READ,
        "Read one memory, whole.",
        {"path": {"type": "string", "description": "The path of a row, exactly as shown."}},
    ),
    _tool(
        REPORT,
        "Report the memories that the cue calls up, and finish. An empty list is welcome.",
        {"items": {"type": "array", "maxItems": MAX_REPORT_ITEMS, "items": _ITEM}},
    ),
)


class BadCall(Exception):
    """A call that cannot be carried out; the message tells the model what to do instead."""


class Report(NamedTuple):
    """A well-formed report: its good items, and how many were dropped."""

    items: tuple[Item, ...]
    dropped: int


def arguments_of(text: str) -> Any:
    """The value of a call's arguments; JSON inside a JSON string is unpacked. Raises BadCall."""
    value: Any = text
    for _ in range(3):
        if not isinstance(value, str):
            break
        value = parsed(value) if value.strip() else {}
    if not isinstance(value, (dict, list)):
        raise BadCall("The arguments are not a JSON object; call the tool again with one.")
    return value


def parsed(text: str) -> Any:
    """The JSON value of `text`; raises BadCall for whatever it cannot be made of."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadCall("The arguments are not valid JSON; call the tool again.") from None


def path_of(text: str) -> str:
    """The path that the arguments of a read ask for. Raises BadCall."""
    arguments = arguments_of(text)
    path = arguments.get("path") if isinstance(arguments, dict) else None
    if not isinstance(path, str) or not path.strip():
        raise BadCall(f'{READ} takes {{"path": "…"}} with the path of one row.')
    return path.strip()


def report_of(text: str) -> Report:
    """The report in the arguments. Raises BadCall when there is no list of items."""
    arguments = arguments_of(text)
    items = arguments.get("items") if isinstance(arguments, dict) else arguments
    if isinstance(items, str):
        items = parsed(items)
    if isinstance(items, dict) and "path" in items:  # a single item, without its list
        items = [items]
    if not isinstance(items, list):
        raise BadCall(f'{REPORT} takes {{"items": […]}}, a list that may be empty.')
    good = [item for item in map(_item, items[:MAX_REPORT_ITEMS]) if item is not None]
    return Report(tuple(good), len(items) - len(good))


def _item(raw: Any) -> Item | None:
    if not isinstance(raw, Mapping):
        return None
    path, excerpt, why = (raw.get(name) for name in ("path", "excerpt", "why"))
    relevance = _relevance(raw.get("relevance"))
    if relevance is None or not isinstance(path, str) or not isinstance(excerpt, str):
        return None
    if not path.strip() or not excerpt.strip():
        return None
    return Item(path.strip(), relevance, excerpt, why if isinstance(why, str) else "")


def _relevance(raw: Any) -> float | None:
    """A finite number from 0 to 1; a numeric string is read, everything else is None."""
    if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
        return None
    try:
        number = float(raw)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and 0 <= number <= 1 else None
