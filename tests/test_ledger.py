from __future__ import annotations

import json
import os
import resource
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import processes
from xum_intuition import ledger
from xum_intuition.result import ModelUsage

NOW = 1_796_000_000_000


def usage(model: str = "p/m", cost: float | None = 0.5) -> ModelUsage:
    return ModelUsage(model, 100, 20, 5, cost)


def entry(**changes: Any) -> ledger.LedgerEntry:
    values: dict[str, Any] = {
        "at_ms": NOW,
        "store": "/memories",
        "kind": "recognized",
        "models": ("p/m",),
        "usage": (usage(),),
        "steps": 2,
        "elapsed_ms": 300,
        "timed_out": False,
        "recognized": 1,
    }
    return ledger.LedgerEntry(**(values | changes))


def summary(folder: Path, **changes: Any) -> ledger.Summary:
    return ledger.read(folder, **({"store": None, "since_ms": None} | changes))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "intuition"


def test_reading_where_nothing_was_written_makes_nothing(folder: Path) -> None:
    assert summary(folder) == ledger.Summary()
    assert not folder.parent.exists()


def test_a_line_has_the_documented_fields(folder: Path) -> None:
    assert ledger.append(folder, entry(usage=(usage(cost=None),))) is None
    (line,) = (folder / "ledger.jsonl").read_text().splitlines()
    assert json.loads(line) == {
        "at": NOW,
        "store": "/memories",
        "kind": "recognized",
        "models": ["p/m"],
        "usage": [
            {
                "model": "p/m",
                "inputTokens": 100,
                "outputTokens": 20,
                "cachedInputTokens": 5,
                "costUsd": None,
            }
        ],
        "steps": 2,
        "elapsedMs": 300,
        "timedOut": False,
        "recognized": 1,
    }


def test_the_state_folder_is_for_its_owner_only(folder: Path) -> None:
    ledger.append(folder, entry())
    assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700
    assert (folder / "ledger.jsonl").stat().st_mode & 0o777 == 0o600


def test_recalls_are_summed_by_kind_and_by_model_that_answered(folder: Path) -> None:
    ledger.append(folder, entry(usage=(usage("a/x"), usage("b/y", None)), elapsed_ms=100))
    ledger.append(folder, entry(kind="error", usage=(usage("a/x", 0.25),), timed_out=True))
    ledger.append(folder, entry(kind="uncertain", usage=(), recognized=0, elapsed_ms=900))
    assert summary(folder) == ledger.Summary(
        recalls=3,
        kinds={"error": 1, "recognized": 1, "uncertain": 1},
        models=[
            ledger.ModelTotal("a/x", 2, 200, 40, 10, 0.75, 0),
            ledger.ModelTotal("b/y", 1, 100, 20, 5, None, 1),
        ],
        p50_ms=300,
        p95_ms=900,
        timeouts=1,
        recognized=2,
        first_ms=NOW,
        last_ms=NOW,
    )


def test_a_price_of_nothing_is_not_an_unknown_price(folder: Path) -> None:
    ledger.append(folder, entry(usage=(usage("offline", 0.0),)))
    assert summary(folder).models[0].cost_usd == 0.0
    assert summary(folder).models[0].unpriced == 0


def test_a_store_and_a_time_choose_what_is_summed(folder: Path) -> None:
    ledger.append(folder, entry(store="/a", at_ms=NOW - 10))
    ledger.append(folder, entry(store="/a"))
    ledger.append(folder, entry(store="/b"))
    assert summary(folder).recalls == 3
    assert summary(folder, store="/a").recalls == 2
    assert summary(folder, store="/a", since_ms=NOW).recalls == 1


@pytest.mark.parametrize(
    ("count", "p50", "p95"), [(1, 1, 1), (2, 1, 2), (20, 10, 19), (100, 50, 95)]
)
def test_percentiles_are_of_the_nearest_rank(folder: Path, count: int, p50: int, p95: int) -> None:
    for elapsed in range(count, 0, -1):
        ledger.append(folder, entry(elapsed_ms=elapsed))
    found = summary(folder)
    assert (found.p50_ms, found.p95_ms) == (p50, p95)


