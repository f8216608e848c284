"""A clock that goes backwards, and others who write while recalls run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support import processes
from xum_intuition import ledger, turns
from xum_intuition.memory import hotset, sidecar

NOW = 1_796_000_000_000
HOUR = 3_600_000
KEY = "global:tower.md"


def test_a_turn_is_not_forgotten_by_a_clock_set_back(tmp_path: Path) -> None:
    for _ in range(3):
        assert turns.charge(tmp_path, "t", 3, NOW).allowed
    assert turns.reached(tmp_path, "t", 3, NOW - HOUR)
    assert not turns.charge(tmp_path, "t", 3, NOW - HOUR).allowed


def test_a_use_counts_although_the_last_one_lies_ahead(tmp_path: Path) -> None:
    file = tmp_path / "memory-meta.json"
    for now_ms in (NOW, NOW - HOUR):
        warnings = sidecar.record_uses(
            file, [KEY], now_ms=now_ms, wait_s=1, begin=lambda: None, check=lambda: None
        )
        assert warnings == []
    found = sidecar.load(file).entries
    assert (found[KEY].access_count, found[KEY].last_accessed_at) == (2, NOW - HOUR)
    (ranked,) = hotset.rank(found, NOW - 9 * HOUR)
    assert 0 < ranked.score <= 2


def test_the_ledger_sums_up_lines_of_any_order(tmp_path: Path) -> None:
    for at_ms in (NOW, NOW - HOUR, NOW + HOUR):
        entry = ledger.LedgerEntry(at_ms, "s", "uncertain", (), (), 1, 5, False, 0)
        assert ledger.append(tmp_path, entry) is None
    assert ledger.read(tmp_path, store="s", since_ms=None).recalls == 3
    assert ledger.read(tmp_path, store="s", since_ms=NOW).recalls == 2


WRITER = """
import os, pathlib, sys, time
folder, stop = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
while not stop.exists():
    for n in range(20):
        (folder / f"n{n}.md").write_text("# Note\\n\\nwords\\n" * (n + 1))
    new = folder / "new"
    new.write_text("# Tower\\n\\nKestrels nest in the bell tower; clean it in August.\\n")
    os.replace(new, folder / "tower.md")
    (folder / "n3.md").unlink()
"""


def test_recalls_and_writers_on_one_store_do_not_disturb_each_other(tmp_path: Path) -> None:
    folder, meta, stop = tmp_path / "notes", tmp_path / "meta.json", tmp_path / "stop"
    folder.mkdir()
    (folder / "tower.md").write_text("# Tower\n\nKestrels nest in the bell tower; wait.\n")
    with subprocess.Popen([sys.executable, "-c", WRITER, folder, stop]) as writer:
        place = ("recall", "-d", folder, "--meta", meta, "--cue", "when to clean the bell tower")
        recalls = [processes.start_intuition(*place, "--json") for _ in range(4)]
        told = [json.loads(processes.finish(child)) for child in recalls]
        stop.touch()
        writer.wait(30)
    recognized = [result for result in told if result["kind"] == "recognized"]
    assert recognized, told
    for result in recognized:
        for memory in result["memories"]:
            assert "bell tower" in memory["excerpt"]
    assert sidecar.load(meta).entries[KEY].access_count == len(recognized)
