"""The HTTP clients that litellm is given: no redirects, and answers of bounded size and time.

Imported with litellm only, and in its thread: httpx is not light.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx

MAX_BODY_BYTES = 8 * 1024 * 1024


def bounded(client: httpx.Client) -> httpx.Client:
    """The client, made to contact nobody but whom it is sent to, and to read no answer for ever.

    A redirect would carry a key along: httpx takes only `Authorization` off, not `x-api-key`.
    And nobody may be waiting any more when a body drags on; without a bound, the thread left
    behind would read it until a long-lived process ran out of memory.
    """
    client.follow_redirects = False
    client.headers["Accept-Encoding"] = "identity"
    client.event_hooks = {"response": [_bound_body]}
    return client


def _bound_body(response: httpx.Response) -> None:
    response.headers.pop("Content-Encoding", None)  # a few packed bytes can unpack to gigabytes
    seconds = response.request.extensions.get("timeout", {}).get("read")
    stream = response.stream
    assert isinstance(stream, httpx.SyncByteStream)
    response.stream = _Bounded(stream, float("inf") if seconds is None else seconds)


class _Bounded(httpx.SyncByteStream):
    """A body of which no more than so many bytes are kept, and that ends after so many seconds.

    What comes beyond is read and thrown away: a body that never ends is a matter of time, like a
    server that says nothing.
    """

    def __init__(self, stream: httpx.SyncByteStream, seconds: float) -> None:
        self._stream = stream
        self._until = time.monotonic() + seconds

    def __iter__(self) -> Iterator[bytes]:
        left = MAX_BODY_BYTES
        for chunk in self._stream:
            if time.monotonic() > self._until:
                raise httpx.ReadTimeout("the answer takes too long")
            left -= len(chunk)
            if left >= 0:
                yield chunk

    def close(self) -> None:
        self._stream.close()
