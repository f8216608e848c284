"""What a text is told to be: a note, or a conversation in turns."""

from __future__ import annotations

import pytest

from xum_intuition.agent.passages import is_conversation

SAID = "we could meet on Thursday and look at the boat"


@pytest.mark.parametrize(
    "text",
    [
        f"**User**: {SAID}\n\n**Assistant**: {SAID}, then.\n",
        f"# Exchange 3\n\nHuman: {SAID}\nAI: {SAID}\n",
        f"用户：{SAID}\n\n助手：{SAID}\n",
        f"**Ines**: {SAID}\n\n**Ravi**: {SAID}\n\n" * 3,
        f"> Ines: {SAID}\n> Ravi: {SAID}\n" * 3,
    ],
)
def test_turns_make_a_conversation(text: str) -> None:
    assert is_conversation(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        SAID,
        f"**Why:** {SAID}\n\n**How to apply:** {SAID}\n",
        f"- **Problem:** {SAID}\n- **Fix:** {SAID}\n" * 5,
        f"Assistant: {SAID}\n",
        f"**Ines**: {SAID}\n\n**Ravi**: {SAID}\n\n",
        "Host: a\nPort: b\n" * 9,
        f"{SAID}\n\n" * 40 + f"Note: {SAID}\nSee: {SAID}\n" * 3,
    ],
)
def test_a_note_with_labels_is_none(text: str) -> None:
    assert not is_conversation(text)
