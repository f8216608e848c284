from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support import command_line
from tests.support.command_line import Done

NOW = 1_796_047_320_000  # 2026-11-30 14:02 UTC
DAY = 86_400_000
HOSTILE = "global:\x1b[31m[bold]\u202ered.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "xum"
    memories = root / "memory/global/notes"
    memories.mkdir(parents=True)
    (memories / "a.md").write_text("# A\n")
    (memories / ".hidden.md").write_text("# H\n")
    return root


def meta(command: str, *arguments: object, **options: Any) -> Done:
    return command_line.intuition("meta", command, *arguments, **options)


def write(file: Path, entries: Any, **more: Any) -> Path:
    file.write_text(json.dumps({"entries": entries} | more))
    return file


def told(done: Done, code: int = 0) -> Any:
    assert done.returncode == code, done
    return json.loads(done.stdout)


def entry(count: int, at_ms: int | None = NOW, pinned: bool = False) -> dict[str, Any]:
    return {"pinned": pinned, "accessCount": count, "lastAccessedAt": at_ms, "lastWriteAt": None}


# diff


def test_diff_as_json(tmp_path: Path) -> None:
    before = write(tmp_path / "before", {"global:a": entry(1, NOW - 3 * DAY), "global:gone": {}})
    after = write(tmp_path / "after", {"global:a": entry(2), "global:new": entry(1)})
    assert told(meta("diff", before, after, "-j")) == {
        "added": ["global:new"],
        "removed": ["global:gone"],
        "changed": [
            {
                "key": "global:a",
                "fields": {
                    "accessCount": {"before": 1, "after": 2, "delta": 1},
                    "lastAccessedAt": {
                        "before": NOW - 3 * DAY,
                        "after": NOW,
                        "delta": 3 * DAY,
                    },
                },
            }
        ],
        "hotSet": {"entered": ["global:new"], "left": [], "moved": []},
    }


def test_diff_as_a_table(tmp_path: Path) -> None:
    before = write(
        tmp_path / "before",
        {"global:a": entry(1, NOW - 3 * DAY), "global:b": entry(1), "global:gone": {}},
    )
    after = write(
        tmp_path / "after",
        {"global:a": entry(2, pinned=True), "global:b": entry(1), HOSTILE: entry(1)},
    )
    done = meta("diff", before, after, "--format", "table", "--at", "2026-11-30T14:02")
    assert done.stdout.splitlines() == [
        "+ global:\\x1b[31m[bold]\\u202ered.md",
        "- global:gone",
        "~ global:a",
        "    pinned false → true",
        "    accessCount +1 (1 → 2)",
        "    lastAccessedAt → 2026-11-30 14:02 (+3 d)",
        "Hot set at 2026-11-30 14:02",
        "  entered global:\\x1b[31m[bold]\\u202ered.md",
        "  moved   global:a  2 → 1",
        "  moved   global:b  1 → 3",
    ]


def test_diff_of_a_file_with_itself_is_empty_and_the_exit_code_tells(tmp_path: Path) -> None:
    one = write(tmp_path / "one", {"global:a": entry(1)})
    two = write(tmp_path / "two", {"global:a": entry(2)})
    same = meta("diff", one, one, "--format", "table", "--exit-code")
    assert (same.returncode, same.stdout) == (0, "No difference.\n")
    assert meta("diff", one, two, "--exit-code").returncode == 1
    assert meta("diff", one, two).returncode == 0


def test_the_hot_set_is_of_the_moment_that_at_names(tmp_path: Path) -> None:
    often_long_ago = entry(8, NOW - 14 * DAY)
    before = write(tmp_path / "before", {"global:a": often_long_ago, "global:b": entry(1)})
    after = write(tmp_path / "after", {"global:a": often_long_ago, "global:b": entry(3)})
    now = told(meta("diff", before, after, "--at", str(NOW)))
    then = told(meta("diff", before, after, "--at", str(NOW - 14 * DAY)))
    assert len(now["hotSet"]["moved"]) == 2
    assert then["hotSet"]["moved"] == []


