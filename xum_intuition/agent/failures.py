"""Making a provider's error fit to be shown: one short line without a secret in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from xum_intuition.names import names_secret

MAX_CHARS = 300
_HIDDEN = "[hidden]"
_MAX_TEXT = 20_000
"""Characters of an error that are looked at."""
_MIN_SECRET = 6
"""A shorter value, such as `true`, would blot out ordinary words."""
_TAG = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->|</?[a-z!][^<>]*>", re.DOTALL | re.I)
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")
_SECRETS = (
    (re.compile(r"\b([a-z][a-z0-9+.-]*://)[^/\s@]*@", re.I), r"\1"),
    (re.compile(r"\b([a-z][a-z0-9+.-]*://[^\s?#\"'<>]*)[?#][^\s\"'<>]*", re.I), r"\1"),
    (re.compile(r"\b(bearer|basic)\s+[^\s\"',;]+", re.I), rf"\1 {_HIDDEN}"),
    (
        re.compile(
            r"((?:api|access|auth|secret)?[-_ ]?(?:key|token|secret|password|authorization)"
            r"(?: provided)?[\"']?\s*[:=]\s*[\"']?)(?!\[hidden\])[^\s\"',;)}\]]+",
            re.I,
        ),
        rf"\1{_HIDDEN}",
    ),
    (
        re.compile(
            r"\b(?:(?:sk|pk|rk|gsk|xai|hf|ghp|gho|ghs|glpat|xox[a-z]|pplx|nvapi|r8)[-_]"
            r"[\w*.\-]{3,}|AIza[\w*.\-]{3,}|AKIA[\w*]{3,}|eyJ[\w-]{8,}\.[\w.\-]+)"
        ),
        _HIDDEN,
    ),
)


def safe_reason(text: str, environment: Mapping[str, str]) -> str:
    """`text` as one line of at most 300 characters, without markup, keys, tokens or URL secrets.

    Hidden is whatever looks like a secret, and every value of a variable named like one.
    """
    text = text[:_MAX_TEXT]
    for name, value in environment.items():
        if names_secret(name) and len(value) >= _MIN_SECRET:
            text = text.replace(value, _HIDDEN)
    text = _UNPRINTABLE.sub(" ", _TAG.sub(" ", text))
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    text = text.strip()
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1].rstrip() + "…"


def secrets_in(address: str) -> dict[str, str]:
    """What an address holds that is not to be shown, as variables that are named like secrets."""
    from urllib.parse import parse_qsl, unquote, urlsplit

    try:
        parts = urlsplit(address)
    except ValueError:
        return {}
    found = [parts.password or "", *(value for _, value in parse_qsl(parts.query))]
    found += map(unquote, tuple(found))
    return {f"SECRET_{number}": value for number, value in enumerate(found) if value}


_PREFIX = re.compile(r"(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?::| -)\s*)+")
NOT_A_COMPLETION = "the answer is not a chat completion"
_NOT_A_COMPLETION = re.compile(
    r"Invalid response object|Received response - <|returned a response with no 'choices'"
    r"|invalid response from LLM endpoint\. Received: (?P<seen>.*)\. Check the reverse proxy",
    re.DOTALL,
)
_RAISED = re.compile(r"^[\w.]+: \S.*$", re.MULTILINE)
_ADVICE = re.compile(
    r"\.? (?:Handle with `litellm\.|To drop these, |This looks like a bug in ).*$", re.S
)
_STATUS_PREFIX = re.compile(r"Error code: \d+(?: - )?")


def reason_of(error: BaseException) -> str:
    """What a provider or the connection to it said, without the library's own wrapping."""
    # A server may send megabytes, and a pattern at work keeps the process from its deadline.
    text = str(error)[:_MAX_TEXT]
    before, traced, trace = text.partition("Traceback (most recent call last)")
    if traced and not _NOT_A_COMPLETION.search(before):
        raised = _RAISED.findall(trace)
        text = raised[-1] if raised else type(error).__name__
    if received := _NOT_A_COMPLETION.search(text):
        seen = (received["seen"] or "").strip(" '\"")
        return f"{NOT_A_COMPLETION}: {seen[:80]}" if seen else NOT_A_COMPLETION
    text = _PREFIX.sub("", text, count=1) if _PREFIX.match(text) else text
    text = _STATUS_PREFIX.sub("", text, count=1)
    text = _message_in(_ADVICE.sub("", text).strip())
    cause = innermost(error)
    if text == "Connection error." and cause is not error and str(cause):
        return f"no connection: {cause}"
    return text or _phrase(getattr(error, "status_code", None)) or type(error).__name__


def _phrase(status: Any) -> str:
    from http import HTTPStatus

    return HTTPStatus(status).phrase if status in set(HTTPStatus) else ""


def _message_in(text: str) -> str:
    """The message of an error body that is shown as it came, or the text itself."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text
    error = body.get("error", body) if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else text


def innermost(error: BaseException) -> BaseException:
    """The exception at the root of a chain of causes."""
    seen = {id(error)}
    while (below := error.__cause__ or error.__context__) and id(below) not in seen:
        seen.add(id(below))
        error = below
    return error


def headers_of(error: object) -> Mapping[str, str]:
    """The headers of the provider's answer; empty where no answer came."""
    for holder, name in (
        (error, "litellm_response_headers"),
        (getattr(error, "response", None), "headers"),
    ):
        headers = getattr(holder, name, None)
        if isinstance(headers, Mapping) and headers:
            return headers
    return {}


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that a `Retry-After` header asks to wait; None where it asks for nothing."""
    value = headers.get("retry-after")
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        return _until_date(value, now)
    return max(0.0, seconds) if isfinite(seconds) else None


def _until_date(value: str, now: float) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None
