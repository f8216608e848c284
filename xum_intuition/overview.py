"""What `stats` tells: the store, its hot set, and what its recalls cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from xum_intuition import ledger
from xum_intuition.errors import StoreError
from xum_intuition.memory import hotset, sidecar
from xum_intuition.memory.index import documents
from xum_intuition.memory.paths import Layout, hashed_name, path_problem
from xum_intuition.memory.store import Store
from xum_intuition.result import camel, to_json

Status = Literal["present", "gone", "unlisted", "elsewhere"]
"""Of an entry's file: in this store; nowhere; there, but no memory by the rules of reading (a
hidden or excluded file, or one beyond the cap); of another project, workspace or folder."""


@dataclass(slots=True)
class ScopeFigures:
    """One scope, files that are listed and others; bytes as on disk."""

    folder: str
    files: int = 0
    bytes: int = 0
    described: int = 0
    """Files with a description in their frontmatter."""
    undescribed: int = 0
    unreadable: int = 0
    """Listed, but too large, binary or not UTF-8."""
    beyond_cap: int = 0
    broken: int = 0
    """Files and folders that could not be opened."""
    escaped_links: int = 0
    bad_names: int = 0


@dataclass(frozen=True, slots=True)
class Ranked:
    """One entry's place among all that are pinned or used; `hot` where the budgets take it."""

    rank: int
    key: str
    path: str | None
    """Virtual path; None where the key has no form that is known."""
    status: Status
    hot: bool
    score: float
    pinned: bool
    access_count: int
    last_accessed_at: int | None
    bytes: int | None


@dataclass(frozen=True, slots=True)
class Overview:
    """All figures, as of `at_ms`."""

    at_ms: int
    layout: Layout
    scopes: Mapping[str, ScopeFigures]
    ranked: tuple[Ranked, ...]
    costs: ledger.Summary
    since_ms: int | None
    all_stores: bool
    warnings: list[str] = field(default_factory=list)

    def total(self, name: str) -> int:
        """The sum of one figure over the scopes."""
        return sum(int(getattr(figures, name)) for figures in self.scopes.values())

    def to_json(self) -> dict[str, Any]:
        names = [item.name for item in fields(ScopeFigures) if item.name != "folder"]
        return {
            "schemaVersion": 1,
            "at": self.at_ms,
            "store": {
                "base": self.layout.base,
                "layout": self.layout.kind,
                "sidecar": str(self.layout.sidecar_file),
                **{camel(name): self.total(name) for name in names},
                "scopes": {scope: to_json(figures) for scope, figures in self.scopes.items()},
            },
            "hotSet": [to_json(item) for item in self.ranked],
            "ledger": self._ledger_json(),
            "warnings": self.warnings,
        }

    def _ledger_json(self) -> dict[str, Any]:
        costs = self.costs
        return {
            "since": self.since_ms,
            "allStores": self.all_stores,
            "recalls": costs.recalls,
            "kinds": costs.kinds,
            "models": [to_json(total) for total in costs.models],
            "latencyMs": {"p50": costs.p50_ms, "p95": costs.p95_ms},
            "timeouts": costs.timeouts,
            "recognized": costs.recognized,
            "first": costs.first_ms,
            "last": costs.last_ms,
            "unreadableLines": costs.unreadable_lines,
        }


def overview(
    store: Store, state_dir: Path, *, now_ms: int, since_ms: int | None, all_stores: bool
) -> Overview:
    """Look at everything; what cannot be read besides the store is a warning."""
    layout = store.layout
    scopes, sizes = _walk(store)
    warnings = list(store.warnings)
    try:
        entries = sidecar.load(layout.sidecar_file).entries
    except StoreError as error:
        entries = {}
        warnings.append(str(error))
    try:
        base = None if all_stores else layout.base
        costs = ledger.read(state_dir, store=base, since_ms=since_ms)
    except OSError as error:
        costs = ledger.Summary()
        warnings.append(f"The ledger in {state_dir} cannot be read: {error.strerror or error}.")
    if costs.unreadable_lines:
        warnings.append(f"{costs.unreadable_lines} line(s) of the ledger cannot be read.")
    ranked = _ranked(layout, entries, sizes, now_ms)
    return Overview(now_ms, layout, scopes, ranked, costs, since_ms, all_stores, warnings)


def _walk(store: Store) -> tuple[dict[str, ScopeFigures], dict[str, int]]:
    """The scopes' figures, and the size of each file by sidecar key."""
    scopes = {root.scope: ScopeFigures(root.folder) for root in store.layout.scopes}
    sizes: dict[str, int] = {}
    for document in documents(store):
        entry, figures = document.entry, scopes[document.entry.scope]
        size = _size(entry.file)
        figures.bytes += size
        sizes[store.key(entry.path)] = size
        if document.description:
            figures.described += 1
        else:
            figures.undescribed += 1
    for scope, counts in store.counts.items():
        figures = scopes[scope]
        figures.files, figures.unreadable = counts.files, counts.unreadable
        figures.beyond_cap, figures.broken = counts.beyond_cap, counts.broken
        figures.escaped_links, figures.bad_names = counts.escaped, counts.bad_names
    return {str(scope): figures for scope, figures in scopes.items()}, sizes


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size
    except OSError:  # gone since it was read
        return 0


def _ranked(
    layout: Layout, entries: Mapping[str, sidecar.Entry], sizes: Mapping[str, int], now_ms: int
) -> tuple[Ranked, ...]:
    """All ranked entries; the hot set is chosen among those whose file is in the store."""
    order = hotset.rank(entries, now_ms)
    hot = {e.key for e in hotset.select((e for e in order if e.key in sizes), sizes)}
    found = []
    for rank, entry in enumerate(order, start=1):
        parts = sidecar.parse_key(entry.key)
        status: Status = "present" if entry.key in sizes else file_status(layout, parts)
        found.append(
            Ranked(
                rank=rank,
                key=entry.key,
                path=None if parts is None else parts.path,
                status=status,
                hot=entry.key in hot,
                score=entry.score,
                pinned=entry.pinned,
                access_count=entry.access_count,
                last_accessed_at=entry.last_accessed_at,
                bytes=sizes.get(entry.key),
            )
        )
    return tuple(found)


def file_status(layout: Layout, parts: sidecar.Key | None) -> Status:
    """What became of the file of an entry that is not among the store's memories."""
    if parts is None or path_problem(parts.path) is not None:
        return "gone"
    for root in layout.scopes:
        if (root.scope, root.component) == (parts.scope, parts.component):
            there = os.path.lexists(os.path.join(root.folder, parts.relative))
            return "unlisted" if there else "gone"
    folder = _foreign_folder(layout, parts)
    if folder is not None and not os.path.lexists(os.path.join(folder, parts.relative)):
        return "gone"
    return "elsewhere"


def _foreign_folder(layout: Layout, parts: sidecar.Key) -> str | None:
    """Where an xum root keeps another project's or workspace's memories; None if unknown."""
    if layout.kind != "xum" or parts.component is None:
        return None
    if parts.scope == "project":
        return os.path.join(layout.base, "memory", "project", hashed_name(parts.component))
    if "/" in parts.component or parts.component in ("", ".", ".."):
        return None
    return os.path.join(layout.base, "sessions", parts.component, "memory")
