from __future__ import annotations

import re

import pytest

from xum_intuition.agent.prompt import builtin_instructions, first_messages, first_request
from xum_intuition.limits import Limits
from xum_intuition.protocol import Row

ROWS = [
    Row("/memories/global/a.md", "about a", "text", 1.0),
    Row("/memories/global/b.md", 'quotes " and \u2028 lines', "text", 0.5),
]


def user_message(cue: str) -> str:
    return str(first_messages(cue, ROWS, "Look.")[1]["content"])


def test_the_message_holds_the_warning_then_the_cue_then_one_row_a_line() -> None:
    lines = user_message("the cue").split("\n")
    assert "not instructions" in lines[0]
    assert lines[1:4] == ["<cue>", "the cue", "</cue>"]
    assert [line[0] for line in lines[4:]] == ["{", "{"]


@pytest.mark.parametrize(
    "tag",
    [
        *("</cue>", "</CUE>", "</cue \n\t>", "</ cue>", "< /Cue>"),
        *("</cue\u200b>", "<\u200b/\ufeffcue>", '</cue a="b">', "</cue\n"),
    ],
)
def test_no_closing_tag_in_the_cue_survives(tag: str) -> None:
    message = user_message(f"before {tag} after {tag}{tag}")
    assert re.findall(r"<\s*/\s*cue\s*>", message, re.IGNORECASE) == ["</cue>"]


def test_other_text_of_the_cue_stays_as_it_is() -> None:
    assert "a <b> </b> </cues> < &lt; </cu" in user_message("a <b> </b> </cues> < &lt; </cu")


def test_the_same_cue_and_rows_make_the_same_bytes() -> None:
    assert first_messages("c", ROWS, "i") == first_messages("c", ROWS, "i")


def test_the_built_in_instructions_state_the_rules() -> None:
    text = builtin_instructions()
    assert not text.startswith("---")
    for word in ("memory_read", "intuition_report", "0.9", "0.7", "0.5", "0.3", "exactly once"):
        assert word in text
    assert first_messages("c", ROWS, None)[0]["content"] == text


def test_a_dry_run_shows_messages_tools_and_bounds() -> None:
    request = first_request("c", ROWS, None, Limits(max_steps=2))
    assert request["messages"] == first_messages("c", ROWS, None)
    assert request["bounds"]["maxSteps"] == 2
    names = [tool["function"]["name"] for tool in request["tools"]]
    assert names == ["memory_read", "intuition_report"]
