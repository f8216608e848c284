"""The one budget of a recall: steps, time, bytes read, output tokens and money.

Whatever spends asks first. Retries and fallback models spend from the same purse.
"""

from __future__ import annotations

from typing import Literal

from xum_intuition.agent.model import Answer, Usage
from xum_intuition.clock import Deadline, Interrupt
from xum_intuition.limits import Limits
from xum_intuition.result import ModelUsage

Stop = Literal["reported", "timed_out", "out_of_steps", "out_of_money", "failed", "interrupted"]


class Stopped(Exception):
    """The run must end now, and why."""

    def __init__(self, stop: Stop, note: str | None = None) -> None:
        super().__init__(stop)
        self.stop: Stop = stop
        self.note = note


class Budget:
    """What has been spent so far, and whether the next thing may still be begun."""

    def __init__(self, limits: Limits, deadline: Deadline, interrupt: Interrupt) -> None:
        self._limits = limits
        self.deadline = deadline
        self.interrupt = interrupt
        self.steps = 0
        self.retries = 0
        self.bytes_read = 0
        self._usage: dict[str, Usage] = {}
        self._spent = 0.0
        """US dollars towards the cost limit; an answer that tells no usage counts in full."""
        self._greatest = 0.0

    @property
    def usage(self) -> tuple[ModelUsage, ...]:
        """What each model that answered used, in the order of their first answers."""
        return tuple(
            ModelUsage(name, u.input_tokens, u.output_tokens, u.cached_input_tokens, u.cost_usd)
            for name, u in self._usage.items()
        )

    @property
    def on_last_step(self) -> bool:
        """Whether the step about to be taken is the last."""
        return self.steps + 1 >= self._limits.max_steps

    def check(self) -> None:
        """Raise Stopped when a stop was asked for or the time is over."""
        if self.interrupt.requested or self.deadline.passed():
            raise self.cut_short()

    def cut_short(self) -> Stopped:
        """The stop of a wait that ended without its answer: an interrupt, else the deadline."""
        return Stopped("interrupted" if self.interrupt.requested else "timed_out")

    def check_step(self) -> None:
        """Raise Stopped unless another step may be begun."""
        self.check()
        if self.steps >= self._limits.max_steps:
            steps = self._limits.max_steps
            within = "one step" if steps == 1 else f"{steps} steps"
            raise Stopped("out_of_steps", f"The model made no report within {within}.")

    @property
    def limits_money(self) -> bool:
        return self._limits.max_cost_usd is not None

    def check_request(self, greatest_cost: float) -> None:
        """Raise Stopped unless a request of this cost, in US dollars, may be sent next."""
        self.check()
        limit = self._limits.max_cost_usd
        if limit is not None and self._spent + greatest_cost > limit:
            note = f"The next step could pass the cost limit of ${_plain(limit)}."
            raise Stopped("out_of_money", note)
        self._greatest = greatest_cost

    def charge_step(self, answer: Answer) -> None:
        """Count one answered step and what it used."""
        self.steps += 1
        told = answer.usage.cost_usd if answer.usage.input_tokens else None
        self._spent += self._greatest if told is None else told
        before, now = self._usage.get(answer.model), answer.usage
        self._usage[answer.model] = _sum(before, now) if before else now

    def charge_read(self, nbytes: int) -> bool:
        """Spend `nbytes` of the read budget, or leave it as it is and return False."""
        if nbytes > self.bytes_left:
            return False
        self.bytes_read += nbytes
        return True

    @property
    def bytes_left(self) -> int:
        return self._limits.max_read_bytes - self.bytes_read


def _sum(a: Usage, b: Usage) -> Usage:
    known = a.cost_usd is not None and b.cost_usd is not None
    return Usage(
        a.input_tokens + b.input_tokens,
        a.output_tokens + b.output_tokens,
        a.cached_input_tokens + b.cached_input_tokens,
        (a.cost_usd or 0.0) + (b.cost_usd or 0.0) if known else None,
    )


def _plain(amount: float) -> str:
    """An amount without an exponent."""
    return f"{amount:.9f}".rstrip("0").rstrip(".")
