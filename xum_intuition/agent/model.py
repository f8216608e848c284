"""The seat of a model: what the nested loop asks of whoever sits there.

A real model behind litellm, the embedded recognizer and the tests' scripted model all fit it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

Message = Mapping[str, Any]
"""A chat message in the OpenAI form: role, content, and tool_calls or tool_call_id."""

ToolSchema = Mapping[str, Any]
"""A tool definition in the OpenAI form."""


class ToolCall(NamedTuple):
    """One call as the model wrote it; `arguments` is JSON text that may be broken."""

    id: str
    name: str
    arguments: str


class Usage(NamedTuple):
    """Tokens and US dollars of one step; the cost is None where the price is not known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    cost_usd: float | None = None


class Answer(NamedTuple):
    """One step's answer; `model` is the name that really answered."""

    text: str
    calls: tuple[ToolCall, ...]
    usage: Usage
    model: str


class Request(NamedTuple):
    """One step's request. `force` names the tool the model must call, on the last step."""

    messages: Sequence[Message]
    tools: Sequence[ToolSchema]
    force: str | None
    max_output_tokens: int
    timeout_s: float


class ModelFailure(Exception):
    """A step that brought no answer. The message is safe to show: no key, header or URL secret."""

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after_s: float | None = None,
        refuses_tools: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.refuses_tools = refuses_tools


class Model(Protocol):
    """`answer` blocks, may be called from a thread of its own, and raises only ModelFailure."""

    @property
    def name(self) -> str: ...

    def answer(self, request: Request) -> Answer: ...

    def greatest_cost(self, request: Request) -> float | None:
        """US dollars that this request can cost at most; None where no price is known."""
        ...


Seat = Callable[[], Model]
"""How to get a model; taking a seat may block, and raises only ModelFailure."""
