"""Time and interruption, handed in wherever they matter so that tests need not wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from xum_intuition.errors import Interrupted

INTERRUPTED = "The recall was interrupted; nothing was recorded as used."


class Clock:
    """The real clocks; tests hand in one that they move themselves."""

    def monotonic(self) -> float:
        """Seconds that only move forward."""
        return time.monotonic()

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000


class Deadline:
    """A moment on the monotonic clock after which nothing more is begun."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self.started = clock.monotonic()
        self.seconds = seconds

    def left(self) -> float:
        """Seconds until it strikes; negative afterwards."""
        return self.started + self.seconds - self._clock.monotonic()

    def passed(self) -> bool:
        return self.left() <= 0

    def elapsed_ms(self) -> int:
        return round((self._clock.monotonic() - self.started) * 1000)


class Interrupt:
    """A request to stop, honoured until the sidecar write begins and ignored from then on.

    Signal handlers and a server's cancellation call `request`; the run calls `check` between
    its parts and `begin_commit` right before it writes. Whoever waits registers a wake-up.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal handler may run inside `begin_commit`
        self._requested = False
        self._committed = False
        self._wakers: set[Callable[[], None]] = set()

    @property
    def requested(self) -> bool:
        return self._requested and not self._committed

    def request(self) -> None:
        """Ask the run to stop; without effect once the commit has begun."""
        with self._lock:
            self._requested = True
            wakers = list(self._wakers)
        for wake in wakers:
            wake()

    def check(self) -> None:
        """Raise Interrupted if a stop was asked for before the commit began."""
        if self.requested:
            raise Interrupted(INTERRUPTED)

    def begin_commit(self) -> None:
        """Pass the point of no return, or raise Interrupted if a stop came first."""
        with self._lock:
            self.check()
            self._committed = True

    def on_request(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Have `wake` called at a request (at once if one came); returns its removal."""
        with self._lock:
            self._wakers.add(wake)
            requested = self.requested
        if requested:
            wake()
        return lambda: self._wakers.discard(wake)
