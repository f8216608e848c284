"""Virtual paths, and where the three layouts keep memories."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from xum_intuition.errors import StoreError, UsageProblem
from xum_intuition.memory.paths import StoreChoice, hashed_name, locate, path_problem


@pytest.mark.parametrize(
    "path",
    [
        "/memories/global/../x.md",
        "/memories/global/a..b.md",
        "/memories/global//x.md",
        "/memories/global/./x.md",
        "/memories/global/~/x.md",
        "/memories/global/a\\b.md",
        "/memories/global/%2e%2e/x.md",
        "/memories/global/a%2Fb.md",
        "/memories/global/a%5cb.md",
        "/memories/global/a\nb.md",
        "/memories/global/a\x1b[31m.md",
        "/memories/global/a\x85.md",
        "/memories/global/<b>.md",
        '/memories/global/a".md',
        "/memories/global/",
        "/memories/global",
        "/memories/other/x.md",
        "memories/global/x.md",
        "/etc/passwd",
        "",
        "/memories/global/\udcff.md",
    ],
)
def test_a_path_that_breaks_the_rule_is_refused(path: str) -> None:
    assert path_problem(path) is not None


@pytest.mark.parametrize(
    "path", ["/memories/global/x.md", "/memories/project/a/b c/ü.md", "/memories/workspace/日本.md"]
)
def test_an_ordinary_path_is_fine(path: str) -> None:
    assert path_problem(path) is None


def test_a_project_folder_is_named_by_basename_and_digest() -> None:
    path = "/home/u/my project!" + "x" * 60
    digest = hashlib.sha256(path.encode()).hexdigest()[:12]
    assert hashed_name(path) == f"my_project_{'x' * 29}-{digest}"


def test_an_xum_root_has_three_scopes_by_identity(tmp_path: Path) -> None:
    project = tmp_path / "code" / "app"
    choice = StoreChoice(root=tmp_path, project=project, workspace="w1")
    layout = locate(choice, state_dir=tmp_path / "state")
    assert [(s.scope, s.component) for s in layout.scopes] == [
        ("global", None),
        ("project", str(project)),
        ("workspace", "w1"),
    ]
    assert layout.scopes[1].folder == f"{tmp_path}/memory/project/{hashed_name(str(project))}"
    assert layout.scopes[2].folder == f"{tmp_path}/sessions/w1/memory"
    assert layout.sidecar_file == tmp_path / "memory-meta.json"
    assert layout.max_files == 1_000


def test_the_project_is_the_nearest_folder_upward_that_has_memories(tmp_path: Path) -> None:
    outer, inner = tmp_path / "a", tmp_path / "a" / "b"
    (inner / "c").mkdir(parents=True)
    for project in (outer, inner):
        (tmp_path / "root/memory/project" / hashed_name(str(project))).mkdir(parents=True)
    choice = StoreChoice(root=tmp_path / "root")
    layout = locate(choice, state_dir=tmp_path, cwd=inner / "c")
    assert layout.project == str(inner)
    elsewhere = locate(choice, state_dir=tmp_path, cwd=tmp_path)
    assert [s.scope for s in elsewhere.scopes] == ["global"]


def test_a_folder_of_scope_folders_is_a_scoped_directory(tmp_path: Path) -> None:
    (tmp_path / "global").mkdir()
    (tmp_path / "workspace").mkdir()
    (tmp_path / ".git").mkdir()
    layout = locate(StoreChoice(memory_dirs=((None, tmp_path),)), state_dir=tmp_path / "s")
    assert layout.kind == "scoped"
    assert [(s.scope, s.component) for s in layout.scopes] == [
        ("global", None),
        ("workspace", str(tmp_path / "workspace")),
    ]
    assert layout.sidecar_file == tmp_path / "s" / hashed_name(str(tmp_path)) / "memory-meta.json"


@pytest.mark.parametrize("extra", ["notes.md", "other/"])
def test_any_other_folder_is_one_scope(tmp_path: Path, extra: str) -> None:
    (tmp_path / "global").mkdir()
    if extra.endswith("/"):
        (tmp_path / extra).mkdir()
    else:
        (tmp_path / extra).write_text("x")
    layout = locate(StoreChoice(memory_dirs=((None, tmp_path),)), state_dir=tmp_path / "s")
    assert [(s.scope, s.folder) for s in layout.scopes] == [("global", str(tmp_path))]
    assert layout.max_files == 5_000


def test_a_scope_is_named_before_the_folder(tmp_path: Path) -> None:
    (tmp_path / "g").mkdir()
    (tmp_path / "p").mkdir()
    dirs = (("project", tmp_path / "p"), (None, tmp_path / "g"))
    layout = locate(StoreChoice(memory_dirs=dirs), state_dir=tmp_path)
    assert [(s.scope, s.component) for s in layout.scopes] == [
        ("global", None),
        ("project", str(tmp_path / "p")),
    ]
    with pytest.raises(UsageProblem, match="global scope twice"):
        locate(
            StoreChoice(memory_dirs=((None, tmp_path), ("global", tmp_path / "g"))),
            state_dir=tmp_path,
        )


def test_a_folder_that_is_none_is_named_in_the_error(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for path, reason in ((file, "is not a folder"), (tmp_path / "no", "does not exist")):
        for choice in (StoreChoice(memory_dirs=((None, path),)), StoreChoice(root=path)):
            with pytest.raises(StoreError, match=f"{path} {reason}; .* was looked for"):
                locate(choice, state_dir=tmp_path)
    with pytest.raises(StoreError, match="--memory-dir"):
        locate(StoreChoice(), state_dir=tmp_path)


def test_locating_creates_nothing(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    locate(StoreChoice(memory_dirs=((None, tmp_path / "m"),)), state_dir=tmp_path / "state")
    locate(StoreChoice(root=tmp_path / "m", workspace="w"), state_dir=tmp_path / "state")
    assert [p.name for p in tmp_path.rglob("*")] == ["m"]
