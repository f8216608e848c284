"""The command line: which commands there are, and the one boundary where a run ends."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Iterator, MutableMapping
from typing import Annotated, Any, NoReturn

import typer
from typer import _click
from typer.core import TyperGroup
from typer.main import get_command

from xum_intuition import __version__
from xum_intuition.errors import ExitCode
from xum_intuition.text import visible

COMMANDS = {
    "recall": "recall",
    "index": "index",
    "stats": "stats",
    "meta": "meta",
    "config": "config",
    "guidance": "guidance",
    "mcp": "mcp",
    "hook": "hook",
}
"""Each command and the module of this package whose `app` it is, in the order of the help."""


class _Commands(MutableMapping[str, Any]):
    """The commands, each imported when it is first asked for.

    Building all of them takes longer than most commands run.
    """

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            module = importlib.import_module(f"xum_intuition.cli.{COMMANDS[name]}")
            self._built[name] = get_command(module.app)
            self._built[name].name = name
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Group(TyperGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()


app = typer.Typer(
    cls=_Group,
    name="intuition",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"intuition {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Recognize which memories a task calls up, and quote them verbatim."""


def main() -> NoReturn:
    """Run the command line and end the process with the right code, threads or not."""
    # Until a command takes over the signals, a SIGTERM ends a run as SIGINT does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    _end(_run())


def _run() -> int:
    try:
        return int(get_command(app).main(prog_name="intuition", standalone_mode=False) or 0)
    except _click.exceptions.NoArgsIsHelpError as error:
        print(error.ctx.get_help() if error.ctx else "")
        return ExitCode.OK
    except _click.exceptions.ClickException as error:
        _complain(error)
        return ExitCode.USAGE
    except (KeyboardInterrupt, typer.Abort):
        print("Interrupted.", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return ExitCode.OK


def _complain(error: Any) -> None:
    """A usage error: always plain text on standard error."""
    context = getattr(error, "ctx", None)
    if context is not None:
        print(f"{context.get_usage()}\nTry: {context.command_path} --help", file=sys.stderr)
    print(f"Error: {visible(error.format_message(), keep=chr(10))}", file=sys.stderr)


def _end(code: int) -> NoReturn:
    """Flush, then leave at once.

    A provider's thread that still waits must not hold us, and taking the interpreter apart module
    by module costs 10 ms that nobody gets anything for.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            # The reader is gone. Keep the interpreter from complaining at its own flush.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    os._exit(code)
