"""The switch that lets recall be handed to other agents: `[integrations] enabled`."""

from __future__ import annotations

from pathlib import Path

from xum_intuition import atomic
from xum_intuition.errors import ConfigError


def is_on(file: Path) -> bool:
    """Whether a configuration file, there or not, switches integrations on. Raises ConfigError."""
    from xum_intuition import config_file

    if not file.exists():
        return False
    return bool(config_file.read(file).get("integrations", {}).get("enabled"))


def turn_on(file: Path) -> None:
    """Set the switch in the configuration file. Raises ConfigError or UsageProblem."""
    from xum_intuition import config_edit, config_file

    text = config_file.read_text(file) if file.exists() else ""
    if config_edit.has_comments(text) and "integrations" not in config_file.read(file):
        # A table of its own at the end costs none of the comments.
        gap = "" if text.endswith("\n") else "\n"
        _replace(file, f"{text}{gap}\n[integrations]\nenabled = true\n")
    else:
        config_edit.set_value(file, "integrations.enabled", ["true"], force=False)


def _replace(file: Path, text: str) -> None:
    try:
        atomic.replace(str(file), text.encode())
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror}.") from error
