"""The `memory_read` tool: only rows that were shown, within the read budget, framed as data."""

from __future__ import annotations

import json
from collections.abc import Sequence

from xum_intuition.agent.budget import Budget
from xum_intuition.errors import MemoryRefused
from xum_intuition.protocol import Memories, Row


class Reads:
    """What has been read, and what of it was sent to a model.

    A result is one JSON object, so no memory's text can pose as another result.
    """

    def __init__(self, rows: Sequence[Row], memories: Memories, budget: Budget) -> None:
        self._shown = {row.path for row in rows}
        self._memories = memories
        self._budget = budget
        self._read: dict[str, None] = {}
        self.sent: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Files read so far."""
        return len(self._read)

    def read(self, path: str) -> str:
        """The result of reading `path`: its content, or an error that the model can act on."""
        if path not in self._shown:
            return error("There is no row with this path; read only paths of the rows shown.")
        if path in self._read:
            return _json(path=path, note="You have read this already; its content is above.")
        self._budget.check()
        try:
            seen = self._memories.read(path)
        except MemoryRefused as refused:
            return _json(path=path, error=str(refused))
        if not self._budget.charge_read(seen.nbytes):
            left = self._budget.bytes_left
            return _json(
                path=path,
                error=f"Too large: {seen.nbytes} bytes, and {left} bytes may still be read. "
                "Read a smaller one, or report.",
            )
        self._read[path] = None
        return _json(path=path, content=seen.visible)

    def mark_sent(self) -> None:
        """All that was read so far is about to be sent."""
        self.sent = tuple(self._read)


def error(message: str) -> str:
    """A result that says what was wrong with a call."""
    return _json(error=message)


def _json(**fields: str) -> str:
    return json.dumps(fields, ensure_ascii=False)
