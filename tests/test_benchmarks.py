"""What the benchmark measures is a recall that recognizes something; its times are no test."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tests.benchmarks import measure, stores
from tests.support.command_line import intuition


def test_a_made_up_store_is_the_same_each_time_and_holds_the_answer(tmp_path: Path) -> None:
    one, other = (stores.make(tmp_path / name, 40) for name in ("one", "other"))
    files = [file.relative_to(one) for file in sorted(one.rglob("*.md"))]
    assert len(files) == 40
    assert all((one / file).read_bytes() == (other / file).read_bytes() for file in files)
    assert {(one / file).stat().st_size for file in files} == {2048}
    done = intuition("recall", "--memory-dir", one, "--cue", stores.CUE, "--json")
    assert json.loads(done.stdout)["kind"] == "recognized", done.stdout


def test_files_are_spread_up_to_the_largest_memory(tmp_path: Path) -> None:
    folder = stores.make(tmp_path / "spread", 60, spread=True)
    sizes = [file.stat().st_size for file in folder.rglob("*.md")]
    assert min(sizes) < 1000
    assert 20_000 < max(sizes) <= stores.LARGEST


def test_a_row_tells_its_ratio_to_the_reference() -> None:
    rows = [
        measure.Row(name, [sys.executable, "-c", "pass"], "first") for name in ("first", "same")
    ]
    found = measure.in_turn(rows, dict(os.environ), rounds=1)
    assert [len(runs) for runs in found.values()] == [1, 1]
    first, same = measure.table(rows, found).splitlines()[2:]
    assert "| 1.00 | 1.00 | first |" in first
    assert same.startswith("| same |")
