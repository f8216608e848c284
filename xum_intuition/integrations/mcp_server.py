"""The Model Context Protocol server: one tool, `intuition{cue}`, over standard input and output.

What of the SDK 2.3 shaped this: the low-level server validates no arguments and leaves a tool's
result to us; up to protocol 2025-11-25 an output schema must say `type: object` at its root and
structured content must be an object; importing the SDK costs about 0.6 s, a sixth of it in
garbage collections that find nothing.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import os
import signal
import sys
import threading
import types
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from xum_intuition import __version__
from xum_intuition.errors import ExitCode, UsageProblem
from xum_intuition.integrations import guidance
from xum_intuition.integrations.pipe import ANSWER_GRACE_S, Pipe
from xum_intuition.integrations.recalls import Recalls
from xum_intuition.limits import MAX_CUE_CHARS
from xum_intuition.result import Failure, Result, schema_text, to_json
from xum_intuition.text import dump_json

if TYPE_CHECKING:
    import mcp_types as wire
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server

    ToolCaller = Callable[
        [ServerRequestContext[Any], wire.CallToolRequestParams], Awaitable[wire.CallToolResult]
    ]

TOOL = "intuition"
TURN_KEY = "intuition/turn"
"""In a call's `_meta`: the id of the calling agent's turn, whose recalls are then counted."""
MAX_AT_ONCE = 8
SETTLE_S = 1.0
"""How long an ending server waits for a recall that is writing down its uses."""


def serve(recalls: Recalls) -> int:
    """Serve one client until its input ends (0) or a signal comes (130)."""
    make_pipe = Pipe.take_standard_streams()
    _import_sdk()
    import anyio

    code = anyio.run(_serve, recalls, make_pipe)
    recalls.settle(SETTLE_S)
    return code


async def _serve(recalls: Recalls, make_pipe: Callable[[], Pipe]) -> int:
    import asyncio

    from mcp.server.stdio import stdio_server

    pipe = make_pipe()
    code = ExitCode.OK

    def leave_soon() -> None:
        # A client that reads nothing blocks a write, and with it all that waits for the write.
        guard = threading.Timer(ANSWER_GRACE_S + SETTLE_S, lambda: os._exit(code))
        guard.daemon = True
        guard.start()

    def stop() -> None:
        nonlocal code
        code = ExitCode.INTERRUPTED
        recalls.interrupt_all()
        pipe.end()
        leave_soon()

    pipe.at_end = leave_soon
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop)
    pipe.start()
    server = _server(recalls)
    ends = cast(Any, pipe)  # the two ends have the methods of a file that are used
    async with stdio_server(stdin=ends, stdout=ends) as (read, write):
        await server.run(read, write, server.create_initialization_options())
    return code


def _server(recalls: Recalls) -> Server[Any]:
    import mcp_types as wire
    from mcp.server.lowlevel.server import Server

    tool = _tool()
    warm = _Once(recalls.warm_up)

    async def list_tools(
        ctx: ServerRequestContext[Any], params: wire.PaginatedRequestParams | None
    ) -> wire.ListToolsResult:
        warm.begin()
        return wire.ListToolsResult(tools=[tool])

    async def initialized(ctx: ServerRequestContext[Any], params: wire.NotificationParams) -> None:
        warm.begin()

    server: Server[Any] = Server(
        TOOL,
        version=__version__,
        title="Intuition",
        instructions=guidance.instructions(),
        on_list_tools=list_tools,
        on_call_tool=_caller(recalls),
    )
    server.add_notification_handler(
        "notifications/initialized", wire.NotificationParams, initialized
    )
    return server


def _caller(recalls: Recalls) -> ToolCaller:
    """What answers calls: each recall in a thread of its own, stopped where the client cancels."""
    import mcp_types as wire
    from anyio import CapacityLimiter, to_thread
    from mcp.shared.exceptions import MCPError

    at_once = CapacityLimiter(MAX_AT_ONCE)

    async def call_tool(
        ctx: ServerRequestContext[Any], params: wire.CallToolRequestParams
    ) -> wire.CallToolResult:
        if params.name != TOOL:
            raise MCPError(wire.INVALID_PARAMS, f"There is no tool {params.name!r}; try {TOOL}.")
        cue = (params.arguments or {}).get("cue")
        named = (ctx.meta or {}).get(TURN_KEY)
        turn = named if isinstance(named, str) else None
        with recalls.interruptible() as interrupt:
            result = await to_thread.run_sync(
                recalls.answer, cue, turn, interrupt, abandon_on_cancel=True, limiter=at_once
            )
        return _tool_result(result)

    return call_tool


def _tool() -> wire.Tool:
    import mcp_types as wire

    return wire.Tool(
        name=TOOL,
        title="Recall memories",
        description=guidance.protocol(),
        input_schema={
            "type": "object",
            "properties": {
                "cue": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": MAX_CUE_CHARS,
                    "description": "The task at hand, condensed to one or two sentences.",
                }
            },
            "required": ["cue"],
        },
        output_schema={"type": "object", **json.loads(schema_text())},
        annotations=wire.ToolAnnotations(
            title="Recall memories",
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _tool_result(result: Result) -> wire.CallToolResult:
    import mcp_types as wire

    document = to_json(result)
    return wire.CallToolResult(
        content=[wire.TextContent(type="text", text=dump_json(document))],
        structured_content=_without_surrogates(document),
        is_error=isinstance(result, Failure),
    )


def _without_surrogates(value: Any) -> Any:
    """A file name's undecodable bytes written out: the protocol's JSON has no place for them."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_surrogates(item) for key, item in value.items()}
    return value


class _Once:
    """Something that is begun in a thread the first time that it is asked for."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work: Callable[[], None] | None = work

    def begin(self) -> None:
        work, self._work = self._work, None
        if work is not None:
            threading.Thread(target=work, name="warm-up", daemon=True).start()


def _import_sdk() -> None:
    """Import the SDK with the garbage collector off; raises UsageProblem where it is missing."""
    gc.disable()
    try:
        with _without_the_rest("mcp", "mcp.server"):
            _import_parts()
    except ImportError:
        _import_whole()
    finally:
        gc.freeze()
        gc.enable()


def _import_parts() -> None:
    import mcp.server.lowlevel.server
    import mcp.server.stdio  # noqa: F401 - the parts that the server uses


def _import_whole() -> None:
    try:
        _import_parts()
    except ImportError as error:
        raise UsageProblem(
            f"`intuition mcp` needs the official SDK, `mcp` 2.3 or newer ({error}):"
            " pip install 'xum-intuition[mcp]'"
        ) from None


@contextlib.contextmanager
def _without_the_rest(*packages: str) -> Iterator[None]:
    """Import modules of packages without what the packages' `__init__` import for others.

    Those of the SDK bring its client and its web servers, a fifth of the time until the first
    message. Whoever imports the packages later gets them whole.
    """
    for name in packages:
        found = importlib.util.find_spec(name)
        if found is None or found.submodule_search_locations is None or name in sys.modules:
            raise ImportError(f"no package {name}")
        bare = types.ModuleType(name)
        bare.__path__ = list(found.submodule_search_locations)
        sys.modules[name] = bare
    try:
        yield
    finally:
        for name in packages:
            sys.modules.pop(name, None)
