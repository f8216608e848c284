"""Run one program to its end or to the end of its time, and leave no process of it behind."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Literal, NamedTuple, Self

from xum_intuition.clock import Deadline, Interrupt

MAX_OUTPUT_BYTES = 64 * 1024
GRACE_S = 0.2
"""Between SIGTERM and SIGKILL."""
_SLICE_S = 0.05
"""How long to wait before looking at the program and the deadline again."""
_NEAR_END_S = 0.002
_DRAIN_READS = 32
"""A pipe holds 64 KiB, or 1 MiB at most."""

Ending = Literal["exited", "timeout", "deadline", "interrupt"]


class Outcome(NamedTuple):
    ending: Ending
    code: int
    """Exit code; negative for a signal. Meaningless unless `exited`."""
    output: bytes
    """Standard output, at most 64 KiB of it."""
    cut: bool
    """Whether there was more."""


def run(
    argv: Sequence[str],
    *,
    given: bytes,
    env: Mapping[bytes, bytes],
    cwd: str,
    timeout_s: float,
    deadline: Deadline,
    interrupt: Interrupt,
) -> Outcome:
    """Run `argv` in a session of its own; raises OSError if it cannot be started.

    Once it is over, for whatever reason, its whole process group is gone too.
    """
    _expect_children()
    waker = _Waker()
    remove = interrupt.on_request(waker.wake)
    try:
        process = _start(argv, given, env, cwd)
        with _Output(process, waker.descriptor) as output:
            ending: Ending = "interrupt"
            try:
                ending = _wait(process, output, timeout_s, deadline, interrupt)
            finally:
                _end_group(process, gently=ending != "exited")
            output.drain()
            return Outcome(ending, process.returncode, bytes(output.data), output.cut)
    finally:
        remove()
        waker.close()


class _Waker:
    """A pipe that becomes readable at an interrupt, from whichever thread that comes.

    The lock keeps a late one from writing to a descriptor that is somebody else's by then; it is
    reentrant because a signal handler may come in between.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._open = True
        self.descriptor, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)

    def wake(self) -> None:
        with self._lock:
            if self._open:
                with contextlib.suppress(BlockingIOError):
                    os.write(self._write_end, b"!")

    def close(self) -> None:
        with self._lock:
            self._open = False
            os.close(self.descriptor)
            os.close(self._write_end)


def _expect_children() -> None:
    """Undo an inherited `SIGCHLD is ignored`: exit codes would all read as 0, a refusal too."""
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        except ValueError:  # not the main thread
            raise OSError(0, "exit codes are lost, because SIGCHLD is ignored") from None


def _start(
    argv: Sequence[str], given: bytes, env: Mapping[bytes, bytes], cwd: str
) -> subprocess.Popen[bytes]:
    # A file and not a pipe: a program that does not read its input then cannot send us SIGPIPE,
    # nor keep us waiting.
    with tempfile.TemporaryFile() as source:
        source.write(given)
        source.seek(0)
        return subprocess.Popen(
            argv,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )


def _wait(
    process: subprocess.Popen[bytes],
    output: _Output,
    timeout_s: float,
    deadline: Deadline,
    interrupt: Interrupt,
) -> Ending:
    """Take its output until the program ends or has to."""
    end = time.monotonic() + timeout_s
    while not _ended(process):
        if interrupt.requested:
            return "interrupt"
        if deadline.passed():
            return "deadline"
        if time.monotonic() >= end:
            return "timeout"
        output.serve(min(_SLICE_S, max(0.0, deadline.left()), max(0.0, end - time.monotonic())))
    return "exited"


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the program has ended. Where the system can tell without reaping it, its process
    id stays taken, so that signalling its group cannot hit a stranger."""
    if hasattr(os, "waitid"):
        state = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        return state is not None
    return process.poll() is not None


def _end_group(process: subprocess.Popen[bytes], *, gently: bool) -> None:
    if gently:
        _signal(process, signal.SIGTERM)
        end = time.monotonic() + GRACE_S
        while time.monotonic() < end and not _ended(process):
            time.sleep(0.01)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


class _Output:
    """The program's standard output, never waited for longer than asked."""

    def __init__(self, process: subprocess.Popen[bytes], wake: int) -> None:
        assert process.stdout is not None
        self._stream: IO[bytes] = process.stdout
        self._wake = wake
        self._selector = selectors.DefaultSelector()
        self.data = bytearray()
        self.cut = False

    def __enter__(self) -> Self:
        os.set_blocking(self._stream.fileno(), False)
        self._selector.register(self._stream, selectors.EVENT_READ)
        self._selector.register(self._wake, selectors.EVENT_READ)
        return self

    def __exit__(self, *error: object) -> None:
        self._selector.close()
        self._stream.close()

    def serve(self, seconds: float) -> None:
        """Take what comes; returns after `seconds` at the latest."""
        if self._stream not in self._selector.get_map():  # its end is near, and nothing tells it
            seconds = min(seconds, _NEAR_END_S)
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._stream:
                self._read()
            else:
                os.read(self._wake, 64)

    def drain(self) -> None:
        """Take what the program left in its pipe; something that outlived it may go on writing."""
        for _ in range(_DRAIN_READS):
            if self._stream not in self._selector.get_map() or not self._read():
                return

    def _read(self) -> bool:
        """Whether there was something; what is beyond the bound is thrown away."""
        try:
            found = os.read(self._stream.fileno(), MAX_OUTPUT_BYTES)
        except BlockingIOError:
            return False
        if not found:
            self._selector.unregister(self._stream)
            return False
        room = MAX_OUTPUT_BYTES - len(self.data)
        self.data += found[:room]
        self.cut = self.cut or len(found) > room
        return True
