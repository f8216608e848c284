"""What the ledger has of recalls that went well, failed, timed out or were interrupted."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.scripted_model import ScriptedModel, item, reads, reports, says
from xum_intuition import ledger, turns
from xum_intuition.agent.model import Answer, ModelFailure, Request, Seat, Usage
from xum_intuition.clock import Clock, Interrupt
from xum_intuition.desk import Desk
from xum_intuition.protocol import Memories
from xum_intuition.recall import Wish, recall
from xum_intuition.result import Result
from xum_intuition.settings import Flags, load

A = "/memories/global/a.md"
TEXT = "The ferry to the island leaves at nine."


class HandClock(Clock):
    """A clock that a scripted step moves."""

    def __init__(self) -> None:
        self.passed = 0.0

    def monotonic(self) -> float:
        return 1_000.0 + self.passed

    def now_ms(self) -> int:
        return 1_796_000_000_000


class ScriptedDesk(Desk):
    """A desk whose models are scripted ones."""

    scripted: Sequence[ScriptedModel] = ()

    def prepare_models(self) -> None:
        pass

    def seats(self, recognizer: Callable[[], Any], memories: Memories) -> Sequence[Seat]:
        return self.scripted


@pytest.fixture
def desk(tmp_path: Path) -> ScriptedDesk:
    (tmp_path / "memories").mkdir()
    (tmp_path / "memories/a.md").write_text(f"# Ferry\n\n{TEXT}\n")
    flags = Flags(memory_dirs=(str(tmp_path / "memories"),))
    return ScriptedDesk(load(flags, os.environ), os.environ, tmp_path / "state", clock=HandClock())


def run(
    desk: ScriptedDesk, *models: ScriptedModel, interrupt: Interrupt | None = None, **wish: Any
) -> Result:
    desk.scripted = models
    found = recall("ferry", desk, Wish(**wish), interrupt=interrupt or Interrupt())
    for model in models:
        model.verify()
    return found


def spent(desk: Desk) -> ledger.Summary:
    return ledger.read(desk.state_dir, store=desk.layout.base, since_ms=None)


def model_totals(desk: Desk) -> list[tuple[str, int, int, float | None]]:
    """Each model with its input and output tokens and its cost."""
    return [
        (total.model, total.input_tokens, total.output_tokens, total.cost_usd)
        for total in spent(desk).models
    ]


def test_a_recognizing_recall(desk: ScriptedDesk) -> None:
    found = run(desk, ScriptedModel(reads(A), reports(item(A, excerpt=TEXT))))
    assert found.kind == "recognized"
    assert spent(desk).kinds == {"recognized": 1}
    assert spent(desk).recognized == 1
    assert model_totals(desk) == [("scripted/one", 20, 2, 0.002)]


def test_a_recall_that_failed_after_a_step_that_was_paid_for(desk: ScriptedDesk) -> None:
    found = run(desk, ScriptedModel(reads(A), ModelFailure("no more")))
    assert found.kind == "error"
    assert spent(desk).kinds == {"error": 1}
    assert model_totals(desk) == [("scripted/one", 10, 1, 0.001)]


def test_a_recall_that_failed_at_once_is_there_and_cost_nothing(desk: ScriptedDesk) -> None:
    assert run(desk, ScriptedModel(ModelFailure("401"))).kind == "error"
    assert spent(desk).kinds == {"error": 1}
    assert model_totals(desk) == []


def test_costs_go_to_the_models_that_really_answered(desk: ScriptedDesk) -> None:
    found = run(
        desk,
        ScriptedModel(reads(A), ModelFailure("down")),
        ScriptedModel(reports(), name="scripted/two"),
    )
    assert found.kind == "uncertain"
    assert spent(desk).kinds == {"uncertain": 1}
    assert model_totals(desk) == [("scripted/one", 10, 1, 0.001), ("scripted/two", 10, 1, 0.001)]


def test_a_price_that_is_not_known_is_null(desk: ScriptedDesk) -> None:
    run(desk, ScriptedModel(says("", *reports().calls, cost=None), price=None))
    assert model_totals(desk) == [("scripted/one", 10, 1, None)]


def test_a_recall_that_timed_out_after_a_step(desk: ScriptedDesk) -> None:
    def slowly(request: Request) -> Answer:
        assert isinstance(desk.clock, HandClock)
        desk.clock.passed += 60
        return reads(A)

    found = run(desk, ScriptedModel(slowly))
    assert found.kind == "uncertain"
    assert spent(desk).timeouts == 1
    assert spent(desk).p50_ms == 60_000
    assert model_totals(desk) == [("scripted/one", 10, 1, 0.001)]


def test_a_recall_that_was_interrupted_after_a_step(desk: ScriptedDesk) -> None:
    interrupt = Interrupt()

    def interrupted(request: Request) -> Answer:
        interrupt.request()
        return Answer("", reads(A).calls, Usage(7, 3, 0, 0.5), "")

    found = run(desk, ScriptedModel(reads(A), interrupted), interrupt=interrupt)
    assert (found.kind, getattr(found, "code", "")) == ("error", "interrupted")
    assert spent(desk).kinds == {"error": 1}
    name, tokens, _, cost = model_totals(desk)[0]
    assert (name, tokens >= 10, cost is not None and cost >= 0.001) == ("scripted/one", True, True)


def test_a_recall_that_reached_no_model_is_not_there(desk: ScriptedDesk) -> None:
    interrupt = Interrupt()
    interrupt.request()
    assert run(desk, ScriptedModel(), interrupt=interrupt).kind == "error"
    for _ in range(3):
        turns.charge(desk.state_dir, "t", 3, desk.clock.now_ms())
    assert run(desk, ScriptedModel(), turn="t").kind == "limit_reached"
    assert spent(desk).recalls == 0


def test_an_error_keeps_its_turn_charged(desk: ScriptedDesk) -> None:
    for _ in range(3):
        assert run(desk, ScriptedModel(ModelFailure("no")), turn="t").kind == "error"
    assert run(desk, ScriptedModel(), turn="t").kind == "limit_reached"


def test_without_recording_a_turn_is_charged_all_the_same(desk: ScriptedDesk) -> None:
    for _ in range(3):
        assert run(desk, ScriptedModel(reports()), turn="t", record=False).kind == "uncertain"
    assert run(desk, ScriptedModel(), turn="t", record=False).kind == "limit_reached"
    assert spent(desk).recalls == 0
