"""A scripted OpenAI-compatible server on loopback: the real litellm path, without a provider.

    server.script(calling(report([])), status(500), hang())

Each request takes the next step of the script; a request without a step left is answered with
500 and fails the test in `verify`, as does a step that was never asked for.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]


@dataclass(frozen=True)
class Received:
    """One request as it came: path, headers in lower case, and the JSON body."""

    path: str
    headers: Mapping[str, str]
    body: Body


class Connection:
    """What a step may do to the client: send parts at will, wait until the server stops."""

    def __init__(self, handler: BaseHTTPRequestHandler, stopping: threading.Event) -> None:
        self._handler = handler
        self.stopping = stopping

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()
        self._handler.wfile.flush()

    def send(self, data: bytes) -> None:
        self._handler.wfile.write(data)
        self._handler.wfile.flush()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that is gone is what many tests are about; nothing is printed."""


Step = Callable[[Connection, Received], None]


@dataclass
class OpenAIServer:
    """Answers by script and records; `base_url` is what `--api-base` is given."""

    received: list[Received] = field(default_factory=list)
    unexpected: list[Received] = field(default_factory=list)
    connections: int = 0

    def __post_init__(self) -> None:
        self._steps: list[Step] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else head and body are 40 ms apart

            def setup(self) -> None:
                super().setup()
                outer.connections += 1

            def do_POST(self) -> None:
                with suppress(OSError):  # a client that gave up is what many tests are about
                    outer._answer(self)

            do_GET = do_POST

            def log_message(self, *args: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *steps: Step) -> None:
        """Add steps; each answers one request, in order."""
        self._steps.extend(steps)

    def verify(self) -> None:
        """Fail if a request came that the script did not foresee, or a step was left over."""
        assert not self.unexpected, f"unexpected calls: {[r.path for r in self.unexpected]}"
        assert not self._steps, f"{len(self._steps)} scripted steps were never asked for"

    def close(self) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        received = Received(handler.path, headers, json.loads(raw or b"{}"))
        with self._lock:
            self.received.append(received)
            step = self._steps.pop(0) if self._steps else None
            if step is None:
                self.unexpected.append(received)
        (step or status(500, "unexpected call"))(Connection(handler, self._stopping), received)


def raw(code: int, body: bytes, content_type: str = "application/json", **headers: str) -> Step:
    """The bytes as they are."""

    def step(connection: Connection, _: Received) -> None:
        extra = {name.replace("_", "-"): value for name, value in headers.items()}
        length = str(len(body))
        connection.head(code, {"Content-Type": content_type, "Content-Length": length, **extra})
        connection.send(body)

    return step


def status(code: int, message: str = "no", **headers: str) -> Step:
    """An error in the OpenAI form."""
    error = {"error": {"message": message, "type": "scripted", "code": None, "param": None}}
    return raw(code, json.dumps(error).encode(), **headers)


def completion(
    text: str | None = None,
    calls: list[tuple[str, str]] | None = None,
    *,
    usage: tuple[int, int] | None = (100, 10),
    finish: str | None = None,
    **message: Any,
) -> dict[str, Any]:
    """The JSON of one chat completion; `calls` are (tool, arguments as JSON text)."""
    tool_calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": args}}
        for n, (name, args) in enumerate(calls or [])
    ]
    content: dict[str, Any] = {"role": "assistant", "content": text, **message}
    if tool_calls:
        content["tool_calls"] = tool_calls
    reason = finish or ("tool_calls" if tool_calls else "stop")
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": content, "finish_reason": reason}],
    }
    if usage:
        body["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
    return body


def answer(text: str | None = None, *calls: tuple[str, str], **rest: Any) -> Step:
    """A completion with text, tool calls, or both."""
    return raw(200, json.dumps(completion(text, list(calls), **rest)).encode())


def read(path: str) -> tuple[str, str]:
    return "memory_read", json.dumps({"path": path})


def report(*items: Mapping[str, Any]) -> tuple[str, str]:
    return "intuition_report", json.dumps({"items": list(items)})


def hang() -> Step:
    """Accept the request and say nothing."""
    return lambda connection, _: _wait(connection)


def hang_after_headers() -> Step:
    """Send the headers of a long body, and no body."""

    def step(connection: Connection, _: Received) -> None:
        connection.head(200, {"Content-Type": "application/json", "Content-Length": "5000"})
        connection.stopping.wait()

    return step


def dribble(seconds: float = 1.0) -> Step:
    """A valid answer, one byte at a time with a pause before each."""

    def step(connection: Connection, _: Received) -> None:
        body = json.dumps(completion("slow")).encode()
        head = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        connection.head(200, head)
        for n in range(len(body)):
            if connection.stopping.wait(seconds):
                return
            connection.send(body[n : n + 1])

    return step


def endless(seconds: float = 0.001) -> Step:
    """A body that never ends, in parts of 16 KiB with a pause before each."""

    def step(connection: Connection, _: Received) -> None:
        connection.head(200, {"Content-Type": "application/json", "Transfer-Encoding": "chunked"})
        for chunk in _forever(b"4000\r\n" + b" " * 0x4000 + b"\r\n"):
            if connection.stopping.wait(seconds):
                return
            connection.send(chunk)

    return step


def garbage() -> Step:
    """Bytes that are neither HTTP nor JSON."""

    def step(connection: Connection, _: Received) -> None:
        connection.send(bytes(range(128, 256)) * 4)
        connection._handler.close_connection = True

    return step


def event_stream(text: str) -> Step:
    """A stream of chunks, though none was asked for."""
    delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    body = f"data: {json.dumps({**chunk, 'choices': [delta]})}\n\ndata: [DONE]\n\n"
    return raw(200, body.encode(), content_type="text/event-stream")


def _wait(connection: Connection) -> None:
    connection.stopping.wait()


def _forever(chunk: bytes) -> Iterator[bytes]:
    while True:
        yield chunk
