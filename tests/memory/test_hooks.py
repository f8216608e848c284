"""Hooks as real programs: what they are told, what they may do, and that nothing of them stays."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from xum_intuition.clock import Clock, Deadline, Interrupt
from xum_intuition.errors import Forbidden, Interrupted
from xum_intuition.memory.hooks import Hook, HookFailed, Runner, environment

PATH = "/memories/project/notes/deploy.md"
SHORT_S = 1.0
"""Stands in for the 10 s of a hook."""


def script(folder: Path, body: str, name: str = "hook") -> Hook:
    file = folder / name
    file.write_text("#!/bin/sh\n" + body)
    file.chmod(0o755)
    return Hook((str(file),), str(file))


def runner(
    folder: Path,
    *,
    env: Mapping[str, str] | None = None,
    seconds: float = 30,
    interrupt: Interrupt | None = None,
    timeout_s: float = 10,
) -> Runner:
    return Runner(
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **(env or {})},
        folder=str(folder),
        project="/home/me/project",
        workspace="w-1",
        deadline=Deadline(Clock(), seconds),
        interrupt=interrupt or Interrupt(),
        timeout_s=timeout_s,
    )


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether it comes true soon; polls, because a killed process takes a moment to go."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def test_tool_pre_is_told_tool_input_and_identities(tmp_path: Path) -> None:
    hook = script(tmp_path, f'env > "{tmp_path}/seen"; pwd > "{tmp_path}/pwd"\n')
    runner(tmp_path).check(hook, PATH)
    seen = dict(line.split("=", 1) for line in (tmp_path / "seen").read_text().splitlines())
    assert json.loads(seen["XUM_TOOL_INPUT"]) == {"command": "view", "path": PATH}
    assert seen["XUM_TOOL"] == "memory"
    assert seen["XUM_TOOL_INPUT_COMMAND"] == "view"
    assert seen["XUM_TOOL_INPUT_PATH"] == PATH
    assert seen["XUM_WORKSPACE_ID"] == "w-1"
    assert seen["XUM_PROJECT_DIR"] == "/home/me/project"
    assert seen["INTUITION_SUBAGENT"] == "1"
    assert (tmp_path / "pwd").read_text().strip() == str(tmp_path)


def test_a_hook_gets_no_secret_of_the_environment() -> None:
    given = {
        "OPENAI_API_KEY": "k",
        "ANTHROPIC_AUTH_TOKEN": "k",
        "AWS_SECRET_ACCESS_KEY": "k",
        "XUM_API_KEY": "k",
        "XUM_GATEWAY_TOKEN": "k",
        "XUM_PASSWORD": "k",
        "LC_SECRET": "k",
        "LD_PRELOAD": "k",
        "PYTHONPATH": "k",
        "XUM_TOOL_RESULT": "of another call",
        "XUM_ROOT": "/root/.xum",
        "LC_ALL": "C.UTF-8",
        "HOME": "/home/me",
    }
    env = environment(given, project=None, workspace=None)
    assert b"k" not in env.values()
    assert b"XUM_TOOL_RESULT" not in env
    assert env[b"XUM_ROOT"] == b"/root/.xum"
    assert env[b"LC_ALL"] == b"C.UTF-8"


def test_relative_entries_of_path_are_not_handed_on() -> None:
    env = environment({"PATH": ".:/bin::node_modules/.bin:/usr/bin"}, project=None, workspace=None)
    assert env[b"PATH"] == b"/bin:/usr/bin"
    assert environment({}, project=None, workspace=None)[b"PATH"]


def test_the_current_directory_is_never_the_hook_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "guard").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (project / "guard").chmod(0o755)
    monkeypatch.chdir(project)
    with pytest.raises(HookFailed, match="cannot be run"):
        runner(tmp_path, env={"PATH": f".:{os.environ['PATH']}"}).check(Hook(("guard",), "x"), PATH)
    assert not (tmp_path / "ran").exists()


def test_a_non_zero_exit_of_tool_pre_forbids(tmp_path: Path) -> None:
    with pytest.raises(Forbidden):
        runner(tmp_path).check(script(tmp_path, "exit 3\n"), PATH)


@pytest.mark.parametrize("kind", ["missing", "not executable", "folder", "no interpreter line"])
def test_a_hook_that_cannot_be_run_has_failed(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "hook"
    if kind == "not executable":
        file.write_text("#!/bin/sh\n")
    elif kind == "folder":
        file.mkdir()
    elif kind == "no interpreter line":
        file.write_text("exit 0\n")
        file.chmod(0o755)
    with pytest.raises(HookFailed, match="cannot be run"):
        runner(tmp_path).check(Hook((str(file),), str(file)), PATH)


def test_a_hook_ended_by_a_signal_has_failed(tmp_path: Path) -> None:
    with pytest.raises(HookFailed, match="signal 9"):
        runner(tmp_path).check(script(tmp_path, "kill -9 $$\n"), PATH)


STUBBORN = """trap '' TERM
(trap '' TERM; echo $$ > {0}/shell; exec sleep 60) &
echo $! > {0}/child
echo $$ > {0}/leader
wait
sleep 60
"""


def test_a_hook_that_ignores_sigterm_is_killed_with_its_children(tmp_path: Path) -> None:
    hook = script(tmp_path, STUBBORN.format(tmp_path))
    with pytest.raises(HookFailed, match="did not end within 1 s"):
        runner(tmp_path, timeout_s=SHORT_S).check(hook, PATH)
    for name in ("leader", "child"):
        pid = int((tmp_path / name).read_text())
        assert eventually(lambda pid=pid: gone(pid)), name  # type: ignore[misc]


def test_sigterm_comes_first(tmp_path: Path) -> None:
    hook = script(tmp_path, f"trap 'touch {tmp_path}/termed; exit 0' TERM\nsleep 60 & wait\n")
    with pytest.raises(HookFailed):
        runner(tmp_path, timeout_s=SHORT_S).check(hook, PATH)
    assert (tmp_path / "termed").exists()


def test_what_a_hook_leaves_in_the_background_goes_with_it_and_is_not_waited_for(
    tmp_path: Path,
) -> None:
    hook = script(tmp_path, f"sleep 60 &\necho $! > {tmp_path}/child\nexit 0\n")
    started = time.monotonic()
    runner(tmp_path).check(hook, PATH)
    assert time.monotonic() - started < 10
    assert eventually(lambda: gone(int((tmp_path / "child").read_text())))


def test_the_deadline_of_the_recall_ends_a_hook(tmp_path: Path) -> None:
    hook = script(tmp_path, STUBBORN.format(tmp_path))
    started = time.monotonic()
    with pytest.raises(HookFailed, match="time was up"):
        runner(tmp_path, seconds=0.3).check(hook, PATH)
    assert time.monotonic() - started < 2


def test_no_hook_is_begun_after_the_deadline(tmp_path: Path) -> None:
    hook = script(tmp_path, f"touch {tmp_path}/ran\n")
    with pytest.raises(HookFailed, match="was not run"):
        runner(tmp_path, seconds=0).check(hook, PATH)
    assert not (tmp_path / "ran").exists()


def test_an_interrupt_ends_a_hook_at_once(tmp_path: Path) -> None:
    interrupt = Interrupt()
    hook = script(tmp_path, STUBBORN.format(tmp_path))

    def stop() -> None:
        eventually((tmp_path / "leader").exists)
        interrupt.request()

    stopper = threading.Thread(target=stop)
    stopper.start()
    with pytest.raises(Interrupted):
        runner(tmp_path, interrupt=interrupt).check(hook, PATH)
    stopper.join()
    assert eventually(lambda: gone(int((tmp_path / "leader").read_text())))


def test_a_filter_is_given_the_content_and_answers_what_may_be_seen(tmp_path: Path) -> None:
    hook = Hook(("sed", "s/hunter2/****/"), "filter")
    content = "\ufeffpassword: hunter2\r\nüñí\n".encode()
    assert runner(tmp_path).visible(hook, PATH, content) == "password: ****\r\nüñí\n"


def test_a_filter_that_reads_nothing_may_answer_all_the_same(tmp_path: Path) -> None:
    hook = script(tmp_path, "echo nothing to see\n")
    assert runner(tmp_path).visible(hook, PATH, b"x" * 100_000) == "nothing to see\n"


def test_output_is_cut_at_64_kib_between_characters(tmp_path: Path) -> None:
    hook = script(tmp_path, "printf x; yes ü | tr -d '\\n' | head -c 300000\n")
    seen = runner(tmp_path).visible(hook, PATH, b"")
    assert len(seen.encode()) == 64 * 1024 - 1
    assert set(seen) == {"x", "ü"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("exit 1\n", "exit code 1"),
        ("cat; exit 2\n", "exit code 2"),
        ("printf '\\377'\n", "UTF-8"),
        ("printf 'a\\000b'\n", "NUL"),
    ],
)
def test_a_filter_that_fails_lets_nothing_through(tmp_path: Path, body: str, reason: str) -> None:
    with pytest.raises(HookFailed, match=reason):
        runner(tmp_path).visible(script(tmp_path, body), PATH, b"text")


def test_tool_post_gets_the_result_in_part_and_as_a_private_file(tmp_path: Path) -> None:
    body = (
        f'printf %s "$XUM_TOOL_RESULT" > {tmp_path}/part\n'
        f'cp "$XUM_TOOL_RESULT_PATH" {tmp_path}/whole\n'
        f'printf %s "$XUM_TOOL_RESULT_PATH" > {tmp_path}/name\n'
        f'stat -c %a "$(dirname "$XUM_TOOL_RESULT_PATH")" > {tmp_path}/mode\n'
    )
    text = "ü" * 20_000
    runner(tmp_path).look_on(script(tmp_path, body), PATH, text)
    assert (tmp_path / "part").read_text() == "ü" * 8_000
    assert (tmp_path / "whole").read_text() == text
    assert (tmp_path / "mode").read_text().strip() == "700"
    assert not Path((tmp_path / "name").read_text()).exists()


def test_tool_post_that_fails_says_so(tmp_path: Path) -> None:
    with pytest.raises(HookFailed, match="exit code 4"):
        runner(tmp_path).look_on(script(tmp_path, "exit 4\n"), PATH, "text")


def test_a_refusal_is_heard_although_child_signals_are_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with pytest.raises(Forbidden):
            runner(tmp_path).check(script(tmp_path, "exit 1\n"), PATH)
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    hooks = runner(tmp_path)
    hook = script(tmp_path, "cat\n")
    hooks.visible(hook, PATH, b"once")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        hooks.visible(hook, PATH, b"text")
    assert len(os.listdir("/proc/self/fd")) == before
