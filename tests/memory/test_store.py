"""The rules of reading, on real files of every kind."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from xum_intuition.errors import Unreadable
from xum_intuition.limits import MAX_MEMORY_BYTES
from xum_intuition.memory.files import decode
from xum_intuition.memory.paths import StoreChoice, locate
from xum_intuition.memory.store import Store


def store_of(
    folder: Path, *, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> Store:
    choice = StoreChoice(memory_dirs=((None, folder),), include=include, exclude=exclude)
    return Store(locate(choice, state_dir=folder.parent / "state"))


def names(store: Store) -> list[str]:
    return [entry.relative for entry, _ in store.scan()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def write(folder: Path, *relatives: str) -> None:
    for relative in relatives:
        file = folder / relative
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {relative}\n")


def test_files_come_in_path_order_with_a_folder_as_its_name_and_a_slash(folder: Path) -> None:
    write(folder, "a/z.md", "a.md", "a-b.md", "B.md", "a/a/x.md", "ä.md", "a0.md")
    found = names(store_of(folder))
    assert found == sorted(found)
    assert found == ["B.md", "a-b.md", "a.md", "a/a/x.md", "a/z.md", "a0.md", "ä.md"]


def test_a_folder_takes_markdown_and_text_unless_told_otherwise(folder: Path) -> None:
    write(folder, "a.md", "b.mdc", "c.markdown", "d.txt", "e.py", "f", "sub/g.rst", "sub/a.md")
    assert names(store_of(folder)) == ["a.md", "b.mdc", "c.markdown", "d.txt", "sub/a.md"]
    assert names(store_of(folder, include=("*.py", "sub/*"))) == ["e.py", "sub/a.md", "sub/g.rst"]
    assert names(store_of(folder, exclude=("sub/**", "[ab].*"))) == ["c.markdown", "d.txt"]


def test_an_xum_root_takes_every_file(tmp_path: Path) -> None:
    write(tmp_path, "memory/global/a.md", "memory/global/b", "memory/global/.claude/c.md")
    store = Store(locate(StoreChoice(root=tmp_path), state_dir=tmp_path))
    assert [e.path for e, _ in store.scan()] == ["/memories/global/a.md", "/memories/global/b"]


def test_dot_files_and_dot_folders_are_left_out_but_for_known_agents_folders(folder: Path) -> None:
    write(folder, ".a.md", ".git/b.md", ".obsidian/c.md", ".claude/memory/d.md", ".claude/.e.md")
    write(folder, "app/.serena/memories/f.md")
    assert names(store_of(folder)) == [".claude/memory/d.md", "app/.serena/memories/f.md"]


def test_only_regular_files_are_read(folder: Path) -> None:
    write(folder, "a.md", "dir.md/inside.md")
    os.mkfifo(folder / "fifo.md")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(folder)  # a socket's path is short
        server.bind("socket.md")
        os.chdir(here)
        (folder / "null.md").symlink_to("/dev/null")
        assert names(store_of(folder)) == ["a.md", "dir.md/inside.md"]


def test_a_link_counts_where_it_stays_inside(folder: Path, tmp_path: Path) -> None:
    write(folder, "a.md", "sub/b.md")
    write(tmp_path / "outside", "secret.md")
    (folder / "alias.md").symlink_to("sub/b.md")
    (folder / "folder").symlink_to("sub")
    (folder / "out.md").symlink_to(tmp_path / "outside/secret.md")
    (folder / "outdir").symlink_to(tmp_path / "outside")
    (folder / "broken.md").symlink_to("nowhere.md")
    (folder / "sibling.md").symlink_to(f"{folder}-other/x.md")
    store = store_of(folder)
    assert names(store) == ["a.md", "alias.md", "folder/b.md", "sub/b.md"]
    assert store.counts["global"].escaped == 3
    assert decode(store.read("/memories/global/alias.md")) == "# sub/b.md\n"
    assert decode(store.read("/memories/global/folder/b.md")) == "# sub/b.md\n"
    assert any("lead out of the folder" in warning for warning in store.warnings)


def test_links_in_a_circle_end(folder: Path) -> None:
    write(folder, "a/x.md", "b/y.md")
    (folder / "a/up").symlink_to("..")
    (folder / "a/b").symlink_to("../b")
    (folder / "b/a").symlink_to("../a")
    (folder / "self").symlink_to("self")
    assert set(names(store_of(folder))) >= {"a/x.md", "b/y.md"}


def test_links_among_many_folders_do_not_multiply(folder: Path) -> None:
    for i in range(12):
        write(folder, f"d{i}/x.md")
        for j in range(12):
            (folder / f"d{i}/l{j}").symlink_to(f"../d{j}")
    assert len(names(store_of(folder))) < 12 * 12


def test_a_link_that_is_swapped_after_the_walk_reads_nothing_outside(
    folder: Path, tmp_path: Path
) -> None:
    write(folder, "a.md", "sub/b.md")
    write(tmp_path / "outside", "b.md", "a.md")
    store = store_of(folder)
    assert names(store) == ["a.md", "sub/b.md"]
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(tmp_path / "outside/a.md")
    (folder / "sub").rename(folder / "was")
    (folder / "sub").symlink_to(tmp_path / "outside")
    for path in ("/memories/global/a.md", "/memories/global/sub/b.md"):
        with pytest.raises(Unreadable):
            store.read(path)


def test_the_first_files_in_path_order_are_taken_and_the_rest_counted(folder: Path) -> None:
    write(folder, *(f"{i:02}.md" for i in range(10)), "sub/x.md")
    choice = StoreChoice(memory_dirs=((None, folder),))
    store = Store(locate(choice, state_dir=folder), max_files=4)
    assert names(store) == ["00.md", "01.md", "02.md", "03.md"]
    assert store.counts["global"].beyond_cap == 7
    assert store.warnings == [
        "global: only the first 4 files are indexed; 7 lie beyond (budgets.max_files)."
    ]


def test_names_that_a_memory_path_cannot_hold_are_counted(folder: Path) -> None:
    write(folder, "a.md", "b~.md", "c..d.md", "e%2ef.md", "g\x1b[0m.md", "h/~/i.md", '"j".md')
    with open(os.fsencode(folder) + b"/\xff.md", "wb") as file:
        file.write(b"x")
    store = store_of(folder)
    assert names(store) == ["a.md"]
    assert store.counts["global"].bad_names == 7


def test_at_most_100_kib_and_one_byte_of_a_file_are_read(folder: Path) -> None:
    (folder / "full.md").write_bytes(b"x" * MAX_MEMORY_BYTES)
    (folder / "more.md").write_bytes(b"x" * (MAX_MEMORY_BYTES + 1))
    with open(folder / "sparse.md", "wb") as file:
        file.truncate(1 << 30)
    store = store_of(folder)
    read = {entry.relative: data for entry, data in store.scan()}
    assert {name: len(data) - MAX_MEMORY_BYTES for name, data in read.items()} == {
        "full.md": 0,
        "more.md": 1,
        "sparse.md": 1,
    }
    assert len(decode(read["full.md"])) == MAX_MEMORY_BYTES
    for name in ("more.md", "sparse.md"):
        with pytest.raises(Unreadable, match="larger than 100 KiB"):
            decode(read[name])
    assert store.counts["global"].unreadable == 2


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"a\0b", "NUL"), ("ü".encode("latin-1"), "not UTF-8"), ("a".encode("utf-16"), "NUL")],
)
def test_what_is_no_text_is_listed_but_cannot_be_read(
    folder: Path, data: bytes, reason: str
) -> None:
    (folder / "a.md").write_bytes(data)
    store = store_of(folder)
    assert names(store) == ["a.md"]
    with pytest.raises(Unreadable, match=reason):
        decode(store.read("/memories/global/a.md"))


def test_text_is_taken_as_it_is(folder: Path) -> None:
    text = "\ufeffa\r\nb\rc\u2028d\u0301\u1e0a\x0c\n"
    (folder / "a.md").write_bytes(text.encode())
    store = store_of(folder)
    assert names(store) == ["a.md"]
    assert decode(store.read("/memories/global/a.md")) == text[1:]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_skipped_and_named(folder: Path) -> None:
    write(folder, "a.md", "b.md", "closed/c.md")
    (folder / "b.md").chmod(0)
    (folder / "closed").chmod(0)
    store = store_of(folder)
    assert names(store) == ["a.md"]
    (folder / "closed").chmod(0o700)
    (warning,) = store.warnings
    assert "/memories/global/b.md" in warning
    assert "/memories/global/closed/" in warning


def test_a_file_that_vanishes_is_a_recoverable_error(folder: Path) -> None:
    write(folder, "a.md")
    store = store_of(folder)
    assert names(store) == ["a.md"]
    (folder / "a.md").unlink()
    with pytest.raises(Unreadable, match="cannot be read"):
        store.read("/memories/global/a.md")
    with pytest.raises(Unreadable, match="no such memory"):
        store.read("/memories/global/../a.md")


def test_a_deep_tree_and_long_names_are_walked(folder: Path) -> None:
    deep = folder
    for _ in range(200):
        deep /= "d"
    write(folder, "d" * 251 + ".md")
    os.makedirs(deep)
    (deep / "x.md").write_text("deep\n")
    store = store_of(folder)
    assert len(names(store)) == 2
    assert store.read("/memories/global/" + "d/" * 200 + "x.md") == b"deep\n"


def test_no_descriptor_is_left_open(folder: Path) -> None:
    write(folder, "a/b/c.md", "a/d.md", "e.md")
    before = len(os.listdir("/proc/self/fd"))
    names(store_of(folder))
    walk = store_of(folder).scan()
    next(walk)
    walk.close()
    next(store_of(folder).scan(lambda: True))
    assert len(os.listdir("/proc/self/fd")) == before


def test_names_that_differ_only_in_form_are_different_memories(folder: Path) -> None:
    write(folder, "A.md", "a.md", "e\u0301.md", "\u00e9.md")
    assert names(store_of(folder)) == ["A.md", "a.md", "e\u0301.md", "\u00e9.md"]
