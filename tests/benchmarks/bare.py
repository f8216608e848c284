"""The same model calls by a bare script: `bare.py BASE_URL REQUESTS.json [lean]`, for comparison.

It imports litellm as its documentation says, and sends each recorded request body once. `lean`
turns the garbage collector off and ends without taking the interpreter apart, as `intuition` does.
With `--count` in place of the address it sends nothing and prints the tokens of each request.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from typing import Any

LEAN = sys.argv[3:] == ["lean"]
if LEAN:
    gc.disable()

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_MODE"] = "PRODUCTION"
import litellm  # noqa: E402 (the variables above must be set before)


def call(base_url: str, body: dict[str, Any]) -> None:
    """One completion, as the body says."""
    body = {**body, "model": f"openai/{body['model']}"}
    litellm.completion(**body, api_base=base_url, num_retries=0, max_retries=0, timeout=30)


def tokens(body: dict[str, Any]) -> int:
    """What a request's messages and tools come to, by the library's own counter."""
    return litellm.token_counter(model="gpt-4o", messages=body["messages"], tools=body.get("tools"))


if __name__ == "__main__":
    with open(sys.argv[2]) as file:
        requests = json.load(file)
    if sys.argv[1] == "--count":
        print(json.dumps([tokens(body) for body in requests]))
    else:
        for request in requests:
            call(sys.argv[1], request)
    if LEAN:
        os._exit(0)
