from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import other_program, processes
from xum_intuition.memory import lock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory-meta.json.lock"


def take(path: Path, wait_s: float = 0.3) -> str:
    return lock.acquire(str(path), wait_s=wait_s)


def gone_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_the_token_names_process_nonce_and_birth(path: Path) -> None:
    token = take(path)
    assert path.read_text() == token
    pid, nonce, birth = token.split(":")
    assert int(pid) == os.getpid()
    assert re.fullmatch("[0-9a-f]{16}", nonce)
    assert bytes.fromhex(birth).decode() == other_program.birth(os.getpid())


def test_nothing_but_the_lock_is_left_while_it_is_held_and_nothing_afterwards(path: Path) -> None:
    token = take(path)
    assert os.listdir(path.parent) == [path.name]
    lock.release(str(path), token)
    assert os.listdir(path.parent) == []


def test_a_lock_of_the_other_program_is_waited_for_and_named(path: Path) -> None:
    with processes.lock_held_by_other_program(path.with_suffix("")) as holder:
        with pytest.raises(lock.LockNotHad, match=f"held by process {holder.pid}"):
            take(path, 0.05)
        assert os.listdir(path.parent) == [path.name]


def test_a_lock_is_had_as_soon_as_the_other_program_releases_it(path: Path) -> None:
    with processes.lock_held_by_other_program(path.with_suffix("")) as holder:
        theirs = path.read_text()
        assert holder.stdin is not None
        holder.stdin.close()
        holder.stdin = None
        assert take(path, 30) != theirs


def test_the_other_program_waits_for_ours(path: Path) -> None:
    token = take(path)
    child = processes.other_program("count", path.with_suffix(""), "global:a.md", 1)
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.4)
    lock.release(str(path), token)
    processes.finish(child)


@pytest.mark.parametrize("with_birth", [True, False])
def test_a_lock_whose_process_is_gone_is_taken_over(path: Path, with_birth: bool) -> None:
    birth = ":" + b"linux-ticks:1".hex() if with_birth else ""
    path.write_text(f"{gone_pid()}:0123456789abcdef{birth}")
    take(path, 0)
    assert os.listdir(path.parent) == [path.name]


def test_a_lock_of_a_process_that_was_killed_but_not_waited_for_is_taken_over(path: Path) -> None:
    child = processes.other_program("hold", path.with_suffix(""))
    assert child.stdout is not None and child.stdout.readline() == "held\n"
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    take(path)
    child.communicate()


def test_a_number_that_another_process_has_now_does_not_keep_the_lock(path: Path) -> None:
    path.write_text(other_program.token_of(os.getpid(), "linux-ticks:1"))
    take(path, 0)


def test_a_living_owner_keeps_the_lock_however_old_it_is(path: Path) -> None:
    path.write_text(other_program.token_of(os.getpid()))
    age(path, 100_000)
    with pytest.raises(lock.LockNotHad):
        take(path, 0.05)


@pytest.mark.parametrize(
    "token",
    ["{pid}:0123456789abcdef", "", "no token", "0:0123456789abcdef", "-1:00:00", "\0"],
)
def test_an_owner_that_cannot_be_told_keeps_the_lock_for_five_minutes(
    path: Path, token: str
) -> None:
    path.write_text(token.replace("{pid}", str(os.getpid())))
    age(path, 290)
    with pytest.raises(lock.LockNotHad):
        take(path, 0.05)
    age(path, 310)
    take(path, 0)


def test_no_stale_lock_is_taken_away_while_another_process_holds_the_guard(path: Path) -> None:
    stale = f"{gone_pid()}:0123456789abcdef"
    path.write_text(stale)
    guard = path.with_name(path.name + ".reclaim")
    guard.write_text(other_program.token_of(os.getpid()))
    with pytest.raises(lock.LockNotHad):
        take(path, 0.05)
    assert path.read_text() == stale
    guard.unlink()
    take(path)


def test_a_guard_whose_process_is_gone_is_cleared(path: Path) -> None:
    path.write_text(f"{gone_pid()}:0123456789abcdef")
    path.with_name(path.name + ".reclaim").write_text(f"{gone_pid()}:0123456789abcdef")
    take(path)
    assert os.listdir(path.parent) == [path.name]


def test_release_leaves_somebody_elses_lock(path: Path) -> None:
    token = take(path)
    path.write_text("1:ffffffffffffffff")
    lock.release(str(path), token)
    assert path.read_text() == "1:ffffffffffffffff"


def test_what_check_raises_ends_the_wait_and_leaves_nothing(path: Path) -> None:
    path.write_text(other_program.token_of(os.getpid()))
    calls = []

    def check() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lock.acquire(str(path), wait_s=60, check=check)
    assert os.listdir(path.parent) == [path.name]


def test_a_pipe_in_the_place_of_the_lock_does_not_block(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(lock.LockNotHad):
        take(path, 0.05)


def test_threads_of_one_process_exclude_each_other(path: Path) -> None:
    take(path)
    with pytest.raises(lock.LockNotHad):
        take(path, 0.05)
