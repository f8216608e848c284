"""Real processes for the tests of what happens between processes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

OTHER_PROGRAM = Path(__file__).with_name("other_program.py")
COMMAND = (sys.executable, "-m", "xum_intuition")


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


def intuition(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, standard streams captured."""
    options = {
        "capture_output": True,
        "text": True,
        "timeout": 60,
        "stdin": subprocess.DEVNULL,
    } | options
    if "input" in options:
        del options["stdin"]
    return subprocess.run([*COMMAND, *map(str, arguments)], check=False, **options)


def start_intuition(*arguments: object) -> subprocess.Popen[str]:
    return start([*COMMAND, *map(str, arguments)])


def wait_until(happened: Callable[[], object], child: subprocess.Popen[str]) -> None:
    """Wait for what a child is to bring about; fails when it ended without."""
    while not happened():
        assert child.poll() is None, child.communicate()
        time.sleep(0.002)
