from __future__ import annotations

import json
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import other_program, processes
from xum_intuition.errors import Interrupted, StoreError
from xum_intuition.memory import sidecar

NOW = 1_796_000_000_000
KEY = "global:notes/a.md"
ENTRY = '{"entries": {"global:notes/a.md": {"accessCount": 1}}}'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "root" / "memory-meta.json"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def record(file: Path, *keys: str, now_ms: int = NOW, wait_s: float = 5.0) -> list[str]:
    return sidecar.record_uses(
        file, keys or [KEY], now_ms=now_ms, wait_s=wait_s, begin=lambda: None
    )


def entry_of(file: Path, key: str = KEY) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))["entries"][key]


# Keys


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        (("global", None, "a/b.md"), "global:a/b.md"),
        (("global", None, "50%:x.md"), "global:50%25%3Ax.md"),
        (("project", "/home/me/a:b", "c.md"), "project:/home/me/a%3Ab:c.md"),
        (("workspace", "w1", "%3A.md"), "workspace:w1:%253A.md"),
    ],
)
def test_keys_have_the_other_programs_form(parts: tuple[str, str | None, str], key: str) -> None:
    assert sidecar.key(*parts) == key
    assert sidecar.parse_key(key) == parts


@given(st.text(), st.text())
def test_any_key_can_be_taken_apart_again(component: str, relative: str) -> None:
    parts = ("project", component, relative)
    assert sidecar.parse_key(sidecar.key(*parts)) == parts


@pytest.mark.parametrize("key", ["", "global", "project:x.md", "local:x.md", "global:a:b"])
def test_keys_of_another_form_have_no_parts(key: str) -> None:
    assert sidecar.parse_key(key) is None


# Reading


def test_a_missing_sidecar_is_empty_and_is_not_made(file: Path) -> None:
    assert sidecar.load(file).entries == {}
    assert not file.parent.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"{}", b'{"entries": []}', b'{"entries": null}',
        b'{"entries": {"global:a": {"accessCount": NaN}}}', b"\xff{}", b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_sidecar_is_refused_by_name(file: Path, content: bytes) -> None:
    write(file, "")
    file.write_bytes(content)
    with pytest.raises(sidecar.BrokenSidecar, match=str(file)):
        sidecar.load(file)


def test_a_folder_or_a_pipe_in_its_place_is_an_error_and_blocks_nothing(file: Path) -> None:
    file.mkdir(parents=True)
    with pytest.raises(StoreError, match="not a regular file"):
        sidecar.load(file)
    file.rmdir()
    os.mkfifo(file)
    with pytest.raises(StoreError, match="not a regular file"):
        sidecar.load(file)
    assert "not a regular file" in record(file)[0]


@pytest.mark.parametrize("value", ['"5"', "-3", "true", "null", "[1]", "1e999", "9" * 5000, "0"])
def test_a_broken_count_counts_as_none(file: Path, value: str) -> None:
    write(file, ENTRY.replace("1", f'{value}, "lastAccessedAt": {value}'))
    assert sidecar.load(file).entries[KEY] == sidecar.Entry()
    assert record(file) == []
    assert entry_of(file) == {"accessCount": 1, "lastAccessedAt": NOW}


def test_entries_that_are_no_objects_count_as_empty_and_are_begun_anew_when_used(
    file: Path,
) -> None:
    write(file, '{"entries": {"global:notes/a.md": 7, "global:b": [1]}}')
    assert set(sidecar.load(file).entries.values()) == {sidecar.Entry()}
    record(file)
    assert json.loads(file.read_text())["entries"] == {
        KEY: {"pinned": False, "accessCount": 1, "lastAccessedAt": NOW, "lastWriteAt": None},
        "global:b": [1],
    }


# Writing


def test_the_first_use_makes_the_file_in_the_shared_format(file: Path) -> None:
    assert record(file) == []
    assert file.read_text() == (
        '{\n  "entries": {\n    "global:notes/a.md": {\n      "pinned": false,\n'
        '      "accessCount": 1,\n      "lastAccessedAt": 1796000000000,\n'
        '      "lastWriteAt": null\n    }\n  }\n}'
    )
    assert os.listdir(file.parent) == [file.name]


