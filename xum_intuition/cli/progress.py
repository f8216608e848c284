"""What standard error shows while a person waits; nothing of it remains.

Written without rich, whose import takes as long as most recalls, and without hiding the cursor,
which a killed process would leave hidden.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from xum_intuition.cli.terminal import Ink, columns, takes_escapes

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAME_S = 0.1
_DELAY_S = 0.15
"""A recall that is done by then shows no spinner at all."""
_BAR_CELLS = 20


def can_show(env: Mapping[str, str]) -> bool:
    """Whether standard error is a terminal that can take back what it shows."""
    return takes_escapes(sys.stderr, env)


@contextlib.contextmanager
def spinner(seconds: float, ink: Ink) -> Iterator[Callable[[Any], None]]:
    """A spinner; the callable takes a recall's Progress. `seconds` is the time it may take."""
    end = time.monotonic() + seconds
    at: list[Any] = [None]

    def line(frame: int) -> tuple[str, str]:
        left = max(0.0, end - time.monotonic())
        step = "getting ready"
        if at[0] is not None:
            files = f"{at[0].files_read} file{'' if at[0].files_read == 1 else 's'} read"
            step = f"step {at[0].step} · {files}"
        return _FRAMES[frame % len(_FRAMES)], f"{step} · {left:.0f} s left"

    with _shown(line, ink):
        yield lambda progress: at.__setitem__(0, progress)


@contextlib.contextmanager
def counter(total: int | None, ink: Ink) -> Iterator[Callable[[], None]]:
    """A bar of answered cues, a bare count where the total is not known."""
    done = 0

    def line(frame: int) -> tuple[str, str]:
        if not total:
            return _FRAMES[frame % len(_FRAMES)], f"{done:,} cues answered"
        filled = min(_BAR_CELLS, done * _BAR_CELLS // total)
        cells = "━" * filled + "╌" * (_BAR_CELLS - filled)
        return cells, f"{done:,} of {total:,} cues answered"

    def advance() -> None:
        nonlocal done
        done += 1

    with _shown(line, ink):
        yield advance


@contextlib.contextmanager
def _shown(line: Callable[[int], tuple[str, str]], ink: Ink) -> Iterator[None]:
    """Show a line, drawn anew until the end, then take it back."""
    over = threading.Event()
    thread = threading.Thread(target=_draw, args=(line, ink, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _draw(line: Callable[[int], tuple[str, str]], ink: Ink, over: threading.Event) -> None:
    if over.wait(_DELAY_S):
        return
    frame = 0
    # A terminal that is gone is no reason to fail.
    with contextlib.suppress(OSError, ValueError):
        while True:
            sign, text = line(frame)
            room = columns(sys.stderr, {}) - len(sign) - 2  # the last column may wrap
            sys.stderr.write(f"\r{ink(sign, 'cyan')} {ink(text[:room], 'dim')}\x1b[K")
            sys.stderr.flush()
            frame += 1
            if over.wait(_FRAME_S):
                break
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
