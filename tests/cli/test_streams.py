"""One document on standard output, whoever reads it, and nobody hears of a closed pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "xum_intuition"]
CUE = ("--cue", "why is the first build after a pull slow?")
COMMANDS = {
    "recall": ("recall", "--example", *CUE),
    "recall-verbose": ("recall", "--example", "--verbose", *CUE),
    "dry-run": ("recall", "--example", "--dry-run", *CUE),
    "schema": ("recall", "--schema"),
    "index": ("index", "--example", *CUE),
    "stats": ("stats", "-d", "notes"),
    "meta-show": ("meta", "show", "-d", "notes"),
    "meta-pin": ("meta", "pin", "-d", "notes", "/memories/global/a.md"),
    "meta-diff": ("meta", "diff", "before.json", "before.json"),
    "config-show": ("config", "show"),
    "error": ("recall", "-d", "nowhere", *CUE),
    "broken-config": ("recall", "--config", "before.md", "--example", *CUE),
}
TEXTS = {
    "help": ("--help",),
    "help-recall": ("recall", "--help"),
    "version": ("--version",),
    "guidance": ("guidance",),
    "meta-path": ("meta", "path", "-d", "notes"),
    "config-path": ("config", "path"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n\nSomething about the build.\n")
    (tmp_path / "before.json").write_text('{"entries": {}}')
    (tmp_path / "before.md").write_text("= no TOML")
    return tmp_path


def run(words: tuple[str, ...], folder: Path, **more: object) -> subprocess.CompletedProcess[bytes]:
    streams: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run([*PROGRAM, *words], cwd=folder, timeout=60, **(streams | more))  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_one_document_and_tells_errors_too(name: str, folder: Path) -> None:
    done = run((*COMMANDS[name], *(() if name in ("dry-run", "schema") else ("--json",))), folder)
    assert isinstance(json.loads(done.stdout), dict)
    assert done.stdout.endswith(b"}\n")
    assert b"Error" not in done.stderr


@pytest.mark.parametrize("name", ["error", "broken-config"])
def test_a_table_keeps_errors_off_standard_output(name: str, folder: Path) -> None:
    done = run((*COMMANDS[name], "--format", "table"), folder)
    assert (done.returncode, done.stdout) == (5, b"")
    assert done.stderr.startswith(b"Error: ")


TABLES = ("recall", "index", "stats", "meta-show", "meta-diff", "config-show")


@pytest.mark.parametrize(
    "words",
    [*COMMANDS.values(), *TEXTS.values(), *((*COMMANDS[n], "--format", "table") for n in TABLES)],
    ids=" ".join,
)
def test_a_closed_pipe_ends_any_command_quietly(words: tuple[str, ...], folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = run(words, folder, stdout=pipe)
    assert done.returncode == 0
    assert done.stderr == b""


def test_a_full_disk_is_told_in_one_line(folder: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    with open("/dev/full", "wb") as full:
        done = run(COMMANDS["recall"], folder, stdout=full)
    assert done.returncode == 70
    assert done.stderr.startswith(b"Error: Standard output cannot be written")
    assert done.stderr.count(b"\n") == 1


def test_closed_streams_are_no_reason_to_fail(folder: Path) -> None:
    closing = 'exec "$@" >&- 2>&-'
    done = subprocess.run(
        ["sh", "-c", closing, "sh", *PROGRAM, *COMMANDS["recall"]], cwd=folder, timeout=60
    )
    assert done.returncode == 0


def test_any_locale_gets_utf_8(folder: Path) -> None:
    env = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    shown = run(("index", "--example", "--format", "table"), folder, env=env).stdout
    assert "日本語メモ".encode() in shown
    assert run(("recall", "--help"), folder, env=env).returncode == 0
