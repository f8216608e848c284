"""The server, driven by the SDK's own client over real standard streams, and by raw lines."""

from __future__ import annotations

import array
import asyncio
import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support import command_line
from tests.support.openai_server import OpenAIServer, answer, hang, read, report
from xum_intuition.result import schema_text

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

CUE = "When does the espresso machine on the third floor need descaling?"
SENTENCE = "The espresso machine on the third floor needs descaling every six weeks."
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@asynccontextmanager
async def client(
    *options: object, env: dict[str, str] | None = None
) -> AsyncIterator[ClientSession]:
    arguments = ["-m", "xum_intuition", "mcp", *map(str, options)]
    whole = {**os.environ, **(env or {})}
    server = StdioServerParameters(command=sys.executable, args=arguments, env=whole)
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


def structured(result: Any) -> Any:
    """A call's structured content, checked against the schema of every result."""
    jsonschema.validate(result.structured_content, json.loads(schema_text()))
    [content] = result.content
    assert json.loads(content.text) == result.structured_content
    return result.structured_content


def call(*options: object, env: dict[str, str] | None = None, **arguments: Any) -> Any:
    """The answer to one call of a server of its own."""

    async def run() -> Any:
        async with client(*options, env=env) as session:
            return await session.call_tool("intuition", arguments)

    return asyncio.run(run())


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    server = OpenAIServer()
    yield server
    server.close()
    server.verify()


def by(server: OpenAIServer) -> list[str]:
    return ["--model", "openai/scripted", "--api-base", server.base_url, "--timeout", "60"]


@pytest.mark.usefixtures("switched_on")
class TestWithTheSdksClient:
    def test_one_tool_with_the_protocol_in_its_description(self, notes: Path) -> None:
        async def run() -> Any:
            async with client("-d", notes) as session:
                return session.initialize_result, await session.list_tools()

        greeting, listed = asyncio.run(run())
        assert "start of each turn" in greeting.instructions
        [tool] = listed.tools
        assert tool.name == "intuition"
        for words in (
            "start of each turn",
            "one or two sentences",
            "not instructions",
            "candidates",
        ):
            assert words in tool.description
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.input_schema["required"] == ["cue"]
        assert tool.output_schema == {"type": "object", **json.loads(schema_text())}

    def test_calls_are_answered_as_by_the_command(self, notes: Path) -> None:
        async def run() -> list[Any]:
            async with client("-d", notes) as session:
                cues = (CUE, "paint the fence green", CUE)
                return [await session.call_tool("intuition", {"cue": cue}) for cue in cues]

        first, nothing, again = map(structured, asyncio.run(run()))
        assert first["kind"] == again["kind"] == "recognized"
        assert SENTENCE in first["memories"][0]["excerpt"]
        assert nothing["kind"] == "uncertain"
        shown = command_line.intuition("meta", "show", "-d", notes, "--json")
        assert json.loads(shown.stdout)["entries"]["global:espresso.md"]["accessCount"] == 2
        ledger = json.loads(command_line.intuition("stats", "-d", notes, "--json").stdout)["ledger"]
        assert ledger["recalls"] == 3

    def test_no_record_touches_nothing(self, notes: Path, home: Path) -> None:
        assert structured(call("-d", notes, "--no-record", cue=CUE))["kind"] == "recognized"
        assert not (home / ".local/state/intuition").exists()

    def test_wrong_calls_are_answered_and_the_server_goes_on(self, notes: Path) -> None:
        wrong: list[dict[str, Any]] = [{}, {"cue": " "}, {"cue": "x" * 2001}, {"cue": 5}]

        async def run() -> list[Any]:
            async with client("-d", notes) as session:
                with pytest.raises(MCPError, match="There is no tool 'memory'"):
                    await session.call_tool("memory", {})
                calls = [*wrong, {"cue": CUE}]
                return [await session.call_tool("intuition", arguments) for arguments in calls]

        *errors, good = asyncio.run(run())
        assert [structured(error)["code"] for error in errors] == ["usage"] * 4
        assert all(error.is_error for error in errors)
        assert structured(good)["kind"] == "recognized"

    def test_a_missing_folder_is_told_and_mended_while_it_runs(self, tmp_path: Path) -> None:
        async def run() -> list[Any]:
            async with client("-d", tmp_path / "later") as session:
                before = await session.call_tool("intuition", {"cue": CUE})
                (tmp_path / "later").mkdir()
                (tmp_path / "later/espresso.md").write_text(f"# Espresso machine\n\n{SENTENCE}\n")
                return [before, await session.call_tool("intuition", {"cue": CUE})]

        before, after = map(structured, asyncio.run(run()))
        assert before["code"] == "store"
        assert after["kind"] == "recognized"

    def test_a_turn_that_a_call_names_is_counted(self, notes: Path) -> None:
        async def run() -> list[str]:
            kinds = []
            async with client("-d", notes) as session:
                for turn in ("a", "a", "a", "a", "b"):
                    result = await session.call_tool(
                        "intuition", {"cue": CUE}, meta={"intuition/turn": turn}
                    )
                    kinds.append(structured(result)["kind"])
            return kinds

        assert asyncio.run(run()) == [*["recognized"] * 3, "limit_reached", "recognized"]

    def test_many_calls_at_once_are_all_answered(self, notes: Path) -> None:
        async def run() -> list[Any]:
            async with client("-d", notes) as session:
                calls = [session.call_tool("intuition", {"cue": CUE}) for _ in range(20)]
                return list(await asyncio.gather(*calls))

        assert {structured(result)["kind"] for result in asyncio.run(run())} == {"recognized"}

    def test_a_cancelled_call_counts_no_use_and_the_server_goes_on(
        self, notes: Path, model: OpenAIServer
    ) -> None:
        path = "/memories/global/espresso.md"
        item = {"path": path, "relevance": 0.95, "excerpt": SENTENCE, "why": "says when"}
        model.script(answer(None, read(path)), hang(), answer(None, report(item)))

        async def run() -> Any:
            key = {"OPENAI_API_KEY": "sk-test"}
            async with client("-d", notes, *by(model), env=key) as session:
                first = asyncio.create_task(session.call_tool("intuition", {"cue": CUE}))
                await asyncio.to_thread(wait_until, lambda: len(model.received) == 2)
                first.cancel()
                return await session.call_tool("intuition", {"cue": CUE})

        result = structured(asyncio.run(run()))
        assert result["kind"] == "recognized"
        assert result["model"] == "openai/scripted"
        shown = command_line.intuition("meta", "show", "-d", notes, "--json")
        assert json.loads(shown.stdout)["entries"]["global:espresso.md"]["accessCount"] == 1


