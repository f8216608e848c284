"""What recalls leave behind, told from outside: real processes, signals, limits and locks."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support import openai_server, processes
from tests.support.openai_server import OpenAIServer

CUE = "which colour has the zeppelin of the harbour master, and who may paint it"
KEY = "global:zeppelin.md"
ENTRY = '{"entries": {"global:zeppelin.md": {"accessCount": 7}}}'
MEMORY = """---
description: Colour of the harbour master's zeppelin and who may paint it
---
# Zeppelin

The zeppelin of the harbour master has the colour ultramarine, and only Ms Okafor may paint it.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "memories"
    folder.mkdir()
    (folder / "zeppelin.md").write_text(MEMORY)
    (folder / "bread.md").write_text("# Bread\n\nRye bread is baked on Tuesdays at 190 degrees.\n")
    return folder


@pytest.fixture
def meta(tmp_path: Path) -> Path:
    file = tmp_path / "meta" / "memory-meta.json"
    file.parent.mkdir()
    return file


@pytest.fixture
def state(home: Path) -> Path:
    return home / ".local/state/intuition"


def arguments(folder: Path, meta: Path, *more: object) -> list[object]:
    return ["recall", "-d", folder, "--meta", meta, "--cue", CUE, "--format", "json", *more]


def recall(folder: Path, meta: Path, *more: object, **options: Any) -> dict[str, Any]:
    done = processes.intuition(*arguments(folder, meta, *more), **options)
    assert done.returncode == 0, done
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def count_of(meta: Path) -> int:
    if not meta.exists():
        return 0
    entries = json.loads(meta.read_text())["entries"]
    return int(entries.get(KEY, {"accessCount": 0})["accessCount"])


def ledger_lines(state: Path) -> list[dict[str, Any]]:
    file = state / "ledger.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def ended(child: subprocess.Popen[str]) -> tuple[int, dict[str, Any]]:
    out, err = child.communicate(timeout=60)
    assert out, err
    return child.returncode, json.loads(out)


def waits_for_lock(meta: Path) -> bool:
    return any(".lock.tmp-" in name for name in os.listdir(meta.parent))


def test_a_recognized_memory_is_counted_and_a_scanned_one_gains_nothing(
    folder: Path, meta: Path, state: Path
) -> None:
    before_ms = time.time_ns() // 1_000_000
    assert recall(folder, meta)["kind"] == "recognized"
    entries = json.loads(meta.read_text())["entries"]
    assert list(entries) == [KEY]
    assert entries[KEY]["accessCount"] == 1
    assert before_ms <= entries[KEY]["lastAccessedAt"] <= time.time_ns() // 1_000_000
    assert not state.joinpath(meta.name).exists()


def test_without_meta_the_sidecar_of_a_folder_is_in_the_state_directory(
    folder: Path, state: Path
) -> None:
    done = processes.intuition("recall", "-d", folder, "--cue", CUE)
    assert done.returncode == 0
    (file,) = state.glob("memories-*/memory-meta.json")
    assert count_of(file) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["bread.md", "zeppelin.md"]


def test_the_ledger_has_the_recall_and_neither_cue_nor_excerpt(
    folder: Path, meta: Path, state: Path
) -> None:
    recall(folder, meta)
    (line,) = ledger_lines(state)
    assert line["store"] == str(folder.resolve())
    assert (line["kind"], line["recognized"], line["models"]) == ("recognized", 1, ["offline"])
    assert line["usage"][0]["costUsd"] == 0
    assert line["steps"] > 0 and line["elapsedMs"] >= 0 and line["timedOut"] is False
    for file in state.rglob("*"):
        if file.is_file():
            text = file.read_text()
            assert "harbour" not in text and "ultramarine" not in text


def test_no_record_touches_neither_sidecar_nor_ledger(
    folder: Path, meta: Path, state: Path
) -> None:
    assert recall(folder, meta, "--no-record")["kind"] == "recognized"
    assert not meta.exists()
    assert not state.exists()


