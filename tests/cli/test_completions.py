"""Completion, in each shell that is there."""

from __future__ import annotations

import os
import pty
import select
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.command_tree import ROOT
from xum_intuition import ledger
from xum_intuition.cli import complete
from xum_intuition.result import ModelUsage

FOLDER = ROOT / "completions"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with memories, a ledger that knows a model, and the program on PATH."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "backups.md").write_text("# Backups\n\nEvery night.\n")
    (notes / "two words.md").write_text("# Two\n\nWords.\n")
    program = tmp_path / "bin" / "intuition"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m xum_intuition "$@"\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    usage = (
        ModelUsage("ollama/llama3:8b", 1, 1, 0, None),
        ModelUsage("evil\x1b[0m", 1, 1, 0, None),
    )
    entry = ledger.LedgerEntry(1, "s", "recognized", (), usage, 1, 1, False, 1)
    ledger.append(Path(os.environ["XDG_STATE_HOME"]) / "intuition", entry)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def values(capfd: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert complete.main(words) == 0
    return capfd.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "words",
    [
        ("-d", "notes"),
        ("--memory-dir=notes",),
        ("--memory-dir", "=", "notes"),
        ("--memory-dir", '"notes"'),
        ("meta", "pin", "-d", "notes", "--root", ""),
    ],
)
def test_memories_are_those_of_the_store_that_is_named(
    words: tuple[str, ...], place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    expected = ["/memories/global/backups.md", "/memories/global/two words.md"]
    assert values(capfd, "memories", *words) == expected


def test_the_example_has_memories_too(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "/memories/global/backups.md" in values(capfd, "memories", "recall", "--example")


def test_models_are_those_that_were_used(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert values(capfd, "models") == ["offline", "ollama/llama3:8b"]


def test_workspaces_are_those_of_the_root(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (place / "root" / "sessions" / "ws-1" / "memory").mkdir(parents=True)
    assert values(capfd, "workspaces", "--root", str(place / "root")) == ["ws-1"]


@pytest.mark.parametrize("words", [(), ("nonsense",), ("memories", "-d", "nowhere"), ("memories",)])
def test_whatever_is_wrong_there_are_no_values(
    words: tuple[str, ...], place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert values(capfd, *words) == []


CASES = [
    ("intuition rec", "recall"),
    ("intuition meta sna", "snapshot"),
    ("intuition recall --mod", "--model"),
    ("intuition recall --format js", "json"),
    ("intuition recall --model oll", "ollama/llama3:8b"),
    ("intuition config set budgets.max_st", "budgets.max_steps"),
    ("intuition meta pin -d notes /memories/global/b", "/memories/global/backups.md"),
    ("intuition recall -d no", "notes/"),
    ("intuition index --memory-dir=global=no", "notes/"),
    ("intuition meta diff no", "notes/"),
]


@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
def test_fish(place: Path) -> None:
    for line, expected in CASES:
        if "=" in line:
            continue  # fish has no value with a scope before it
        script = f"source {FOLDER}/intuition.fish; complete -C {line!r}"
        done = subprocess.run(["fish", "-c", script], capture_output=True, text=True)
        assert done.stderr == ""
        assert expected in [found.split("\t")[0] for found in done.stdout.splitlines()], line


BASH = r"""
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
shift 2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_intuition
printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.parametrize(
    ("line", "words", "expected"),
    [
        *((line, line.split(" "), expected.rstrip("/")) for line, expected in CASES[:8]),
        ("intuition recall --format=j", ["intuition", "recall", "--format", "=", "j"], "json"),
        (
            "intuition recall --model ollama/llama3:",
            ["intuition", "recall", "--model", "ollama/llama3", ":"],
            "8b",
        ),
        (
            "intuition meta pin -d notes /memories/global/t",
            ["intuition", "meta", "pin", "-d", "notes", "/memories/global/t"],
            r"/memories/global/two\ words.md",
        ),
    ],
)
def test_bash(line: str, words: list[str], expected: str, place: Path) -> None:
    command = ["bash", "-c", BASH, "bash", FOLDER / "intuition.bash", line, *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr == ""
    assert expected in done.stdout.splitlines()


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_at_a_prompt(place: Path) -> None:
    setup = f"source {FOLDER}/intuition.bash"
    shown = typed(["bash", "--norc", "--noprofile", "-i"], setup, "intuition recall --for\tjs\t")
    assert "intuition recall --format json" in shown


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs zsh")
def test_zsh_at_a_prompt(place: Path) -> None:
    setup = f"fpath=({FOLDER} $fpath); autoload -Uz compinit; compinit -u -d {place}/dump"
    line = "intuition meta pin -d no\t /memories/global/b\t"
    shown = typed(["zsh", "-f", "-i"], setup, line)
    assert "/memories/global/backups.md" in shown


def typed(shell: list[str], setup: str, keys: str) -> str:
    """What an interactive shell shows when these keys are typed; waits for it, not for a time."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "dumb"
        os.execvp(shell[0], shell)
    try:
        os.write(terminal, f"PS1='rea''dy> '; {setup}; echo set''up\n".encode())
        shown = _until(terminal, "setup")
        for part in keys.split("\t"):
            os.write(terminal, f"{part}\t".encode())
            shown += _until(terminal, None)
        return shown
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def _until(terminal: int, sign: str | None) -> str:
    """Read until a sign came, or without one until nothing comes for a while."""
    shown, end = "", time.monotonic() + 20
    while time.monotonic() < end and (sign is None or sign not in shown):
        ready, _, _ = select.select([terminal], [], [], 1.5 if sign is None else 1)
        if ready:
            shown += os.read(terminal, 65536).decode(errors="replace")
        elif sign is None:
            break
    return shown
