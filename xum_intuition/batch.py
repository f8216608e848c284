"""Many cues as JSON Lines: answered several at a time, printed in the order they came in."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from math import inf
from typing import Any, BinaryIO

from xum_intuition.clock import Interrupt
from xum_intuition.desk import Desk
from xum_intuition.errors import ExitCode, StoreError, UsageProblem
from xum_intuition.recall import Wish, recall
from xum_intuition.result import Failure, Result, exit_code_of, to_json
from xum_intuition.text import dump_json

MAX_LINE_BYTES = 256 * 1024

Answer = tuple[Any, Result]
"""A line's id and what came of its cue."""


class _BadLine(UsageProblem):
    def __init__(self, identity: Any, message: str) -> None:
        super().__init__(message)
        self.identity = identity


class _Batch:
    """The recalls that are under way, and the one switch that interrupts them all."""

    def __init__(self, desk: Desk, wish: Wish) -> None:
        self._desk, self._wish = desk, wish
        self._lock = threading.RLock()
        self._running: set[Interrupt] = set()
        self.stopped = False

    def interrupt(self) -> None:
        with self._lock:
            self.stopped = True
            for interrupt in self._running:
                interrupt.request()

    def answer(self, number: int, line: bytes) -> Answer:
        """What one line gets; never raises."""
        identity: Any = None
        try:
            identity, cue = _parse(number, line)
            with self._interruptible() as interrupt:
                return identity, recall(cue, self._desk, self._wish, interrupt=interrupt)
        except _BadLine as error:
            return error.identity, Failure("usage", str(error))
        except UsageProblem as error:
            return identity, Failure("usage", f"Line {number}: {error}")
        except Exception as error:
            # One line's bug is not to take the other lines' answers along.
            return identity, Failure("internal", f"Line {number}: {type(error).__name__}: {error}")

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[Interrupt]:
        interrupt = Interrupt()
        with self._lock:
            if self.stopped:
                interrupt.request()
            self._running.add(interrupt)
        try:
            yield interrupt
        finally:
            with self._lock:
                self._running.discard(interrupt)


def recall_lines(
    lines: BinaryIO,
    desk: Desk,
    wish: Wish,
    *,
    jobs: int,
    print_line: Callable[[str], None],
    advance: Callable[[], None],
    uncertain_differs: bool,
) -> int:
    """Answer each line, and return the exit code of the first that was not answered.

    An interrupt ends the reading and the recalls under way; what was read still gets its line.
    """
    batch = _Batch(desk, wish)
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.default_int_handler)
    with contextlib.suppress(StoreError):  # each line is told of it
        desk.preload()
    waiting: queue.Queue[Future[Answer] | None] = queue.Queue(jobs * 4)
    printer = _Printer(batch, waiting, print_line, advance, uncertain_differs)
    printer.start()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for number, line in _numbered(lines):
                if printer.unread:  # as any filter, noticed at the next line
                    break
                waiting.put(pool.submit(batch.answer, number, line))
            waiting.put(None)
            printer.wait()
        except KeyboardInterrupt:  # while lines are read, or while the last ones are answered
            batch.interrupt()
            waiting.put(None)
            printer.wait()
    if printer.failure is not None:
        raise printer.failure
    return ExitCode.INTERRUPTED if batch.stopped and not printer.unread else printer.code


class _Printer(threading.Thread):
    """Prints the answers in the order of their lines, each as soon as it is the next."""

    def __init__(
        self,
        batch: _Batch,
        waiting: queue.Queue[Future[Answer] | None],
        print_line: Callable[[str], None],
        advance: Callable[[], None],
        uncertain_differs: bool,
    ) -> None:
        super().__init__(daemon=True)
        self._batch, self._waiting = batch, waiting
        self._print_line, self._advance = print_line, advance
        self._uncertain_differs = uncertain_differs
        self.code: int = ExitCode.OK
        self.unread = False
        """Whether nobody reads the output any more."""
        self.failure: Exception | None = None
        """Why the output could not be written, but for a reader that went away."""
        self.finished = threading.Event()
        """Waited for in place of `join`: a join that an interrupt ends marks its thread as over."""

    def wait(self) -> None:
        """Until all is printed. In slices, since a signal that comes right before a wait begins
        does not end it."""
        while not self.finished.wait(0.1):
            pass

    def run(self) -> None:
        try:
            self._print_answers()
        finally:
            self.finished.set()

    def _print_answers(self) -> None:
        while (future := self._waiting.get()) is not None:
            identity, result = future.result()
            if not self.unread:
                code = exit_code_of(result, uncertain_differs=self._uncertain_differs)
                self.code = self.code or code
                self._print(identity, result)

    def _print(self, identity: Any, result: Result) -> None:
        """Whatever fails here ends the batch; this thread stays, or the reader would wait for it
        for ever."""
        try:
            self._print_line(dump_json({"id": identity, **to_json(result)}))
            self._advance()
        except Exception as error:
            self.unread = True
            self.failure = None if isinstance(error, BrokenPipeError) else error
            self._batch.interrupt()


def _numbered(lines: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers; of a line that is too long its begin."""
    number = 0
    while line := lines.readline(MAX_LINE_BYTES):
        number += 1
        rest = line
        while len(rest) == MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = lines.readline(MAX_LINE_BYTES)
        if line.strip():
            yield number, line


def _parse(number: int, line: bytes) -> tuple[Any, str]:
    """The id and the cue of a line; raises _BadLine with the id where there is one."""
    form = 'expected {"id": …, "cue": "…"} on one line'
    try:
        found = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else "it is no JSON"
        raise _BadLine(None, f"Line {number}: {reason}; {form}.") from None
    if not isinstance(found, dict):
        raise _BadLine(None, f"Line {number}: it is no object; {form}.")
    identity = found.get("id")
    if isinstance(identity, (dict, list)) or identity in (inf, -inf) or identity != identity:
        raise _BadLine(None, f"Line {number}: the id is neither text nor a number; {form}.")
    if not isinstance(found.get("cue"), str):
        raise _BadLine(identity, f"Line {number}: the cue is missing or no text; {form}.")
    return identity, found["cue"]
