"""The lock of this program's own files; a 45 ms import of a library would do no more."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

WAIT_S = 2.0
"""How long another process may keep us; its critical section is one small write."""


@contextmanager
def held(path: str, *, shared: bool = False, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold an advisory lock on `path`, made unless shared; raises OSError, TimeoutError among them.

    The kernel lets go of it when the process dies.
    """
    flags = os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT
    fd = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)  # a pipe would keep us
    try:
        _lock(fd, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, path, wait_s)
        yield
    finally:
        os.close(fd)


def _lock(fd: int, kind: int, path: str, wait_s: float) -> None:
    give_up = time.monotonic() + wait_s
    while True:
        try:
            return fcntl.flock(fd, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= give_up:
                raise TimeoutError(None, f"{path} is locked by another process") from None
        time.sleep(0.002)
