"""Putting the hook into Claude Code's settings from the command line, and taking it out again."""

from __future__ import annotations

import math
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import typer

from xum_intuition import dirs
from xum_intuition.cli.hook import EVERY, TIMEOUT_S, InstallOptions, require_time
from xum_intuition.cli.options import StoreOptions
from xum_intuition.cli.output import print_text
from xum_intuition.errors import UsageProblem
from xum_intuition.integrations import claude_settings, switch
from xum_intuition.integrations.claude_places import agent_folder
from xum_intuition.integrations.claude_settings import Change
from xum_intuition.lookup import Flags, config_location
from xum_intuition.memory.paths import SCOPES
from xum_intuition.text import visible

_PATHS = {"memory_dirs", "root", "meta", "config"}
"""Options that the installed hook is given as absolute paths."""


def change_settings(
    installing: InstallOptions, where: StoreOptions, words: list[str], timeout: float
) -> None:
    """Install or uninstall, as the options say; `words` are the options of the installed hook."""
    if installing.install and installing.uninstall:
        raise UsageProblem("--install and --uninstall do not go together.")
    require_time(timeout)
    file = _settings_file(where.project)
    if installing.uninstall:
        _uninstall(file, yes=installing.yes)
        return
    config = config_location(Flags(config=where.config), os.environ)[0]
    command_line = _command_line(words, shared=where.project is not None)
    # The agent kills a hook that takes longer than it was told; this one ends by itself before.
    change = claude_settings.install(file, command_line, math.ceil(timeout) + 5)
    _install(change, config, yes=installing.yes)


def _install(change: Change, config: Path, *, yes: bool) -> None:
    is_on = switch.is_on(config)
    if not change.needed and is_on:
        print_text(f"The hook is in {change.file} already.")
    elif _agreed(change, None if is_on else config, yes=yes):
        if not is_on:
            switch.turn_on(config)
        if change.needed:
            change.write()
        print_text(f"The hook is in {change.file}; it answers from the next session on.")


def _uninstall(file: Path, *, yes: bool) -> None:
    change = claude_settings.uninstall(file)
    if not change.needed:
        print_text(f"The hook is not in {file}.")
    elif _agreed(change, None, yes=yes):
        change.write()
        print_text(
            f"The hook is no longer in {file}. Integrations stay switched on for others:"
            " `intuition config unset integrations.enabled` switches them off."
        )


def _agreed(change: Change, switched: Path | None, *, yes: bool) -> bool:
    """Show what will change, and ask unless told not to."""
    if change.needed:
        print_text(change.diff())
    if switched is not None:
        print_text(f"integrations.enabled = true in {visible(str(switched))}")
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageProblem("There is no terminal to ask on; --yes makes this change.")
    if typer.confirm("Make this change?", err=True):
        return True
    print_text("Nothing was changed.")
    return False


def _settings_file(project: str | None) -> Path:
    if project is None:
        return agent_folder(os.environ) / "settings.json"
    folder = dirs.from_user(project, None, os.environ)
    if not folder.is_dir():
        raise UsageProblem(f"--project {project} is no folder.")
    return folder / ".claude" / "settings.json"


def _command_line(words: list[str], *, shared: bool) -> str:
    """What the agent runs; in a file that a team shares, the program is found by its name."""
    own = os.path.abspath(sys.argv[0])
    if shared:
        program = ["intuition"]
    elif os.path.basename(own) == "intuition" and os.access(own, os.X_OK):
        program = [own]
    else:
        # -P: it runs in the project's folder, from which Python is not to import anything.
        program = [sys.executable, "-P", "-m", "xum_intuition"]
    return shlex.join([*program, "hook", "claude-code", *words])


def option_words(given: dict[str, Any], *, every: int, leads: bool, timeout: float) -> list[str]:
    """The options that the installed hook is to have, paths absolute."""
    words: list[str] = []
    for name in Flags._fields:
        value = given.get(name)
        option = "--" + name.removesuffix("s").replace("_", "-")
        for text in value if isinstance(value, tuple) else (value,):
            if text is not None and name != "project":
                words += [option, _absolute(text) if name in _PATHS else text]
    words += ["--every", str(every)] if every != EVERY else []
    words += ["--leads"] if leads else []
    return words + (["--timeout", f"{timeout:g}"] if timeout != TIMEOUT_S else [])


def _absolute(text: str) -> str:
    scope, equals, folder = text.partition("=")
    if equals and scope in SCOPES:
        return f"{scope}={os.path.abspath(os.path.expanduser(folder))}"
    return os.path.abspath(os.path.expanduser(text))
