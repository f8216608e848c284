from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xum_intuition.memory import sidecar
from xum_intuition.memory.diff import diff

NOW = 1_796_000_000_000
DAY_MS = 24 * 60 * 60 * 1000


def meta(**entries: Any) -> sidecar.Sidecar:
    text = json.dumps({"entries": {f"global:{name}.md": value for name, value in entries.items()}})
    return sidecar.parse(text.encode(), "it")


def used(count: int, age_ms: int = 0, **more: Any) -> dict[str, Any]:
    return {"accessCount": count, "lastAccessedAt": NOW - age_ms, **more}


def test_added_removed_and_changed_fields_with_their_deltas() -> None:
    before = meta(gone=used(1), kept=used(2), b=used(1, 3 * DAY_MS, pinned=False))
    after = meta(new=used(1), kept=used(2), b=used(2, pinned=True))
    found = diff(before, after, NOW).to_json()
    assert found["added"] == ["global:new.md"]
    assert found["removed"] == ["global:gone.md"]
    assert found["changed"] == [
        {
            "key": "global:b.md",
            "fields": {
                "pinned": {"before": False, "after": True, "delta": None},
                "accessCount": {"before": 1, "after": 2, "delta": 1},
                "lastAccessedAt": {
                    "before": NOW - 3 * DAY_MS,
                    "after": NOW,
                    "delta": 3 * DAY_MS,
                },
            },
        }
    ]


def test_who_entered_left_and_moved_in_the_hot_set() -> None:
    before = meta(**{f"m{n}": used(20 - n) for n in range(8)})
    after = meta(**{f"m{n}": used(20 - n) for n in range(7)}, new=used(30))
    found = diff(before, after, NOW).to_json()["hotSet"]
    assert found["entered"] == ["global:new.md"]
    assert found["left"] == ["global:m7.md"]
    assert found["moved"][0] == {"key": "global:m0.md", "from": 1, "to": 2}
    assert len(found["moved"]) == 7


def test_both_hot_sets_are_of_the_same_moment() -> None:
    same = meta(a=used(4), b=used(5, 14 * DAY_MS))
    hot = diff(same, same, NOW + 100 * DAY_MS).hot_set
    assert (hot.entered, hot.left, hot.moved) == ((), (), ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"pinned": False, "accessCount": 0, "lastAccessedAt": None, "lastWriteAt": None}),
        ({"accessCount": 1}, {"accessCount": 1.0}),
        ({"accessCount": 10}, json.loads('{"accessCount": 1e1}')),
        ({"later": None}, {}),
    ],
)
def test_what_means_the_same_is_no_change(before: Any, after: Any) -> None:
    assert not diff(meta(a=before), meta(a=after), NOW)


@pytest.mark.parametrize(
    ("before", "after", "fields"),
    [
        ({"lastWriteAt": None}, {"lastWriteAt": 5}, {"lastWriteAt": (None, 5, None)}),
        ({"pinned": True}, {"pinned": 1}, {"pinned": (True, 1, None)}),
        ({"x": [1]}, {"x": {"y": 2}}, {"x": ([1], {"y": 2}, None)}),
        ({"x": False}, {}, {"x": (False, None, None)}),
        ({"accessCount": 5}, {"accessCount": "5"}, {"accessCount": (5, "5", None)}),
        ({"accessCount": 5}, {"accessCount": 2}, {"accessCount": (5, 2, -3)}),
        (5, 6, {"": (5, 6, None)}),
    ],
)
def test_fields_of_any_kind_are_compared(
    before: Any, after: Any, fields: dict[str, tuple[Any, Any, Any]]
) -> None:
    (change,) = diff(meta(a=before), meta(a=after), NOW).changed
    found = {name: (f.before, f.after, f.delta) for name, f in change.fields.items()}
    assert found == fields | ({"": (5, 6, 1)} if before == 5 else {})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
).filter(lambda v: "Infinity" not in json.dumps(v))
names = st.sampled_from(["pinned", "accessCount", "lastAccessedAt", "x"])
sidecars = st.dictionaries(st.text("ab"), values | st.dictionaries(names, values)).map(
    lambda entries: meta(**entries)
)


@settings(max_examples=50)
@given(sidecars, st.integers())
def test_nothing_differs_from_itself(found: sidecar.Sidecar, at_ms: int) -> None:
    difference = diff(found, found, at_ms)
    assert not difference
    assert difference.to_json() == {
        "added": [],
        "removed": [],
        "changed": [],
        "hotSet": {"entered": [], "left": [], "moved": []},
    }


@settings(max_examples=30)
@given(sidecars, sidecars)
def test_the_way_back_is_the_way_there_reversed(a: sidecar.Sidecar, b: sidecar.Sidecar) -> None:
    there, back = diff(a, b, NOW), diff(b, a, NOW)
    assert (there.added, there.removed) == (back.removed, back.added)
    assert [c.key for c in there.changed] == [c.key for c in back.changed]
    assert sorted(there.hot_set.entered) == sorted(back.hot_set.left)
    json.dumps(there.to_json(), allow_nan=False)
