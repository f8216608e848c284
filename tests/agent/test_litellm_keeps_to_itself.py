from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import openai_server as provider
from tests.support.inquiries import A
from tests.support.openai_server import OpenAIServer
from tests.support.scripted_model import item

ROOT = Path(__file__).parents[2]
DRIVER = """
import sys
from tests.support.inquiries import inquire
from xum_intuition.agent.litellm_model import seat
from xum_intuition.agent.model import Request
llama = seat("groq/llama-3.1-8b-instant")()
llama.greatest_cost(Request([{"role": "user", "content": "count me"}], (), None, 10, 1.0))
assert inquire(seat("openai/gpt-4o-mini", api_base=sys.argv[1])).stop == "reported"
"""
CHATTY = {
    "LITELLM_LOG": "DEBUG",
    "LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD": "1",
    "OPENAI_LOG": "debug",
    "LITELLM_MODE": "DEV",
    "OPENAI_API_KEY": "sk-test-0123456789",
}


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A working directory with a `.env` that would turn everything upside down."""
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-from-dot-env\nLITELLM_LOG=DEBUG\n")
    return tmp_path


def test_nothing_is_printed_and_nobody_else_is_contacted(
    server: OpenAIServer, elsewhere: Path
) -> None:
    server.script(provider.status(500), provider.answer(None, provider.read(A)))
    server.script(provider.answer(None, provider.report(item(A))))
    listener = OpenAIServer()
    proxy = listener.base_url.removesuffix("/v1")
    surroundings = {
        **os.environ,
        **CHATTY,
        "HTTPS_PROXY": proxy,
        "HTTP_PROXY": proxy,
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, server.base_url],
        cwd=elsewhere,
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=90,
    )
    listener.close()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert listener.connections == 0
    keys = {received.headers["authorization"] for received in server.received}
    assert keys == {"Bearer sk-test-0123456789"}
