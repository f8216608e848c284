from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def switched_on(home: Path) -> Path:
    """The configuration file, with integrations switched on."""
    file = home / ".config/intuition/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[integrations]\nenabled = true\n")
    return file


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with two memories."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "espresso.md").write_text(
        "# Espresso machine\n\n"
        "The espresso machine on the third floor needs descaling every six weeks.\n"
        "Citric acid is in the cupboard under the sink.\n"
    )
    (folder / "parking.md").write_text("# Parking\n\nVisitors park behind the bakery.\n")
    return folder
