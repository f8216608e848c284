"""Blocking work under a deadline: done in a daemon thread, waited for no longer than allowed.

A server that says nothing, or a byte a second, cannot be timed out reliably from inside the
call. So the wait is what ends; the thread is left behind and keeps no process alive.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import NoReturn, TypeVar

from xum_intuition.agent.budget import Budget

T = TypeVar("T")


def call(work: Callable[[], T], budget: Budget) -> T:
    """What `work` returns or raises; or Stopped once the deadline or an interrupt comes first."""
    outcomes: SimpleQueue[Callable[[], T] | None] = SimpleQueue()
    threading.Thread(target=_run, args=(work, outcomes), daemon=True).start()
    outcome = _wait(outcomes, budget)
    if outcome is None:
        raise budget.cut_short()
    return outcome()


def pause(seconds: float, budget: Budget) -> None:
    """Wait, unless an interrupt or the deadline comes first (Stopped)."""
    nothing: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
    _wait(nothing, budget, seconds)
    budget.check()


def _wait(
    outcomes: SimpleQueue[Callable[[], T] | None], budget: Budget, at_most: float | None = None
) -> Callable[[], T] | None:
    """The next outcome; None at an interrupt or when the time is over.

    A SimpleQueue, because its `put` may run in a signal handler while this very thread waits;
    the locks inside Event and Condition can deadlock there.
    """
    left = max(budget.deadline.left(), 0.0)
    forget = budget.interrupt.on_request(lambda: outcomes.put(None))
    try:
        return outcomes.get(timeout=left if at_most is None else min(left, at_most))
    except Empty:
        return None
    finally:
        forget()


def _run(work: Callable[[], T], outcomes: SimpleQueue[Callable[[], T] | None]) -> None:
    try:
        value = work()
    except BaseException as error:  # handed over whole: the waiting thread raises it
        outcomes.put(_raiser(error))
    else:
        outcomes.put(lambda: value)


def _raiser(error: BaseException) -> Callable[[], NoReturn]:
    def throw() -> NoReturn:
        raise error

    return throw
