"""Reading the user's TOML file. Imported only where there is one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from xum_intuition import config_rules
from xum_intuition.errors import ConfigError

MAX_CONFIG_BYTES = 1024 * 1024


def read(file: Path) -> dict[str, Any]:
    """The values of a file, held against the rules; raises ConfigError."""
    values = parse(read_text(file), file)
    found = config_rules.problems(values)
    if found:
        shown = "; ".join(problem.text for problem in found[:5])
        more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
        raise ConfigError(f"The configuration file {file} is wrong: {shown}{more}.")
    return values


def read_text(file: Path) -> str:
    """The text of a file; raises ConfigError."""
    try:
        with open(file, "rb") as stream:
            raw = stream.read(MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(
            f"The configuration file {file} does not exist; `intuition config set` creates it."
        ) from None
    except OSError as error:
        raise ConfigError(
            f"The configuration file {file} cannot be read: {error.strerror}."
        ) from error
    if len(raw) > MAX_CONFIG_BYTES:
        raise ConfigError(f"The configuration file {file} is larger than 1 MiB.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        good = raw[: error.start].decode("utf-8")
        line, column = good.count("\n") + 1, len(good) - good.rfind("\n")
        raise ConfigError(f"{file}, line {line}, column {column}: this is not UTF-8.") from None


def parse(text: str, file: Path) -> dict[str, Any]:
    """TOML text as values; raises ConfigError with line and column."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{file}, line 1, column 1: values are nested too deeply.") from None
    except ValueError as error:
        reason = str(error)
    found = re.search(r" \(at line (\d+), column (\d+)\)$", reason)
    if found:
        line, column = int(found[1]), int(found[2])
        reason = reason[: found.start()]
    else:
        reason = reason.removesuffix(" (at end of document)")
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    raise ConfigError(f"{file}, line {line}, column {column}: {reason}.")
