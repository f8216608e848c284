from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator

import httpx
import pytest

from xum_intuition.agent.http_client import MAX_BODY_BYTES, bounded


class Body(httpx.SyncByteStream):
    def __init__(self, chunks: Callable[[], Iterator[bytes]]) -> None:
        self._chunks = chunks
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self._chunks()

    def close(self) -> None:
        self.closed = True


def get(body: Body, *, timeout: float | None = 5.0, **headers: str) -> httpx.Response:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, stream=body))
    return bounded(httpx.Client(transport=transport, timeout=timeout)).get("http://host.example")


def test_an_answer_of_common_size_comes_whole() -> None:
    body = Body(lambda: iter([b"a" * 1_000] * 100))
    assert get(body).content == b"a" * 100_000 and body.closed


def test_of_a_longer_one_no_more_than_the_bound_is_kept() -> None:
    part = b"a" * (1024 * 1024)
    response = get(Body(lambda: iter([part] * 20)), timeout=None)
    assert len(response.content) == MAX_BODY_BYTES


def test_one_that_takes_longer_than_its_timeout_ends() -> None:
    def forever() -> Iterator[bytes]:
        while True:
            yield b"a"

    body = Body(forever)
    with pytest.raises(httpx.ReadTimeout):
        get(body, timeout=0.05)
    assert body.closed


def test_packed_bytes_are_neither_asked_for_nor_unpacked() -> None:
    packed = gzip.compress(bytes(1_000_000))
    response = get(Body(lambda: iter([packed])), **{"Content-Encoding": "gzip"})
    assert response.content == packed
    assert response.request.headers["Accept-Encoding"] == "identity"


def test_a_redirect_is_an_answer() -> None:
    away = httpx.Response(307, headers={"Location": "http://elsewhere.example"})
    client = bounded(httpx.Client(transport=httpx.MockTransport(lambda _: away)))
    assert client.get("http://host.example").status_code == 307
