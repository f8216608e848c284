from __future__ import annotations

import json
from typing import Any

import pytest

from xum_intuition.agent.tools import TOOLS, BadCall, arguments_of, path_of, report_of


def report(*items: Any) -> str:
    return json.dumps({"items": items})


def item(**changes: Any) -> dict[str, Any]:
    return {"path": "/memories/global/a", "relevance": 0.5, "excerpt": "x", "why": "y", **changes}


@pytest.mark.parametrize("text", ['{"a": 1}', '"{\\"a\\": 1}"', '  {"a": 1}\n'])
def test_arguments_are_read_from_json_and_from_json_in_a_string(text: str) -> None:
    assert arguments_of(text) == {"a": 1}


@pytest.mark.parametrize("text", ["{", "nope", "7", "null", '"x"', "[" * 100_000, "9" * 10_000])
def test_anything_else_is_a_bad_call(text: str) -> None:
    with pytest.raises(BadCall):
        arguments_of(text)


def test_empty_arguments_are_an_empty_object() -> None:
    assert arguments_of(" ") == {}


@pytest.mark.parametrize("text", ["{}", '{"path": 3}', '{"path": " "}', "[]", '["/a"]'])
def test_a_read_needs_a_path(text: str) -> None:
    with pytest.raises(BadCall):
        path_of(text)


@pytest.mark.parametrize(
    ("raw", "read"),
    [(0, 0.0), (1, 1.0), (0.3, 0.3), ("0.9", 0.9), (" 1e-1 ", 0.1), ("1", 1.0)],
)
def test_relevance_is_a_number_or_its_numeral(raw: Any, read: float) -> None:
    assert report_of(report(item(relevance=raw))).items[0].relevance == read


@pytest.mark.parametrize(
    "raw",
    [85, -0.01, 1.01, True, None, "high", "", "nan", "Infinity", [0.5], float("nan"), 10**400],
)
def test_other_relevances_drop_the_item(raw: Any) -> None:
    made = report_of(report(item(relevance=raw), item()))
    assert (len(made.items), made.dropped) == (1, 1)


@pytest.mark.parametrize(
    "bad",
    [item(excerpt=""), item(excerpt=" \n"), item(excerpt=None), item(path=""), {}, "x", None, []],
)
def test_items_without_path_or_excerpt_are_dropped(bad: Any) -> None:
    made = report_of(report(bad))
    assert (made.items, made.dropped) == ((), 1)


def test_a_missing_reason_does_no_harm() -> None:
    assert report_of(report(item(why=None))).items[0].why == ""


def test_items_beyond_the_sixth_are_dropped_and_counted() -> None:
    made = report_of(report(*[item(path=f"/{n}") for n in range(9)]))
    assert [i.path for i in made.items] == [f"/{n}" for n in range(6)]
    assert made.dropped == 3


def test_a_bare_list_and_a_list_in_a_string_are_reports() -> None:
    assert len(report_of(json.dumps([item()])).items) == 1
    assert len(report_of(json.dumps({"items": json.dumps([item()])})).items) == 1


@pytest.mark.parametrize("text", ["{}", '{"items": null}', '{"items": {}}', '{"items": "x"}'])
def test_a_report_needs_a_list(text: str) -> None:
    with pytest.raises(BadCall):
        report_of(text)


def test_the_schemas_say_what_is_required() -> None:
    read, made = (tool["function"]["parameters"] for tool in TOOLS)
    assert read["required"] == ["path"]
    assert made["properties"]["items"]["maxItems"] == 6
    required = made["properties"]["items"]["items"]["required"]
    assert required == ["path", "relevance", "excerpt", "why"]


def test_a_single_item_without_its_list_is_an_item() -> None:
    text = '{"items": {"path": "/memories/global/a.md", "relevance": 1, "excerpt": "x", "why": ""}}'
    assert [item.path for item in report_of(text).items] == ["/memories/global/a.md"]
