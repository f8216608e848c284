"""What others wrote and a recall runs: little without a model, and pinned by its hashes."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]
PINNED = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==\S+( ;.*)? \\$")
STARTED_BY_PYTHON = {"sitecustomize", "usercustomize"}


def test_every_pinned_dependency_has_its_hashes() -> None:
    lines = (TOP / "requirements.lock").read_text().splitlines()
    for number, line in enumerate(lines):
        if line and not line.startswith((" ", "#")):
            assert PINNED.match(line), line
            assert lines[number + 1].startswith("    --hash=sha256:"), line


def test_a_recall_without_a_model_runs_nothing_but_typer_and_what_it_needs() -> None:
    command = ["-X", "importtime", "-m", "xum_intuition", "recall", "--example", "--cue", "a build"]
    nothing = ["-X", "importtime", "-c", "pass"]
    imported, always = (
        {name.split(".")[0] for name in re.findall(r"\| +([\w.]+)$", _stderr_of(arguments), re.M)}
        for arguments in (command, nothing)
    )
    ours = {"xum_intuition", *STARTED_BY_PYTHON, *always}
    assert {name for name in imported - ours if _is_a_package_of_others(name)} <= {
        "typer",
        "typing_extensions",
        "annotated_doc",
        "shellingham",
    }


def _stderr_of(arguments: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stderr


def _is_a_package_of_others(name: str) -> bool:
    spec = importlib.util.find_spec(name)
    return spec is not None and "-packages" in str(spec.origin)
