"""The whole command line inside the tests' own process, without an interpreter's start."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from xum_intuition.cli import app


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def intuition(*arguments: object, input: str = "", cwd: Path | None = None) -> Done:
    """Run the command to its end; standard output and error are no terminals."""
    stdin, stdout, stderr = (_stream(text) for text in (input, "", ""))
    with (
        mock.patch.object(sys, "argv", ["intuition", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", stdin),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
        contextlib.chdir(cwd or Path.cwd()),
    ):
        code = app._run()
    return Done(int(code), _text(stdout), _text(stderr))


def _stream(text: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()
