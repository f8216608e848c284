"""`intuition config show|set|unset|path`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xum_intuition.cli.options import Options, OutputOptions, StoreOptions, command
from xum_intuition.cli.output import Output, print_text
from xum_intuition.cli.panels import WHERE
from xum_intuition.cli.recall_options import BoundOptions, ModelOptions

if TYPE_CHECKING:
    from xum_intuition.config_edit import Change

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def _config() -> None:
    """Show and change the configuration file."""


@dataclass(frozen=True)
class FileOptions(Options):
    """Which file."""

    config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The configuration file. [env: INTUITION_CONFIG; default: in the user's"
            " configuration directory]",
            rich_help_panel=WHERE,
        ),
    ] = None

    def path(self) -> Path:
        from xum_intuition.lookup import Flags, config_location

        return config_location(Flags(config=self.config), os.environ)[0]


Force = Annotated[
    bool, typer.Option("--force", help="Write although the comments in the file are lost.")
]
KeyArgument = Annotated[
    str,
    typer.Argument(
        metavar="KEY", help='A key, as budgets.max_steps or models."openai/gpt-5".api_base.'
    ),
]


@app.command(epilog="Example: intuition config show --model openai/gpt-5")
@command
def show(
    where: StoreOptions, model: ModelOptions, bounds: BoundOptions, out: OutputOptions
) -> None:
    """Show every setting in force and where it came from.

    Options of `intuition recall` may be given to see what they would change.
    """
    from xum_intuition.config_report import report
    from xum_intuition.settings import Flags, load

    flags = Flags(**(where.flags() | model.flags() | bounds.flags()))
    document = report(load(flags, os.environ), os.environ)
    out.output().emit(document, "render_config.show_settings", document)


@app.command(name="set", epilog="Example: intuition config set agent.model openai/gpt-5")
@command
def set_(
    key: KeyArgument,
    value: Annotated[
        list[str],
        typer.Argument(
            metavar="VALUE...",
            help="The value; several make a list. Put -- before one that begins with a dash.",
        ),
    ],
    file: FileOptions,
    out: OutputOptions,
    force: Force = False,
) -> None:
    """Set one value in the configuration file."""
    from xum_intuition.config_edit import set_value

    _emit_change(out.output(), set_value(file.path(), key, value, force=force))


@app.command(epilog="Example: intuition config unset budgets.max_steps")
@command
def unset(key: KeyArgument, file: FileOptions, out: OutputOptions, force: Force = False) -> None:
    """Take one value, or a table of them, out of the configuration file."""
    from xum_intuition.config_edit import unset as take_out

    _emit_change(out.output(), take_out(file.path(), key, force=force))


@app.command(epilog='Example: "$EDITOR" "$(intuition config path)"')
@command
def path(file: FileOptions, out: OutputOptions) -> None:
    """Print the configuration file's path, as it is whatever the format."""
    print_text(str(file.path()))


def _emit_change(out: Output, change: Change) -> None:
    document = {
        "file": str(change.file),
        "key": change.key,
        "before": _shown(change.key, change.before),
        "after": _shown(change.key, change.after),
    }
    out.emit(document, "render_config.show_change", document)


def _shown(key: str, value: Any) -> Any:
    """A value without the password that an address may hold."""
    from xum_intuition.config_report import masked

    return masked(value) if key.endswith("api_base") and isinstance(value, str) else value