def test_after_is_the_live_sidecar_and_either_may_be_standard_input(
    root: Path, tmp_path: Path
) -> None:
    live = write(root / "memory-meta.json", {"global:a": entry(2)})
    before = write(tmp_path / "before", {})
    assert told(meta("diff", before, "--root", root))["added"] == ["global:a"]
    assert told(meta("diff", "-", "--root", root, input=live.read_text()))["added"] == []
    assert told(meta("diff", before, "-", input=live.read_text()))["added"] == ["global:a"]
    assert meta("diff", "-", "-", input="").returncode == 2


def test_a_live_sidecar_that_was_not_made_yet_is_empty(root: Path, tmp_path: Path) -> None:
    before = write(tmp_path / "before", {"global:a": {}})
    assert told(meta("diff", before, "--root", root))["removed"] == ["global:a"]
    assert not (root / "memory-meta.json").exists()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"at": 1, "store": "x"}\n{"at": 2}', "\0"])
def test_garbage_is_refused_and_it_is_said_which(tmp_path: Path, content: str) -> None:
    good = write(tmp_path / "good", {})
    (tmp_path / "bad").write_text(content)
    for arguments, role in (
        ((tmp_path / "bad", good), "BEFORE"),
        ((good, tmp_path / "bad"), "AFTER"),
    ):
        error = told(meta("diff", *arguments), 5)
        assert (error["kind"], error["code"]) == ("error", "store")
        assert role in error["message"] and str(tmp_path / "bad") in error["message"]


def test_a_missing_file_or_a_folder_is_refused_and_it_is_said_which(tmp_path: Path) -> None:
    good = write(tmp_path / "good", {})
    assert "BEFORE (nowhere)" in told(meta("diff", "nowhere", good), 5)["message"]
    assert f"AFTER ({tmp_path})" in told(meta("diff", good, tmp_path), 5)["message"]
    done = meta("diff", good, "nowhere", "--format", "table")
    assert (done.returncode, done.stdout) == (5, "")
    assert "AFTER (nowhere) cannot be read: No such file or directory." in done.stderr


def test_a_time_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    good = write(tmp_path / "good", {})
    done = meta("diff", good, good, "--at", "yesterday-ish")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--at" in done.stderr


def test_json_of_hostile_keys_and_numbers_can_do_no_harm(tmp_path: Path) -> None:
    before = write(tmp_path / "before", {})
    after = tmp_path / "after"
    after.write_text(
        '{"entries": {KEY: {"accessCount": 1e999}}}'.replace("KEY", json.dumps(HOSTILE))
    )
    done = meta("diff", before, after)
    assert told(done)["added"] == [HOSTILE]
    assert all(c == "\n" or c.isprintable() for c in done.stdout)


# pin, unpin, show, path, snapshot


def test_a_pin_is_a_use_and_an_unpin_is_none(root: Path) -> None:
    pinned = told(meta("pin", "/memories/global/notes/a.md", "--root", root))
    assert (pinned["pinned"], pinned["accessCount"]) == (True, 1)
    unpinned = told(meta("unpin", "/memories/global/notes/a.md", "--root", root))
    assert unpinned == pinned | {"pinned": False}
    entries = json.loads((root / "memory-meta.json").read_text())["entries"]
    assert list(entries) == ["global:notes/a.md"]


