"""Finding the memory folders that are there already."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.support import command_line
from xum_intuition.integrations.claude_places import slug
from xum_intuition.memory.paths import hashed_name


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "my project"
    (folder / ".git").mkdir(parents=True)
    (folder / "src/deep").mkdir(parents=True)
    return folder


def fill(folder: Path, *names: str) -> Path:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {name}\n\nA note about {name}.\n")
    return folder


def discovered(cwd: Path, *arguments: object) -> dict[str, Any]:
    done = command_line.intuition("index", "--discover", "--json", *arguments, cwd=cwd)
    assert done.returncode == 0, done
    return {place["folder"]: place for place in json.loads(done.stdout)["places"]}


def test_each_usual_place_is_found_with_its_count(project: Path, home: Path) -> None:
    expected = {
        fill(project / ".serena/memories", "a.md", "b.md"): 2,
        fill(project / ".cursor/rules", "x.mdc", "deep/y.mdc", "no.json"): 2,
        fill(project / ".github/instructions", "python.instructions.md"): 1,
        fill(project / "memory-bank", "progress.md"): 1,
        fill(project / ".windsurf/rules", "r.md"): 1,
        fill(project / ".clinerules", "c.md"): 1,
        fill(project / ".kiro/steering", "tech.md"): 1,
        fill(project / ".claude/memory", "m.md"): 1,
        fill(home / ".claude/projects" / slug(str(project)) / "memory", "MEMORY.md", "t.md"): 2,
    }
    found = discovered(project / "src/deep")
    assert {Path(folder): place["files"] for folder, place in found.items()} == expected


def test_each_command_recalls_from_its_place(project: Path) -> None:
    fill(project / ".serena/memories", "a.md")
    [place] = discovered(project).values()
    program, *words = shlex.split(place["command"])
    assert program == "intuition"
    done = command_line.intuition(*words, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["stats"]["indexEntriesConsidered"] == 1


def test_a_common_name_counts_only_beside_agent_instructions(project: Path) -> None:
    fill(project / "notes", "a.md")
    assert discovered(project) == {}
    (project / "AGENTS.md").write_text("Read the notes.\n")
    assert list(discovered(project)) == [str(project / "notes")]


def test_an_xum_root_tells_the_projects_memory(project: Path, home: Path) -> None:
    base = home / ".xum/memory"
    folder = fill(base / "project" / hashed_name(str(project)), "a.md")
    fill(base / "global", "g.md", "h.md")
    found = discovered(project / "src")
    assert {path: place["files"] for path, place in found.items()} == {
        str(folder): 1,
        str(base / "global"): 2,
    }
    assert f"--project '{project}'" in found[str(folder)]["command"]


def test_another_root_can_be_named(project: Path, tmp_path: Path) -> None:
    fill(tmp_path / "root/memory/global", "g.md")
    found = discovered(project, "--root", tmp_path / "root")
    assert list(found) == [str(tmp_path / "root/memory/global")]


def test_folders_above_the_repository_are_another_matter(project: Path) -> None:
    fill(project.parent / ".serena/memories", "a.md")
    assert discovered(project) == {}


def test_as_text_each_place_has_its_command_below(project: Path) -> None:
    folder = fill(project / ".cursor/rules", "x.mdc")
    done = command_line.intuition("index", "--discover", "--format", "table", cwd=project)
    assert done.stdout == (
        f"Cursor rules: {folder} (1 file)\n"
        f"    intuition recall --memory-dir '{folder}' --cue \"...\"\n"
    )


def test_where_there_is_nothing_it_says_so(project: Path) -> None:
    done = command_line.intuition("index", "--discover", "--format", "table", cwd=project)
    assert done.stdout.startswith("No folder")
