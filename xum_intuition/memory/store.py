"""Reading a store by its rules: one walk that hands out each memory once, and single reads.

Nothing outside a scope's folder is ever opened; see `files`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from xum_intuition.errors import Unreadable
from xum_intuition.memory import sidecar
from xum_intuition.memory.files import (
    FOLDER_FLAGS,
    Ancestors,
    LeadsOut,
    identity,
    inside,
    open_linked,
    open_root,
    read_below,
    read_file,
    read_linked,
    text_problem,
    up,
    with_spare,
)
from xum_intuition.memory.globs import matcher
from xum_intuition.memory.paths import Layout, Scope, ScopeRoot, is_bad_name, virtual_path
from xum_intuition.text import visible

_MAX_PATH_BYTES = 4_095
"""Of a folder's path below its scope: no program can name a longer one."""


class Entry(NamedTuple):
    """One memory file of the index."""

    scope: Scope
    relative: str
    """Below the scope's folder, with `/`."""
    path: str
    """Virtual path."""
    file: str
    """Path on disk."""
    linked: bool
    """Whether a symbolic link lies between the scope's folder and the file."""


@dataclass(slots=True)
class Counts:
    """What a walk met in one scope."""

    files: int = 0
    beyond_cap: int = 0
    unreadable: int = 0
    """Listed, but larger than a memory may be, with a NUL byte, or not UTF-8."""
    broken: int = 0
    """Files and folders that could not be opened; not listed."""
    escaped: int = 0
    """Links that lead out of the scope; treated as absent."""
    bad_names: int = 0
    """Files whose name breaks the rule of virtual paths; not listed."""

    @property
    def skipped(self) -> int:
        return self.broken + self.escaped + self.bad_names


@dataclass(slots=True)
class _Walk:
    """The state of walking one scope."""

    root: ScopeRoot
    root_fd: int
    real: str
    counts: Counts
    broken: list[str] = field(default_factory=list)
    linked_folders: set[tuple[int, int]] = field(default_factory=set)


class _File(NamedTuple):
    """A file that is still to be read, named by its folder's descriptor."""

    folder_fd: int
    item: os.DirEntry[str]
    relative: str
    linked: bool
    bad: bool


class _Folder(NamedTuple):
    """A folder that is still to be listed, named by its parent's descriptor."""

    parent_fd: int
    name: str
    relative: str
    linked: bool
    bad: bool
    above: Ancestors | None


