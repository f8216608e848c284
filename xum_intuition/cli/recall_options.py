"""The groups of options that recalls are asked with, by `recall` itself and other ways in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from xum_intuition.cli.options import Options
from xum_intuition.cli.panels import BOUNDS, CUE, MODEL


@dataclass(frozen=True)
class CueOptions(Options):
    """What to recall."""

    cue: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="The task at hand in one or two sentences; - reads standard input.",
            rich_help_panel=CUE,
        ),
    ] = None
    cue_file: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Read the cue from a file.", rich_help_panel=CUE),
    ] = None
    batch: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help='Many cues as JSON Lines, {"id": …, "cue": …} each; - reads standard input.',
            rich_help_panel=CUE,
        ),
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=64,
            help="Cues of a batch that are answered at a time, 1 to 64. [default: 1]",
            rich_help_panel=CUE,
        ),
    ] = None
    example: Annotated[
        bool,
        typer.Option(
            "--example",
            help="Recall from the small memory directory that ships with this program.",
            rich_help_panel=CUE,
        ),
    ] = False


@dataclass(frozen=True)
class ModelOptions(Options):
    """Who reads and judges."""

    model: Annotated[
        str | None,
        typer.Option(
            metavar="PROVIDER/MODEL",
            help="The model that reads and judges; offline is the embedded recognizer."
            " [env: INTUITION_MODEL; default: offline]",
            rich_help_panel=MODEL,
        ),
    ] = None
    fallback_model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROVIDER/MODEL",
            help="Takes over where the model before it fails; repeatable.",
            rich_help_panel=MODEL,
        ),
    ] = None
    api_base: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where the model, and fallbacks of the same provider, are reached.",
            rich_help_panel=MODEL,
        ),
    ] = None

    def flags(self) -> dict[str, Any]:
        """These values as fields of `settings.Flags`."""
        return {
            "model": self.model,
            "fallback_models": tuple(self.fallback_model or ()),
            "api_base": self.api_base,
        }


@dataclass(frozen=True)
class BoundOptions(Options):
    """What a recall may spend, and what counts as recognized."""

    max_steps: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Model calls at most, in steps. [default: 6]", rich_help_panel=BOUNDS
        ),
    ] = None
    max_results: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Memories and leads at most. [default: 6]", rich_help_panel=BOUNDS
        ),
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Wall-clock time that a cue may take. [default: 20 s]",
            rich_help_panel=BOUNDS,
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        typer.Option(
            metavar="USD",
            help="Stop before the model call that could make a recall cost more US dollars than"
            " this. [default: no limit]",
            rich_help_panel=BOUNDS,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="0..1",
            help="Relevance from which on a memory is recognized. [default: 0.7]",
            rich_help_panel=BOUNDS,
        ),
    ] = None
    floor: Annotated[
        float | None,
        typer.Option(
            metavar="0..1",
            help="Relevance from which on a memory is a lead. [default: 0.3]",
            rich_help_panel=BOUNDS,
        ),
    ] = None
    turn: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The calling agent's turn; its fourth recall is refused, or what"
            " budgets.max_uses_per_turn says. [env: INTUITION_TURN]",
            rich_help_panel=BOUNDS,
        ),
    ] = None

    def flags(self) -> dict[str, Any]:
        """These values as fields of `settings.Flags`."""
        return {
            "max_steps": self.max_steps,
            "max_results": self.max_results,
            "timeout_s": self.timeout,
            "max_cost": self.max_cost,
            "threshold": self.threshold,
            "floor": self.floor,
            "turn": self.turn,
        }
