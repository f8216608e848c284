"""Opening and reading memory files without being led elsewhere.

A path is walked from the scope's folder without following links. Where a link is allowed, the path
it stands for is walked in the same way, so that a link swapped in between the check and the read
gains nothing.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from xum_intuition.errors import Unreadable
from xum_intuition.limits import MAX_MEMORY_BYTES

FOLDER_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY
_READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
_SPARE_DESCRIPTORS = 16
"""Of those that the process may have, not to be used up by one folder within another."""


class LeadsOut(ValueError):
    """A link leads out of its scope's folder."""


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


def open_root(folder: str) -> int:
    """Open a scope's folder, which may be a link itself: its owner named it."""
    return os.open(folder, FOLDER_FLAGS & ~os.O_NOFOLLOW)


def read_below(root_fd: int, relative: str) -> bytes:
    """A file below a folder, no link followed on the way."""
    fd = _open_below(root_fd, relative, _READ_FLAGS)
    try:
        return _read_open(fd)
    finally:
        os.close(fd)


def read_linked(path: str, root_fd: int, root: str) -> bytes:
    """A file that links lead to, if it lies inside the root; raises LeadsOut where it does not."""
    fd = open_linked(path, root_fd, root, _READ_FLAGS)
    try:
        return _read_open(fd)
    finally:
        os.close(fd)


def open_linked(path: str, root_fd: int, root: str, flags: int) -> int:
    """Open what a path with links in it leads to, below a folder open as `root_fd`.

    `root` is that folder's real path. Links are only resolved by name: what is opened is walked to
    from the folder without following any, so one that is swapped in meanwhile leads nowhere.
    """
    real = os.path.realpath(path)
    if not inside(real, root):
        raise LeadsOut("a link leads out of the folder")
    return _open_below(root_fd, os.path.relpath(real, root), flags)


def _open_below(root_fd: int, relative: str, flags: int) -> int:
    *parents, name = relative.split("/")
    fd = os.dup(root_fd)
    try:
        for parent in parents:
            below = os.open(parent, FOLDER_FLAGS, dir_fd=fd)
            os.close(fd)
            fd = below
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=fd)
    finally:
        os.close(fd)


class Ancestors(NamedTuple):
    """A folder's device and inode, and those of the folders that it lies in."""

    own: tuple[int, int]
    above: Ancestors | None


def with_spare(fd: int) -> int:
    """The descriptor, unless the last ones would be used up: the rest of a recall needs some."""
    allowed = os.sysconf("SC_OPEN_MAX")  # -1: any number
    if 0 < allowed <= fd + _SPARE_DESCRIPTORS:
        os.close(fd)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    return fd


def identity(fd: int) -> tuple[int, int]:
    status = os.fstat(fd)
    return status.st_dev, status.st_ino


def up(folder: Ancestors | None) -> Iterator[tuple[int, int]]:
    while folder is not None:
        yield folder.own
        folder = folder.above