def test_32_recalls_at_once_sum_up_exactly(folder: Path, meta: Path, state: Path) -> None:
    meta.write_text(ENTRY[:-1] + ', "kept": [1.50]}')
    command = arguments(folder, meta, "--timeout", 120)
    children = [processes.start_intuition(*command) for _ in range(32)]
    warnings: list[str] = []
    for child in children:
        code, result = ended(child)
        assert (code, result["kind"]) == (0, "recognized")
        warnings += result["warnings"]
    # On a machine that is busy enough, somebody may wait for five seconds in vain, and says so.
    assert count_of(meta) == 7 + 32 - sum("No use was recorded" in told for told in warnings)
    assert len(ledger_lines(state)) == 32 - sum("ledger" in told for told in warnings)
    assert len(warnings) < 16
    assert '"kept": [\n    1.50\n  ]' in meta.read_text()
    assert os.listdir(meta.parent) == [meta.name]


# The commit point


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupt_before_the_write_ends_the_run_and_counts_nothing(
    folder: Path, meta: Path, state: Path, name: str
) -> None:
    meta.write_text('{"entries": {}}')
    with processes.lock_held_by_other_program(meta):
        child = processes.start_intuition(*arguments(folder, meta, "--timeout", 60))
        processes.wait_until(lambda: waits_for_lock(meta), child)
        child.send_signal(getattr(signal, name))
        code, result = ended(child)
    assert (code, result["kind"], result["code"]) == (130, "error", "interrupted")
    assert meta.read_text() == '{"entries": {}}'
    assert os.listdir(meta.parent) == [meta.name]
    assert [line["kind"] for line in ledger_lines(state)] == ["error"]


def test_an_interrupt_during_the_write_changes_nothing(folder: Path, meta: Path) -> None:
    entries = {f"global:{n}.md": {"accessCount": n, "x": "y" * 40} for n in range(100_000)}
    meta.write_text(json.dumps({"entries": entries}))
    child = processes.start_intuition(*arguments(folder, meta, "--timeout", 60))
    lock = meta.with_name(meta.name + ".lock")
    processes.wait_until(lock.exists, child)
    time.sleep(0.05)  # the lock is there a moment before the commit begins
    assert lock.exists(), "the write was too fast for this test"
    child.send_signal(signal.SIGINT)
    code, result = ended(child)
    assert (code, result["kind"]) == (0, "recognized")
    assert count_of(meta) == 1