def test_a_path_on_disk_names_a_memory_too(root: Path, tmp_path: Path) -> None:
    done = meta("pin", "a.md", "--root", root, cwd=root / "memory/global/notes")
    assert told(done)["path"] == "/memories/global/notes/a.md"
    (tmp_path / "link").symlink_to(root)
    done = meta("pin", tmp_path / "link/memory/global/notes/a.md", "--root", root)
    assert told(done)["accessCount"] == 2


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/memories/global/none.md", "there is no such memory"),
        ("/memories/global/notes", "is a folder"),
        ("/memories/global/notes/.hidden.md", "it is no memory of this store"),
        ("/memories/project/a.md", "no project scope; name it with --project"),
        ("/memories/global/../a.md", "not allowed"),
        ("/memories/other/a.md", "looks like"),
        ("elsewhere.md", "nor inside this store"),
    ],
)
def test_what_names_no_memory_is_a_usage_error_that_says_why(
    root: Path, name: str, reason: str
) -> None:
    done = meta("pin", name, "--root", root)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert not (root / "memory-meta.json").exists()


def test_the_pin_of_a_file_that_is_gone_can_be_taken_away(root: Path) -> None:
    write(root / "memory-meta.json", {"global:gone.md": entry(3, pinned=True)})
    assert told(meta("unpin", "/memories/global/gone.md", "--root", root))["pinned"] is False
    assert meta("unpin", "/memories/global/other.md", "--root", root).returncode == 2


@pytest.mark.parametrize("command", [["show"], ["pin", "/memories/global/notes/a.md"]])
def test_a_broken_sidecar_is_an_error_and_stays(root: Path, command: list[str]) -> None:
    (root / "memory-meta.json").write_text("broken")
    error = told(meta(*command, "--root", root), 5)
    assert str(root / "memory-meta.json") in error["message"]
    assert (root / "memory-meta.json").read_text() == "broken"


def test_show_has_every_entry_and_can_be_compared_again(root: Path, tmp_path: Path) -> None:
    entries = {
        "global:unused.md": {},
        "project:/p:b.md": entry(4) | {"other": [1]},
        "global:pinned.md": entry(0, None, pinned=True),
        HOSTILE: 5,
    }
    file = write(root / "memory-meta.json", entries)
    done = meta("show", "--root", root)
    shown = told(done)
    assert shown["entries"] == entries
    assert [item["key"] for item in shown["ranking"]] == ["global:pinned.md", "project:/p:b.md"]
    same = meta("diff", "-", file, "--exit-code", input=done.stdout)
    assert same.returncode == 0
    table = meta("show", "--root", root, "--format", "table").stdout
    assert "/memories/project/b.md (project /p)" in " ".join(table.split())
    assert "\x1b" not in table and "\u202e" not in table


def test_path_is_plain_text_whatever_the_format(root: Path) -> None:
    for more in ([], ["-j"], ["--format", "table"]):
        assert meta("path", "--root", root, *more).stdout == f"{root}/memory-meta.json\n"


def test_a_snapshot_is_the_same_bytes(root: Path, tmp_path: Path) -> None:
    text = '{"entries":{"global:a":{"accessCount":1.50}},"x":[]}'
    (root / "memory-meta.json").write_text(text)
    target = tmp_path / "before.json"
    assert told(meta("snapshot", target, "--root", root))["entries"] == 1
    assert target.read_text() == text
    assert meta("snapshot", target, "--root", root).returncode == 0


def test_a_snapshot_of_no_sidecar_is_an_empty_one(root: Path, tmp_path: Path) -> None:
    target = tmp_path / "before.json"
    assert told(meta("snapshot", target, "--root", root))["entries"] == 0
    assert meta("diff", target, "--root", root, "--exit-code").returncode == 0


def test_a_snapshot_overwrites_nothing_but_a_snapshot(root: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    write(root / "memory-meta.json", {})
    assert meta("snapshot", tmp_path / "notes.txt", "--root", root).returncode == 2
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert meta("snapshot", root / "memory-meta.json", "--root", root).returncode == 2
    assert meta("snapshot", tmp_path / "no/folder", "--root", root).returncode == 5


def test_looking_writes_nothing(root: Path, tmp_path: Path, home: Path) -> None:
    before = write(tmp_path / "before", {})
    for command in (["show"], ["path"], ["diff", before]):
        meta(*map(str, command), "--root", root)
    assert not (root / "memory-meta.json").exists()
    assert os.listdir(home) == []
