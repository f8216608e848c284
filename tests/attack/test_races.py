"""Links swapped in while memories are read, and files that change under the reader's hands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes import python
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
