from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.openai_server import OpenAIServer


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A scripted server; the test fails if its script was not followed to the end."""
    with_script = OpenAIServer()
    yield with_script
    with_script.close()
    with_script.verify()
