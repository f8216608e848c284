"""Trees and names that try to exhaust, to mislead or to stop the walk through a store."""

from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import COMMAND, intuition
from xum_intuition.memory.paths import StoreChoice, locate
from xum_intuition.memory.store import Store

TEXT = b"The deploy log in /var/log/deploy is rotated daily by cron.\n"
CUE = "is the deploy log rotated"


def grow(folder: Path, depth: int) -> None:
    """A folder within a folder, each with a memory and a folder that comes after."""
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        file = os.open("a.md", os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=here)
        os.write(file, TEXT)
        os.close(file)
        os.mkdir("d", dir_fd=here)
        os.mkdir("z", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def cut_down(folder: Path) -> None:
    """Remove such a tree from its top: no path is long enough to name its end."""
    below = folder.with_name("below")
    while (folder / "d").exists():
        (folder / "d").rename(below)
        shutil.rmtree(folder)
        below.rename(folder)


def scanned(folder: Path) -> Store:
    choice = StoreChoice(memory_dirs=((None, folder),))
    store = Store(locate(choice, state_dir=folder.parent / "state"))
    for _ in store.scan():
        pass
    return store


def test_a_tree_200_deep_is_read_to_its_end(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    grow(folder, 200)
    store = scanned(folder)
    assert len(store.entries) == 200
    assert store.read(max(store.entries, key=len)) == TEXT


def test_a_tree_2100_deep_costs_a_warning_and_no_memory(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    grow(folder, 2_100)
    (folder / "a.md").write_bytes(b'---\ndescription: "asks\\u003a for yaml"\n---\n' + TEXT)
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    told = {32: "Too many open files", min(8_192, allowed): "File name too long"}
    for descriptors, reason in told.items():
        limit = (descriptors, descriptors)
        done = subprocess.run(
            [*COMMAND, "recall", "-d", str(folder), "--cue", CUE, "--turn", "1"],
            capture_output=True, timeout=60, check=False,
            preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_NOFILE, limit),
        )  # fmt: skip
        found: dict[str, Any] = json.loads(done.stdout)
        assert done.returncode == 0
        assert found["stats"]["indexEntriesConsidered"] > 0
        assert found["stats"]["filesSkipped"] > 0
        [warning] = found["warnings"]
        assert reason in warning or descriptors == allowed
        assert len(warning) < 1_000
    cut_down(folder)


def test_what_is_no_file_is_never_waited_for(tmp_path: Path) -> None:
    (tmp_path / "ok.md").write_bytes(TEXT)
    os.mkfifo(tmp_path / "fifo.md")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "folder.md" / "x.md").write_bytes(TEXT)
    (tmp_path / "zero.md").symlink_to("/dev/zero")
    (tmp_path / "circle.md").symlink_to("circle.md")
    (tmp_path / "self").symlink_to(".")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tmp_path / "socket.md"))
        store = scanned(tmp_path)
    assert [entry.relative for entry in store.entries.values()] == ["folder.md/x.md", "ok.md"]


NAMES = [
    b"a" * 252 + b".md",
    b"\xff\xfe.md",
    "é.md".encode(),
    "e\u0301.md".encode(),
    b"A.md",
    b"a.md",
    b"line\nbreak.md",
    b"back\\slash.md",
    b"two..md",
    b"%2E%2e.md",
    b"<tag>.md",
    b'"quote".md',
    b"~home.md",
    b"\x1b[31m.md",
    b"-rf.md",
]


@pytest.mark.skipif(sys.platform == "darwin", reason="there, a file system knows UTF-8 names only")
def test_names_that_differ_at_all_are_different_memories(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / os.fsdecode(name)).write_bytes(TEXT + name.replace(b"\xff\xfe", b"?"))
    store = scanned(tmp_path)
    indexed = {os.fsencode(entry.relative): path for path, entry in store.entries.items()}
    assert set(indexed) == {*NAMES[:1], *NAMES[2:6], b"-rf.md"}
    assert store.counts["global"].bad_names == len(NAMES) - len(indexed)
    for name, path in indexed.items():
        assert store.read(path) == TEXT + name


def test_links_among_folders_multiply_nothing(tmp_path: Path) -> None:
    """Each of 12 folders links to all: paths grow as the factorial of their number."""
    for one in range(12):
        (tmp_path / f"d{one}").mkdir()
        (tmp_path / f"d{one}" / "a.md").write_bytes(TEXT)
        for other in range(12):
            (tmp_path / f"d{one}" / f"l{other}").symlink_to(f"../d{other}")
    assert 12 <= len(scanned(tmp_path).entries) <= 24


def test_a_store_beyond_its_cap_is_counted(tmp_path: Path) -> None:
    for number in range(6_000):
        (tmp_path / f"{number:05}.md").touch()
    done = intuition("index", "-d", tmp_path, "--cue", CUE)
    found = json.loads(done.stdout)
    assert len(found["rows"]) == 200
    assert found["omitted"] == {"rows": 4_800, "bytes": 0}
    assert "1000 lie beyond" in found["warnings"][0]
