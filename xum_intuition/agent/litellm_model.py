"""The seat of a real model; the only module that imports litellm, and it does so in a thread.

What of litellm 1.110.2 (with openai 3.57) was found not to hold, and what is done about it:

- `timeout` bounds the pause between bytes only: a server that sends a byte a second is listened
  to until it ends (1 s asked, 6 s taken). So the wait is bounded in calls.py, the body in
  http_client.py.
- It follows redirects, and takes an `x-api-key` along to wherever they lead. Here: none.
- Importing it loads the nearest `.env` above its own folder (that of the project which holds the
  virtual environment) and fetches the price list; the variables below stop both. Counting tokens
  for a llama model asked the tokenizer hub: six tries and 23 s without a network, with lines on
  standard error.
- It prints a help banner and a provider list on standard output while mapping errors, unless
  `suppress_debug_info` is set; pydantic's warnings about odd answers go to standard error.
- A refused connection, a missing key and an unreadable answer all come as "500"; only headers
  tell that a provider has spoken. Some messages carry a whole traceback. 403 is a bare APIError.
- A new timeout makes a new client with a new TLS context, so one timeout serves all steps.
- `num_retries` is its own, `max_retries` the openai client's; both must be 0.
- A worker thread for its logging is not a daemon; idle, it ends with the process.
"""

from __future__ import annotations

import gc
import logging
import os
import re
import threading
import time
import warnings
from typing import Any

from xum_intuition.agent.failures import (
    NOT_A_COMPLETION,
    headers_of,
    reason_of,
    retry_after,
    safe_reason,
    secrets_in,
)
from xum_intuition.agent.model import Answer, ModelFailure, Request, Seat, ToolCall, Usage

_ENVIRONMENT = {
    "LITELLM_MODE": "PRODUCTION",  # else a .env file is looked for
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else the price list is fetched at import
    "LITELLM_OFFLINE_MODE": "true",  # the same for tokenizers, header lists and news
    "LITELLM_LOG": "CRITICAL",
}
_PRINTING_VARIABLES = (
    "LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD",  # prints each request on standard output
    "OPENAI_LOG",  # logs each request on standard error
    "JSON_LOGS",
)
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
_ABOUT_TOOLS = re.compile(r"\btools?\b|tool_choice|function.?call", re.IGNORECASE)
_WANTS_KEY = re.compile(r"\b(missing|must be set|set the)\b.*(key|credential|token)", re.I | re.S)


class Loading:
    """litellm on its way into the process; `module` waits for it."""

    def __init__(self) -> None:
        self._module: Any = None
        self._problem: str | None = None
        self._thread = threading.Thread(target=self._load, name="litellm import", daemon=True)
        self._thread.start()

    def module(self) -> Any:
        """The configured module, once it is there. Raises ModelFailure if it cannot be had."""
        self._thread.join()
        if self._problem is not None:
            raise ModelFailure(f"The model library litellm cannot be loaded: {self._problem}")
        return self._module

    def _load(self) -> None:
        try:
            self._module = _imported()
        except BaseException as error:
            self._problem = safe_reason(f"{type(error).__name__}: {error}", os.environ)


_loading: Loading | None = None
_loading_lock = threading.Lock()


def load_in_background() -> Loading:
    """Begin to import litellm, or find the import that has begun; returns at once."""
    global _loading
    with _loading_lock:
        if _loading is None:
            os.environ.update(_ENVIRONMENT)
            for name in _PRINTING_VARIABLES:
                os.environ.pop(name, None)
            _loading = Loading()
        return _loading


def seat(model: str, *, api_base: str | None = None) -> Seat:
    """A seat for `model`, named `provider/model`; taking it waits for litellm."""
    return lambda: LitellmModel(model, api_base, load_in_background().module())