def test_a_use_adds_one_and_the_time_and_changes_no_other_byte(file: Path) -> None:
    text = """{
  "version": 1.0,
  "entries": {
    "project:/p:ü\\ud800.md": {
      "accessCount": 12345678901234567890123,
      "carriesProjectSkillContent": false,
      "later": [
        1e3,
        -0,
        {},
        []
      ]
    },
    "global:notes/a.md": {
      "extra": {
        "x": 0.10
      },
      "lastAccessedAt": 17,
      "pinned": true,
      "accessCount": 4,
      "lastWriteAt": 5
    }
  },
  "after": "\\u0001 é \\" \\\\"
}
"""
    write(file, text)
    assert record(file) == []
    expected = text.replace('"accessCount": 4', '"accessCount": 5').replace(": 17,", f": {NOW},")
    assert file.read_text(encoding="utf-8") == expected


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), json_values, max_size=4), st.dictionaries(st.text(), json_values))
def test_sidecars_round_trip(top: dict[str, Any], entries: dict[str, Any]) -> None:
    text = json.dumps(top | {"entries": entries}, indent=2)
    parsed = sidecar.parse(text.encode(), "it")
    again = sidecar.render(parsed)
    assert json.loads(again) == json.loads(text)
    assert sidecar.render(sidecar.parse(again, "it")) == again


def test_the_time_of_use_is_now_even_where_the_clock_went_back(file: Path) -> None:
    record(file, now_ms=NOW)
    record(file, now_ms=NOW - 10_000)
    assert entry_of(file)["accessCount"] == 2
    assert entry_of(file)["lastAccessedAt"] == NOW - 10_000


def test_no_keys_touch_nothing(file: Path) -> None:
    assert sidecar.record_uses(file, [], now_ms=NOW, wait_s=0, begin=lambda: 1 / 0) == []
    assert not file.parent.exists()


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o660])
def test_permissions_stay(file: Path, mode: int) -> None:
    write(file, '{"entries": {}}')
    file.chmod(mode)
    record(file)
    assert file.stat().st_mode & 0o777 == mode