def test_a_torn_line_is_tolerated_and_the_next_one_is_whole(folder: Path) -> None:
    ledger.append(folder, entry())
    with (folder / "ledger.jsonl").open("ab") as file:
        file.write(b'{"at": 17, "st')
    assert summary(folder).recalls == 1
    ledger.append(folder, entry())
    assert summary(folder).recalls == 2
    assert summary(folder).unreadable_lines == 1


def test_lines_of_any_shape_are_survived(folder: Path) -> None:
    folder.mkdir(parents=True)
    lines = [
        b"[]", b"17", b"\xff\xfe", b"", b"[" * 100_000, b"{}", b'{"at": "x", "usage": 5}',
        b'{"at": 1e999, "kind": ["a"], "elapsedMs": -5, "usage": [1, {}, {"costUsd": NaN}]}',
        b'{"kind": "x", "usage": [{"model": null, "inputTokens": "many", "costUsd": true}]}',
    ]  # fmt: skip
    (folder / "ledger.jsonl").write_bytes(b"\n".join(lines))
    found = summary(folder)
    assert found.recalls == 1
    assert found.unreadable_lines == 7
    assert all(total.input_tokens == 0 and total.cost_usd is None for total in found.models)


def test_a_full_file_is_put_behind_a_new_one_and_only_the_oldest_go(folder: Path) -> None:
    for number in range(20):
        assert ledger.append(folder, entry(at_ms=number), max_bytes=700) is None
    names = sorted(path.name for path in folder.glob("*.jsonl"))
    assert names == ["ledger.1.jsonl", "ledger.2.jsonl", "ledger.3.jsonl", "ledger.jsonl"]
    assert all(path.stat().st_size <= 700 for path in folder.glob("*.jsonl"))
    found = summary(folder)
    assert 8 <= found.recalls < 20
    assert found.last_ms == 19
    assert found.first_ms == 20 - found.recalls


APPEND = """
import sys
from pathlib import Path
from xum_intuition import ledger
from xum_intuition.result import ModelUsage
for number in range(50):
    entry = ledger.LedgerEntry(
        number, "/s" * 2000, "recognized", ("m",), (ModelUsage("m", 1, 1, 0, 0.0),), 1, 1, False, 1
    )
    assert ledger.append(Path(sys.argv[1]), entry, max_bytes=400_000) is None
"""


def test_many_writers_never_mix_their_lines(folder: Path) -> None:
    for child in [processes.python(APPEND, folder) for _ in range(6)]:
        processes.finish(child)
    found = summary(folder)
    assert (found.recalls, found.unreadable_lines) == (300, 0)
    assert found.models == [ledger.ModelTotal("m", 300, 300, 300, 0, 0.0, 0)]


def test_a_full_disk_gives_a_warning_and_no_torn_line(folder: Path) -> None:
    ledger.append(folder, entry())
    size = (folder / "ledger.jsonl").stat().st_size
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, old[1]))
    try:
        warning = ledger.append(folder, entry())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert warning is not None and "not written to the ledger" in warning
    assert (folder / "ledger.jsonl").stat().st_size == size


def test_a_state_folder_that_cannot_be_made_gives_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    warning = ledger.append(tmp_path / "file" / "state", entry())
    assert warning is not None and str(tmp_path / "file") in warning


def test_a_ledger_that_another_process_keeps_locked_gives_a_warning(folder: Path) -> None:
    ledger.append(folder, entry())
    code = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""
    child = processes.python(code, folder / "ledger.lock")
    assert child.stdout is not None and child.stdout.readline() == "locked\n"
    warning = ledger.append(folder, entry(), wait_s=0.05)
    processes.finish(child)
    assert warning is not None and "locked by another process" in warning
    assert os.path.getsize(folder / "ledger.jsonl") > 0


FIELDS = ["at", "kind", "usage", "models", "model", "costUsd", "inputTokens", "elapsedMs"]
lines = st.binary(max_size=60) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["at", "kind", "usage", "models", "model", "costUsd"]), inner
        )
    ),
    max_leaves=12,
).map(lambda value: json.dumps(value).encode())


@settings(max_examples=50)
@given(st.lists(lines, max_size=8))
def test_whatever_is_in_the_file_it_is_summed_up(found: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name, "ledger.jsonl").write_bytes(b"\n".join(found))
        read = summary(Path(name))
    assert sum(read.kinds.values()) == read.recalls
    assert all(total.cost_usd is None or total.cost_usd >= 0 for total in read.models)