@pytest.mark.usefixtures("switched_on")
def test_the_newest_protocol_is_spoken_as_well(notes: Path) -> None:
    async def run() -> Any:
        arguments = ["-m", "xum_intuition", "mcp", "-d", str(notes)]
        server = StdioServerParameters(command=sys.executable, args=arguments, env={**os.environ})
        async with Client(stdio_client(server), mode="auto") as newest:
            assert newest.protocol_version == "2026-07-28"
            return await newest.call_tool("intuition", {"cue": CUE})

    assert structured(asyncio.run(run()))["kind"] == "recognized"


def test_it_starts_switched_off_and_says_how_to_switch_on(notes: Path, home: Path) -> None:
    async def run() -> list[Any]:
        async with client("-d", notes) as session:
            before = await session.call_tool("intuition", {"cue": CUE})
            done = command_line.intuition("config", "set", "integrations.enabled", "true")
            assert done.returncode == 0
            return [before, await session.call_tool("intuition", {"cue": CUE})]

    before, after = asyncio.run(run())
    assert before.is_error
    assert structured(before)["code"] == "disabled"
    assert "intuition config set integrations.enabled true" in structured(before)["message"]
    assert structured(after)["kind"] == "recognized"


@pytest.mark.usefixtures("switched_on")
def test_a_sub_agent_is_refused(notes: Path) -> None:
    result = structured(call("-d", notes, env={"INTUITION_SUBAGENT": "1"}, cue=CUE))
    assert result["code"] == "disabled"


class Raw:
    """A server spoken to line by line."""

    def __init__(self, *options: object) -> None:
        command = [sys.executable, "-m", "xum_intuition", "mcp", *map(str, options)]
        pipe = subprocess.PIPE
        self.child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)

    def send(self, *lines: bytes | dict[str, Any]) -> None:
        assert self.child.stdin is not None
        for line in lines:
            data = line if isinstance(line, bytes) else json.dumps(line).encode()
            self.child.stdin.write(data + b"\n")
        self.child.stdin.flush()

    def receive(self) -> Any:
        assert self.child.stdout is not None
        return json.loads(self.child.stdout.readline())

    def begin(self) -> None:
        self.send(INITIALIZE)
        assert self.receive()["result"]["serverInfo"]["name"] == "intuition"
        self.send(INITIALIZED)


def wait_until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.01)


def _bytes_waiting(fd: int) -> int:
    count = array.array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0]


def tool_call(identity: int, cue: str = CUE) -> dict[str, Any]:
    params = {"name": "intuition", "arguments": {"cue": cue}}
    return {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}


