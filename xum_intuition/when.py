"""Moments and spans of time, as people write and read them. Milliseconds since the epoch."""

from __future__ import annotations

import re
import time
from datetime import datetime

from xum_intuition.errors import UsageProblem

_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_SPAN = re.compile(r"([+-]?)([0-9]{1,6})([smhdw])")
_EPOCH_MS = re.compile(r"[0-9]{11,15}")


def moment(text: str, now_ms: int, option: str) -> int:
    """The moment that `text` names; raises UsageProblem naming the option.

    `30m`, `24h` and `7d` are that long ago, `+7d` is ahead; else an ISO date or time, local
    unless it names its zone, or milliseconds since the epoch.
    """
    span = _SPAN.fullmatch(text)
    if span:
        sign = 1 if span[1] == "+" else -1
        return now_ms + sign * int(span[2]) * _UNITS_S[span[3]] * 1000
    if _EPOCH_MS.fullmatch(text):
        return int(text)
    if text == "now":
        return now_ms
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise UsageProblem(
            f"{option} {text!r} is no time: write 30m, 24h or 7d, or a date such as 2026-11-30 or"
            " 2026-11-30T14:02."
        ) from None


def shown(at_ms: float) -> str:
    """A moment in local time, to the minute."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(at_ms / 1000))
    except (ValueError, OverflowError, OSError):
        return "beyond any calendar"


def ago(at_ms: int | None, now_ms: int) -> str:
    """How long ago a moment was: `3 d ago`, `just now`, `never`, or `in 2 h`."""
    if at_ms is None:
        return "never"
    age_s = (now_ms - at_ms) // 1000
    if abs(age_s) < 60:
        return "just now"
    return f"{_amount(age_s)} ago" if age_s > 0 else f"in {_amount(-age_s)}"


def delta(span_ms: float) -> str:
    """A signed span: `+3 d`, `-20 min`."""
    sign = "-" if span_ms < 0 else "+"
    return sign + _amount(abs(span_ms) // 1000)


def _amount(seconds: float) -> str:
    """The largest whole unit that is at least one."""
    if seconds >= 1000 * 365 * 86_400:
        return "1000 y or more"
    for size, unit in ((365 * 86_400, "y"), (86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"
