"""The deadline is wall-clock, whatever a server does; and it takes half a second at most."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import openai_server as provider
from tests.support.inquiries import A, inquire
from tests.support.openai_server import OpenAIServer
from xum_intuition.agent.budget import Budget, Stopped
from xum_intuition.agent.calls import call, pause
from xum_intuition.agent.litellm_model import seat
from xum_intuition.clock import Clock, Deadline, Interrupt
from xum_intuition.limits import Limits

MODEL = "openai/gpt-4o-mini"
SECONDS = 0.7
GRACE = 0.5
"""How long after the deadline everything must be over."""
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")


@pytest.fixture(scope="module")
def warm() -> None:
    """The library loaded, and past its first call, which takes it longer than the others."""
    server = OpenAIServer()
    server.script(provider.answer(None, provider.report()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
        assert inquire(seat(MODEL, api_base=server.base_url)).stop == "reported"
    server.close()


HOSTILE = {
    "says nothing": provider.hang(),
    "stops after the headers": provider.hang_after_headers(),
    "sends a byte now and then": provider.dribble(0.1),
    "sends a byte a second": provider.dribble(1.0),
    "never ends its answer": provider.endless(),
    "never ends it, at full speed": provider.endless(0.0),
}


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("step", HOSTILE.values(), ids=HOSTILE)
def test_a_server_cannot_hold_a_run_beyond_the_deadline(
    server: OpenAIServer, step: provider.Step
) -> None:
    server.script(provider.answer(None, provider.read(A)), step)
    deadline = Deadline(Clock(), SECONDS)
    inquiry = inquire(seat(MODEL, api_base=server.base_url), deadline=deadline)
    assert SECONDS * 1_000 <= deadline.elapsed_ms() + 1 <= (SECONDS + GRACE) * 1_000
    assert inquiry.stop == "timed_out" and inquiry.read == (A,) and inquiry.steps == 1
    assert inquiry.usage[0].input_tokens == 100, "the step that was answered is paid for"


@pytest.mark.usefixtures("warm")
def test_a_fallback_gets_what_is_left_of_the_time(server: OpenAIServer) -> None:
    server.script(provider.status(503), provider.status(503), provider.hang())
    deadline = Deadline(Clock(), SECONDS)
    seats = [seat(name, api_base=server.base_url) for name in (MODEL, "openai/gpt-4o")]
    assert inquire(*seats, deadline=deadline).stop == "timed_out"
    assert deadline.elapsed_ms() <= (SECONDS + GRACE) * 1_000


def test_a_seat_that_is_not_ready_in_time_is_said_to_be_loading() -> None:
    deadline = Deadline(Clock(), 0.05)

    def never() -> Any:
        time.sleep(5)

    inquiry = inquire(never, deadline=deadline)
    assert inquiry.stop == "timed_out" and not inquiry.reached_provider
    assert inquiry.note and "loading" in inquiry.note


def budget(interrupt: Interrupt) -> Budget:
    return Budget(Limits(), Deadline(Clock(), 30), interrupt)


WAITS: dict[str, Callable[[Budget], None]] = {
    "call": lambda purse: call(lambda: time.sleep(5), purse),
    "pause": lambda purse: pause(20, purse),
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_an_interrupt_ends_a_wait_at_once(wait: Callable[[Budget], None]) -> None:
    interrupt = Interrupt()

    def request_soon() -> None:
        time.sleep(0.05)
        interrupt.request()

    threading.Thread(target=request_soon, daemon=True).start()
    started = time.monotonic()
    with pytest.raises(Stopped) as caught:
        wait(budget(interrupt))
    assert caught.value.stop == "interrupted"
    assert time.monotonic() - started < 2


def test_a_wait_leaves_nothing_behind_with_the_interrupt() -> None:
    interrupt = Interrupt()
    assert call(lambda: 7, budget(interrupt)) == 7
    assert not interrupt._wakers


DRIVER = """
import sys
from tests.support.inquiries import inquire
from xum_intuition.agent.litellm_model import load_in_background, seat
from xum_intuition.clock import Clock, Deadline
load_in_background().module()
model = seat("openai/gpt-4o-mini", api_base=sys.argv[1])
assert inquire(model).stop == "reported"
for _ in range(3):
    deadline = Deadline(Clock(), 0.5)
    assert inquire(model, deadline=deadline).stop == "timed_out"
print(deadline.started + deadline.seconds)
"""


def test_no_thread_keeps_the_process_alive(server: OpenAIServer) -> None:
    server.script(provider.answer(None, provider.report()))
    server.script(provider.hang(), provider.dribble(0.2), provider.endless())
    command = [sys.executable, "-c", DRIVER, server.base_url]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=90)
    ended = time.monotonic()
    assert (done.returncode, done.stderr) == (0, "")
    assert ended - float(done.stdout) < 5, "the servers would have held it for ever"


class Command:
    """`intuition recall` over the example memories, in a process of its own."""

    def __init__(self, server: OpenAIServer, *options: str, timeout: float = 60) -> None:
        command = [sys.executable, "-m", "xum_intuition", "recall", "--example", "--json"]
        command += ["--cue", "show the newest log", "--model", MODEL]
        command += ["--api-base", server.base_url, "--timeout", str(timeout), *options]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)

    def result(self) -> tuple[int, dict[str, Any], str]:
        """Exit code, the one JSON document, and standard error."""
        out, err = self.process.communicate(timeout=90)
        return self.process.returncode, json.loads(out), err


def test_loading_the_library_counts(server: OpenAIServer) -> None:
    code, result, err = Command(server, timeout=0.3).result()
    assert (code, result["kind"], err) == (0, "uncertain", "")
    assert result["stats"]["timedOut"] and "loading" in result["note"]
    assert result["stats"]["elapsedMs"] <= (0.3 + GRACE) * 1_000
    assert result["candidates"] and result["usage"] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_server_is_silent_ends_the_recall(
    server: OpenAIServer, number: signal.Signals, home: Path
) -> None:
    server.script(provider.answer("hm"), provider.hang())
    command = Command(server)
    _wait_for(lambda: len(server.received) == 2)
    sent = time.monotonic()
    os.kill(command.process.pid, number)
    code, result, err = command.result()
    assert time.monotonic() - sent < 2
    assert (code, result["kind"], result["code"], err) == (130, "error", "interrupted", "")
    assert result["usage"][0]["inputTokens"] == 100
    [ledger] = home.rglob("*.jsonl")
    assert '"interrupted"' in ledger.read_text() or '"error"' in ledger.read_text()


def test_a_failed_recall_shows_the_reason_and_no_key(server: OpenAIServer) -> None:
    message = "Incorrect API key provided: sk-test-0123456789"
    server.script(provider.status(401, message, X_Request_Id="req-77"))
    code, result, err = Command(server, "--verbose").result()
    assert (code, result["kind"], result["code"]) == (4, "error", "provider")
    assert "Incorrect API key" in result["message"] and "401" in result["message"]
    everything = json.dumps(result) + err
    assert not any(secret in everything for secret in ("0123456789", "req-77", "Bearer"))


def _wait_for(condition: Any) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.02)
