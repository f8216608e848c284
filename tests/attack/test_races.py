"""Links swapped in while memories are read, and files that change under the reader's hands."""

from __future__ import annotations

import hashlib
import json
import random
import signal
import time
from pathlib import Path

import pytest

from tests.support.processes import finish, intuition, python, start_intuition
from xum_intuition.errors import Unreadable
from xum_intuition.limits import MAX_MEMORY_BYTES
from xum_intuition.memory.paths import StoreChoice, locate
from xum_intuition.memory.store import Store

SWAP_LINK_AND_FOLDER = """
import os, sys
os.chdir(sys.argv[1])
print("begun", flush=True)
while os.path.exists("go"):
    os.rename("memories/folder", "aside"); os.rename("link", "memories/folder")
    os.rename("memories/folder", "link"); os.rename("aside", "memories/folder")
"""
SWAP_LINK_AND_FILE = """
import os, sys
os.chdir(sys.argv[1])
print("begun", flush=True)
while os.path.exists("go"):
    os.symlink("../../outside/file.md", "new"); os.rename("new", "memories/folder/file.md")
    with open("new", "w") as file: file.write("inside")
    os.rename("new", "memories/folder/file.md")
"""
REWRITE = """
import os, sys
os.chdir(sys.argv[1])
print("begun", flush=True)
while os.path.exists("go"):
    for size in (0, 10, 200_000, 102_400, 3):
        with open("memories/folder/file.md", "w") as file: file.write("x" * size)
    os.unlink("memories/folder/file.md")
"""
ROUNDS = 400


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A folder with a link in it to a file of a folder in it, and a secret outside."""
    memories = tmp_path / "memories"
    for folder, text in ((memories / "folder", "inside"), (tmp_path / "outside", "SECRET")):
        folder.mkdir(parents=True)
        (folder / "file.md").write_text(text)
    (memories / "linked.md").symlink_to("folder/file.md")
    (memories / "other").symlink_to("folder")
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "go").touch()
    choice = StoreChoice(memory_dirs=((None, memories),))
    return Store(locate(choice, state_dir=tmp_path / "state"))


def seen_while(program: str, store: Store, folder: Path) -> set[bytes]:
    """What scans and reads of the store bring while a process keeps changing it."""
    child = python(program, folder)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    seen = set()
    try:
        rounds = 0
        while rounds < ROUNDS or not seen:
            rounds += 1
            for _, data in store.scan():
                seen.add(data)
            for path in store.entries:
                try:
                    seen.add(store.read(path))
                except Unreadable:
                    seen.add(b"unreadable")
    finally:
        (folder / "go").unlink()
        child.communicate(timeout=60)
    return seen


@pytest.mark.parametrize("program", [SWAP_LINK_AND_FOLDER, SWAP_LINK_AND_FILE])
def test_a_link_swapped_in_between_the_check_and_the_read_shows_nothing_outside(
    program: str, store: Store, tmp_path: Path
) -> None:
    seen = seen_while(program, store, tmp_path)
    assert seen <= {b"inside", b"", b"unreadable"}


def test_a_file_that_grows_shrinks_and_vanishes_is_read_within_its_bound(
    store: Store, tmp_path: Path
) -> None:
    seen = seen_while(REWRITE, store, tmp_path)
    assert all(len(data) <= MAX_MEMORY_BYTES + 1 for data in seen)


ALTERNATE = """
import os, sys
os.chdir(sys.argv[1])
texts = ["The deploy log is rotated daily by cron.\\n", "The deploy log is kept for a year.\\n" * 9]
print("begun", flush=True)
while os.path.exists("go"):
    for text in texts:
        with open("new", "w") as file: file.write(text)
        os.rename("new", "memories/folder/file.md")
"""
TEXTS = ["The deploy log is rotated daily by cron.\n", "The deploy log is kept for a year.\n" * 9]


def test_the_digest_is_that_of_the_very_text_that_was_verified(
    store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "memories/folder"
    (folder / "file.md").write_text(TEXTS[0])
    child = python(ALTERNATE, tmp_path)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    lines = "\n".join([json.dumps({"cue": "where is the deploy log"})] * 60)
    try:
        given = ["--batch", "-", "--jobs", "2", "--no-record", "--threshold", "0.31"]
        done = intuition("recall", "-d", folder, *given, input=lines)
    finally:
        (tmp_path / "go").unlink()
        child.communicate(timeout=60)
    by_digest = {hashlib.sha256(text.encode()).hexdigest(): text for text in TEXTS}
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    memories = [memory for answer in answers for memory in answer.get("memories", [])]
    assert len(answers) == 60
    assert memories
    assert all(memory["excerpt"] in by_digest[memory["sha256"]] for memory in memories)


def test_a_recall_killed_anywhere_leaves_a_whole_sidecar_and_no_lock_for_long(
    tmp_path: Path, home: Path
) -> None:
    folder, sidecar = tmp_path / "memories", tmp_path / "memory-meta.json"
    folder.mkdir()
    (folder / "log.md").write_text("The deploy log in /var/log/deploy is rotated daily by cron.\n")
    command = ["recall", "-d", folder, "--meta", sidecar, "--cue", "is the deploy log rotated"]
    chance = random.Random(8)
    begun = time.monotonic()
    finish(start_intuition(*command))
    whole = time.monotonic() - begun
    for _ in range(12):
        child = start_intuition(*command)
        time.sleep(whole * (0.5 + chance.random() / 2))  # where it reads, locks and writes
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=60)
        if sidecar.exists():
            json.loads(sidecar.read_text())
    done = intuition(*command, "--turn", "1")
    found = json.loads(done.stdout)
    assert (found["kind"], found["warnings"]) == ("recognized", [])
    count = json.loads(sidecar.read_text())["entries"]["global:log.md"]["accessCount"]
    assert 2 <= count <= 14
    stats = json.loads(intuition("stats", "-d", folder, "--meta", sidecar).stdout)
    assert stats["warnings"] == []
