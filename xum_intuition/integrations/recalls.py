"""Recalls on behalf of a client: settings read anew for each, all of them interruptible."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from xum_intuition import policy
from xum_intuition.clock import Interrupt
from xum_intuition.desk import open_desk
from xum_intuition.errors import IntuitionError
from xum_intuition.memory.index import build
from xum_intuition.recall import Wish, recall
from xum_intuition.result import Failure, Result


class Recalls:
    """What a server needs of recall; a changed configuration counts from the next call on."""

    def __init__(
        self,
        given: Mapping[str, Any],
        env: Mapping[str, str],
        *,
        record: bool,
        example: bool = False,
    ) -> None:
        self._given, self._env = given, env
        self._record, self._example = record, example
        self._changed = threading.Condition()
        self._interrupts: set[Interrupt] = set()
        self._running = 0

    def answer(self, cue: object, turn: str | None, interrupt: Interrupt) -> Result:
        """What one call gets; never raises."""
        with self._changed:
            self._running += 1
        try:
            return self._recall(cue, turn, interrupt)
        except IntuitionError as error:
            return Failure(error.code, str(error))
        except Exception as error:
            return Failure("internal", f"A bug in intuition: {type(error).__name__}: {error}")
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _recall(self, cue: object, turn: str | None, interrupt: Interrupt) -> Result:
        if not isinstance(cue, str):
            message = "The argument `cue` is needed: the task in one or two sentences."
            return Failure("usage", message)
        desk = open_desk(self._given, self._env, example=self._example)
        wish = Wish(turn=turn or desk.settings.turn, record=self._record, way="integration")
        return recall(cue, desk, wish, interrupt=interrupt)

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[Interrupt]:
        """An interrupt for one call, requested by whatever ends the call early."""
        interrupt = Interrupt()
        self._interrupts.add(interrupt)
        try:
            yield interrupt
        except BaseException:
            interrupt.request()
            raise
        finally:
            self._interrupts.discard(interrupt)

    def interrupt_all(self) -> None:
        for interrupt in list(self._interrupts):
            interrupt.request()

    def settle(self, seconds: float) -> None:
        """Wait for recalls that have passed their commit point, or are about to notice an end."""
        ends = time.monotonic() + seconds
        with self._changed:
            while self._running and (left := ends - time.monotonic()) > 0:
                self._changed.wait(left)

    def warm_up(self) -> None:
        """Bring what a first call would wait for: modules, and the model library where a recall
        would need it. Runs no hook, records nothing, raises nothing."""
        with contextlib.suppress(Exception):
            desk = open_desk(self._given, self._env, example=self._example)
            settings = desk.settings
            policy.check(settings, way="integration", env=self._env)
            _, found = desk.documents(lambda: False)
            index = build(found, "warm up", settings.limits, hidden=settings.hooks.hides)
            if index.shown:
                desk.prepare_models()
