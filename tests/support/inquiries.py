"""Running the nested loop over a handful of memories held in a dictionary."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from xum_intuition.agent.loop import Inquiry, investigate
from xum_intuition.agent.model import Seat
from xum_intuition.clock import Clock, Deadline, Interrupt
from xum_intuition.errors import Unreadable
from xum_intuition.limits import Limits
from xum_intuition.protocol import Row, Seen

A, B, C = (f"/memories/global/{name}.md" for name in "abc")
TEXTS = {A: "alpha\n", B: "beta\n", C: "gamma\n" * 10}


class Texts:
    """Memories by path; a text of None cannot be read."""

    def __init__(self, texts: Mapping[str, str | None]) -> None:
        self.texts = texts
        self.reads: list[str] = []

    def read(self, path: str) -> Seen:
        self.reads.append(path)
        text = self.texts[path]
        if text is None:
            raise Unreadable(f"{path} is not UTF-8 text.")
        data = text.encode()
        return Seen(path, text, text, hashlib.sha256(data).hexdigest(), len(data))


class HandClock(Clock):
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


def inquire(
    *seats: Seat,
    texts: Mapping[str, str | None] = TEXTS,
    limits: Limits | None = None,
    **given: Any,
) -> Inquiry:
    """One run with a deadline of a minute, unless a part is `given` otherwise."""
    limits = limits or Limits()
    parts: dict[str, Any] = {
        "instructions": "Look.",
        "limits": limits,
        "deadline": Deadline(Clock(), 60),
        "interrupt": Interrupt(),
        "before_first_call": lambda: None,
        "progress": lambda _: None,
    }
    rows = [Row(path, "one line", "text", 1.0) for path in texts]
    cue = given.pop("cue", "what of it")
    memories = given.pop("memories", None) or Texts(texts)
    return investigate(cue, rows, memories, seats, **{**parts, **given})
