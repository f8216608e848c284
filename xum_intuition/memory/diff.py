"""What changed between two sidecars, and what that does to the hot set at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xum_intuition.memory import hotset
from xum_intuition.memory.sidecar import Entry, Sidecar
from xum_intuition.memory.spelled_json import Number, plain

_UNSET: dict[str, Any] = {
    "pinned": False,
    "accessCount": Number("0"),
    "lastAccessedAt": None,
    "lastWriteAt": None,
}
"""What an absent field of an entry means; of fields that are not listed, nothing."""


@dataclass(frozen=True, slots=True)
class Field:
    """A changed field; the delta is there when both values are numbers."""

    before: Any
    after: Any
    delta: int | float | None


@dataclass(frozen=True, slots=True)
class Change:
    key: str
    fields: dict[str, Field]


@dataclass(frozen=True, slots=True)
class Move:
    """A place in the hot set, from 1, before and after."""

    key: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class HotSetChange:
    entered: tuple[str, ...]
    left: tuple[str, ...]
    moved: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[Change, ...]
    hot_set: HotSetChange

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.added or self.removed or self.changed)

    def to_json(self) -> dict[str, Any]:
        changed = [
            {
                "key": change.key,
                "fields": {
                    name: {"before": f.before, "after": f.after, "delta": f.delta}
                    for name, f in change.fields.items()
                },
            }
            for change in self.changed
        ]
        moved = [{"key": m.key, "from": m.before, "to": m.after} for m in self.hot_set.moved]
        return {
            "added": list(self.added),
            "removed": list(self.removed),
            "changed": changed,
            "hotSet": {
                "entered": list(self.hot_set.entered),
                "left": list(self.hot_set.left),
                "moved": moved,
            },
        }


def diff(before: Sidecar, after: Sidecar, at_ms: int) -> Diff:
    """The difference, entries in the order of their keys; both hot sets as of `at_ms`."""
    old, new = before.raw, after.raw
    changed = []
    for key in sorted(old.keys() & new.keys()):
        fields = _changed_fields(_fields(old[key]), _fields(new[key]))
        if fields:
            changed.append(Change(key, fields))
    return Diff(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(changed),
        hot_set=_hot_set_change(before.entries, after.entries, at_ms),
    )


def _fields(entry: Any) -> dict[str, Any]:
    """An entry's fields; one that is no object has a single field without a name."""
    return entry if isinstance(entry, dict) else {"": entry}


def _changed_fields(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Field]:
    changed = {}
    for name in dict.fromkeys([*_UNSET, *old, *new]):
        before = plain(old.get(name, _UNSET.get(name)))
        after = plain(new.get(name, _UNSET.get(name)))
        # True == 1 in Python, but not in a sidecar.
        if before != after or isinstance(before, bool) != isinstance(after, bool):
            changed[name] = Field(before, after, _delta(before, after))
    return changed


def _delta(before: Any, after: Any) -> int | float | None:
    for value in (before, after):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
    delta: int | float = after - before
    return delta


def _hot_set_change(old: dict[str, Entry], new: dict[str, Entry], at_ms: int) -> HotSetChange:
    places = _places(old, at_ms)
    later = _places(new, at_ms)
    return HotSetChange(
        entered=tuple(key for key in later if key not in places),
        left=tuple(key for key in places if key not in later),
        moved=tuple(
            Move(key, places[key], place)
            for key, place in later.items()
            if places.get(key, place) != place
        ),
    )


def _places(entries: dict[str, Entry], at_ms: int) -> dict[str, int]:
    hot = hotset.select(hotset.rank(entries, at_ms))
    return {entry.key: place for place, entry in enumerate(hot, start=1)}