def test_an_interrupt_after_the_write_changes_nothing(
    folder: Path, meta: Path, state: Path
) -> None:
    state.mkdir(parents=True)
    with (state / "ledger.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        child = processes.start_intuition(*arguments(folder, meta, "--timeout", 60))
        processes.wait_until(lambda: count_of(meta), child)
        child.send_signal(signal.SIGINT)
        time.sleep(0.05)
    code, result = ended(child)
    assert (code, result["kind"], result["warnings"]) == (0, "recognized", [])
    assert count_of(meta) == 1
    assert [line["kind"] for line in ledger_lines(state)] == ["recognized"]


def test_a_lock_that_is_released_in_time_is_waited_for(folder: Path, meta: Path) -> None:
    with processes.lock_held_by_other_program(meta):
        child = processes.start_intuition(*arguments(folder, meta, "--timeout", 60))
        processes.wait_until(lambda: waits_for_lock(meta), child)
    code, result = ended(child)
    assert (code, result["kind"], result["warnings"]) == (0, "recognized", [])
    assert count_of(meta) == 1


def test_the_lock_is_not_waited_for_past_the_deadline(folder: Path, meta: Path) -> None:
    with processes.lock_held_by_other_program(meta):
        result = recall(folder, meta, "--timeout", 3)
    assert result["kind"] == "recognized"
    assert 2_900 < result["stats"]["elapsedMs"] < 3_500
    assert "No use was recorded" in result["warnings"][0]
    assert result["stats"]["timedOut"] is False
    assert count_of(meta) == 0


# Where something is broken


def test_a_broken_sidecar_is_set_aside_and_the_recall_answers(folder: Path, meta: Path) -> None:
    meta.write_text("[1, 2")
    result = recall(folder, meta)
    assert result["kind"] == "recognized"
    assert "set aside" in result["warnings"][0]
    (aside,) = meta.parent.glob("*.broken-*")
    assert aside.read_text() == "[1, 2"
    assert count_of(meta) == 1


def test_where_no_state_can_be_kept_the_recall_answers_with_warnings(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    done = processes.intuition(
        "recall", "-d", folder, "--cue", CUE, "--turn", "t", "-j",
        env=os.environ | {"XDG_STATE_HOME": str(tmp_path / "file")},
    )  # fmt: skip
    assert done.returncode == 0, done
    result = json.loads(done.stdout)
    assert result["kind"] == "recognized"
    told = " ".join(result["warnings"])
    assert "turn" in told and "No use was recorded" in told and "ledger" in told


def test_on_a_full_disk_the_recall_answers_with_warnings(
    folder: Path, meta: Path, state: Path
) -> None:
    text = ENTRY
    meta.write_text(text)
    result = recall(
        folder, meta, "--turn", "t",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )  # fmt: skip
    assert result["kind"] == "recognized"
    assert len(result["warnings"]) == 3
    assert meta.read_text() == text
    assert os.listdir(meta.parent) == [meta.name]
    assert all(path.stat().st_size == 0 for path in state.rglob("*") if path.is_file())


# Turns


def test_the_fourth_recall_of_a_turn_reaches_the_limit(
    folder: Path, meta: Path, state: Path
) -> None:
    for more in ([], ["--no-record"], []):
        recall(folder, meta, "--turn", "t1", *more)
    done = processes.intuition(*arguments(folder, meta, "--turn", "t1"))
    assert done.returncode == 3
    assert json.loads(done.stdout)["kind"] == "limit_reached"
    assert count_of(meta) == 2
    assert len(ledger_lines(state)) == 2
    assert recall(folder, meta, "--turn", "t2")["kind"] == "recognized"
    environment = os.environ | {"INTUITION_TURN": "t1"}
    assert processes.intuition(*arguments(folder, meta), env=environment).returncode == 3


def test_a_recall_without_memories_uses_up_nothing(tmp_path: Path, state: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for _ in range(4):
        done = processes.intuition("recall", "-d", empty, "--cue", CUE, "--turn", "t")
        assert done.returncode == 0
    assert not state.exists()


@pytest.mark.parametrize("command", [["meta"], ["meta", "show"], ["stats"]])
def test_a_reader_that_is_gone_ends_a_command_quietly(folder: Path, command: list[str]) -> None:
    where = ["-d", str(folder)] if command != ["meta"] else []
    child = processes.start_intuition(*command, *where)
    assert child.stdout is not None
    child.stdout.close()
    child.stdout = None
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, "")


# Real models


def test_each_model_that_answered_is_in_the_ledger_at_litellms_price_or_null(
    folder: Path, meta: Path, state: Path
) -> None:
    server = OpenAIServer()
    read = openai_server.read("/memories/global/zeppelin.md")
    server.script(
        openai_server.answer(None, read),
        openai_server.status(401),
        openai_server.answer(None, openai_server.report()),
    )
    done = processes.intuition(
        *arguments(folder, meta, "--timeout", 60, "--model", "openai/gpt-4o-mini"),
        "--fallback-model", "openai/gpt-4o-mini-nobody-knows", "--api-base", server.base_url,
        env=os.environ | {"OPENAI_API_KEY": "sk-secret"},
    )  # fmt: skip
    server.verify()
    server.close()
    (line,) = ledger_lines(state)
    known, unknown = line["usage"]
    assert done.returncode == 0, done
    assert known["model"] == "openai/gpt-4o-mini"
    assert (known["inputTokens"], known["outputTokens"]) == (100, 10)
    assert known["costUsd"] == pytest.approx(100 * 0.15e-6 + 10 * 0.6e-6)
    assert unknown["model"] == "openai/gpt-4o-mini-nobody-knows"
    assert unknown["costUsd"] is None
    assert "sk-secret" not in (state / "ledger.jsonl").read_text()
