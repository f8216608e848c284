"""The nested agent: a bounded conversation that reads memories and ends in a report.

query → execute → query → execute → …   until a report, or until a bound says stop
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from xum_intuition.agent.budget import Budget, Stop, Stopped
from xum_intuition.agent.conversation import Conversation
from xum_intuition.agent.model import Answer, Seat, ToolCall
from xum_intuition.agent.prompt import first_messages
from xum_intuition.agent.reads import Reads, error
from xum_intuition.agent.seats import Seats
from xum_intuition.agent.text_protocol import NUDGE, calls_in
from xum_intuition.agent.tools import READ, REPORT, BadCall, Report, path_of, report_of
from xum_intuition.clock import Deadline, Interrupt
from xum_intuition.errors import Interrupted
from xum_intuition.judge.types import Item
from xum_intuition.limits import Limits
from xum_intuition.protocol import Memories, Row
from xum_intuition.result import ModelUsage

LAST_STEP = f"This is the last step: call {REPORT} now, with what you know."
MAX_CALLS = 100
"""Calls taken from one answer; the output token limit hardly leaves room for more."""


class Progress(NamedTuple):
    """Where the loop is: the step being taken (from 1), and the files read so far."""

    step: int
    files_read: int


class Inquiry(NamedTuple):
    """How the nested agent's run ended, and what it brought."""

    items: tuple[Item, ...]
    stop: Stop
    model: str | None
    """The one that answered last."""
    usage: tuple[ModelUsage, ...]
    steps: int
    retries: int
    read: tuple[str, ...]
    """Paths whose text was sent to a model."""
    bytes_read: int
    items_dropped: int
    protocol: Literal["tools", "text"]
    note: str | None
    failure: str | None
    """The reason of the last failed call, safe to show."""
    reached_provider: bool


def investigate(
    cue: str,
    rows: Sequence[Row],
    memories: Memories,
    seats: Sequence[Seat],
    *,
    instructions: str | None,
    limits: Limits,
    deadline: Deadline,
    interrupt: Interrupt,
    before_first_call: Callable[[], None],
    progress: Callable[[Progress], None],
) -> Inquiry:
    """Let the first model that can look through the rows; always ends within the limits.

    `instructions` replace the built-in ones, unless they are None. `before_first_call` charges
    the turn; what it raises passes through, as does UsageProblem for a cost limit that an
    unknown price cannot keep. No model's doing raises anything.
    """
    budget = Budget(limits, deadline, interrupt)
    reads = Reads(rows, memories, budget)
    return _Investigation(
        Conversation(first_messages(cue, rows, instructions)),
        Seats(seats, budget, limits.max_output_tokens, before_first_call, reads.mark_sent),
        reads,
        budget,
        progress,
    ).run()


@dataclass(frozen=True, slots=True)
class _Investigation:
    conversation: Conversation
    seats: Seats
    reads: Reads
    budget: Budget
    progress: Callable[[Progress], None]

    def run(self) -> Inquiry:
        try:
            self.seats.require_prices(self.conversation.messages)
            while (report := self._execute(self._query())) is None:
                pass
        except Stopped as stopped:
            return self._inquiry(stopped.stop, note=stopped.note)
        except Interrupted:  # raised while a memory was being read
            return self._inquiry("interrupted")
        return self._inquiry("reported", report=report)

    def _query(self) -> Answer:
        self.budget.check_step()
        self.progress(Progress(self.budget.steps + 1, self.reads.count))
        if self.budget.on_last_step:
            self.conversation.tell(LAST_STEP)
        return self.seats.answer(self.conversation.messages)

    def _execute(self, answer: Answer) -> Report | None:
        """Carry out one answer's calls; the first good report among them ends the run.

        Reads beside that report are left undone: nobody would see what they bring.
        """
        calls = (answer.calls or calls_in(answer.text))[:MAX_CALLS]
        report = next(filter(None, map(_report, calls)), None)
        if report is None and calls:
            results = [self._result(call) for call in calls]
            self.conversation.called(answer.text, calls, results)
        elif report is None:
            self.conversation.said(answer.text)
            self.conversation.tell(NUDGE)
        return report

    def _result(self, call: ToolCall) -> str:
        try:
            if call.name == READ:
                return self.reads.read(path_of(call.arguments))
            if call.name == REPORT:
                report_of(call.arguments)
        except BadCall as bad:
            return error(str(bad))
        return error(f"There is no such tool; use {READ} or {REPORT}.")

    def _inquiry(
        self, stop: Stop, *, note: str | None = None, report: Report | None = None
    ) -> Inquiry:
        return Inquiry(
            items=report.items if report else (),
            stop=stop,
            model=self.seats.answered_by,
            usage=self.budget.usage,
            steps=self.budget.steps,
            retries=self.budget.retries,
            read=self.reads.sent,
            bytes_read=self.budget.bytes_read,
            items_dropped=report.dropped if report else 0,
            protocol=self.seats.protocol,
            note=note,
            failure=self.seats.failure,
            reached_provider=self.seats.called,
        )


def _report(call: ToolCall) -> Report | None:
    if call.name != REPORT:
        return None
    try:
        return report_of(call.arguments)
    except BadCall:
        return None