class Store:
    """The memories of one layout. `scan` fills `counts` and `warnings`."""

    def __init__(self, layout: Layout, *, max_files: int | None = None) -> None:
        self.layout = layout
        self.max_files = max_files or layout.max_files
        self.counts: dict[Scope, Counts] = {root.scope: Counts() for root in layout.scopes}
        self.entries: dict[str, Entry] = {}
        """By virtual path, in index order; filled by `scan`."""
        self.warnings: list[str] = []
        self._taken = matcher(layout.include)
        self._left = matcher(layout.exclude)
        self._roots = {root.scope: root for root in layout.scopes}

    def scan(self, stop: Callable[[], bool] = lambda: False) -> Iterator[tuple[Entry, bytes]]:
        """Each memory in index order, with at most 100 KiB + 1 byte of it.

        Ends early once `stop` answers True; it is asked between files.
        """
        self.entries, self.warnings = {}, []
        for root in self.layout.scopes:
            self.counts[root.scope] = Counts()
            yield from self._scan_scope(root, stop)

    def read(self, path: str) -> bytes:
        """The bytes of an indexed memory, at most 100 KiB + 1; raises Unreadable."""
        entry = self.entries.get(path)
        if entry is None:
            raise Unreadable("there is no such memory")
        root = self._roots[entry.scope]
        try:
            root_fd = open_root(root.folder)
            try:
                if entry.linked:
                    return read_linked(entry.file, root_fd, os.path.realpath(root.folder))
                return read_below(root_fd, entry.relative)
            finally:
                os.close(root_fd)
        except (OSError, ValueError) as error:
            raise Unreadable(f"the file cannot be read ({_reason(error)})") from None

    def file(self, path: str) -> str:
        """Where an indexed memory is on disk."""
        return self.entries[path].file

    def key(self, path: str) -> str:
        """An indexed memory's key in the sidecar."""
        entry = self.entries[path]
        return sidecar.key(entry.scope, self._roots[entry.scope].component, entry.relative)

    def _scan_scope(
        self, root: ScopeRoot, stop: Callable[[], bool]
    ) -> Iterator[tuple[Entry, bytes]]:
        try:
            root_fd = open_root(root.folder)
        except FileNotFoundError:
            return
        except OSError as error:
            self.counts[root.scope].broken += 1
            self.warnings.append(f"{visible(root.folder)} was skipped: {_reason(error)}")
            return
        walk = _Walk(root, root_fd, os.path.realpath(root.folder), self.counts[root.scope])
        try:
            yield from self._walk(walk, stop)
        finally:
            os.close(root_fd)
            self._summarize(walk)

    def _walk(self, walk: _Walk, stop: Callable[[], bool]) -> Iterator[tuple[Entry, bytes]]:
        """Depth first in path order. The stack holds folders, files and descriptors to close."""
        stack: list[_Folder | _File | int] = [_Folder(walk.root_fd, ".", "", False, False, None)]
        try:
            while stack:
                item = stack.pop()
                if isinstance(item, int):
                    os.close(item)
                elif isinstance(item, _Folder):
                    stack += self._list(walk, item)
                elif (found := self._file(walk, item)) is not None:
                    yield found
                    if stop():
                        return
        finally:
            for item in stack:
                if isinstance(item, int):
                    os.close(item)

    def _list(self, walk: _Walk, folder: _Folder) -> list[_Folder | _File | int]:
        """What a folder adds to the stack: its descriptor's end, then its content, last first."""
        try:
            fd = self._open_folder(walk, folder)
        except (OSError, ValueError) as error:
            self._broken(walk, folder.relative, error)
            return []
        if fd is None:
            return []
        above = Ancestors(identity(fd), folder.above)
        try:
            with os.scandir(fd) as listing:
                entries = [entry for entry in listing if not self._hidden(entry)]
        except OSError as error:
            os.close(fd)
            self._broken(walk, folder.relative, error)
            return []
        items: list[tuple[str, _Folder | _File]] = []
        for entry in entries:
            bad = folder.bad or is_bad_name(entry.name)
            relative = folder.relative + entry.name
            linked = folder.linked or entry.is_symlink()
            if _is_folder(entry):
                below = _Folder(fd, entry.name, relative + "/", linked, bad, above)
                items.append((entry.name + "/", below))
            elif self._taken(relative) and not self._left(relative):
                items.append((entry.name, _File(fd, entry, relative, linked, bad)))
        items.sort(key=lambda pair: pair[0], reverse=True)
        return [fd, *(item for _, item in items)]

    def _hidden(self, entry: os.DirEntry[str]) -> bool:
        if not entry.name.startswith("."):
            return False
        return entry.name not in self.layout.agent_folders or not _is_folder(entry)

    def _open_folder(self, walk: _Walk, folder: _Folder) -> int | None:
        """A descriptor of the folder; None where a link leads out or in a circle."""
        if len(os.fsencode(folder.relative)) > _MAX_PATH_BYTES:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        try:
            return with_spare(os.open(folder.name, FOLDER_FLAGS, dir_fd=folder.parent_fd))
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR) or not folder.linked:
                raise
        try:
            path = os.path.join(walk.root.folder, folder.relative)
            fd = with_spare(open_linked(path, walk.root_fd, walk.real, FOLDER_FLAGS))
        except LeadsOut:
            walk.counts.escaped += 1
            return None
        where = identity(fd)
        # Each folder is entered through a link once at most: links among n folders would otherwise
        # give a number of paths that grows faster than any power of n.
        if where in up(folder.above) or where in walk.linked_folders:
            os.close(fd)
            return None
        walk.linked_folders.add(where)
        return fd

    def _file(self, walk: _Walk, found: _File) -> tuple[Entry, bytes] | None:
        """The memory that a directory entry is, or None with the reason counted."""
        counts, relative = walk.counts, found.relative
        file = f"{walk.root.folder}/{relative}"
        link = found.item.is_symlink()
        try:
            if link and not inside(os.path.realpath(file), walk.real):
                counts.escaped += 1
                return None
            if not found.item.is_file():
                return None
            if found.bad:
                counts.bad_names += 1
                return None
            if counts.files >= self.max_files:
                counts.beyond_cap += 1
                return None
            if link:
                data = read_linked(file, walk.root_fd, walk.real)
            else:
                data = read_file(found.item.name, dir_fd=found.folder_fd)
        except LeadsOut:  # swapped in after the first look
            counts.escaped += 1
            return None
        except (OSError, ValueError) as error:
            self._broken(walk, relative, error)
            return None
        scope = walk.root.scope
        entry = Entry(scope, relative, virtual_path(scope, relative), file, found.linked)
        counts.files += 1
        counts.unreadable += text_problem(data) is not None
        self.entries[entry.path] = entry
        return entry, data

    def _broken(self, walk: _Walk, relative: str, error: OSError | ValueError) -> None:
        walk.counts.broken += 1
        walk.broken.append(f"{virtual_path(walk.root.scope, relative)} ({_reason(error)})")

    def _summarize(self, walk: _Walk) -> None:
        """One warning a kind and scope, however many files are concerned."""
        counts, scope = walk.counts, walk.root.scope
        if walk.broken:
            some = "; ".join(visible(_shortened(name)) for name in walk.broken[:3])
            more = f" and {len(walk.broken) - 3} more" if len(walk.broken) > 3 else ""
            self.warnings.append(f"{scope}: skipped what cannot be read: {some}{more}.")
        if counts.escaped:
            self.warnings.append(f"{scope}: {counts.escaped} link(s) lead out of the folder.")
        if counts.bad_names:
            self.warnings.append(
                f"{scope}: {counts.bad_names} file(s) have names that a memory path cannot hold."
            )
        if counts.beyond_cap:
            self.warnings.append(
                f"{scope}: only the first {self.max_files} files are indexed;"
                f" {counts.beyond_cap} lie beyond (budgets.max_files)."
            )


def _shortened(name: str) -> str:
    return name if len(name) <= 300 else f"{name[:200]}…{name[-80:]}"


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
