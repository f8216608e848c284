"""Deadlines on a clock that is handed in, and the point from where on a stop is ignored."""

from __future__ import annotations

import pytest

from tests.support.inquiries import HandClock
from xum_intuition.clock import Deadline, Interrupt
from xum_intuition.errors import Interrupted


def test_a_stop_is_honoured_until_the_commit_begins() -> None:
    interrupt = Interrupt()
    interrupt.check()
    interrupt.request()
    assert interrupt.requested
    with pytest.raises(Interrupted):
        interrupt.check()
    with pytest.raises(Interrupted):
        interrupt.begin_commit()


def test_a_stop_is_ignored_from_then_on() -> None:
    interrupt = Interrupt()
    interrupt.begin_commit()
    interrupt.request()
    assert not interrupt.requested
    interrupt.check()


def test_whoever_waits_is_woken_also_when_the_stop_came_first() -> None:
    interrupt, woken = Interrupt(), []
    forget = interrupt.on_request(lambda: woken.append("early"))
    interrupt.on_request(lambda: woken.append("forgotten"))()
    interrupt.request()
    interrupt.on_request(lambda: woken.append("late"))
    forget()
    interrupt.request()
    assert woken[:2] == ["early", "late"]
    assert "forgotten" not in woken


def test_a_deadline_strikes_by_the_clock_that_it_was_given() -> None:
    clock = HandClock()
    deadline = Deadline(clock, 2.0)
    assert not deadline.passed()
    clock.now += 2.5
    assert deadline.passed()
    assert deadline.left() == pytest.approx(-0.5)
    assert deadline.elapsed_ms() == 2500
