"""Groups of options that commands share.

A command names a group by the type of a parameter (`where: StoreOptions`); `command` gives the
command line that group's options and hands the command an object of it.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any, get_type_hints

import typer

from xum_intuition.cli.output import Output, OutputFormat
from xum_intuition.cli.panels import OUTPUT, WHERE


class Options:
    """A group of options: a dataclass whose fields are annotated as a command's parameters are."""


@dataclass(frozen=True)
class StoreOptions(Options):
    """Which store, and which configuration names one where no option does."""

    memory_dir: Annotated[
        list[str] | None,
        typer.Option(
            "--memory-dir",
            "-d",
            metavar="[SCOPE=]DIR",
            help="A folder of memory files; repeat it with SCOPE= for several scopes."
            " [env: INTUITION_MEMORY_DIR]",
            rich_help_panel=WHERE,
        ),
    ] = None
    root: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="An xum root. [env: XUM_ROOT; default: ~/.xum, else ~/.mux]",
            rich_help_panel=WHERE,
        ),
    ] = None
    project: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="The project whose memories count, in an xum root."
            " [default: the nearest folder upward that has some]",
            rich_help_panel=WHERE,
        ),
    ] = None
    workspace: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The workspace whose memories count, in an xum root. [env: XUM_WORKSPACE_ID]",
            rich_help_panel=WHERE,
        ),
    ] = None
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB",
            help="Take files that match; repeatable."
            " [default in folders: *.md, *.mdc, *.markdown, *.txt]",
            rich_help_panel=WHERE,
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB", help="Leave out files that match; repeatable.", rich_help_panel=WHERE
        ),
    ] = None
    meta: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The sidecar with pins and use counts. [default: memory-meta.json in the xum"
            " root, else in the state directory]",
            rich_help_panel=WHERE,
        ),
    ] = None
    config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The configuration file. [env: INTUITION_CONFIG; default: `intuition config"
            " path` tells]",
            rich_help_panel=WHERE,
        ),
    ] = None

    def flags(self) -> dict[str, Any]:
        """These values as fields of `settings.Flags`."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        given["memory_dirs"] = tuple(given.pop("memory_dir") or ())
        given["include"] = tuple(given["include"] or ())
        given["exclude"] = tuple(given["exclude"] or ())
        return given


@dataclass(frozen=True)
class OutputOptions(Options):
    """How results are shown."""

    format: Annotated[
        OutputFormat | None,
        typer.Option(
            "--format",
            help="How results are printed. [default: table on a terminal, json otherwise]",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    json: Annotated[
        bool, typer.Option("--json", "-j", help="Short for --format json.", rich_help_panel=OUTPUT)
    ] = False
    no_color: Annotated[
        bool,
        typer.Option("--no-color", help="No colour. [env: NO_COLOR]", rich_help_panel=OUTPUT),
    ] = False
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="No progress and no warnings on standard error.",
            rich_help_panel=OUTPUT,
        ),
    ] = False

    def output(self) -> Output:
        chosen = OutputFormat.JSON if self.json else self.format
        return Output(chosen, color=not self.no_color, quiet=self.quiet, env=os.environ)


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function a command: its groups of options spread out, its end told by `Output`."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints[name]
        if isinstance(hint, type) and issubclass(hint, Options):
            groups[name] = hint
            parameters += _spread(hint)
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(annotation=hint, kind=kind))

    @functools.wraps(function)
    def run(**given: Any) -> None:
        taken = {
            name: group(**{f.name: given.pop(f.name) for f in fields(group)})
            for name, group in groups.items()
        }
        output = next(
            (options.output() for options in taken.values() if isinstance(options, OutputOptions)),
            Output(None, color=True, quiet=False, env=os.environ),
        )
        with output.boundary():
            function(**given, **taken)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    del run.__wrapped__  # the signature above is the command's
    return run


def _spread(group: Any) -> list[inspect.Parameter]:
    """A group's fields as a function's parameters."""
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
