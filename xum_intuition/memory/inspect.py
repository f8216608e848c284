"""Looking at a sidecar by hand: listing it, naming one of its memories, copying it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from xum_intuition import atomic
from xum_intuition.errors import StoreError, UsageProblem
from xum_intuition.memory import hotset, sidecar, spelled_json
from xum_intuition.memory.files import inside
from xum_intuition.memory.paths import Layout, path_problem, virtual_path
from xum_intuition.memory.store import Store


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry as a person looks at it; the rank is None where it is neither used nor pinned."""

    key: str
    rank: int | None
    score: float
    entry: sidecar.Entry


@dataclass(frozen=True, slots=True)
class Listing:
    """A whole sidecar, ranked entries first."""

    file: Path
    at_ms: int
    listed: tuple[Listed, ...]
    document: sidecar.Sidecar

    def to_json(self) -> dict[str, Any]:
        """`entries` as in the file, so that this output can be compared as a sidecar, too."""
        ranking = [
            {"rank": item.rank, "key": item.key, "score": item.score}
            for item in self.listed
            if item.rank is not None
        ]
        return {
            "file": str(self.file),
            "at": self.at_ms,
            "entries": spelled_json.plain(self.document.raw),
            "ranking": ranking,
        }


def listing(layout: Layout, found: sidecar.Sidecar, now_ms: int) -> Listing:
    entries = found.entries
    ranked = hotset.rank(entries, now_ms)
    listed = [
        Listed(item.key, rank, item.score, entries[item.key])
        for rank, item in enumerate(ranked, start=1)
    ]
    rest = sorted(entries.keys() - {item.key for item in ranked})
    listed += [Listed(key, None, 0.0, entries[key]) for key in rest]
    return Listing(layout.sidecar_file, now_ms, tuple(listed), found)


def read_argument(name: str, role: str) -> sidecar.Sidecar:
    """The sidecar that an argument names, `-` being standard input; raises StoreError with both."""
    told = f"{role} (standard input)" if name == "-" else f"{role} ({name})"
    try:
        if name == "-":
            data = sys.stdin.buffer.read(sidecar.MAX_BYTES + 1)
        else:
            with open(name, "rb") as file:
                data = file.read(sidecar.MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StoreError(f"{told} cannot be read: {reason}.") from None
    if len(data) > sidecar.MAX_BYTES:
        raise StoreError(f"{told} cannot be read: it is {sidecar.TOO_LARGE}.")
    return sidecar.parse(data, told)


def key_of(store: Store, name: str, found: sidecar.Sidecar, *, must_exist: bool) -> str:
    """The sidecar key of the memory that a person names; raises UsageProblem saying what is wrong.

    A memory whose file is gone is found by its entry, unless it must exist.
    """
    for _ in store.scan():
        pass
    path = name if name.startswith("/memories/") else _virtual(store, name)
    problem = path_problem(path)
    if problem is not None:
        raise UsageProblem(f"{name}: {problem}.")
    if path in store.entries:
        return store.key(path)
    _, _, scope, relative = path.split("/", 3)
    root = next((root for root in store.layout.scopes if root.scope == scope), None)
    if root is None:
        raise UsageProblem(f"{name}: this store has no {scope} scope{_hint(store.layout, scope)}.")
    key = sidecar.key(scope, root.component, relative)
    if not must_exist and key in found.raw:
        return key
    file = os.path.join(root.folder, relative)
    if os.path.isdir(file):
        raise UsageProblem(f"{name} is a folder; name one memory file.")
    if os.path.lexists(file):
        raise UsageProblem(
            f"{name} is there, but it is no memory of this store: a hidden or excluded file, one"
            " beyond the greatest number of files, or a link that leads out."
        )
    raise UsageProblem(f"{name}: there is no such memory; {file} does not exist.")


def _virtual(store: Store, name: str) -> str:
    """The virtual path of a path on disk."""
    real = os.path.realpath(os.path.expanduser(name))
    whole = os.path.abspath(os.path.expanduser(name))
    for root in store.layout.scopes:
        for path, folder in product((whole, real), (root.folder, os.path.realpath(root.folder))):
            if path != folder and inside(path, folder):
                return virtual_path(root.scope, os.path.relpath(path, folder))
    folders = ", ".join(root.folder for root in store.layout.scopes)
    raise UsageProblem(
        f"{name} is neither a path like /memories/global/x.md nor inside this store ({folders})."
    )


def _hint(layout: Layout, scope: str) -> str:
    if layout.kind != "xum" or scope == "global":
        return ""
    return f"; name it with --{scope}"


def pin_document(key: str, entry: sidecar.Entry) -> dict[str, Any]:
    """What pinning and unpinning tell."""
    parts = sidecar.parse_key(key)
    return {
        "path": None if parts is None else parts.path,
        "key": key,
        "pinned": entry.pinned,
        "accessCount": entry.access_count,
        "lastAccessedAt": entry.last_accessed_at,
        "lastWriteAt": entry.last_write_at,
    }


def snapshot(source: Path, target: Path) -> int:
    """Copy a sidecar as it is and return the number of its entries; a missing one is empty.

    Only an older snapshot is overwritten. Raises UsageProblem for another kind of target,
    StoreError for what cannot be read or written.
    """
    found = sidecar.load(source)
    if os.path.lexists(target):
        _check_overwritable(source, target)
    try:
        data = source.read_bytes() if source.exists() else sidecar.render(found) + b"\n"
        found = sidecar.parse(data, str(source))
        atomic.replace(os.fspath(target), data)
    except OSError as error:
        raise StoreError(f"The snapshot {target} cannot be written: {error.strerror}.") from error
    return len(found.raw)


def _check_overwritable(source: Path, target: Path) -> None:
    if os.path.realpath(source) == os.path.realpath(target):
        raise UsageProblem(f"{target} is the sidecar itself; name another file.")
    try:
        sidecar.load(target)
    except StoreError:
        raise UsageProblem(
            f"{target} exists and is no sidecar; it is not overwritten. Name another file."
        ) from None
