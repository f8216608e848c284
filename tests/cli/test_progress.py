"""What standard error shows while a person waits, on a real pseudo-terminal."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import openai_server as scripted
from tests.support.openai_server import OpenAIServer
from xum_intuition.cli.progress import counter, spinner
from xum_intuition.cli.terminal import Ink

PROGRAM = [sys.executable, "-m", "xum_intuition"]


def on_a_terminal(
    command: list[str], *, cwd: Path, env: dict[str, str] | None = None
) -> tuple[subprocess.CompletedProcess[bytes], str]:
    """Run with standard error on a terminal; what standard output got, and what was shown."""
    terminal, end = pty.openpty()
    shown: list[bytes] = []
    reader = threading.Thread(target=_drain, args=(terminal, shown))
    reader.start()
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=end,
            timeout=60,
            env=os.environ | {"TERM": "xterm"} | (env or {}),
        )
    finally:
        os.close(end)
        reader.join()
        os.close(terminal)
    return done, b"".join(shown).decode()


def _drain(terminal: int, shown: list[bytes]) -> None:
    while True:
        select.select([terminal], [], [])
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the last writer is gone
            return
        if not data:
            return
        shown.append(data)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n\nThe tower is cleaned in August only.\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    return tmp_path


def slowly(step: scripted.Step, go_on: threading.Event) -> scripted.Step:
    def wait(connection: scripted.Connection, received: scripted.Received) -> None:
        go_on.wait(0.6)  # long enough that the spinner turns
        step(connection, received)

    return wait


def test_a_spinner_says_the_step_and_leaves_nothing(folder: Path) -> None:
    server = OpenAIServer()
    try:
        server.script(slowly(scripted.answer(None, scripted.report()), threading.Event()))
        words = ["recall", "-d", "notes", "--cue", "clean the tower", "--json", "--timeout", "50"]
        model = ["--model", "openai/test", "--api-base", server.base_url]
        done, shown = on_a_terminal([*PROGRAM, *words, *model], cwd=folder)
        server.verify()
    finally:
        server.close()
    assert json.loads(done.stdout)["kind"] == "uncertain"
    assert "step 1 · 0 files read · " in shown
    assert " s left" in shown
    assert shown.endswith("\r\x1b[K")
    assert "\n" not in shown


@pytest.mark.parametrize("how", [["--quiet"], []])
def test_no_spinner_where_it_is_not_wanted(how: list[str], folder: Path) -> None:
    words = [*PROGRAM, "recall", "-d", "notes", "--cue", "tower", *how]
    env = {} if how else {"TERM": "dumb"}
    _, shown = on_a_terminal(words, cwd=folder, env=env)
    assert shown == ""


def test_a_batch_answers_a_bad_line_and_goes_on(folder: Path) -> None:
    lines = ['{"id": 1, "cue": "clean the tower"}', "no JSON", '{"id": 3, "cue": "x"}']
    (folder / "cues.jsonl").write_text("\n".join(lines))
    done, shown = on_a_terminal(
        [*PROGRAM, "recall", "-d", "notes", "--batch", "cues.jsonl", "--jobs", "2"], cwd=folder
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [1, None, 3]
    assert answers[1]["kind"] == "error"
    assert done.returncode == 2
    assert shown == "" or shown.endswith("\r\x1b[K")


class Screen:
    """A stream that takes itself for a terminal and tells when it was written to."""

    def __init__(self) -> None:
        self.text = ""
        self.drawn = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text
        self.drawn.set()

    def fileno(self) -> int:
        return -1

    def flush(self) -> None:
        pass


def drawn(monkeypatch: pytest.MonkeyPatch, wait: Callable[[Screen, Ink], None]) -> str:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    wait(screen, Ink(screen, {"TERM": "xterm"}, color=False))
    assert screen.text.endswith("\r\x1b[K")
    return screen.text


def test_a_bar_counts_what_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(screen: Screen, ink: Ink) -> None:
        with counter(1_000, ink) as advance:
            advance()
            assert screen.drawn.wait(10)

    assert "1 of 1,000 cues answered" in drawn(monkeypatch, wait)


def test_a_count_where_the_total_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(screen: Screen, ink: Ink) -> None:
        with counter(None, ink):
            assert screen.drawn.wait(10)

    assert "0 cues answered" in drawn(monkeypatch, wait)


def test_an_error_while_it_turns_takes_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(screen: Screen, ink: Ink) -> None:
        with contextlib.suppress(KeyboardInterrupt), spinner(5, ink):
            assert screen.drawn.wait(10)
            raise KeyboardInterrupt

    assert "getting ready" in drawn(monkeypatch, wait)
