from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support import command_line
from tests.support.command_line import Done
from xum_intuition import ledger
from xum_intuition.result import ModelUsage

DAY = 86_400_000


@pytest.fixture
def now() -> int:
    return time.time_ns() // 1_000_000


@pytest.fixture
def state(home: Path) -> Path:
    return home / ".local/state/intuition"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "xum"
    (root / "memory/global/notes").mkdir(parents=True)
    (root / "memory/global/a.md").write_text("---\ndescription: A\n---\n# A\n")
    (root / "memory/global/notes/b.md").write_text("# B\n")
    (root / "sessions/w1/memory").mkdir(parents=True)
    (root / "sessions/w1/memory/w.md").write_text("W\n")
    return root


def stats(*arguments: object, code: int = 0) -> Any:
    done = command_line.intuition("stats", *arguments)
    assert done.returncode == code, done
    return json.loads(done.stdout)


def table(columns: int, *arguments: object) -> Done:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        done = command_line.intuition("stats", "--format", "table", *arguments)
    assert done.returncode == 0, done
    return done


def entry(count: int, at_ms: int | None, pinned: bool = False) -> dict[str, Any]:
    return {"pinned": pinned, "accessCount": count, "lastAccessedAt": at_ms, "lastWriteAt": None}


def write_meta(root: Path, entries: Any) -> None:
    (root / "memory-meta.json").write_text(json.dumps({"entries": entries}))


def spent(store: Path | str, at_ms: int, **changes: Any) -> ledger.LedgerEntry:
    values: dict[str, Any] = {
        "at_ms": at_ms, "store": str(store), "kind": "recognized", "models": ("p/m",),
        "usage": (ModelUsage("p/m", 1000, 50, 0, 0.0125),), "steps": 2, "elapsed_ms": 1500,
        "timed_out": False, "recognized": 1,
    }  # fmt: skip
    return ledger.LedgerEntry(**(values | changes))


# The store


def test_files_bytes_and_descriptions_are_counted_by_scope(root: Path) -> None:
    found = stats("--root", root, "--workspace", "w1")["store"]
    assert (found["files"], found["described"], found["undescribed"]) == (3, 1, 2)
    assert found["scopes"]["global"]["files"] == 2
    assert found["scopes"]["global"]["bytes"] == 27 + 4
    assert found["scopes"]["workspace"]["files"] == 1
    assert found["sidecar"] == str(root / "memory-meta.json")


def test_files_beyond_the_cap_and_unreadable_ones_are_told(
    root: Path, tmp_path: Path, now: int
) -> None:
    folder = root / "memory/global"
    (folder / "binary.md").write_bytes(b"a\0b")
    (folder / "large.md").write_bytes(b"x" * 200_000)
    (folder / "latin.md").write_bytes(b"\xe9")
    (folder / "leads-out.md").symlink_to(tmp_path)
    (folder / "less<than.md").write_text("x")
    for number in range(1000):
        (folder / f"n{number:04}.md").write_text("x")
    write_meta(root, {"global:n0999.md": entry(1, now)})
    document = stats("--root", root)
    found = document["store"]["scopes"]["global"]
    assert found["files"] == 1000
    assert found["beyondCap"] == 5
    assert found["unreadable"] == 3
    assert found["bytes"] > 200_000
    assert (found["escapedLinks"], found["badNames"]) == (1, 1)
    assert document["hotSet"][0]["status"] == "unlisted"
    assert len(document["warnings"]) == 3
    shown = table(200, "--root", root)
    assert "5 beyond the cap" in shown.stdout
    assert "3 unreadable" in shown.stdout
    assert shown.stderr.count("Warning:") == 3


def test_a_missing_store_is_exit_5(tmp_path: Path) -> None:
    assert stats("-d", tmp_path / "none", code=5)["code"] == "store"


# The hot set


def test_the_hot_set_has_rank_score_uses_and_whether_the_file_is_gone(root: Path, now: int) -> None:
    write_meta(
        root,
        {
            "global:a.md": entry(8, now - 7 * DAY),
            "global:notes/b.md": entry(1, now, pinned=True),
            "global:gone.md": entry(40, now),
            "workspace:w1:w.md": entry(2, now),
            "workspace:w2:w.md": entry(2, now),
            "strange": entry(1, now),
            "global:unused.md": entry(0, None),
        },
    )
    document = stats("--root", root)
    found = {item["key"]: item for item in document["hotSet"]}
    assert [item["key"] for item in document["hotSet"]] == [
        "global:notes/b.md",
        "global:gone.md",
        "global:a.md",
        "workspace:w1:w.md",
        "workspace:w2:w.md",
        "strange",
    ]
    assert [item["rank"] for item in document["hotSet"]] == [1, 2, 3, 4, 5, 6]
    assert found["global:a.md"]["score"] == pytest.approx(4.0, abs=0.01)
    assert {key: item["status"] for key, item in found.items()} == {
        "global:notes/b.md": "present",
        "global:gone.md": "gone",
        "global:a.md": "present",
        "workspace:w1:w.md": "elsewhere",
        "workspace:w2:w.md": "gone",
        "strange": "gone",
    }
    assert [key for key, item in found.items() if item["hot"]] == [
        "global:notes/b.md",
        "global:a.md",
    ]


