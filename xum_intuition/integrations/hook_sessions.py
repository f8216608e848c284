"""What the hook remembers of an agent's session: prompts so far, and what it has already said.

One small file a session in the state directory, named by a digest of the session's id. Nothing
of a prompt or a memory is in it, and a session unheard of for a week is forgotten.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path

from xum_intuition import atomic, dirs, statelock

_MAX_BYTES = 4 * 1024 * 1024
"""More than any session's file ever has."""

FORGOTTEN_AFTER_S = 7 * 24 * 60 * 60
MAX_SAID = 2_000


class Session:
    """One session's file; where it cannot be had, the hook goes on without a memory of its own."""

    def __init__(self, state_dir: Path, session_id: str) -> None:
        self._folder = state_dir / "hook-sessions"
        self._file = self._folder / f"{_digest(session_id)}.json"

    def begin_prompt(self, now_s: float) -> int:
        """Count one prompt; its number in the session, from 1."""
        prompts, said = self._read()
        if not prompts:
            self._forget_others(now_s)
        self._write(prompts + 1, said)
        return prompts + 1

    def said(self) -> frozenset[str]:
        return frozenset(self._read()[1])

    def say(self, marks: list[str]) -> None:
        prompts, said = self._read()
        self._write(prompts, [*said, *marks][-MAX_SAID:])

    def _read(self) -> tuple[int, list[str]]:
        try:
            found = json.loads(dirs.read_regular(self._file, _MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            return 0, []
        match found:
            case {"prompts": int(prompts), "said": list(said)}:
                return prompts, [mark for mark in said if isinstance(mark, str)]
        return 0, []

    def _write(self, prompts: int, said: list[str]) -> None:
        data = json.dumps({"prompts": prompts, "said": said}).encode()
        with contextlib.suppress(OSError):
            atomic.make_private_folder(str(self._folder))
            with statelock.held(str(self._folder / ".lock"), wait_s=0.2):
                atomic.replace(str(self._file), data, durable=False)

    def _forget_others(self, now_s: float) -> None:
        with contextlib.suppress(OSError), os.scandir(self._folder) as files:
            for file in files:
                if now_s - file.stat().st_mtime > FORGOTTEN_AFTER_S:
                    os.unlink(file)


def mark(file: str, excerpt: str) -> str:
    """What stands for an excerpt that was said."""
    return _digest(f"{file}\0{excerpt}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
