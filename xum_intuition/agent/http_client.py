"""The HTTP client that litellm is given: no redirects, and answers of bounded size and time.

Imported with litellm only, and in its thread: httpx is not light.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator

import httpx

MAX_BODY_BYTES = 8 * 1024 * 1024


def bounded_client(verify: ssl.SSLContext | str | bool) -> httpx.Client:
    """A client that contacts nobody but whom it is sent to, and reads no answer for ever.

    Nobody may be waiting any more when a body drags on; without a bound, the thread left behind
    would read it until a long-lived server process ran out of memory.
    """
    return httpx.Client(
        verify=verify, follow_redirects=False, event_hooks={"response": [_bound_body]}
    )


def _bound_body(response: httpx.Response) -> None:
    seconds = response.request.extensions.get("timeout", {}).get("read")
    stream = response.stream
    assert isinstance(stream, httpx.SyncByteStream)
    response.stream = _Bounded(stream, float("inf") if seconds is None else seconds)


class _Bounded(httpx.SyncByteStream):
    """A body that ends in an error after so many bytes or seconds."""

    def __init__(self, stream: httpx.SyncByteStream, seconds: float) -> None:
        self._stream = stream
        self._until = time.monotonic() + seconds

    def __iter__(self) -> Iterator[bytes]:
        left = MAX_BODY_BYTES
        for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise httpx.ReadError("the answer is too long")
            if time.monotonic() > self._until:
                raise httpx.ReadTimeout("the answer takes too long")
            yield chunk

    def close(self) -> None:
        self._stream.close()