def test_the_hot_set_as_a_table(root: Path, now: int) -> None:
    write_meta(
        root,
        {
            "global:a.md": entry(8, now - 3 * DAY),
            "global:notes/b.md": entry(4, now, pinned=True),
            "global:gone\x1b[31m.md": entry(1, now - 8 * DAY),
        },
    )
    lines = [line.split() for line in table(100, "--root", root).stdout.splitlines()]
    assert ["score", "uses", "last", "used", "pinned", "memory"] in lines
    assert lines.index(
        ["1", "4.00", "████", "4", "just", "now", "pinned", "/memories/global/notes/b.md"]
    ) + 1 == lines.index(["2", "5.94", "██████", "8", "3", "d", "ago", "/memories/global/a.md"])
    gone = ["/memories/global/gone\\x1b[31m.md", "(file", "is", "gone)"]
    assert ["3", "0.45", "▌", "1", "8", "d", "ago", *gone] in lines


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_no_line_is_wider_than_the_terminal(
    root: Path, state: Path, now: int, columns: int
) -> None:
    write_meta(root, {f"global:{'long' * n}.md": entry(n, now) for n in range(30)})
    ledger.append(state, spent(root, now, usage=(ModelUsage("provider/model" * 5, 1, 2, 3, None),)))
    shown = table(columns, "--root", root).stdout
    assert max(map(len, shown.splitlines())) <= columns
    assert "9 more" in " ".join(shown.split())


def test_a_broken_sidecar_is_a_warning(root: Path) -> None:
    (root / "memory-meta.json").write_text("{")
    document = stats("--root", root)
    assert document["hotSet"] == []
    assert str(root / "memory-meta.json") in document["warnings"][0]


def test_entries_with_broken_fields_do_no_harm(root: Path, now: int) -> None:
    (root / "memory-meta.json").write_text(
        '{"entries": {"global:a.md": {"accessCount": 1e308, "lastAccessedAt": 1e308},'
        ' "b": {"accessCount": "5"}, "c": [], "d": {"accessCount": true, "pinned": 1},'
        ' "e": {"accessCount": -4, "lastAccessedAt": -1}, "f": {"pinned": true}}}'
    )
    assert [item["key"] for item in stats("--root", root)["hotSet"]] == ["f", "global:a.md"]
    for columns in (40, 100):
        assert "many" in table(columns, "--root", root).stdout


# The ledger


def test_recalls_are_counted_for_the_store_at_hand_or_for_all(
    root: Path, state: Path, now: int
) -> None:
    ledger.append(state, spent(root, now))
    ledger.append(state, spent(root, now - 3 * DAY, kind="error", usage=(), timed_out=True))
    ledger.append(state, spent("/elsewhere", now))
    found = stats("--root", root)["ledger"]
    assert (found["recalls"], found["timeouts"]) == (2, 1)
    assert found["kinds"] == {"error": 1, "recognized": 1}
    assert found["latencyMs"] == {"p50": 1500, "p95": 1500}
    assert found["models"] == [
        {
            "model": "p/m",
            "recalls": 1,
            "inputTokens": 1000,
            "outputTokens": 50,
            "cachedInputTokens": 0,
            "costUsd": 0.0125,
            "unpriced": 0,
        }
    ]
    assert stats("--root", root, "--all-stores")["ledger"]["recalls"] == 3
    assert stats("--root", root, "--since", "2d")["ledger"]["recalls"] == 1
    assert stats("--root", root, "--since", "2020-01-01")["ledger"]["recalls"] == 2


def test_an_unknown_price_is_null_and_told(root: Path, state: Path, now: int) -> None:
    ledger.append(state, spent(root, now, usage=(ModelUsage("x/y", 1, 2, 3, None),)))
    assert stats("--root", root)["ledger"]["models"][0]["costUsd"] is None
    assert "unknown" in table(100, "--root", root).stdout


def test_a_ledger_that_others_wrote_in_does_no_harm(root: Path, state: Path, now: int) -> None:
    ledger.append(state, spent(root, now, kind="\x1b]0;evil\x07", models=("\u202e",)))
    with (state / "ledger.jsonl").open("ab") as file:
        file.write(b'\xff\n{"at": 1')
    document = stats("--root", root)
    assert document["ledger"]["unreadableLines"] == 2
    assert "2 line(s) of the ledger" in document["warnings"][0]
    shown = table(100, "--root", root)
    assert "\\x1b]0;evil\\x07" in shown.stdout
    assert "\x1b" not in shown.stdout + shown.stderr


def test_a_since_that_is_no_time_is_a_usage_error(root: Path) -> None:
    done = command_line.intuition("stats", "--root", root, "--since", "ages")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--since" in done.stderr


def test_looking_writes_nothing(root: Path, home: Path) -> None:
    stats("--root", root)
    assert not (root / "memory-meta.json").exists()
    assert list(home.iterdir()) == []