class LitellmModel:
    """One model of one provider. Calls block; their time is bounded by whoever waits."""

    def __init__(self, name: str, api_base: str | None, litellm: Any) -> None:
        self.name = name
        self._api_base = api_base
        self._litellm = litellm
        try:
            litellm.get_llm_provider(name, api_base=api_base)
        except Exception:
            raise ModelFailure(
                self._shown("the model's provider is not known; names are provider/model")
            ) from None

    def answer(self, request: Request) -> Answer:
        """One completion, sent once. Raises ModelFailure, and nothing else."""
        try:
            response = self._litellm.completion(**self._arguments(request))
        except Exception as error:
            raise self._failure(error, request) from None
        try:
            return self._answer(response)
        except ModelFailure:
            raise
        except Exception:  # whatever a server can put where a completion should be
            raise self._unreadable() from None

    def greatest_cost(self, request: Request) -> float | None:
        """The input at litellm's count and the greatest output, at litellm's prices."""
        try:
            tokens = self._litellm.token_counter(
                model=self.name, messages=list(request.messages), tools=list(request.tools) or None
            )
        except Exception:
            tokens = sum(len(str(m).encode()) for m in (*request.messages, *request.tools))
        return self._cost(tokens, request.max_output_tokens)

    def _arguments(self, request: Request) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self.name,
            "messages": [dict(message) for message in request.messages],
            "max_tokens": request.max_output_tokens,
            "timeout": request.timeout_s,
            "num_retries": 0,
            "max_retries": 0,
        }
        if request.tools:
            arguments["tools"] = [dict(tool) for tool in request.tools]
        if request.force:
            function = {"name": request.force}
            arguments["tool_choice"] = {"type": "function", "function": function}
        if self._api_base:
            arguments["api_base"] = self._api_base
        return arguments

    def _answer(self, response: Any) -> Answer:
        if isinstance(response, str) or not response.choices:
            raise self._unreadable()
        message = response.choices[0].message
        text = message.content if isinstance(message.content, str) else ""
        calls = tuple(_tool_call(call) for call in message.tool_calls or ())
        return Answer(text, calls, self._usage(getattr(response, "usage", None)), self.name)

    def _usage(self, usage: Any) -> Usage:
        details = getattr(usage, "prompt_tokens_details", None)
        tokens = _count(getattr(usage, "prompt_tokens", 0))
        written = _count(getattr(usage, "completion_tokens", 0))
        cached = min(tokens, _count(getattr(details, "cached_tokens", 0)))
        return Usage(tokens, written, cached, self._cost(tokens, written, cached))

    def _cost(self, tokens: int, written: int, cached: int = 0) -> float | None:
        try:
            costs = self._litellm.cost_per_token(
                model=self.name,
                prompt_tokens=tokens,
                completion_tokens=written,
                cache_read_input_tokens=cached,
            )
            return float(sum(costs))
        except Exception:
            return None

    def _unreadable(self) -> ModelFailure:
        return ModelFailure(self._shown(NOT_A_COMPLETION), retryable=True)

    def _shown(self, reason: str) -> str:
        secrets = secrets_in(self._api_base or "")
        return safe_reason(f"{self.name}: {reason}", {**os.environ, **secrets})

    def _failure(self, error: Exception, request: Request) -> ModelFailure:
        status = getattr(error, "status_code", None)
        headers = headers_of(error)
        if not headers and (names := self._missing_keys(error)):
            return ModelFailure(self._shown(f"no key is set in {', '.join(names)}"))
        reason = reason_of(error)
        refuses = status in (400, 404, 422) and bool(_ABOUT_TOOLS.search(reason))
        return ModelFailure(
            self._shown(f"HTTP {status}: {reason}" if headers else reason),
            retryable=isinstance(status, int) and (status in (408, 429) or status >= 500),
            retry_after_s=retry_after(headers, time.time()),
            refuses_tools=refuses and bool(request.tools),
        )

    def _missing_keys(self, error: Exception) -> list[str]:
        """The variables that could hold the key, if the call failed for want of one."""
        if not _WANTS_KEY.search(str(error)):
            return []
        missing = self._litellm.validate_environment(self.name)["missing_keys"]
        return [str(name) for name in missing]


def _tool_call(call: Any) -> ToolCall:
    arguments = call.function.arguments
    return ToolCall(call.id or "", call.function.name or "", arguments or "")


def _count(value: Any) -> int:
    """A count of tokens as a server may have put it: never negative."""
    return max(0, value) if isinstance(value, int) else 0


def _imported() -> Any:
    """litellm, imported with the garbage collector off (a quarter less time) and made quiet."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        import litellm

        _keep_to_itself(litellm)
    finally:
        gc.freeze()  # what the import brought stays: later collections need not look at it
        if collecting:
            gc.enable()
    return litellm


def _keep_to_itself(litellm: Any) -> None:
    litellm.suppress_debug_info = True
    litellm.drop_params = False
    litellm.modify_params = False
    litellm.disable_hf_tokenizer_download = True
    _bound_http_clients(litellm)
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
    for module in ("litellm", "pydantic", "openai", "httpx"):
        warnings.filterwarnings("ignore", module=rf"{module}(\.|$)")


def _bound_http_clients(litellm: Any) -> None:
    """Bound both kinds of clients: the openai package's, and litellm's own for other providers.

    Its own offer no setting for redirects, so the one method that makes them is wrapped.
    """
    import httpx
    from litellm.llms.custom_httpx.http_handler import HTTPHandler, get_ssl_configuration

    from xum_intuition.agent.http_client import bounded

    litellm.client_session = bounded(httpx.Client(verify=get_ssl_configuration()))
    create = HTTPHandler.create_client

    def create_bounded(self: HTTPHandler) -> httpx.Client:
        return bounded(create(self))

    HTTPHandler.create_client = create_bounded  # type: ignore[method-assign]