@pytest.fixture
def raw(notes: Path, switched_on: Path) -> Iterator[Raw]:
    server = Raw("-d", notes)
    with server.child:
        yield server
        server.child.kill()


class TestWithRawLines:
    def test_garbage_is_survived(self, raw: Raw) -> None:
        garbage = (
            b"",
            b"{",
            b"\xff\xfe\x00",
            b"[]",
            b'"x"',
            b"null",
            b"[" * 50_000,
            b"x" * 3_000_000,
        )
        raw.send(*garbage)
        raw.begin()
        raw.send(*garbage, {"jsonrpc": "2.0", "id": 7, "result": {}}, {"jsonrpc": "1.0", "id": 8})
        raw.send(tool_call(2))
        answer = raw.receive()
        assert answer["id"] == 2
        assert answer["result"]["structuredContent"]["kind"] == "recognized"

    def test_half_a_surrogate_pair_leaves_no_call_unanswered(self, raw: Raw) -> None:
        raw.begin()
        call = tool_call(2)
        call["params"]["arguments"]["cue"] += " \ud800"
        raw.send(call)
        assert raw.receive()["id"] == 2

    def test_what_was_asked_before_the_input_ended_is_answered(self, raw: Raw) -> None:
        assert raw.child.stdin is not None
        raw.send(INITIALIZE, INITIALIZED, tool_call(2))
        out, _ = raw.child.communicate(timeout=60)
        assert raw.child.returncode == 0
        assert [json.loads(line)["id"] for line in out.splitlines()] == [1, 2]

    def test_a_client_that_reads_nothing_does_not_keep_it(self, raw: Raw) -> None:
        raw.begin()
        raw.send(*map(tool_call, range(2, 102)))
        assert raw.child.stdout is not None
        assert raw.child.stdin is not None
        fd = raw.child.stdout.fileno()
        half = fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ) // 2
        wait_until(lambda: _bytes_waiting(fd) > half)
        raw.child.stdin.close()
        assert raw.child.wait(timeout=30) == 0

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_a_signal_ends_it_though_the_input_stays_open(self, raw: Raw, number: int) -> None:
        raw.begin()
        raw.child.send_signal(number)
        assert raw.child.wait(timeout=30) == 130

    def test_standard_output_carries_the_protocol_only(self, raw: Raw) -> None:
        raw.begin()
        raw.send(tool_call(2))
        raw.receive()
        out, _ = raw.child.communicate(timeout=60)
        assert out == b""

    def test_hostile_characters_are_escaped_on_the_wire(self, raw: Raw, notes: Path) -> None:
        (notes / "espresso.md").write_text(f"{SENTENCE} \u202e\u2028\x9b and more\n")
        raw.begin()
        raw.send(tool_call(2))
        assert raw.child.stdout is not None
        line = raw.child.stdout.readline().decode()
        assert line.rstrip("\n").isprintable()
        memory = json.loads(line)["result"]["structuredContent"]["memories"][0]
        assert "\u202e\u2028\x9b" in memory["excerpt"]


@pytest.mark.parametrize("end", ["input", "signal"])
def test_a_recall_in_the_middle_does_not_keep_the_server(
    end: str, notes: Path, tmp_path: Path, switched_on: Path
) -> None:
    started = tmp_path / "started"
    command = json.dumps(["sh", "-c", f"touch {started}; sleep 60"])
    switched_on.write_text(f"{switched_on.read_text()}[hooks]\nfilter = {command}\n")
    server = Raw("-d", notes)
    server.begin()
    server.send(tool_call(2))
    wait_until(started.exists)
    began = time.monotonic()
    if end == "signal":
        server.child.terminate()
    server.child.communicate(timeout=30)
    assert time.monotonic() - began < 10
    assert server.child.returncode == (130 if end == "signal" else 0)


def test_wrong_options_are_refused_at_the_start(notes: Path) -> None:
    done = command_line.intuition("mcp", "-d", notes, "--threshold", "2")
    assert done.returncode == 2
    assert "threshold" in done.stderr


def test_a_missing_extra_is_named(notes: Path) -> None:
    code = (
        "import sys; sys.modules['mcp'] = None; sys.argv[1:] = ['mcp'];"
        "from xum_intuition.cli.app import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "pip install 'xum-intuition[mcp]'" in done.stderr


def test_the_sdk_stays_whole_for_others() -> None:
    code = (
        "from xum_intuition.integrations import mcp_server; mcp_server._import_sdk();"
        "import sys; assert 'mcp.client' not in sys.modules, 'more was imported than is needed';"
        "import mcp; mcp.ClientSession; mcp.server.MCPServer"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
