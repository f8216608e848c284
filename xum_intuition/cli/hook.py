"""`intuition hook`: what an agent's hook runs; `hook_install` puts it there.

For this agent exit code 2 blocks the prompt. So the hook ends with 0 whatever happens, wrong
options included; only installing and uninstalling report errors by their code.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer import _click
from typer.core import TyperCommand

from xum_intuition.cli.options import Options, StoreOptions, command
from xum_intuition.cli.output import print_text
from xum_intuition.cli.recall_options import ModelOptions
from xum_intuition.errors import IntuitionError, UsageProblem
from xum_intuition.text import visible

app = typer.Typer(add_completion=False, no_args_is_help=True)

INSTALL = "Installing"
EVERY = 1
TIMEOUT_S = 5.0
LAST_MOMENT_S = 0.3
"""Kept of the budget for what follows a recall, and for leaving."""
MAX_TIMEOUT_S = 3600.0
_ABOUT_INSTALLING = {"--install", "--uninstall", "--help", "-h"}


@app.callback()
def _hook() -> None:
    """Hand what a prompt calls up to an agent, from its own hook."""


class _NeverBlocks(TyperCommand):
    """Wrong options end with 0 and a reason, unless a person is installing.

    `--project` may stand without a path and is the current directory then.
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        installing = not _ABOUT_INSTALLING.isdisjoint(args)
        try:
            return super().make_context(info_name, _with_project(args), parent=parent, **extra)
        except _click.exceptions.UsageError as error:
            if installing:
                raise
            _say(error.format_message())
            raise typer.Exit(0) from None


def _with_project(args: list[str]) -> list[str]:
    bare = [
        n
        for n, word in enumerate(args)
        if word == "--project" and (n + 1 == len(args) or args[n + 1].startswith("-"))
    ]
    return [part for n, word in enumerate(args) for part in ([word, "."] if n in bare else [word])]


@dataclass(frozen=True)
class InstallOptions(Options):
    """Putting the hook into the agent's settings."""

    install: Annotated[
        bool,
        typer.Option(
            "--install",
            help="Add the hook, with these options, to ~/.claude/settings.json, or to that of"
            " --project [PATH]; and switch integrations on.",
            rich_help_panel=INSTALL,
        ),
    ] = False
    uninstall: Annotated[
        bool,
        typer.Option(
            "--uninstall", help="Take the hook out of that file.", rich_help_panel=INSTALL
        ),
    ] = False
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask.", rich_help_panel=INSTALL)
    ] = False


@app.command(
    name="claude-code",
    cls=_NeverBlocks,
    epilog="Example: intuition hook claude-code --install",
)
@command
def claude_code(
    model: ModelOptions,
    where: StoreOptions,
    installing: InstallOptions,
    every: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Recall at every Nth prompt of a session."),
    ] = EVERY,
    leads: Annotated[
        bool, typer.Option("--leads", help="Tell leads, too, which nothing has verified.")
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="Wall-clock time that a prompt may be held up."),
    ] = TIMEOUT_S,
) -> None:
    """Answer a UserPromptSubmit event of Claude Code, read from standard input.

    Prints the JSON that adds the recognized excerpts to the prompt's context, or nothing. The
    embedded recognizer recalls unless --model is given. It always exits with 0.
    """
    given = where.flags() | model.flags()
    if installing.install or installing.uninstall:
        from xum_intuition.cli import hook_install

        words = hook_install.option_words(given, every=every, leads=leads, timeout=timeout)
        hook_install.change_settings(installing, where, words, timeout)
        return
    try:
        _answer(given, every=every, leads=leads, timeout=timeout)
    except (Exception, KeyboardInterrupt) as error:
        _say(
            str(error) if isinstance(error, IntuitionError) else f"{type(error).__name__}: {error}"
        )


def _answer(given: dict[str, Any], *, every: int, leads: bool, timeout: float) -> None:
    require_time(timeout)
    ends = time.monotonic() + min(timeout, MAX_TIMEOUT_S) - _age_s()
    guard = threading.Timer(max(0.0, ends - time.monotonic() - 0.05), _leave)
    guard.daemon = True
    guard.start()
    try:
        _answer_until(ends, given, every=every, leads=leads)
    finally:
        guard.cancel()


def require_time(timeout: float) -> None:
    """Raise UsageProblem for a time limit that is none."""
    if not (math.isfinite(timeout) and timeout > 0):
        raise UsageProblem(f"--timeout must be a positive number of seconds, not {timeout}.")


def _answer_until(ends: float, given: dict[str, Any], *, every: int, leads: bool) -> None:
    from xum_intuition.clock import Interrupt
    from xum_intuition.integrations import claude_code as hook

    interrupt = Interrupt()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: interrupt.request())
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageProblem("An event is read from standard input; --install sets the hook up.")
    event = hook.parse_event(sys.stdin.buffer.read(hook.MAX_EVENT_BYTES))
    seconds = ends - time.monotonic() - LAST_MOMENT_S
    if seconds <= 0:
        raise IntuitionError("The time limit is too short for a recall.")
    wish = hook.HookWish(given, every=every, leads=leads)
    text = hook.answer(event, wish, os.environ, seconds=seconds, interrupt=interrupt)
    if text is not None:
        print_text(text)


def _age_s() -> float:
    """Seconds since this process began; where the system does not tell, what a start may take."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.2
    return min(max(age, 0.0), 60.0)


def _leave() -> None:
    """The end of the time limit, whatever the rest of the process is waiting for."""
    with contextlib.suppress(OSError, ValueError):
        os.set_blocking(2, False)
        os.write(2, b"intuition: the time limit struck before the recall had ended.\n")
    os._exit(0)


def _say(reason: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(f"intuition: {visible(reason)}", file=sys.stderr)
