"""Who answers: the model, then its fallbacks, each with one retry a step and a way without tools.

A failed call is not a step. Everything here spends the one budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from xum_intuition.agent.budget import Budget, Stopped
from xum_intuition.agent.calls import call, pause
from xum_intuition.agent.model import Answer, Message, Model, ModelFailure, Request, Seat
from xum_intuition.agent.text_protocol import as_text
from xum_intuition.agent.tools import REPORT, TOOLS
from xum_intuition.errors import UsageProblem

Speech = Literal["tools", "tools_unforced", "text"]
RETRY_PAUSE_S = 0.2
LOADING_NOTE = "The model library was still loading when the time limit struck."


class Seats:
    """The models in their order; `answer` brings the next step's answer or raises Stopped."""

    def __init__(
        self,
        seats: Sequence[Seat],
        budget: Budget,
        max_output_tokens: int,
        before_first_call: Callable[[], None],
        before_each_call: Callable[[], None],
    ) -> None:
        self._waiting = list(seats)
        self._budget = budget
        self._max_output_tokens = max_output_tokens
        self._before_first_call = before_first_call
        self._before_each_call = before_each_call
        self._model: Model | None = None
        self._speech: Speech = "tools"
        self._retried = False
        self.called = False
        self.failure: str | None = None
        self.answered_by: str | None = None

    @property
    def protocol(self) -> Literal["tools", "text"]:
        return "text" if self._speech == "text" else "tools"

    def require_prices(self, messages: Sequence[Message]) -> None:
        """Raise UsageProblem if a model's price is unknown under a cost limit."""
        for seat in self._waiting if self._budget.limits_money else ():
            try:
                model = self._opened(seat)
            except ModelFailure:
                continue  # it will fail again, and be reported, when its turn comes
            self._greatest_cost(model, self._request(messages, last=False))

    def answer(self, messages: Sequence[Message]) -> Answer:
        """One step's answer, from whichever model still can."""
        self._retried = False
        while True:
            try:
                model = self._model = self._model or self._opened(self._next_seat())
                answer = self._ask(model, messages)
            except ModelFailure as failure:
                self._recover(failure)
            else:
                self._budget.charge_step(answer)
                self.answered_by = answer.model
                return answer

    def _ask(self, model: Model, messages: Sequence[Message]) -> Answer:
        request = self._request(messages, last=self._budget.on_last_step)
        self._budget.check_request(self._greatest_cost(model, request))
        if not self.called:
            self._before_first_call()
            self.called = True
        self._before_each_call()
        return call(lambda: model.answer(request), self._budget)

    def _greatest_cost(self, model: Model, request: Request) -> float:
        """US dollars; 0 where no limit asks for it. Counting tokens takes its time, so it waits."""
        if not self._budget.limits_money:
            return 0.0
        price = call(lambda: model.greatest_cost(request), self._budget)
        if price is None:
            raise UsageProblem(
                f"The price of {model.name} is not known, so --max-cost cannot be kept; "
                "leave it out or choose another model."
            )
        return price

    def _request(self, messages: Sequence[Message], *, last: bool) -> Request:
        text = self._speech == "text"
        return Request(
            messages=as_text(messages) if text else messages,
            tools=() if text else TOOLS,
            force=REPORT if last and self._speech == "tools" else None,
            max_output_tokens=self._max_output_tokens,
            timeout_s=self._budget.deadline.seconds,
        )

    def _opened(self, seat: Seat) -> Model:
        self._budget.check()
        try:
            return call(seat, self._budget)
        except Stopped as stopped:
            if stopped.stop == "timed_out":
                raise Stopped("timed_out", LOADING_NOTE) from None
            raise

    def _next_seat(self) -> Seat:
        if not self._waiting:
            raise Stopped("failed")
        self._speech = "tools"
        self._retried = False
        return self._waiting.pop(0)

    def _recover(self, failure: ModelFailure) -> None:
        """Prepare another try with the same model, or give its seat to the next."""
        self.failure = failure.message
        if failure.refuses_tools and self._speech != "text":
            forced = self._speech == "tools" and self._budget.on_last_step
            self._speech = "tools_unforced" if forced else "text"
            self._budget.retries += 1
            return
        wait = RETRY_PAUSE_S if failure.retry_after_s is None else failure.retry_after_s
        fits = wait < self._budget.deadline.left()
        if self._model is not None and failure.retryable and not self._retried and fits:
            self._retried = True
            self._budget.retries += 1
            pause(wait, self._budget)
            return
        self._model = None
