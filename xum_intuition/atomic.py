"""Writing files of which others see the old or the new content, never a part."""

from __future__ import annotations

import contextlib
import errno
import os
import stat


def replace(path: str, data: bytes, *, durable: bool = True) -> None:
    """Put `data` at `path`, through a symbolic link, with the old file's permissions.

    Durable means that a power cut keeps one of the two contents whole, at a few ms. Raises OSError
    and leaves the old content, and no temporary file, where it cannot.
    """
    target = os.path.realpath(path)
    try:
        old = os.stat(target)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", target)
    temporary = f"{target}.{os.getpid()}-{os.urandom(8).hex()}.tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        try:
            if old is not None:
                _take_over_owner(fd, old)
            write_all(fd, data)
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if durable:
        _sync_folder(os.path.dirname(target))


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, or raise OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def make_private_folder(folder: str) -> None:
    """Create a folder and its parents for their owner only; what exists stays as it is."""
    folder = os.path.abspath(folder)
    if not os.path.isdir(folder):
        make_private_folder(os.path.dirname(folder))
        with contextlib.suppress(FileExistsError):  # somebody else was faster
            os.mkdir(folder, 0o700)


def _take_over_owner(fd: int, old: os.stat_result) -> None:
    new = os.fstat(fd)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):  # only root may give files away
            os.fchown(fd, old.st_uid, old.st_gid)
    os.fchmod(fd, stat.S_IMODE(old.st_mode))


def _sync_folder(folder: str) -> None:
    """Make the new name durable; the content is in place already, so failing is no failure."""
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
