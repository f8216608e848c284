from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition.agent.text_protocol import as_text, calls_in
from xum_intuition.agent.tools import REPORT, report_of

READ = {"path": "/memories/global/a.md"}


@pytest.mark.parametrize(
    "value",
    [
        {"tool": "memory_read", **READ},
        {"name": "memory_read", "arguments": READ},
        {"name": "memory_read", "parameters": READ},
        {"name": "memory_read", "arguments": json.dumps(READ)},
        {"type": "function", "function": {"name": "memory_read", "arguments": READ}},
        {"function": "memory_read", "args": READ},
        {"tool_calls": [{"function": {"name": "memory_read", "arguments": json.dumps(READ)}}]},
        {"memory_read": READ},
        READ,
        [READ],
    ],
)
def test_the_ways_that_models_write_a_call(value: object) -> None:
    [call] = calls_in(f"I will look.\n```json\n{json.dumps(value)}\n```\n")
    assert call.name == "memory_read" and json.loads(call.arguments) == READ


def test_several_objects_are_several_calls() -> None:
    lines = "\n".join(json.dumps({"tool": "memory_read", "path": p}) for p in "abc")
    assert [json.loads(call.arguments)["path"] for call in calls_in(lines)] == ["a", "b", "c"]


def test_a_report_may_be_bare() -> None:
    [call] = calls_in('Done: {"items": []}.')
    assert call.name == "intuition_report"


@pytest.mark.parametrize("text", ["", "{}", "[1, 2]", '{"a": 1}', "{" * 5_000, '["x"]', "{'a'}"])
def test_text_without_a_call_is_none(text: str) -> None:
    assert calls_in(text) == ()


@given(st.text(alphabet=st.sampled_from('{}[]":,\\ \n`abct0n'), max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    calls_in(text)


def test_a_conversation_becomes_plain_turns_that_alternate() -> None:
    function = {"name": "memory_read", "arguments": json.dumps(READ)}
    call = {"id": "1", "type": "function", "function": function}
    plain = as_text(
        [
            {"role": "system", "content": "Look."},
            {"role": "user", "content": "cue"},
            {"role": "assistant", "content": None, "tool_calls": [call, {**call, "id": "2"}]},
            {"role": "tool", "tool_call_id": "1", "content": "one"},
            {"role": "tool", "tool_call_id": "2", "content": "two"},
            {"role": "user", "content": "go on"},
        ]
    )
    assert [message["role"] for message in plain] == ["system", "user", "assistant", "user"]
    assert all(set(message) == {"role", "content"} for message in plain)
    assert len(calls_in(plain[2]["content"])) == 2
    assert all(part in plain[3]["content"] for part in ("one", "two", "go on"))


def test_a_bare_list_of_items_is_a_report() -> None:
    (call,) = calls_in('[{"path": "/memories/global/a.md", "relevance": 0.9, "excerpt": "x y"}]')
    assert call.name == REPORT
    assert report_of(call.arguments).items[0].excerpt == "x y"
