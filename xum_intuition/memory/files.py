"""Opening and reading memory files without being led elsewhere.

A path is walked from the scope's folder without following links. Where a link is allowed, what was
really opened must lie inside the scope's real folder, so that a link swapped in between the check
and the read gains nothing.
"""

from __future__ import annotations

import os
import stat

from xum_intuition.errors import Unreadable
from xum_intuition.limits import MAX_MEMORY_BYTES

FOLDER_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY
_READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW


def decode(data: bytes) -> str:
    """A memory's text as it is, without a byte-order mark; raises Unreadable."""
    if len(data) > MAX_MEMORY_BYTES:
        raise Unreadable(f"the file is larger than {MAX_MEMORY_BYTES // 1024} KiB")
    if b"\0" in data:
        raise Unreadable("the file holds a NUL byte; it is no text")
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise Unreadable("the file is not UTF-8") from None


def text_problem(data: bytes) -> str | None:
    """Why these bytes are no readable memory, or None."""
    try:
        decode(data)
    except Unreadable as problem:
        return str(problem)
    return None


def inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def read_file(name: str, *, dir_fd: int | None = None) -> bytes:
    """At most 100 KiB + 1 byte of a regular file that is no link."""
    fd = os.open(name, _READ_FLAGS, dir_fd=dir_fd)
    try:
        return _read_open(fd)
    finally:
        os.close(fd)


def _read_open(fd: int) -> bytes:
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is not a regular file")
    limit = MAX_MEMORY_BYTES + 1
    data = os.read(fd, min(status.st_size + 1, limit))
    # A read may come back short; only an empty one, or one of the file's whole size, is the end.
    while data and len(data) != status.st_size and len(data) < limit:
        more = os.read(fd, limit - len(data))
        if not more:
            break
        data += more
    return data


def read_below(folder: str, relative: str) -> bytes:
    """A file below a folder, no link followed on the way."""
    *parents, name = relative.split("/")
    fd = os.open(folder, FOLDER_FLAGS & ~os.O_NOFOLLOW)
    try:
        for parent in parents:
            below = os.open(parent, FOLDER_FLAGS, dir_fd=fd)
            os.close(fd)
            fd = below
        return read_file(name, dir_fd=fd)
    finally:
        os.close(fd)


def open_real(path: str, flags: int) -> int:
    """Open a path that was just resolved; raises ValueError if it is not that object any more.

    After opening, the resolved path must still be its own real path and name what was opened.
    """
    fd = os.open(path, flags)
    opened, named = os.fstat(fd), os.stat(path, follow_symlinks=False)
    if os.path.realpath(path) != path or not os.path.samestat(opened, named):
        os.close(fd)
        raise ValueError("it changed while it was opened")
    return fd


def read_linked(file: str, root: str) -> bytes:
    """A file that links lead to, if what was opened lies inside the root."""
    real = os.path.realpath(file)
    if not inside(real, root):
        raise ValueError("a link leads out of the folder")
    fd = open_real(real, _READ_FLAGS)
    try:
        return _read_open(fd)
    finally:
        os.close(fd)
