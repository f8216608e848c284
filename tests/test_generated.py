"""What is made from the application is up to date, and its manual pages are clean."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import command_tree, generate_completions, generate_man
from xum_intuition.errors import ExitCode

ROOT = command_tree.ROOT
PAGES = sorted((ROOT / "man").glob("*.1"))


@pytest.mark.parametrize("tool", ["generate_man", "generate_completions", "generate_schema"])
def test_what_is_made_from_the_application_is_up_to_date(tool: str, tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "tools" / f"{tool}.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_there_is_one_page_a_command() -> None:
    names = {doc.name.replace(" ", "-") for doc in command_tree.top_level()}
    assert {page.stem for page in PAGES} == names | {"intuition"}


def test_pages_name_every_option_and_exit_code() -> None:
    for doc in command_tree.every():
        page = "-".join(doc.name.split()[:2])
        text = (ROOT / "man" / f"{page}.1").read_text().replace("\\-", "-")
        for option in command_tree.options(doc):
            assert all(f"\\fB{name}\\fR" in text for name in option.names)
        assert all(f"\\fB{code.value}\\fR" in text for code in ExitCode)


def test_pages_name_every_environment_variable_that_is_read() -> None:
    read: set[str] = set()
    for file in (ROOT / "xum_intuition").rglob("*.py"):
        text = file.read_text()
        read |= set(re.findall(r"""env(?:iron)?(?:\.get\(|\[)"((?:INTUITION|XUM)_[A-Z_]+)""", text))
    assert "INTUITION_MODEL" in read
    assert read <= set(generate_man.ENVIRONMENT)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_are_clean(page: Path) -> None:
    checks = {"mandoc": ["-Tlint", "-Wall"], "groff": ["-ww", "-man", "-Tutf8"]}
    tools = [tool for tool in checks if shutil.which(tool)]
    if not tools:
        pytest.skip("needs mandoc or groff")
    for tool in tools:
        done = subprocess.run([tool, *checks[tool], page], capture_output=True, text=True)
        assert done.stderr + (done.stdout if tool == "mandoc" else "") == ""


def test_completions_and_pages_are_in_the_wheel() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert shared["man"] == "share/man/man1"
    completions = {f"completions/{name}" for name in generate_completions.texts()}
    assert set(shared) == completions | {"man"}
    assert all((ROOT / source).exists() for source in shared)
