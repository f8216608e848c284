"""Hooks that may forbid a memory, hide parts of it, or look on when it is read.

Named tuples here and around the settings, because a frozen dataclass with slots takes 1 to 2 ms
of every start.
"""

from __future__ import annotations

from typing import NamedTuple


class Hook(NamedTuple):
    """A program and its arguments; `source` names who asked for it, for messages."""

    argv: tuple[str, ...]
    source: str


class HookSet(NamedTuple):
    """Every hook in force. Those of the root and of the configuration all run, in this order:
    a hook can only take away, so none switches another one off."""

    tool_pre: tuple[Hook, ...] = ()
    tool_post: tuple[Hook, ...] = ()
    filter: Hook | None = None

    @property
    def hides(self) -> bool:
        """Whether a body may be seen by fewer than all: then nothing of it may leak past them."""
        return bool(self.tool_pre) or self.filter is not None
