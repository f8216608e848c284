"""What each command imports, beyond what typer brings: the whole list, so that nothing sneaks in.

A start's time is its imports' time. Whoever adds one here has measured it.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

_LINE = re.compile(r"import time:[ \d]+\|[ \d]+\| +([\w.]+)$", re.M)

START = {"json"}
SETTINGS = START | {"dataclasses", "hashlib"}
INDEX = SETTINGS | {"unicodedata"}
LOOP = INDEX | {"queue"}
RECALL = LOOP | {"bisect", "mmap", "struct"}
"""With what the recognizer's word vectors need, none of which takes a millisecond."""
TABLE = {"bisect", "colorsys", "pickle", "random", "rich", "struct"}
"""What rich needs for a table."""


@functools.cache
def _imported(*arguments: str) -> frozenset[str]:
    """The top-level modules that a Python process imports, without private ones and our own."""
    command = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    names = {name.split(".")[0] for name in _LINE.findall(done.stderr)}
    return frozenset(n for n in names if not n.startswith("_") and n != "xum_intuition")


def _beyond_typer(*arguments: str) -> set[str]:
    always = {"gc", "runpy"}
    return (
        set(_imported("-m", "xum_intuition", *arguments)) - _imported("-c", "import typer") - always
    )


@pytest.fixture
def memories(tmp_path: Path) -> Path:
    """A folder of memories with descriptions in the forms that need no yaml."""
    folder = tmp_path / "memories"
    folder.mkdir()
    (folder / "plain.md").write_text(
        "---\ndescription: Where the newest log is\n---\nIn /var/log.\n"
    )
    (folder / "quoted.md").write_text('---\ndescription: "Logs: rotate them"\n---\nEvery day.\n')
    (folder / "bare.md").write_text("# Deploying\n\nAlways run the smoke test before a deploy.\n")
    return folder


CUE = ("--cue", "where is the newest log")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--version"], START),
        (["--help"], START),
        (["recall", "--help"], START | {"dataclasses"}),
        (["recall", "--schema"], START | {"dataclasses"}),
        (["recall", *CUE, "--no-record"], RECALL),
        (["recall", *CUE], RECALL),
        (["recall", *CUE, "--turn", "1"], RECALL),
        (["recall", *CUE, "--format", "table"], RECALL | TABLE),
        (["recall", *CUE, "--dry-run"], LOOP),
        (["recall", *CUE, "--dry-run", "--model", "openai/gpt-5"], LOOP),
        (["index"], LOOP),
        (["index", *CUE], LOOP),
        (["stats"], INDEX),
        (["meta", "show"], INDEX),
        (["meta", "path"], INDEX),
        (["config", "path"], START | {"dataclasses"}),
        (["config", "show"], SETTINGS),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_command_imports_nothing_that_is_not_listed(
    memories: Path, arguments: list[str], expected: set[str]
) -> None:
    takes_a_store = arguments[0] in ("recall", "index", "stats", "meta")
    where = ["--memory-dir", str(memories)] if takes_a_store else []
    assert _beyond_typer(*arguments, *where) <= expected


def test_typer_does_not_bring_what_is_heavy() -> None:
    heavy = {"asyncio", "litellm", "numpy", "pydantic", "rich", "sqlite3", "yaml"}
    assert not heavy & _imported("-c", "import typer")


def test_a_real_model_on_an_empty_folder_does_not_import_the_model_library(tmp_path: Path) -> None:
    given = ["--memory-dir", str(tmp_path), "--model", "openai/gpt-5"]
    assert _beyond_typer("recall", *CUE, *given) <= LOOP


def test_a_configuration_file_brings_the_reader_of_its_format_only(
    memories: Path, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[budgets]\nmax_steps = 4\n")
    given = ["--memory-dir", str(memories), "--config", str(file)]
    assert _beyond_typer("recall", *CUE, *given) <= RECALL | {"tomllib", "string"}


def test_importing_the_package_imports_nothing() -> None:
    assert not _imported("-c", "import xum_intuition") - _imported("-c", "pass")
