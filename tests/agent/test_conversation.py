from __future__ import annotations

import json

from tests.support.scripted_model import read_call
from xum_intuition.agent.conversation import Conversation
from xum_intuition.agent.model import ToolCall


def conversation() -> Conversation:
    return Conversation([{"role": "system", "content": "s"}, {"role": "user", "content": "u"}])


def test_what_is_told_joins_the_user_turn_before() -> None:
    talk = conversation()
    talk.tell("and more")
    assert [m["content"] for m in talk.messages] == ["s", "u\n\nand more"]
    talk.said("hm")
    talk.tell("go on")
    assert [m["role"] for m in talk.messages] == ["system", "user", "assistant", "user"]


def test_an_empty_answer_is_not_sent_back_empty() -> None:
    talk = conversation()
    talk.said(" \n")
    assert talk.messages[-1]["content"]


def test_long_answers_are_cut() -> None:
    talk = conversation()
    talk.said("a" * 1_000_000)
    talk.called("b" * 1_000_000, [ToolCall("1", "x", json.dumps("c" * 1_000_000))], ["result"])
    assert len(json.dumps(talk.messages)) < 50_000


def test_each_call_has_its_result() -> None:
    talk = conversation()
    talk.called("", [read_call("/a"), read_call("/a")], ["one", "two"])
    _, _, asked, one, two = talk.messages
    assert asked["content"] is None
    assert [call["id"] for call in asked["tool_calls"]] == [
        one["tool_call_id"],
        two["tool_call_id"],
    ]
    assert (one["content"], two["content"]) == ("one", "two")


def test_broken_arguments_are_sent_back_as_valid_json() -> None:
    talk = conversation()
    talk.called("", [ToolCall("1", "memory_read", '{"path": "/a'), read_call("/ä")], ["e", "r"])
    sent = [json.loads(c["function"]["arguments"]) for c in talk.messages[2]["tool_calls"]]
    assert sent == [{}, {"path": "/ä"}]
