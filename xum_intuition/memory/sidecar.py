"""The sidecar `memory-meta.json`: pins and use counts, shared with another program.

What is not ours to change keeps its place and its spelling: unknown keys and fields, their
order, and numbers, which are carried as the text they were written in.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from xum_intuition import atomic, dirs
from xum_intuition.errors import StoreError
from xum_intuition.memory import lock, spelled_json
from xum_intuition.memory.paths import virtual_path
from xum_intuition.memory.spelled_json import Number, number

MAX_BYTES = 64 * 1024 * 1024
"""Greatest size of a sidecar that is read."""
TOO_LARGE = f"larger than {MAX_BYTES // 1024**2} MiB"

LOCK_WAIT_S = 5.0
"""How long other processes that write are waited for at most."""
Call = Callable[[], None]


class BrokenSidecar(StoreError):
    """The file is there and readable, but it is no sidecar."""


class Key(NamedTuple):
    """What a sidecar key stands for; global memories have no component."""

    scope: str
    component: str | None
    relative: str

    @property
    def path(self) -> str:
        """The virtual path of the memory."""
        return virtual_path(self.scope, self.relative)


class Entry(NamedTuple):
    """An entry's own fields; what is broken counts as never set. Times in ms since the epoch."""

    pinned: bool = False
    access_count: int = 0
    last_accessed_at: int | None = None
    last_write_at: int | None = None


class Sidecar(NamedTuple):
    """A sidecar as parsed: `raw` maps keys to entries of any shape, inside `document`."""

    document: dict[str, Any]
    ends_with_newline: bool = False

    @property
    def raw(self) -> dict[str, Any]:
        entries: dict[str, Any] = self.document["entries"]
        return entries

    @property
    def entries(self) -> dict[str, Entry]:
        return {name: entry(value) for name, value in self.raw.items()}


def key(scope: str, component: str | None, relative: str) -> str:
    """The sidecar key of a memory; the component is a project's path or a workspace's id."""
    parts = [scope, relative] if component is None else [scope, component, relative]
    return ":".join(part.replace("%", "%25").replace(":", "%3A") for part in parts)


def parse_key(text: str) -> Key | None:
    """The parts of a sidecar key, or None where it has another form."""
    scope, *parts = (
        part.replace("%3A", ":").replace("%3a", ":").replace("%25", "%") for part in text.split(":")
    )
    if scope == "global" and len(parts) == 1:
        return Key(scope, None, parts[0])
    if scope in ("project", "workspace") and len(parts) == 2:
        return Key(scope, parts[0], parts[1])
    return None


def entry(value: Any) -> Entry:
    """The typed form of one entry, whatever shape it is in."""
    fields: Mapping[str, Any] = value if isinstance(value, dict) else {}

    def positive(name: str) -> int:
        found = number(fields.get(name))
        return int(found) if found is not None and found > 0 else 0

    return Entry(
        pinned=fields.get("pinned") is True,
        access_count=positive("accessCount"),
        last_accessed_at=positive("lastAccessedAt") or None,
        last_write_at=positive("lastWriteAt") or None,
    )


def load(file: Path) -> Sidecar:
    """Read a sidecar; one that is missing is empty. Raises StoreError, naming file and reason."""
    try:
        data = _read(file)
    except FileNotFoundError:
        return Sidecar({"entries": {}})
    except OSError as error:
        raise StoreError(f"The sidecar {file} cannot be read: {error.strerror}.") from error
    return parse(data, str(file))


