"""From log-odds to the relevance that is shown."""

from __future__ import annotations

import pytest

from xum_intuition.agent.weights import LEAD, Model, Weights

NOTES = Model(
    names=["odds"],
    coefficients=[1.0],
    intercept=0.0,
    trees=[],
    base=0.0,
    share=1.0,
    scale=[(-4.0, 0.1), (-2.0, LEAD), (0.0, 0.7), (2.0, 0.9)],
    runner_up=-3.0,
)
WEIGHTS = Weights(NOTES, NOTES._replace(intercept=1.0))


def relevances(*odds: float) -> list[float]:
    return WEIGHTS.relevances([{"odds": value} for value in odds])


def test_relevance_lies_on_the_line_and_ends_with_it() -> None:
    assert [relevances(odds)[0] for odds in (-9.0, -4.0, -3.0, 0.0, 1.0, 9.0)] == [
        0.0, 0.1, 0.2, 0.7, 0.8, 0.9
    ]  # fmt: skip


def test_a_runner_up_is_a_lead_earlier_where_the_best_one_is_a_lead() -> None:
    assert relevances(-2.0, -2.9, -3.1) == [LEAD, LEAD, pytest.approx(0.19)]
    assert relevances(-2.1, -2.9)[1] < LEAD


def test_the_order_is_that_of_the_odds() -> None:
    found = relevances(2.0, 1.2, 0.5, -1.0, -2.5, -3.5)
    assert found == sorted(found, reverse=True)


def test_a_conversation_is_weighed_by_its_own_model() -> None:
    found = WEIGHTS.relevances([{"odds": -1.0}, {"odds": -1.0, "conversation": 1.0}])
    assert found == [pytest.approx(0.5), pytest.approx(0.7)]


def test_nothing_judged_is_no_error() -> None:
    assert relevances() == []
