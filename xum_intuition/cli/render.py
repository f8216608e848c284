"""Tables, errors and progress for a person; the only importer of rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xum_intuition.result import Failure, LimitReached, Recognized, Result
from xum_intuition.text import visible

if TYPE_CHECKING:
    from xum_intuition.cli.output import Output


def show_result(out: Output, result: Result) -> None:
    """A result as text."""
    if isinstance(result, (LimitReached, Failure)):
        print(visible(result.message))
        return
    if isinstance(result, Recognized):
        for memory in result.memories:
            first, last = memory.lines
            print(f"{memory.relevance:.2f}  {visible(memory.path)}:{first}-{last}")
            print(visible(memory.excerpt, keep="\n\t"))
            print(visible(memory.why))
    for candidate in result.candidates:
        print(f"{candidate.relevance:.2f}  {visible(candidate.path)}  {candidate.reason}")
    if result.note:
        print(visible(result.note))
