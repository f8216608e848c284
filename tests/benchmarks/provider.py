"""Recalls through litellm against a loopback server that reads the first row and reports."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks import measure
from tests.benchmarks.stores import CUE
from tests.support import openai_server
from tests.support.openai_server import Connection, OpenAIServer, Received

INTUITION = (sys.executable, "-m", "xum_intuition")
BARE = str(Path(__file__).with_name("bare.py"))
BARE_NAME, LEAN_NAME = "bare script", "lean bare script"
STEP_S, CUES, JOBS = 0.2, 100, 8
_ROW = re.compile(r'^\{"path": "([^"]+)"', re.M)


def scripted(server: OpenAIServer, calls: int, delay_s: float = 0.0) -> None:
    """Foresee so many calls: the first of a recall is answered with a read, the next a report."""

    def step(connection: Connection, received: Received) -> None:
        time.sleep(delay_s)
        messages = received.body["messages"]
        if any(message["role"] == "tool" for message in messages):
            chosen = openai_server.report()
        else:
            user = next(m["content"] for m in messages if m["role"] == "user")
            rows = _ROW.findall(user)
            chosen = openai_server.read(rows[0]) if rows else openai_server.report()
        openai_server.answer(None, chosen)(connection, received)

    server.script(*[step] * calls)


def recall(folder: Path, base_url: str, *cue: str) -> list[str]:
    model = ["--model", "openai/scripted", "--api-base", base_url]
    return [*INTUITION, "recall", "--memory-dir", str(folder), *model, "--no-record", *cue]


def beside_bare(folder: Path, env: Mapping[str, str], rounds: int, scratch: Path) -> str:
    """One recall and the bare script's same calls, in turn."""
    server = OpenAIServer()
    once = recall(folder, server.base_url, "--cue", CUE)
    scripted(server, 2)
    measure.run(once, env)
    requests = scratch / "requests.json"
    requests.write_text(json.dumps([received.body for received in server.received]))
    bare = [sys.executable, BARE, server.base_url, str(requests)]
    commands = {BARE_NAME: bare, LEAN_NAME: [*bare, "lean"], "recall": once}
    rows = [
        measure.Row(name, command, BARE_NAME, before=lambda: scripted(server, 2))
        for name, command in commands.items()
    ]
    found = measure.in_turn(rows, env, rounds)
    server.close()
    server.verify()
    beyond = ", ".join(
        f"{_beyond(found['recall'], found[name]):+.0f} ms beyond the {name}"
        for name in (BARE_NAME, LEAN_NAME)
    )
    return f"{measure.table(rows, found)}\n\nrecall: {beyond} (medians; bar: 150 ms)"


def _beyond(runs: Sequence[measure.Run], reference: Sequence[measure.Run]) -> float:
    pairs = zip(runs, reference, strict=True)
    return statistics.median(mine.wall - other.wall for mine, other in pairs) * 1000


def batch(folder: Path, files: int, env: Mapping[str, str], scratch: Path) -> str:
    """Many cues at a time against a server that takes its time for each step.

    A batch of one cue tells what loading the library takes, which no number of jobs can shorten.
    """
    loading = _batch(folder, 1, env, scratch) - 2 * STEP_S
    wall = _batch(folder, CUES, env, scratch)
    ideal = 2 * STEP_S * -(-CUES // JOBS)
    return (
        f"{CUES} cues over {files} files, --jobs {JOBS}, {STEP_S * 1000:.0f} ms a step:"
        f" {wall:.2f} s, of which {loading:.2f} s until the first call;"
        f" the rest is {(wall - loading) / ideal:.2f} × the ideal of {ideal:.2f} s (bar: 1.3 ×)"
    )


def _batch(folder: Path, cues: int, env: Mapping[str, str], scratch: Path) -> float:
    file = scratch / "cues.jsonl"
    lines = (json.dumps({"id": n, "cue": f"{CUE} ({n})"}) for n in range(cues))
    file.write_text("\n".join(lines) + "\n")
    server = OpenAIServer()
    scripted(server, 2 * cues, STEP_S)
    many = recall(folder, server.base_url, "--batch", str(file), "--jobs", str(JOBS))
    wall = measure.run(many, env).wall
    server.close()
    server.verify()
    return wall


def tokens(corpus: Path, env: Mapping[str, str], scratch: Path, limit: int) -> str:
    """Calls and tokens a recall, over the cues of a corpus: `cues.jsonl` of {"cue", "dir"}."""
    cues = [json.loads(line) for line in (corpus / "cues.jsonl").read_text("utf-8").splitlines()]
    cues = cues[:: max(1, len(cues) // limit)][:limit]
    server = OpenAIServer()
    bodies: list[Any] = []
    for folder in sorted({cue["dir"] for cue in cues}):
        file = scratch / "corpus.jsonl"
        asked = [cue["cue"] for cue in cues if cue["dir"] == folder]
        file.write_text("".join(json.dumps({"cue": cue}) + "\n" for cue in asked))
        server.received.clear()
        scripted(server, 2 * len(asked))
        measure.run(recall(corpus / folder, server.base_url, "--batch", str(file)), env)
        bodies += [received.body for received in server.received]
    server.close()
    server.verify()
    counted = _counted(bodies, env, scratch)
    first = sum(n for n, body in zip(counted, bodies, strict=True) if len(body["messages"]) == 2)
    each = len(cues)
    return (
        f"{each} cues of {corpus.name}: {len(bodies) / each:.1f} calls and"
        f" {sum(counted) / each:,.0f} input tokens a recall, {first / each:,.0f} of them in the"
        " first call, which the second repeats word for word (a provider's cache takes it)"
    )


def _counted(bodies: Sequence[Any], env: Mapping[str, str], scratch: Path) -> list[int]:
    file = scratch / "counted.json"
    file.write_text(json.dumps(bodies))
    command = [sys.executable, BARE, "--count", str(file)]
    done = subprocess.run(command, env=dict(env), stdout=subprocess.PIPE, check=True)
    counted: list[int] = json.loads(done.stdout)
    return counted
