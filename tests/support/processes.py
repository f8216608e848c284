"""Real processes for the tests of what happens between processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OTHER_PROGRAM = Path(__file__).with_name("other_program.py")


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """A child that runs `code`, its standard streams piped."""
    return start([sys.executable, "-c", code, *map(str, arguments)])


def other_program(*arguments: object) -> subprocess.Popen[str]:
    return start([sys.executable, str(OTHER_PROGRAM), *map(str, arguments)])


def start(command: list[str]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def finish(child: subprocess.Popen[str]) -> str:
    """Wait for a child to end well; its standard output."""
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    return out


@contextmanager
def lock_held_by_other_program(sidecar: Path) -> Iterator[subprocess.Popen[str]]:
    """The other program holds the sidecar's lock; end its stdin to have it release."""
    child = other_program("hold", sidecar)
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "held\n"
        yield child
    finally:
        child.communicate(timeout=60)
