"""The command line: which commands there are, and the one boundary where a run ends."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, MutableMapping
from itertools import pairwise
from typing import Annotated, Any, NoReturn

import typer
from typer import _click
from typer.core import TyperGroup
from typer.main import get_command

from xum_intuition import __version__
from xum_intuition.cli.output import CannotWrite, Output, OutputFormat, complain
from xum_intuition.errors import ExitCode

COMMANDS = {
    "recall": "Recognize which memories a task calls up, and quote them verbatim.",
    "index": "Show the index rows as the nested agent would see them.",
    "stats": "Show the store, its hot set, and what its recalls cost.",
    "meta": "Pins and use counts: show, compare, pin, keep a copy.",
    "config": "Show and change the configuration file.",
    "guidance": "Print what to tell an agent about recall, for its AGENTS.md, CLAUDE.md or skills.",
    "mcp": "Serve recall to another agent: an MCP server on standard input and output.",
    "hook": "Hand what a prompt calls up to an agent, from its own hook.",
}
"""Each command, by its module's name in this package, in the order of the help.

The summary is the first sentence of the command's own help; a test holds the two together, so
that the list can be shown without building every command.
"""


def _help_page(command: Any, context: Any, summaries: dict[str, str] | None = None) -> str:
    from xum_intuition.cli import help as pages
    from xum_intuition.cli.terminal import Ink, columns

    doc = pages.describe(command, context.command_path, summaries)
    color = "--no-color" not in sys.argv
    return pages.page(
        doc, columns(sys.stdout, os.environ), Ink(sys.stdout, os.environ, color=color)
    )


class _HelpPage:
    """Mixed into a command's class: its help is this program's page."""

    def get_help(self, ctx: Any) -> str:
        return _help_page(self, ctx)


def _with_help_page(command_class: type) -> type:
    if issubclass(command_class, _HelpPage):
        return command_class
    return type(command_class.__name__, (_HelpPage, command_class), {})


class _Commands(MutableMapping[str, Any]):
    """The commands, each imported when it is first asked for.

    Building all of them takes longer than most commands run.
    """

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            if name not in COMMANDS:
                raise KeyError(name)
            below = importlib.import_module(f"xum_intuition.cli.{name}").app
            below.info.cls = _with_help_page(TyperGroup)
            for command in below.registered_commands:
                command.cls = _with_help_page(command.cls)
            self._built[name] = get_command(below)
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


class _Root(TyperGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()

    def get_help(self, ctx: Any) -> str:
        return _help_page(self, ctx, COMMANDS)


app = typer.Typer(
    cls=_Root,
    name="intuition",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog='Example: intuition recall --example --cue "why is the first build after a pull slow?"'
    '\nExample: intuition recall -d ~/notes --cue "how do I rotate the backup keys?"'
    "\nExample: man intuition",
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
    """Recognize which memories a task calls up, and quote them verbatim.

    `recall` does it. The default model is embedded: it needs no key and no network, and costs
    nothing.
    """


def main() -> NoReturn:
    """Run the command line and end the process with the right code, threads or not."""
    _open_streams()
    _end(_run())


def _open_streams() -> None:
    """Give the program its three streams, whatever it was started with.

    What is opened takes the lowest free descriptor, so in this order nothing else gets one of the
    three: a ledger, say, that whatever prints would be written to.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 kept open
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _run() -> int:
    """Run the command; a reader that is gone ends it quietly, whatever it was saying."""
    try:
        return _run_command()
    except BrokenPipeError:
        return ExitCode.OK
    except OSError as error:  # typer's own printing
        if os.environ.get("INTUITION_DEBUG"):
            raise
        complain("Error:", f"Standard output cannot be written: {error.strerror}.")
        return ExitCode.BUG


def _run_command() -> int:
    command = get_command(app)
    try:
        # Not through typer's own `main`, which ends a closed pipe with 1.
        with command.make_context("intuition", sys.argv[1:]) as context:
            return int(command.invoke(context) or 0)
    except typer.Exit as ended:
        return int(ended.exit_code)
    except _click.exceptions.NoArgsIsHelpError as error:
        print(error.ctx.get_help() if error.ctx else "")
        return ExitCode.OK
    except _click.exceptions.ClickException as error:
        from xum_intuition.cli import typos

        typos.complain_about(error)
        return ExitCode.USAGE
    except (KeyboardInterrupt, typer.Abort):
        return interrupted()
    except CannotWrite as error:
        complain("Error:", str(error))
        return ExitCode.BUG


def interrupted() -> int:
    """Tell of an interrupt that came before a command knew how it is to answer."""
    words = sys.argv[1:]
    forms = {"--json": "json", "-j": "json", "--format=json": "json", "--format=table": "table"}
    chosen = [forms[word] for word in words if word in forms]
    chosen += [form for option, form in pairwise(words) if option == "--format"]
    form = next((form for form in OutputFormat if form.value in chosen[-1:]), None)
    output = Output(form, color="--no-color" not in words, quiet=False, env=os.environ)
    return output.fail("interrupted", "Interrupted.", ExitCode.INTERRUPTED).exit_code


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