def _read(file: Path) -> bytes:
    if not stat.S_ISREG(os.stat(file).st_mode):  # a pipe would keep us for ever
        raise StoreError(f"The sidecar {file} cannot be read: it is not a regular file.")
    data = dirs.read_regular(file, MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise StoreError(f"The sidecar {file} cannot be read: it is {TOO_LARGE}.")
    return data


def parse(data: bytes, name: str) -> Sidecar:
    """The sidecar in `data`; raises BrokenSidecar, which calls it `name`."""
    try:
        document = spelled_json.loads(data)
    except UnicodeDecodeError as error:
        raise BrokenSidecar(f"{name} is not a sidecar: it is not UTF-8.") from error
    except RecursionError as error:
        raise BrokenSidecar(f"{name} is not a sidecar: it is nested too deeply.") from error
    except ValueError as error:
        raise BrokenSidecar(f"{name} is not a sidecar: it is not JSON ({error}).") from error
    if not isinstance(document, dict) or not isinstance(document.get("entries"), dict):
        raise BrokenSidecar(
            f'{name} is not a sidecar: it is not an object with an object "entries".'
        )
    return Sidecar(document, data.endswith(b"\n"))


def render(sidecar: Sidecar) -> bytes:
    """The file's bytes."""
    return spelled_json.dumps(sidecar.document) + (b"\n" if sidecar.ends_with_newline else b"")


def record_uses(
    file: Path,
    keys: Sequence[str],
    *,
    now_ms: int,
    wait_s: float,
    begin: Call,
    check: Call = lambda: None,
) -> list[str]:
    """Count one use of each key, and return warnings; nothing but Interrupted is raised.

    `check` is called while the lock is waited for, `begin` once it is held: the commit point.
    Whatever these two raise leaves the file as it was, and the lock released.
    """
    if not keys:
        return []

    def count(entries: dict[str, Any]) -> None:
        for name in dict.fromkeys(keys):
            _use(entries, name, now_ms)

    warnings: list[str] = []
    try:
        _change(file, count, now_ms, wait_s, begin=begin, check=check, warn=warnings.append)
    except lock.LockNotHad as error:
        warnings.append(f"No use was recorded: {error}.")
    except StoreError as error:
        warnings.append(f"No use was recorded. {error}")
    except OSError as error:
        warnings.append(f"No use was recorded in {file}: {error.strerror or error}.")
    except RecursionError:
        warnings.append(f"No use was recorded in {file}: it is nested too deeply.")
    return warnings


def set_pin(
    file: Path, name: str, pinned: bool, *, now_ms: int, wait_s: float = LOCK_WAIT_S
) -> Entry:
    """Pin or unpin one memory and return its entry; pinning counts as a use.

    Raises StoreError where the sidecar is broken or cannot be written; nothing is set aside.
    """

    def pin(entries: dict[str, Any]) -> None:
        if pinned:
            _use(entries, name, now_ms)["pinned"] = True
        elif isinstance(entries.get(name), dict):
            entries[name]["pinned"] = False

    # A broken one is refused here, before a lock is waited for.
    found = load(file).entries.get(name, Entry())
    if not pinned and not found.pinned:
        return found
    try:
        _change(file, pin, now_ms, wait_s)
    except lock.LockNotHad as error:
        raise StoreError(f"The sidecar cannot be changed now: {error}.") from error
    except OSError as error:
        raise StoreError(
            f"The sidecar {file} cannot be written: {error.strerror or error}."
        ) from error
    return load(file).entries.get(name, Entry())


def _use(entries: dict[str, Any], name: str, now_ms: int) -> dict[str, Any]:
    """Count a use in the raw entries; an entry that is no object is begun anew."""
    found = entries.get(name)
    if not isinstance(found, dict):
        found = {"pinned": False, "accessCount": 0, "lastAccessedAt": None, "lastWriteAt": None}
        entries[name] = found
    found["accessCount"] = Number(entry(found).access_count + 1)
    found["lastAccessedAt"] = Number(now_ms)
    return found


def _change(
    file: Path,
    edit: Callable[[dict[str, Any]], None],
    now_ms: int,
    wait_s: float,
    *,
    begin: Call = lambda: None,
    check: Call = lambda: None,
    warn: Callable[[str], None] | None = None,
) -> None:
    """Lock, read again, edit, replace; raises LockNotHad, StoreError and OSError.

    A broken sidecar is set aside if there is somebody to `warn`, else refused.
    """
    path = os.fspath(file)
    lock_path = f"{path}.lock"
    atomic.make_private_folder(os.path.dirname(os.path.abspath(path)))
    token = lock.acquire(lock_path, wait_s=wait_s, check=check)
    try:
        begin()
        try:
            sidecar = load(file)
        except BrokenSidecar as broken:
            if warn is None:
                raise
            warn(_moved_aside(path, now_ms, broken))
            sidecar = Sidecar({"entries": {}})
        edit(sidecar.raw)
        data = render(sidecar)
        if _write_protected(path):
            raise PermissionError(None, "it is write-protected")
        if not lock.owned(lock_path, token):
            raise lock.LockNotHad(f"{lock_path} was taken away")
        atomic.replace(path, data)
        _clear_leftovers(path)
    finally:
        lock.release(lock_path, token)


def _clear_leftovers(path: str) -> None:
    """Remove the temporary files of processes that were killed: nobody waits for so long."""
    folder, name = os.path.split(os.path.abspath(path))
    ends = r"\.lock(\.reclaim)?\.tmp-\d+-[0-9a-f]{16}|\.\d+-[0-9a-f]{16}\.tmp"
    leftover = re.compile(f"{re.escape(name)}(?:{ends})")
    with contextlib.suppress(OSError):
        for other in os.listdir(folder):
            file = os.path.join(folder, other)
            if leftover.fullmatch(other) and lock.older_than_lease(file):
                os.unlink(file)


def _write_protected(path: str) -> bool:
    """Replacing a file needs no permission on it, but its owner said: hands off."""
    effective = os.access in os.supports_effective_ids
    return os.path.exists(path) and not os.access(path, os.W_OK, effective_ids=effective)


def _moved_aside(path: str, now_ms: int, broken: BrokenSidecar) -> str:
    target = os.path.realpath(path)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now_ms / 1000))
    aside, copy = f"{target}.broken-{stamp}", 1
    while os.path.lexists(aside):
        copy += 1
        aside = f"{target}.broken-{stamp}-{copy}"
    os.rename(target, aside)
    return f"{broken} It was set aside as {aside}."
