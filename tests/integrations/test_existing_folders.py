"""The folders that real agents leave behind are recalled from as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import command_line

FOLDERS = Path(__file__).with_name("folders")


class Folder(NamedTuple):
    below: str
    cues: tuple[tuple[str, str, str], ...]
    """Each cue, the file that answers it, and a piece of the line that does."""
    stranger: str
    """A cue that no memory of the folder answers."""


AGENTS = {
    "auto memory": Folder(
        "auto_memory",
        (
            (
                "Open an ssh tunnel through the bastion and connect to the staging database",
                "staging-database.md",
                "ssh -L 6543",
            ),
            (
                "test_resumable_upload failed again, run it alone",
                "flaky-upload-test.md",
                "TMPDIR=/var/tmp",
            ),
            (
                "How are release notes to be written: for gardeners or for programmers?",
                "release-notes-style.md",
                "written for gardeners",
            ),
        ),
        "Add dark mode to the settings page of the mobile app",
    ),
    "serena": Folder(
        "serena/.serena/memories",
        (
            (
                "Replay a recorded day of a station",
                "suggested_commands.md",
                "just replay 2026",
            ),
            (
                "Are temperatures kept in kelvin everywhere or in degrees for display?",
                "code_style_and_conventions.md",
                "kept in kelvin",
            ),
            (
                "Regenerate the golden map images before the task is completed",
                "task_completion_checklist.md",
                "just golden",
            ),
        ),
        "Translate the privacy statement into Portuguese",
    ),
    "cursor": Folder(
        "cursor/.cursor/rules",
        (
            (
                "Write a billing API handler that refuses an invoice that was already paid",
                "api-handlers.mdc",
                "Answer 409",
            ),
            (
                "Add a tooltip to the React component of the shop front",
                "react-components.mdc",
                "Tooltips use the `Hint`",
            ),
            (
                "When does a queue worker acknowledge a message?",
                "backend/queue-workers.mdc",
                "acknowledges a message only after",
            ),
        ),
        "Draw a new logo for the conference badge",
    ),
    "copilot": Folder(
        "copilot/.github/instructions",
        (
            (
                "Write a database migration that creates an index",
                "migrations.instructions.md",
                "CONCURRENTLY",
            ),
            (
                "Convert time zones in the Python ledger service, with pytz or zoneinfo?",
                "python.instructions.md",
                "`pytz` is banned",
            ),
            (
                "Does every terraform bucket get prevent_destroy?",
                "terraform.instructions.md",
                "prevent_destroy",
            ),
        ),
        "Choose a wallpaper for the meeting room",
    ),
    "memory bank": Folder(
        "bank/memory-bank",
        (
            (
                "Where are overlapping bookings refused, in the form or in the database?",
                "systemPatterns.md",
                "exclusion constraint",
            ),
            (
                "Deploy the tag to the halls host with fab",
                "techContext.md",
                "fab deploy --host halls",
            ),
            (
                "Refund rule for cancelled bookings",
                "activeContext.md",
                "full refund up to 48 hours",
            ),
        ),
        "Profile the garbage collector of the Rust compiler",
    ),
}
CUES = [(agent, *cue) for agent, folder in AGENTS.items() for cue in folder.cues]


def recall(agent: str, cue: str) -> Any:
    folder = FOLDERS / AGENTS[agent].below
    done = command_line.intuition("recall", "-d", folder, "--cue", cue, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("agent", "cue", "file", "piece"), CUES)
def test_a_cue_recognizes_the_right_file_and_lines(
    agent: str, cue: str, file: str, piece: str
) -> None:
    result = recall(agent, cue)
    assert result["kind"] == "recognized"
    memory = result["memories"][0]
    assert memory["path"] == f"/memories/global/{file}"
    assert piece in memory["excerpt"]
    text = (FOLDERS / AGENTS[agent].below / file).read_text()
    first, last = memory["lines"]
    assert piece in "\n".join(text.split("\n")[first - 1 : last])


@pytest.mark.parametrize("agent", AGENTS)
def test_a_cue_that_is_foreign_to_a_folder_recognizes_nothing(agent: str) -> None:
    assert recall(agent, AGENTS[agent].stranger)["kind"] == "uncertain"


@pytest.mark.parametrize("agent", AGENTS)
def test_nothing_is_written_into_a_folder(agent: str) -> None:
    folder = FOLDERS / AGENTS[agent].below
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*")}
    assert recall(agent, AGENTS[agent].cues[0][0])["kind"] == "recognized"
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*")} == before
