"""Whatever a model answers, no bound is overspent and every run ends in an inquiry."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.inquiries import TEXTS, A, B, C, HandClock, Texts, inquire
from tests.support.scripted_model import says
from xum_intuition.agent.model import Answer, ModelFailure, Request, ToolCall
from xum_intuition.clock import Deadline, Interrupt
from xum_intuition.limits import Limits

SMALL_LIMITS = st.builds(
    Limits,
    max_steps=st.integers(1, 5),
    max_read_bytes=st.integers(1, 80),
    max_cost_usd=st.none() | st.floats(0.001, 0.02),
)
PATHS = st.sampled_from([A, B, C, "/memories/global/none.md", "", "../x", "\ud800"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON_LIKE = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["path", "items", "relevance", "excerpt", "why", "x"]), inner
        )
    ),
    max_leaves=8,
)
ITEMS = st.fixed_dictionaries(
    {"path": PATHS, "relevance": SCALARS, "excerpt": st.text(max_size=9), "why": SCALARS}
)
ARGUMENTS = st.one_of(
    st.builds(lambda path: json.dumps({"path": path}), PATHS),
    st.builds(lambda items: json.dumps({"items": items}), st.lists(ITEMS, max_size=9)),
    st.builds(json.dumps, JSON_LIKE),
    st.builds(lambda value: json.dumps(json.dumps(value)), JSON_LIKE),
    st.text(max_size=12),
)
NAMES = st.sampled_from(["memory_read", "memory_read", "intuition_report", "exec", "", "\n"])
CALLS = st.builds(ToolCall, st.text(max_size=3), NAMES, ARGUMENTS)
TEXTS_SAID = st.one_of(
    st.text(max_size=30),
    ARGUMENTS,
    ARGUMENTS.map(lambda text: f"so:\n```json\n{text}\n```"),
)
FAILURES = st.builds(
    ModelFailure,
    st.text(max_size=9),
    retryable=st.booleans(),
    retry_after_s=st.sampled_from([0.0, 0.0001, 1e9]),
    refuses_tools=st.booleans(),
)
ANSWERS = st.builds(
    lambda text, calls, cost: says(text, *calls, cost=cost),
    TEXTS_SAID,
    st.lists(CALLS, max_size=4),
    st.floats(0, 0.005),
)
STEPS = st.lists(st.tuples(ANSWERS | FAILURES, st.sampled_from(["", "", "", "late", "stop"])))


class RandomModel:
    """Plays random steps, checks every request it is sent, and never costs more than it said."""

    def __init__(self, name: str, steps: list[Any], clock: HandClock, stop: Interrupt) -> None:
        self.name = name
        self._steps = steps
        self._clock = clock
        self._stop = stop
        self.answered = 0
        self.calls = 0

    def greatest_cost(self, request: Request) -> float:
        return 0.005

    def answer(self, request: Request) -> Answer:
        self.calls += 1
        json.dumps([dict(m) for m in request.messages], ensure_ascii=False).encode()
        for message in request.messages:
            for call in message.get("tool_calls", ()):
                json.loads(call["function"]["arguments"])
        step, then = self._steps.pop(0) if self._steps else (ModelFailure("done"), "")
        if then == "late":
            self._clock.now += 1_000
        if then == "stop":
            self._stop.request()
        if isinstance(step, ModelFailure):
            raise step
        self.answered += 1
        return Answer(step.text, step.calls, step.usage, self.name)


@settings(max_examples=150, deadline=None)
@given(steps=st.lists(STEPS, min_size=1, max_size=3), limits=SMALL_LIMITS)
def test_no_sequence_of_answers_overspends_a_bound(steps: list[Any], limits: Limits) -> None:
    clock, stop, charged = HandClock(), Interrupt(), []
    models = [RandomModel(f"m/{n}", part, clock, stop) for n, part in enumerate(steps)]
    memories = Texts(TEXTS)
    inquiry = inquire(
        *[lambda model=model: model for model in models],
        memories=memories,
        limits=limits,
        deadline=Deadline(clock, 500),
        interrupt=stop,
        before_first_call=lambda: charged.append(1),
    )
    assert inquiry.steps <= limits.max_steps
    assert inquiry.bytes_read <= limits.max_read_bytes
    spent = sum(used.cost_usd or 0 for used in inquiry.usage)
    assert limits.max_cost_usd is None or spent <= limits.max_cost_usd + 1e-12
    assert set(inquiry.read) <= set(TEXTS)
    assert sum(len(TEXTS[path]) for path in inquiry.read) <= inquiry.bytes_read
    assert len(inquiry.items) <= 6
    assert all(0 <= item.relevance <= 1 for item in inquiry.items)
    assert len(charged) == inquiry.reached_provider == any(m.calls for m in models)
    # Each model: one answer a step, one retry a step, and two for what it refuses.
    assert sum(m.calls for m in models) <= 2 * limits.max_steps + 4 * len(models)
