"""The direction of the arrows between modules, and who may import what is heavy."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import xum_intuition

PACKAGE = Path(xum_intuition.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(file: Path) -> str:
    return ".".join(("xum_intuition", *file.relative_to(PACKAGE).with_suffix("").parts))


def imports(file: Path) -> set[str]:
    """What a module imports anywhere in it, but for type checking only."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            node.body = []
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def importers(library: str) -> set[str]:
    return {
        name_of(file)
        for file in MODULES
        if any(name == library or name.startswith(library + ".") for name in imports(file))
    }


FORBIDDEN = {
    "judge": ("memory", "agent", "cli", "integrations", "recall", "desk", "settings"),
    "memory": ("agent", "judge", "cli", "integrations", "recall", "desk", "settings"),
    "agent": (
        "judge.classify",
        "judge.verify",
        "cli",
        "integrations",
        "recall",
        "desk",
        "settings",
    ),
}


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_arrows_point_one_way(folder: str) -> None:
    for file in (PACKAGE / folder).rglob("*.py"):
        for name in imports(file):
            for other in FORBIDDEN[folder]:
                assert not f"{name}.".startswith(f"xum_intuition.{other}."), f"{file}: {name}"


def test_agent_knows_of_the_store_only_its_protocol_and_term_statistics() -> None:
    words = ("preselect", "terms", "stopwords", "language")
    allowed = tuple(f"xum_intuition.memory.{name}" for name in words)
    for file in (PACKAGE / "agent").rglob("*.py"):
        for name in imports(file):
            if name.startswith("xum_intuition.memory"):
                assert name.startswith(allowed), f"{file} imports {name}"


def test_nothing_below_the_command_line_imports_it() -> None:
    for file in MODULES:
        inside = file.is_relative_to(PACKAGE / "cli") or file.name == "__main__.py"
        if not inside:
            assert not any(n.startswith("xum_intuition.cli") for n in imports(file)), file


def test_one_module_imports_the_model_library() -> None:
    assert importers("litellm") == {"xum_intuition.agent.litellm_model"}


def test_rich_is_imported_where_things_are_rendered() -> None:
    assert all(name.startswith("xum_intuition.cli.render") for name in importers("rich"))


def test_modules_stay_small() -> None:
    too_long = {
        name_of(file): lines
        for file in MODULES
        if (lines := len(file.read_text().splitlines())) > 360 and file.name != "stopwords.py"
    }
    assert not too_long
