"""A world out of joint: streams that are closed, state that is no file, a folder full of traps."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import COMMAND, intuition

CUE = "where is the deploy log rotated"


@pytest.fixture
def memories(tmp_path: Path) -> Path:
    folder = tmp_path / "memories"
    folder.mkdir()
    (folder / "log.md").write_text(
        "The deploy log lives in /var/log/deploy and is rotated daily by cron.\n"
    )
    return folder


def shell(redirections: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", f'"$@" {redirections}', "sh", *COMMAND, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
    )


@pytest.mark.parametrize("redirections", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_streams_end_no_recall(memories: Path, redirections: str) -> None:
    done = shell(redirections, "recall", "-d", memories, "--cue", CUE)
    assert done.returncode == 0, done
    assert done.stderr == ""
    if redirections in ("<&-", "2>&-"):
        assert json.loads(done.stdout)["kind"] == "recognized"


def test_what_is_opened_never_becomes_a_standard_stream(memories: Path, home: Path) -> None:
    """Else what is printed would end up in the ledger or the sidecar."""
    shell("<&- >&- 2>&-", "recall", "-d", memories, "--cue", CUE, "--turn", "1")
    state = home / ".local/state/intuition"
    for file in [state / "ledger.jsonl", state / "turns.json", *state.glob("*/memory-meta.json")]:
        json.loads(file.read_text())


def test_a_cue_from_a_closed_standard_input_is_an_empty_one(memories: Path) -> None:
    done = shell("<&-", "recall", "-d", memories, "--cue", "-")
    assert done.returncode == 2
    assert "empty" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
@pytest.mark.parametrize(
    "arguments", [["--help"], ["recall", "--help"], ["recall", "--example", "--cue", CUE]]
)
def test_a_full_disk_behind_standard_output_is_told_in_a_line(arguments: list[str]) -> None:
    done = shell(">/dev/full", *arguments)
    assert done.returncode == 70
    assert done.stderr == "Error: Standard output cannot be written: No space left on device.\n"


@pytest.mark.parametrize("identity", ["NaN", "Infinity", "-1e999"])
def test_a_batch_goes_on_behind_an_id_that_json_cannot_say(memories: Path, identity: str) -> None:
    lines = [f'{{"id": {identity}, "cue": "x"}}'] * 9 + [json.dumps({"id": 1, "cue": CUE})]
    done = intuition("recall", "-d", memories, "--batch", "-", input="\n".join(lines))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["kind"] for answer in answers] == ["error"] * 9 + ["recognized"]


def test_a_batch_with_a_line_of_3_mb_and_one_nested_100_000_deep(memories: Path) -> None:
    lines = ["x" * 3_000_000, "[" * 100_000, '{"cue": "\\ud800"}', json.dumps({"cue": CUE})]
    done = intuition("recall", "-d", memories, "--batch", "-", input="\n".join(lines))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["kind"] for answer in answers] == ["error"] * 3 + ["recognized"]


@pytest.mark.parametrize("file", ["/dev/zero", "/dev/urandom"])
def test_an_endless_cue_is_refused(file: str) -> None:
    done = intuition("recall", "--example", "--cue-file", file)
    assert done.returncode == 2
    assert "2,000" in done.stderr


def test_a_cue_in_utf_8_is_taken_whatever_the_locale(memories: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = intuition("recall", "-d", memories, "--cue", f"日本 {CUE}", env={**os.environ, **plain})
    assert json.loads(done.stdout)["cue"] == f"日本 {CUE}"


@pytest.mark.parametrize("columns", ["0", "1", "-5", "99999", "many", ""])
def test_any_width_can_be_asked_for(columns: str) -> None:
    env = {**os.environ, "COLUMNS": columns, "TERM": "\x1b[31m"}
    done = intuition("recall", "--example", "--cue", CUE, "--format", "table", env=env)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("home_value", ["/proc/none", "/dev/null", "/proc"])
def test_a_home_that_is_none_costs_the_bookkeeping_only(memories: Path, home_value: str) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": home_value, "XDG_STATE_HOME": home_value}
    folder = memories.parent
    done = intuition("recall", "-d", memories, "--cue", CUE, env=env, cwd=folder)
    assert json.loads(done.stdout)["kind"] == "recognized"
    assert [item.name for item in folder.iterdir()] == ["memories"]


@pytest.mark.parametrize("home_value", ["", "relative"])
def test_a_home_that_is_no_absolute_path_is_not_taken_from_here(
    memories: Path, home_value: str
) -> None:
    # Only looked at: what stands in for it is the home of whoever runs the tests.
    env = {"PATH": os.environ["PATH"], "HOME": home_value, "XDG_STATE_HOME": home_value}
    done = intuition("meta", "path", "-d", memories, env=env, cwd=memories.parent)
    sidecar = Path(done.stdout.strip())
    assert sidecar.is_absolute() and not sidecar.is_relative_to(memories.parent)


def fifo(file: Path) -> None:
    os.mkfifo(file)


def endless(file: Path) -> None:
    file.symlink_to("/dev/zero")


def folder(file: Path) -> None:
    file.mkdir()


def circle(file: Path) -> None:
    file.symlink_to(file)


def sparse(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(1024**3)


def nested(file: Path) -> None:
    file.write_text("[" * 200_000)


STATE_FILES = ["ledger.jsonl", "ledger.lock", "turns.json", "turns.lock", "sidecar"]
IS_NO_FILE = [fifo, endless, folder, circle, sparse, nested]


@pytest.mark.parametrize("make", IS_NO_FILE)
def test_state_that_is_no_file_costs_a_warning(
    make: Callable[[Path], None], memories: Path, home: Path
) -> None:
    state = home / ".local/state/intuition"
    state.mkdir(parents=True)
    sidecar = home / "memory-meta.json"
    for name in STATE_FILES:
        make(sidecar if name == "sidecar" else state / name)
    given = ["-d", memories, "--meta", sidecar]
    done = intuition("recall", *given, "--cue", CUE, "--turn", "1")
    assert done.returncode == 0, done
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["kind"] == "recognized"
    assert found["warnings"] or make in (sparse, nested)  # those are begun anew
    stats = intuition("stats", *given)
    assert stats.returncode == 0
    assert stats.stderr == ""
    assert Path("/dev/zero").is_char_device()


def test_without_room_for_a_byte_a_recall_answers(memories: Path, home: Path) -> None:
    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = subprocess.run(
        [*COMMAND, "recall", "-d", str(memories), "--cue", CUE, "--turn", "1"],
        capture_output=True, timeout=60, check=False, preexec_fn=no_room,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["kind"] == "recognized"
    assert len(found["warnings"]) == 3  # turn, sidecar, ledger
    assert [f for f in home.rglob("*") if f.is_file() and f.stat().st_size] == []


TRAPS = [
    "__future__",
    "dataclasses",
    "gc",
    "hashlib",
    "json",
    "litellm",
    "os",
    "re",
    "signal",
    "sitecustomize",
    "typer",
    "typing",
    "unicodedata",
    "usercustomize",
    "yaml",
]
"""`python -m` itself imports `functools` and what that needs, before any line of ours."""


@pytest.mark.parametrize(
    "command",
    [COMMAND, (str(Path(sys.executable).with_name("intuition")),)],
    ids=["python -m", "intuition"],
)
def test_nothing_in_the_current_directory_is_imported(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    for name in TRAPS:
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from here')")
    (tmp_path / ".env").write_text("INTUITION_MODEL=openai/trap\nOPENAI_API_KEY=trap\n")
    (tmp_path / "config.toml").write_text('model = "openai/trap"')
    if not Path(command[0]).exists():
        pytest.skip("the command is not installed")
    done = subprocess.run(
        [*command, "recall", "--example", "--cue", "why is the build slow"],
        capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done
    assert json.loads(done.stdout)["model"] == "offline"
