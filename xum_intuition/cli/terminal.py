"""What is known of the terminal without rich: is there one, how wide is it, may it be coloured."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_COLORS = {"red", "green", "yellow", "cyan"}
DEFAULT_COLUMNS = 80
MIN_COLUMNS = 20


def is_terminal(stream: Any) -> bool:
    """Whether a stream leads to a terminal; a stream that is closed or absent does not."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def takes_escapes(stream: Any, env: Mapping[str, str]) -> bool:
    """Whether a stream leads to a terminal that understands escape sequences."""
    return is_terminal(stream) and env.get("TERM", "dumb") not in ("dumb", "unknown", "")


def columns(stream: Any, env: Mapping[str, str]) -> int:
    """COLUMNS, else the width of the terminal, else 80; a width nobody can read is not taken."""
    named = env.get("COLUMNS", "")
    if named.isascii() and named.isdigit() and len(named) < 5 and int(named) > 0:
        return max(MIN_COLUMNS, int(named))
    try:
        found = os.get_terminal_size(stream.fileno()).columns if is_terminal(stream) else 0
    except (OSError, ValueError):
        found = 0
    return max(MIN_COLUMNS, found) if found else DEFAULT_COLUMNS


class Ink:
    """Paints text with the 16 colours of every terminal; without colour, bold and dim stay."""

    def __init__(self, stream: Any, env: Mapping[str, str], *, color: bool) -> None:
        self._on = takes_escapes(stream, env)
        self._color = color and not env.get("NO_COLOR")

    def __call__(self, text: str, *styles: str) -> str:
        codes = [_CODES[s] for s in styles if self._on and (self._color or s not in _COLORS)]
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes and text else text
