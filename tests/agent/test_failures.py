from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition.agent.failures import innermost, reason_of, retry_after, safe_reason

SECRETS = [
    ("Incorrect API key provided: sk-proj-abc***wxyz.", "abc"),
    ("header Authorization: Bearer abcdef.123", "abcdef"),
    ("api_key=hunter2hunter2 was refused", "hunter2"),
    ('{"x-api-key": "hunter2hunter2"}', "hunter2"),
    ("GET https://me:hunter2@host.example/v1?key=hunter2#hunter2 failed", "hunter2"),
    ("key AIzaSyHunter2Hunter2 is bad", "Hunter2"),
    ("gsk_hunter2hunter2 is bad", "hunter2"),
    ("token eyJhunter2hunter2.hunter2.x", "hunter2"),
    ("Basic aHVudGVyMg==", "aHVudGVyMg"),
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_what_looks_like_a_secret_is_hidden(text: str, secret: str) -> None:
    assert secret not in safe_reason(text, {})


def test_the_values_of_secret_variables_are_hidden() -> None:
    environment = {"ACME_API_KEY": "plain words", "HOME": "/home/me", "USE_AUTH": "true"}
    shown = safe_reason("plain words in /home/me, true", environment)
    assert shown == "[hidden] in /home/me, true"


def test_hosts_and_paths_stay_readable() -> None:
    text = "POST https://host.example/v1/x: 404"
    assert safe_reason(text, {}) == text


def test_markup_and_control_characters_go() -> None:
    page = "<html><head><style>b{}</style></head><body>\x1b[31mBad\r\ngateway\u202e</body></html>"
    assert safe_reason(page, {}) == "[31mBad gateway"


@given(st.text(max_size=2_000))
def test_a_reason_is_one_printable_line_of_at_most_300_characters(text: str) -> None:
    shown = safe_reason(text, {"A_KEY": "abcabc"})
    assert len(shown) <= 300
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}, now=10.0) == seconds


def test_the_library_s_wrapping_is_taken_off() -> None:
    text = "litellm.RateLimitError: RateLimitError: OpenAIException - Error code: 429 - slow down"
    assert reason_of(Exception(text)) == "slow down"


def test_the_message_is_taken_out_of_an_error_body() -> None:
    body = '{"type": "error", "error": {"type": "x", "message": "too long"}}'
    text = f"litellm.BadRequestError: AnthropicException - {body}. Handle with `litellm.X`."
    assert reason_of(Exception(text)) == "too long"


def test_a_traceback_is_not_a_reason() -> None:
    text = "Invalid response object Traceback (most recent call last):\n  File x"
    assert reason_of(Exception(text)) == "the answer is not a chat completion"


def test_a_connection_error_says_what_lies_below() -> None:
    error = Exception("litellm.InternalServerError: OpenAIException - Connection error.")
    error.__context__ = OSError(111, "Connection refused")
    assert reason_of(error) == "no connection: [Errno 111] Connection refused"


def test_a_circle_of_causes_ends() -> None:
    one, other = Exception("1"), Exception("2")
    one.__context__, other.__context__ = other, one
    assert innermost(one) is other
