"""Reading through hooks: forbidden stays forbidden, hidden stays hidden, nothing is run twice."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from xum_intuition.clock import Clock, Deadline, Interrupt
from xum_intuition.errors import Forbidden, Interrupted, MemoryRefused, Unreadable
from xum_intuition.memory.access import Access
from xum_intuition.memory.hooks import Hook, HookSet, Runner
from xum_intuition.memory.paths import StoreChoice, locate
from xum_intuition.memory.store import Store

SECRET = "/memories/global/secret.md"
PLAIN = "/memories/global/plain.md"


class Bench:
    """A folder of two memories, and hooks as scripts that write down each of their calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.memories = folder / "memories"
        self.memories.mkdir()
        (self.memories / "secret.md").write_text("# Secret\nThe password is hunter2.\n")
        (self.memories / "plain.md").write_text("# Plain\nDeploy on Fridays, never later.\n")

    def hook(self, name: str, body: str = "") -> Hook:
        file = self.folder / name
        file.write_text(
            f'#!/bin/sh\necho "{name} $XUM_TOOL_INPUT_PATH" >> {self.folder}/calls\n{body}\n'
        )
        file.chmod(0o755)
        return Hook((str(file),), str(file))

    def access(self, hooks: HookSet, interrupt: Interrupt | None = None) -> Access:
        choice = StoreChoice(memory_dirs=((None, self.memories),))
        store = Store(locate(choice, state_dir=self.folder / "state"))
        list(store.scan())
        runner = Runner(
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
            folder=None,
            project=None,
            workspace=None,
            deadline=Deadline(Clock(), 30),
            interrupt=interrupt or Interrupt(),
        )
        return Access(store, hooks, runner)

    def calls(self) -> list[str]:
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def refusal(access: Access, path: str) -> MemoryRefused:
    with pytest.raises(MemoryRefused) as caught:
        access.read(path)
    return caught.value


def test_without_hooks_all_of_the_file_is_visible(bench: Bench) -> None:
    access = bench.access(HookSet())
    seen = access.read(PLAIN)
    data = (bench.memories / "plain.md").read_bytes()
    assert seen.text == seen.visible == data.decode()
    assert seen.sha256 == hashlib.sha256(data).hexdigest()
    assert seen.nbytes == len(data)
    assert not access.hidden
    assert access.warnings == []


def test_what_tool_pre_forbids_cannot_be_read_and_it_is_asked_once(bench: Bench) -> None:
    guard = bench.hook("tool_pre", 'case "$XUM_TOOL_INPUT_PATH" in *secret*) exit 1;; esac')
    access = bench.access(HookSet(tool_pre=(guard,)))
    assert access.hidden
    for _ in range(3):
        assert isinstance(refusal(access, SECRET), Forbidden)
        assert access.read(PLAIN).visible.startswith("# Plain")
    assert bench.calls() == [f"tool_pre {SECRET}", f"tool_pre {PLAIN}"]
    assert access.warnings == []


def test_every_tool_pre_must_agree(bench: Bench) -> None:
    hooks = HookSet(tool_pre=(bench.hook("yes", "exit 0"), bench.hook("no", "exit 1")))
    assert isinstance(refusal(bench.access(hooks), PLAIN), Forbidden)


def test_a_filter_decides_what_is_visible_and_the_text_stays_the_file_s(bench: Bench) -> None:
    mask = bench.hook("filter", "sed 's/hunter2/[hidden]/'")
    access = bench.access(HookSet(filter=mask))
    assert access.hidden
    seen = access.read(SECRET)
    assert "hunter2" in seen.text
    assert seen.visible == "# Secret\nThe password is [hidden].\n"
    assert seen.nbytes == len(seen.visible)


def test_the_order_is_pre_filter_post_and_post_sees_what_is_visible(bench: Bench) -> None:
    hooks = HookSet(
        tool_pre=(bench.hook("pre"),),
        filter=bench.hook("filter", "sed s/hunter2/x/"),
        tool_post=(bench.hook("post", f'cp "$XUM_TOOL_RESULT_PATH" {bench.folder}/shown'),),
    )
    bench.access(hooks).read(SECRET)
    assert bench.calls() == [f"{name} {SECRET}" for name in ("pre", "filter", "post")]
    assert "hunter2" not in (bench.folder / "shown").read_text()


def test_a_failing_filter_forbids_with_one_warning_for_all(bench: Bench) -> None:
    access = bench.access(HookSet(filter=bench.hook("filter", "exit 1")))
    assert isinstance(refusal(access, SECRET), Forbidden)
    assert isinstance(refusal(access, PLAIN), Forbidden)
    [warning] = access.warnings
    assert "exit code 1" in warning
    assert "1 more" in warning


@pytest.mark.parametrize("kind", ["tool_pre", "filter"])
def test_a_guard_that_cannot_be_run_forbids(bench: Bench, kind: str) -> None:
    missing = Hook((str(bench.folder / "missing"),), "missing")
    hooks = HookSet(tool_pre=(missing,)) if kind == "tool_pre" else HookSet(filter=missing)
    access = bench.access(hooks)
    assert isinstance(refusal(access, PLAIN), Forbidden)
    assert "cannot be run" in access.warnings[0]


def test_a_failing_tool_post_is_a_warning(bench: Bench) -> None:
    access = bench.access(HookSet(tool_post=(bench.hook("post", "exit 5"),)))
    assert access.read(PLAIN).visible.startswith("# Plain")
    assert not access.hidden
    assert "exit code 5" in access.warnings[0]


def test_an_unreadable_memory_is_remembered_too(bench: Bench) -> None:
    (bench.memories / "plain.md").write_bytes(b"\xff\xfe")
    access = bench.access(HookSet(tool_pre=(bench.hook("pre"),)))
    first, second = refusal(access, PLAIN), refusal(access, PLAIN)
    assert isinstance(first, Unreadable)
    assert first is second
    assert bench.calls() == [f"pre {PLAIN}"]


def test_an_interrupt_is_no_refusal(bench: Bench) -> None:
    interrupt = Interrupt()
    access = bench.access(HookSet(tool_pre=(bench.hook("pre", "sleep 30"),)), interrupt)
    interrupt.request()
    with pytest.raises(Interrupted):
        access.read(PLAIN)
