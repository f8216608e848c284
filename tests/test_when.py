from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition import when
from xum_intuition.errors import UsageProblem

NOW = 1_796_047_320_000  # 2026-11-30 14:02 UTC
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("text", "at_ms"),
    [
        ("30m", NOW - 30 * MINUTE),
        ("24h", NOW - DAY),
        ("7d", NOW - 7 * DAY),
        ("2w", NOW - 14 * DAY),
        ("-7d", NOW - 7 * DAY),
        ("+7d", NOW + 7 * DAY),
        ("now", NOW),
        ("2026-11-30", NOW - 14 * HOUR - 2 * MINUTE),
        ("2026-11-30T14:02", NOW),
        ("2026-11-30 14:02:01", NOW + SECOND),
        ("2026-11-30T16:02+02:00", NOW),
        ("2026-11-30T14:02Z", NOW),
        ("1796047320000", NOW),
    ],
)
def test_a_moment_can_be_written_in_many_ways(text: str, at_ms: int) -> None:
    assert when.moment(text, NOW, "--since") == at_ms


@pytest.mark.parametrize("text", ["", "soon", "7", "7x", "d", "2026-13-01", "1e9", "٣d", "7 d"])
def test_what_is_no_time_is_a_usage_error_that_names_the_option(text: str) -> None:
    with pytest.raises(UsageProblem, match="--since"):
        when.moment(text, NOW, "--since")


@pytest.mark.parametrize(
    ("age_ms", "text"),
    [
        (0, "just now"),
        (59 * SECOND, "just now"),
        (60 * SECOND, "1 min ago"),
        (3 * HOUR, "3 h ago"),
        (3 * DAY + HOUR, "3 d ago"),
        (800 * DAY, "2 y ago"),
        (-2 * HOUR, "in 2 h"),
    ],
)
def test_ages_are_told_in_the_largest_whole_unit(age_ms: int, text: str) -> None:
    assert when.ago(NOW - age_ms, NOW) == text


def test_what_was_never_used_was_used_never() -> None:
    assert when.ago(None, NOW) == "never"


@pytest.mark.parametrize(
    ("span_ms", "text"),
    [(3 * DAY, "+3 d"), (-20 * MINUTE, "-20 min"), (1500, "+1 s"), (0, "+0 s")],
)
def test_spans_have_a_sign(span_ms: int, text: str) -> None:
    assert when.delta(span_ms) == text


def test_moments_are_shown_to_the_minute() -> None:
    assert when.shown(NOW) == "2026-11-30 14:02"


@given(st.integers(-(10**310), 10**310))
def test_no_number_of_a_sidecar_is_too_much(at_ms: int) -> None:
    assert when.shown(at_ms)
    assert when.ago(at_ms, NOW)
    assert when.delta(at_ms)
