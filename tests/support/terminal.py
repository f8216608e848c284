"""Standard output that takes itself for a terminal, and texts that are kept beside the tests."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from xum_intuition.cli.output import Output, OutputFormat

SNAPSHOTS = Path(__file__).parent.parent / "cli" / "snapshots"
SGR = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.TextIOWrapper):
    def __init__(self, *, terminal: bool = True) -> None:
        super().__init__(io.BytesIO(), "utf-8", newline="")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


def shown(
    show: Callable[[Output], None],
    *,
    columns: int = 80,
    terminal: bool = False,
    color: bool = True,
) -> tuple[str, str]:
    """What a render function writes to standard output and standard error."""
    stdout, stderr = Terminal(terminal=terminal), Terminal(terminal=terminal)
    env = {"COLUMNS": str(columns), "TERM": "xterm"}
    with (
        mock.patch.dict(os.environ, env),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        show(Output(OutputFormat.TABLE, color=color, quiet=False, env=dict(os.environ)))
        sys.stdout.flush()
    return stdout.text(), stderr.text()


def assert_as_kept(name: str, text: str) -> None:
    """Compare with the kept file; UPDATE_SNAPSHOTS=1 writes it instead."""
    file = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), f"UPDATE_SNAPSHOTS=1 keeps the new {name}"
