"""Reading memories as hooks allow it: each one at most once a recall, whoever asks."""

from __future__ import annotations

import hashlib
from typing import Protocol

from xum_intuition.errors import Forbidden, MemoryRefused
from xum_intuition.memory.files import decode
from xum_intuition.memory.hooks import Hook, HookFailed, HookSet, Runner
from xum_intuition.protocol import Seen


class Reader(Protocol):
    """The part of a store that is needed here."""

    def read(self, path: str) -> bytes:
        """The bytes of an indexed memory; raises Unreadable."""
        ...


class Access:
    """A store seen through its hooks, for one recall and one thread at a time."""

    def __init__(self, store: Reader, hooks: HookSet, runner: Runner) -> None:
        self._store, self._hooks, self._runner = store, hooks, runner
        self._known: dict[str, Seen | MemoryRefused] = {}
        self._failures: dict[tuple[str, str], list[str]] = {}

    @property
    def hidden(self) -> bool:
        """Whether bodies are for hooks to show: the index must then do without them."""
        return self._hooks.hides

    @property
    def warnings(self) -> list[str]:
        """One a hook and reason, naming the memories concerned."""
        told = []
        for (name, reason), paths in self._failures.items():
            more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            told.append(f"The hook {name} {reason}: {paths[0]}{more}.")
        return told

    def read(self, path: str) -> Seen:
        """The memory at a virtual path; raises Unreadable or Forbidden, the same every time."""
        known = self._known.get(path)
        if known is None:
            try:
                known = self._read(path)
            except MemoryRefused as refusal:
                known = refusal
            self._known[path] = known
        if isinstance(known, MemoryRefused):
            raise known
        return known

    def _read(self, path: str) -> Seen:
        for hook in self._hooks.tool_pre:
            try:
                self._runner.check(hook, path)
            except HookFailed as failure:
                raise self._forbidden(hook, failure, path) from None
        data = self._store.read(path)
        text = visible = decode(data)
        if self._hooks.filter is not None:
            try:
                visible = self._runner.visible(self._hooks.filter, path, data)
            except HookFailed as failure:
                raise self._forbidden(self._hooks.filter, failure, path) from None
        for hook in self._hooks.tool_post:
            try:
                self._runner.look_on(hook, path, visible)
            except HookFailed as failure:
                self._note(hook, f"{failure} after reading", path)
        return Seen(
            path=path,
            text=text,
            visible=visible,
            sha256=hashlib.sha256(data).hexdigest(),
            nbytes=len(visible.encode()),
        )

    def _forbidden(self, hook: Hook, failure: HookFailed, path: str) -> Forbidden:
        self._note(hook, f"{failure}, so what it guards is forbidden", path)
        return Forbidden("a hook that guards this memory failed, so it is forbidden")

    def _note(self, hook: Hook, reason: str, path: str) -> None:
        program = hook.argv[0]
        name = program if program == hook.source else f"{program} ({hook.source})"
        self._failures.setdefault((name, reason), []).append(path)
