"""Every test: a home of its own, no keys, no proxies, connections to loopback only."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support.openai_server import OpenAIServer

# How long an example takes says nothing on a busy machine.
settings.register_profile("default", deadline=None)
settings.load_profile("default")

_DROPPED = ("XUM_", "INTUITION_", "LITELLM_", "OPENAI_", "ANTHROPIC_", "CLAUDE_")
_DROPPED_ENDS = ("_API_KEY", "_TOKEN", "_PROXY", "_SECRET")
_DROPPED_NAMES = {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "PWD"}


def _is_dropped(name: str) -> bool:
    upper = name.upper()
    return upper.startswith(_DROPPED) or upper.endswith(_DROPPED_ENDS) or upper in _DROPPED_NAMES


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh HOME with XDG folders; child processes inherit it."""
    folder = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if _is_dropped(name)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    for variable, below in (
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_STATE_HOME", ".local/state"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_CACHE_HOME", ".cache"),
    ):
        monkeypatch.setenv(variable, str(folder / below))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("TZ", "UTC")
    return folder


@pytest.fixture(autouse=True, scope="session")
def only_loopback() -> Iterator[None]:
    """A connection to anywhere else fails the test that makes it."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def checked(address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test connects to {address}")

    def guarded(self: socket.socket, address: Any) -> None:
        checked(address)
        connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        checked(address)
        return connect_ex(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        patch.setattr(socket.socket, "connect_ex", guarded_ex)
        yield


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A scripted server; the test fails if its script was not followed to the end."""
    with_script = OpenAIServer()
    yield with_script
    with_script.close()
    with_script.verify()
