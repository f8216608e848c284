"""The sidecar's lock, by the protocol of the other program that writes the same file.

A lock is a file whose existence means held. It is born whole: a temporary file that already
holds the owner's token is hard-linked to the lock's name. The token is `pid:nonce:birth`, the
birth telling a process from a later one with the same number. A lock whose owner is gone is
taken away under a second lock of the same kind, the guard, after one more look at its token.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable

from xum_intuition import atomic

LEASE_S = 5 * 60
"""Age in seconds at which a lock goes stale whose owner cannot be told alive or dead."""

_POLL_S = 0.010
_TOKEN_BYTES = 4096
_TOKEN = re.compile(r"(\d{1,18})(?::[^:]*)?(?::([0-9a-f]+))?")


class LockNotHad(Exception):
    """Somebody else holds the lock; the message says who and where."""


def acquire(path: str, *, wait_s: float, check: Callable[[], None] = lambda: None) -> str:
    """Take the lock file `path` and return its token, after at most `wait_s` seconds.

    `check` is called between attempts, and whatever it raises ends the wait. Raises LockNotHad
    when the time is over, OSError when no lock can be made there.
    """
    token = _new_token()
    temporary = _written(path, token)
    give_up = time.monotonic() + wait_s
    try:
        while True:
            check()
            if _linked(temporary, path):
                return token
            if _reclaimed(path):
                continue
            left = give_up - time.monotonic()
            if left <= 0:
                raise LockNotHad(f"{path} is held by {_owner(path)}")
            time.sleep(min(left, _POLL_S + _POLL_S * os.urandom(1)[0] / 255))
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def owned(path: str, token: str) -> bool:
    """Whether the lock is there and still holds this token."""
    return _read(path) == token


def release(path: str, token: str) -> None:
    """Give the lock back; without effect when it is somebody else's by now."""
    with contextlib.suppress(OSError):
        if owned(path, token):
            os.unlink(path)


def _new_token() -> str:
    pid = os.getpid()
    birth = _linux_birth(pid) or _ps_birth(pid)
    token = f"{pid}:{os.urandom(8).hex()}"
    return token if birth is None else f"{token}:{birth.encode().hex()}"


def _written(path: str, token: str) -> str:
    """The name of a new file beside `path` that holds the token."""
    pid, nonce, *_ = token.split(":")
    temporary = f"{path}.tmp-{pid}-{nonce}"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        atomic.write_all(fd, token.encode())
    except OSError:
        os.unlink(temporary)
        raise
    finally:
        os.close(fd)
    return temporary


def _linked(temporary: str, path: str) -> bool:
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    return True


def _read(path: str) -> str | None:
    """The token in a lock file, or None where there is no such file."""
    try:
        # Not blocking: a pipe of that name must not stop us for ever.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return os.read(fd, _TOKEN_BYTES).decode("utf-8", "replace")
    finally:
        os.close(fd)


def _owner(path: str) -> str:
    found = _TOKEN.fullmatch((_read(path) or "").strip())
    return f"process {found[1]}" if found else "somebody else"


def _stale(path: str, token: str) -> bool:
    found = _TOKEN.fullmatch(token.strip())
    if found is None or int(found[1]) == 0:
        return older_than_lease(path)
    pid = int(found[1])
    if not _alive(pid):
        return True
    same = _same_birth(pid, found[2])
    return older_than_lease(path) if same is None else not same


def older_than_lease(path: str) -> bool:
    """Whether a file is there and has not been touched for five minutes."""
    try:
        return time.time() - os.stat(path).st_mtime > LEASE_S
    except FileNotFoundError:
        return False


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return not _zombie(pid)


def _same_birth(pid: int, birth_hex: str | None) -> bool | None:
    """Whether a living process was born as the token says; None when that cannot be told."""
    try:
        birth = bytes.fromhex(birth_hex or "").decode()
    except ValueError:
        return None
    if not birth:
        return None
    now = _ps_birth(pid) if birth.startswith("ps-lstart:") else _linux_birth(pid)
    return None if now is None else now == birth


def _stat_fields(pid: int) -> list[bytes]:
    """Fields 3 and on of /proc/PID/stat; the second may hold spaces and brackets itself."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def _zombie(pid: int) -> bool:
    """A process that has ended and was not waited for holds nothing any more."""
    return _stat_fields(pid)[:1] in ([b"Z"], [b"X"])


def _linux_birth(pid: int) -> str | None:
    fields = _stat_fields(pid)
    if len(fields) < 20 or not fields[19].isdigit():
        return None
    return f"linux-ticks:{fields[19].decode()}"


def _ps_birth(pid: int) -> str | None:
    import subprocess

    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=2, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    started = done.stdout.strip()
    return f"ps-lstart:{started}" if done.returncode == 0 and started else None


def _reclaimed(path: str) -> bool:
    """Take away a lock whose owner is gone; whether that was done."""
    token = _read(path)
    if token is None or not _stale(path, token):
        return False
    guard_path = f"{path}.reclaim"
    guard = _guard(guard_path)
    if guard is None:
        return False
    try:
        return _read(path) == token and _taken_away(path, token)
    finally:
        release(guard_path, guard)


def _guard(path: str) -> str | None:
    """The guard's token, or None while another process reclaims; a stale guard is cleared."""
    guard = _new_token()
    temporary = _written(path, guard)
    try:
        if _linked(temporary, path):
            return guard
    finally:
        os.unlink(temporary)
    token = _read(path)
    if token is not None and _stale(path, token) and _read(path) == token:
        _taken_away(path, token)
    return None


def _taken_away(path: str, token: str) -> bool:
    """Move a stale lock aside and remove it, or put it back when it is another one by now."""
    aside = f"{path}.stale-{os.urandom(8).hex()}"
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return False
    if _read(aside) == token:
        os.unlink(aside)
        return True
    if _linked(aside, path):
        os.unlink(aside)
    return False
