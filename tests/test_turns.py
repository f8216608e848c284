from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest

from tests.support import processes
from xum_intuition import turns

NOW = 1_796_000_000_000
DAY_MS = turns.FORGOTTEN_AFTER_MS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_the_fourth_recall_of_a_turn_is_refused(folder: Path) -> None:
    charges = [turns.charge(folder, "t", 3, NOW + i) for i in range(5)]
    assert [charge.allowed for charge in charges] == [True, True, True, False, False]
    assert all(charge.warning is None for charge in charges)


def test_turns_do_not_touch_each_other(folder: Path) -> None:
    for _ in range(3):
        turns.charge(folder, "a", 3, NOW)
    assert turns.charge(folder, "b", 3, NOW).allowed
    assert not turns.charge(folder, "a", 3, NOW).allowed


def test_looking_charges_nothing_and_makes_nothing(folder: Path) -> None:
    for _ in range(5):
        assert not turns.reached(folder, "t", 1, NOW)
    assert not folder.exists()
    turns.charge(folder, "t", 1, NOW)
    assert turns.reached(folder, "t", 1, NOW)
    assert not turns.reached(folder, "t", 2, NOW)


def test_a_turn_is_forgotten_a_day_after_its_last_recall(folder: Path) -> None:
    turns.charge(folder, "t", 1, NOW)
    assert not turns.charge(folder, "t", 1, NOW + DAY_MS - 1).allowed
    assert turns.charge(folder, "t", 1, NOW + DAY_MS).allowed
    assert '"t"' in (folder / "turns.json").read_text()
    turns.charge(folder, "u", 1, NOW + 2 * DAY_MS)
    assert '"t"' not in (folder / "turns.json").read_text()


def test_a_clock_that_went_back_gives_no_recall_for_free(folder: Path) -> None:
    turns.charge(folder, "t", 1, NOW)
    assert not turns.charge(folder, "t", 1, NOW - 3_600_000).allowed


def test_only_so_many_turns_are_remembered_and_the_latest_stay(folder: Path) -> None:
    folder.mkdir()
    many = {f"turn {number}": [1, NOW + number] for number in range(turns.MAX_TURNS)}
    (folder / "turns.json").write_text(json.dumps(many))
    turns.charge(folder, "turn 0", 3, NOW + turns.MAX_TURNS)
    turns.charge(folder, "new", 3, NOW + turns.MAX_TURNS)
    kept = json.loads((folder / "turns.json").read_text())
    assert len(kept) == turns.MAX_TURNS
    assert list(kept)[-2:] == ["turn 0", "new"]
    assert "turn 1" not in kept


@pytest.mark.parametrize("turn", ["", "\udcff/../x", "x" * 100_000, '"\n\0', "ü"])
def test_any_text_names_a_turn(folder: Path, turn: str) -> None:
    assert turns.charge(folder, turn, 1, NOW).allowed
    assert not turns.charge(folder, turn, 1, NOW).allowed
    assert (folder / "turns.json").stat().st_size < 1000


@pytest.mark.parametrize("content", ["", "[", "[]", '{"t": 5}', '{"t": ["x", null]}', "[" * 99_999])
def test_a_broken_file_is_begun_anew(folder: Path, content: str) -> None:
    folder.mkdir()
    (folder / "turns.json").write_text(content)
    assert turns.charge(folder, "t", 1, NOW) == (True, None)
    assert not turns.charge(folder, "t", 1, NOW).allowed


def test_where_nothing_can_be_written_the_recall_goes_on_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    charge = turns.charge(tmp_path / "file" / "state", "t", 1, NOW)
    assert charge.allowed
    assert charge.warning is not None and "not counted" in charge.warning


CHARGE = """
import sys
from pathlib import Path
from xum_intuition import turns
sys.stdin.readline()
state = Path(sys.argv[1])
print([turns.charge(state, "t", 3, 1796000000000).allowed for _ in range(3)].count(True))
"""


def test_a_turn_is_counted_across_processes(folder: Path) -> None:
    children = [processes.python(CHARGE, folder) for _ in range(8)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    assert sum(int(processes.finish(child)) for child in children) == 3


def test_another_process_that_counts_is_not_waited_for_longer_than_asked(folder: Path) -> None:
    folder.mkdir()
    with (folder / "turns.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        charge = turns.charge(folder, "t", 3, NOW, wait_s=0.02)
    assert charge.allowed
    assert charge.warning is not None
    assert "locked by another process" in charge.warning
