"""The two ends of a server's pipe, as the SDK's stdio transport takes them.

The SDK's own ends cannot be left while a read or a write blocks, so a signal would not end the
server, and it drops requests that are still being answered when the input ends. Here reading
happens in a thread that nobody waits for, and the end of input waits a moment for answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from xum_intuition import atomic
from xum_intuition.text import printable_json

MAX_LINE_BYTES = 1024 * 1024
"""A longer line is no message to this server and is passed over."""
ANSWER_GRACE_S = 0.8
"""How long the end of input waits for answers; clients wait 2 s before they kill."""


class Pipe:
    """Lines in, lines out, and which requests are still without an answer."""

    def __init__(self, in_fd: int, out_fd: int) -> None:
        self._in_fd, self._out_fd = in_fd, out_fd
        self._lines: asyncio.Queue[str | None] = asyncio.Queue(64)
        self._open: set[str] = set()
        self._ended = asyncio.Event()
        self.at_end: Callable[[], None] = lambda: None
        """Called when the input has ended, before answers are waited for."""

    @classmethod
    def take_standard_streams(cls) -> Callable[[], Pipe]:
        """Keep the pipe for the protocol: what anyone else prints goes to standard error.

        Returns how to make the pipe, once there is an event loop.
        """
        in_fd, out_fd = os.dup(0), os.dup(1)
        with open(os.devnull, "r+b", buffering=0) as nothing:
            os.dup2(nothing.fileno(), 0)
            try:
                os.dup2(2, 1)
            except OSError:  # there is no standard error
                os.dup2(nothing.fileno(), 1)
        return lambda: cls(in_fd, out_fd)

    def start(self) -> None:
        """Begin to read, in the running event loop."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), name="input", daemon=True).start()

    def end(self) -> None:
        """Take no more input, as if it had ended."""
        self._ended.set()

    async def __aiter__(self) -> AsyncIterator[str]:
        """The lines of the input; afterwards, what was asked is given a moment to be answered."""
        while (line := await self._next()) is not None:
            line = _encodable(line)
            self._note_request(line)
            yield line
        self.at_end()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_GRACE_S):
                while self._open:
                    await asyncio.sleep(0.01)

    async def write(self, text: str) -> None:
        """Write one message, every character that does not print escaped."""
        data = printable_json(text, keep="\n").encode()
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._write, data)
        except OSError:  # nobody reads any more
            self.end()
        self._note_answer(text)

    async def flush(self) -> None:
        """Nothing is held back."""

    async def _next(self) -> str | None:
        if self._ended.is_set():
            return None
        line = asyncio.ensure_future(self._lines.get())
        end = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait((line, end), return_when=asyncio.FIRST_COMPLETED)
            return line.result() if line.done() else None
        finally:
            line.cancel()
            end.cancel()

    def _write(self, data: bytes) -> None:
        atomic.write_all(self._out_fd, data)

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        # The loop may be gone by the time that a line comes.
        with contextlib.suppress(OSError, RuntimeError), open(self._in_fd, "rb") as stream:
            while line := stream.readline(MAX_LINE_BYTES):
                if not line.endswith(b"\n") and len(line) == MAX_LINE_BYTES:
                    while line and not line.endswith(b"\n"):
                        line = stream.readline(MAX_LINE_BYTES)
                    continue
                self._put(loop, line.decode("utf-8", "replace"))
            self._put(loop, None)

    def _put(self, loop: asyncio.AbstractEventLoop, line: str | None) -> None:
        asyncio.run_coroutine_threadsafe(self._lines.put(line), loop).result()

    def _note_request(self, line: str) -> None:
        match _parsed(line):
            case {"method": "notifications/cancelled", "params": {"requestId": identity}}:
                self._open.discard(json.dumps(identity))
            case {"method": str(), "id": identity}:
                self._open.add(json.dumps(identity))

    def _note_answer(self, text: str) -> None:
        match _parsed(text):
            case {"id": identity, "result": _} | {"id": identity, "error": _}:
                self._open.discard(json.dumps(identity))


def _encodable(line: str) -> str:
    """A message without halves of surrogate pairs, for which the SDK drops it unanswered."""
    if "\\ud" not in line.lower() or (message := _parsed(line)) is None:
        return line
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace").decode()


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
