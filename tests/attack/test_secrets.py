"""Keys that the environment, an address or a provider's error holds appear nowhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.openai_server import Connection, OpenAIServer, Received, raw
from tests.support.processes import intuition
from xum_intuition.agent.failures import safe_reason, secrets_in

KEY = "sk-proj-Aq7Zt5Lm9Wx3Rv8Kc2Np6"
ODD_KEY = "0f9e8d7c6b5a49382716"
PASSWORD = "Correct-Horse-Battery"
SECRETS = (KEY, ODD_KEY, PASSWORD)


def echo(connection: Connection, received: Received) -> None:
    """A 401 that shows the request it refuses, and more."""
    seen = {**received.headers, "body": json.dumps(received.body)[:200]}
    told = f"Incorrect API key: {KEY} {ODD_KEY} {PASSWORD} https://u:{PASSWORD}@h/?key={ODD_KEY}"
    error = {"error": {"message": f"{told} {json.dumps(seen)}", "type": "invalid_request_error"}}
    raw(401, json.dumps(error).encode(), x_echo=KEY)(connection, received)


def test_a_provider_that_echoes_the_request_tells_no_secret(
    server: OpenAIServer, home: Path
) -> None:
    server.script(echo)
    address = server.base_url.replace("http://", f"http://user:{PASSWORD}@") + f"?key={ODD_KEY}"
    given = ["--model", "openai/x", "--api-base", address, "--verbose"]
    keys = {"OPENAI_API_KEY": KEY, "SOME_SERVICE_TOKEN": ODD_KEY, "INTUITION_DEBUG": "1"}
    done = intuition("recall", "--example", "--cue", "the log", *given, env={**os.environ, **keys})
    assert done.returncode == 4, done
    written = [file.read_text() for file in home.rglob("*") if file.is_file()]
    for text in (done.stdout, done.stderr, *written):
        assert not [secret for secret in SECRETS if secret in text]


COMMANDS = ["recall --dry-run --cue x", "recall --cue log", "config show", "stats", "index"]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_shows_a_key_of_the_environment(command: str, home: Path) -> None:
    config = home / "c.toml"
    config.write_text(f'api_base = "https://u:{PASSWORD}@example.invalid/v1?key={ODD_KEY}"\n')
    where = [] if command == "config show" else ["-d", home]
    keys = {"OPENAI_API_KEY": KEY, "SOME_SERVICE_TOKEN": ODD_KEY, "INTUITION_DEBUG": "1"}
    done = intuition(*command.split(), *where, "--config", config, env={**os.environ, **keys})
    assert done.returncode == 0, done
    assert not [secret for secret in SECRETS if secret in done.stdout + done.stderr]


def test_a_hook_is_handed_no_key(home: Path) -> None:
    root = home / "root"
    (root / "memory/global").mkdir(parents=True)
    (root / "memory/global/log.md").write_text("The deploy log is rotated daily by cron.\n")
    hook = root / "tool_pre"
    hook.write_text(f"#!/bin/sh\nenv > {root}/seen\n")
    hook.chmod(0o755)
    keys = {"OPENAI_API_KEY": KEY, "XUM_TOKEN": ODD_KEY, "LC_PASSWORD": PASSWORD}
    done = intuition("recall", "--root", root, "--cue", "rotate the deploy log",
                     env={**os.environ, **keys})  # fmt: skip
    assert done.returncode == 0, done
    seen = (root / "seen").read_text()
    assert "INTUITION_SUBAGENT=1" in seen
    assert not [secret for secret in SECRETS if secret in seen]


def test_what_an_address_holds_is_hidden_wherever_it_is_echoed() -> None:
    address = f"https://user:{PASSWORD}%21@host/v1?key={ODD_KEY}&b=1"
    shown = safe_reason(f"no {PASSWORD}! nor {PASSWORD}%21 and {ODD_KEY}", secrets_in(address))
    assert not [secret for secret in SECRETS if secret in shown]
    assert secrets_in("http://[") == {}