def test_a_symbolic_link_stays_and_its_target_is_written(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "meta.json"
    write(target, '{"entries": {}}')
    file.parent.mkdir()
    file.symlink_to(target)
    assert record(file) == []
    assert file.is_symlink()
    assert entry_of(target)["accessCount"] == 1
    target.write_text("broken")
    assert "set aside" in record(file)[0]
    assert file.is_symlink()
    assert sorted(p.name.split("-")[0] for p in target.parent.iterdir()) == [
        "meta.json",
        "meta.json.broken",
    ]  # fmt: skip


def test_a_broken_one_is_set_aside_under_a_name_that_says_when(file: Path) -> None:
    write(file, "{ broken")
    (warning,) = record(file)
    aside = file.with_name("memory-meta.json.broken-20261130T005320Z")
    assert aside.read_text() == "{ broken"
    assert str(aside) in warning
    assert entry_of(file)["accessCount"] == 1
    file.write_text("[]")
    record(file)
    assert aside.read_text() == "{ broken"
    assert aside.with_name(aside.name + "-2").read_text() == "[]"


def test_a_broken_one_that_was_set_aside_is_told_even_where_no_new_one_can_be_written(
    file: Path,
) -> None:
    write(file, "broken " * 50)
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, old[1]))
    try:
        first, second = record(file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert "set aside" in first
    assert "No use was recorded" in second
    (aside,) = file.parent.iterdir()
    assert aside.read_text() == "broken " * 50


# The commit point


def test_an_interrupt_at_the_commit_point_leaves_the_file_and_releases_the_lock(
    file: Path,
) -> None:
    write(file, '{"entries": {}}')

    def interrupted() -> None:
        assert file.with_name(file.name + ".lock").exists()
        raise Interrupted("stop")

    with pytest.raises(Interrupted):
        sidecar.record_uses(file, [KEY], now_ms=NOW, wait_s=5, begin=interrupted)
    assert file.read_text() == '{"entries": {}}'
    assert os.listdir(file.parent) == [file.name]


def test_the_write_is_not_begun_without_the_lock(file: Path) -> None:
    write(file, '{"entries": {}}')
    begun = []
    with processes.lock_held_by_other_program(file):
        (warning,) = sidecar.record_uses(
            file, [KEY], now_ms=NOW, wait_s=0.1, begin=lambda: begun.append(1)
        )
    assert "No use was recorded" in warning
    assert begun == []
    assert file.read_text() == '{"entries": {}}'


def test_a_lock_held_for_longer_than_five_seconds_gives_a_warning(file: Path) -> None:
    write(file, '{"entries": {}}')
    with processes.lock_held_by_other_program(file):
        before = time.monotonic()
        (warning,) = record(file, wait_s=sidecar.LOCK_WAIT_S)
        assert 5 <= time.monotonic() - before < 8
    assert "is held by process" in warning


def test_what_was_written_while_the_lock_was_waited_for_is_kept(file: Path) -> None:
    write(file, '{"entries": {}}')
    with processes.lock_held_by_other_program(file) as holder:
        write(file, ENTRY.replace("1", "41"))
        assert holder.stdin is not None
        holder.stdin.close()
        holder.stdin = None
        assert record(file, wait_s=30) == []
    assert entry_of(file)["accessCount"] == 42


# Where nothing can be written


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter, for a test that gives up root's rights."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def without_root() -> Iterator[None]:
    """Root may write anywhere, so its tests of permissions become somebody else meanwhile."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_read_only_folder_gives_a_warning(open_folder: Path) -> None:
    file = open_folder / "memory-meta.json"
    write(file, ENTRY)
    open_folder.chmod(0o555)
    with without_root():
        (warning,) = record(file)
    open_folder.chmod(0o755)
    assert "No use was recorded" in warning and "Permission denied" in warning
    assert file.read_text() == ENTRY
    assert os.listdir(open_folder) == [file.name]


def test_a_write_protected_sidecar_is_left_alone_in_a_folder_that_can_be_written(
    open_folder: Path,
) -> None:
    open_folder.chmod(0o777)
    file = open_folder / "memory-meta.json"
    write(file, ENTRY)
    file.chmod(0o444)
    with without_root():
        (warning,) = record(file)
    assert "write-protected" in warning
    assert file.read_text() == ENTRY
    assert os.listdir(open_folder) == [file.name]


def test_a_folder_that_cannot_be_made_gives_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (warning,) = record(tmp_path / "file" / "memory-meta.json")
    assert "No use was recorded" in warning


@pytest.mark.parametrize("bytes_left", [0, 60, 200])
def test_a_full_disk_gives_a_warning_and_loses_nothing(file: Path, bytes_left: int) -> None:
    text = ENTRY.replace("1", '1, "note": "' + "x" * 300 + '"')
    write(file, text)
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, old[1]))
    try:
        (warning,) = record(file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert "No use was recorded" in warning
    assert file.read_text() == text
    assert os.listdir(file.parent) == [file.name]


# Between processes

RECORD = """
import sys, time
from pathlib import Path
from xum_intuition.memory import sidecar
file, key, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
for _ in range(times):
    warnings = sidecar.record_uses(
        file, [key], now_ms=time.time_ns() // 1000000, wait_s=60, begin=lambda: None
    )
    assert warnings == [], warnings
    print("reported", flush=True)
"""


def test_32_processes_and_the_other_program_lose_no_count(file: Path) -> None:
    write(file, '{"entries": {}, "kept": 1}')
    ours = [processes.python(RECORD, file, KEY, 4) for _ in range(32)]
    others = [processes.other_program("count", file, KEY, 8) for _ in range(4)]
    for child in ours:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in [*ours, *others]:
        processes.finish(child)
    assert entry_of(file)["accessCount"] == 32 * 4 + 4 * 8
    assert json.loads(file.read_text())["kept"] == 1
    assert os.listdir(file.parent) == [file.name]


def test_processes_killed_at_random_moments_leave_every_reported_count(file: Path) -> None:
    reported = 0
    for round_ in range(12):
        children = [processes.python(RECORD, file, KEY, 1000) for _ in range(2)]
        for child in children:
            assert child.stdin is not None and child.stdout is not None
            child.stdin.write("go\n")
            child.stdin.flush()
            child.stdout.readline()
            reported += 1
        time.sleep(0.003 * round_)  # another moment each time; nothing depends on it
        for child in children:
            child.kill()
        reported += sum(child.communicate()[0].count("reported") for child in children)
        assert entry_of(file)["accessCount"] >= reported
    assert record(file, wait_s=30) == []
    written = entry_of(file)["accessCount"]
    assert reported < written <= reported + 1 + 2 * 12


def test_what_killed_processes_left_behind_is_cleared_and_nothing_else(file: Path) -> None:
    write(file, ENTRY)
    end = "71-0123456789abcdef"
    left = [f".lock.tmp-{end}", f".lock.reclaim.tmp-{end}", f".{end}.tmp"]
    others = [".lock.tmp-72-0123456789abcdef", ".72-0123456789abcdef.tmp", ".backup", ".71-b.tmp"]
    for name in (*left, *others):
        file.with_name(file.name + name).write_text("")
    for name in (*left, *others[2:]):
        then = time.time() - 310
        os.utime(file.with_name(file.name + name), (then, then))
    assert record(file) == []
    assert sorted(os.listdir(file.parent)) == sorted(file.name + name for name in ("", *others))


def test_the_other_program_goes_on_after_one_of_ours_was_killed_in_the_lock(file: Path) -> None:
    write(file, '{"entries": {}}')
    code = """
import sys
from pathlib import Path
from xum_intuition.memory import sidecar
def begin():
    print("begun", flush=True)
    sys.stdin.read()
sidecar.record_uses(Path(sys.argv[1]), ["k"], now_ms=1, wait_s=5, begin=begin)
"""
    child = processes.python(code, file)
    assert child.stdout is not None and child.stdout.readline() == "begun\n"
    child.kill()
    child.communicate()
    other_program.count(file, KEY)
    assert entry_of(file)["accessCount"] == 1


# Pins


def test_a_pin_counts_as_a_use_and_unpinning_keeps_the_counts(file: Path) -> None:
    pinned = sidecar.set_pin(file, KEY, True, now_ms=NOW)
    assert pinned == sidecar.Entry(True, 1, NOW, None)
    unpinned = sidecar.set_pin(file, KEY, False, now_ms=NOW + 5)
    assert unpinned == sidecar.Entry(False, 1, NOW, None)


def test_unpinning_what_has_no_entry_makes_none(file: Path) -> None:
    assert sidecar.set_pin(file, KEY, False, now_ms=NOW) == sidecar.Entry()
    assert not file.parent.exists()
    write(file, ENTRY)
    assert sidecar.set_pin(file, KEY, False, now_ms=NOW) == sidecar.Entry(access_count=1)
    assert file.read_text() == ENTRY


def test_pinning_never_touches_a_broken_sidecar(file: Path) -> None:
    write(file, "broken")
    with pytest.raises(StoreError, match=str(file)):
        sidecar.set_pin(file, KEY, True, now_ms=NOW)
    assert os.listdir(file.parent) == [file.name]
    assert file.read_text() == "broken"


def test_pinning_under_a_lock_that_is_not_had_is_an_error(file: Path) -> None:
    write(file, '{"entries": {}}')
    with (
        processes.lock_held_by_other_program(file),
        pytest.raises(StoreError, match="is held by process"),
    ):
        sidecar.set_pin(file, KEY, True, now_ms=NOW, wait_s=0.05)
