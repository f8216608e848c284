"""A page of styled lines: folded by cells so that nothing is lost, harmless whatever is in it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from xum_intuition.cli.output import print_text
from xum_intuition.cli.terminal import columns, takes_escapes
from xum_intuition.text import visible

if TYPE_CHECKING:
    from xum_intuition.cli.output import Output

Part = str | tuple[str, str]
"""Text, or text and its style."""

_TAB = 8
_EIGHTHS = " ▏▎▍▌▋▊▉"


class Page:
    """Lines for standard output, printed together at the end.

    Every text is made visible here, so that no caller can forget it.
    """

    def __init__(self, out: Output) -> None:
        self.width = columns(sys.stdout, os.environ)
        self._lines: list[Text] = []
        self._terminal = takes_escapes(sys.stdout, os.environ)
        self._color = out.color

    def put(self, *parts: Part, indent: int = 0, hang: int | None = None) -> None:
        """One line, folded at the width; what follows is indented by `hang`, else by `indent`."""
        self.block([("", " " * indent)], parts, " " * (indent if hang is None else hang))

    def block(self, head: list[tuple[str, str]], parts: tuple[Part, ...], rest: str) -> None:
        """A line behind a head of (style, text), further rows behind `rest`; both our own text."""
        first = Text.assemble(*((text, style) for style, text in head))
        line = Text.assemble(*(_safe(part) for part in parts))
        # On a terminal too narrow for the indentation, the text needs the room.
        room = max(self.width - max(first.cell_len, cell_len(rest)), 8)
        for number, (start, end) in enumerate(fold(line.plain, room)):
            row = Text.assemble(first if number == 0 else (rest, "dim"), line[start:end])
            self._lines.append(row[: len(row.plain.rstrip(" "))])

    def gap(self) -> None:
        """An empty line, unless the page begins here."""
        if self._lines:
            self._lines.append(Text())

    def print(self) -> None:
        """Write the page to standard output, as UTF-8 whatever the locale says."""
        held = io.StringIO()
        console = Console(
            file=held,
            force_terminal=self._terminal,
            force_interactive=False,
            no_color=not self._color,
            width=100_000,  # lines are folded already
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        for line in self._lines:
            console.print(line, no_wrap=True, overflow="ignore", crop=False)
        print_text(held.getvalue().removesuffix("\n"))


def _safe(part: Part) -> tuple[str, str]:
    text, style = (part, "") if isinstance(part, str) else part
    return visible(text), style


def text_lines(text: str) -> list[str]:
    """The lines of a file's text, their tabs as the spaces that a terminal would show."""
    return [_spaced(line) for line in text.replace("\r\n", "\n").split("\n")]


def _spaced(line: str) -> str:
    if "\t" not in line:
        return line
    pieces = line.split("\t")
    spaced = pieces[0]
    for piece in pieces[1:]:
        spaced += " " * (_TAB - cell_len(visible(spaced)) % _TAB) + piece
    return spaced


def fold(text: str, width: int) -> list[tuple[int, int]]:
    """Where to cut a line so that each piece takes at most `width` cells, as (start, end).

    It is cut behind a space or a wide character, where that leaves most of a row empty behind a
    slash, else anywhere. Only the one space at a cut is left out; there is always one piece.
    """
    pieces: list[tuple[int, int]] = []
    start = used = 0
    word = slash = (0, 0)  # behind which character to cut, and the cells until there
    for begin, end, cells in _clusters(text):
        if used + cells > width and begin > start:
            if text[begin] == " ":
                pieces.append((start, begin))
                start, used = end, 0
                continue
            cut, until = word if word[1] > width // 2 else max(word, slash)
            if cut <= start or used - until + cells > width:
                cut, until = begin, used
            pieces.append((start, cut))
            start, used = cut, used - until
            word, slash = (word[0], word[1] - until), (slash[0], slash[1] - until)
        used += cells
        if text[begin] == " " or cells > 1:
            word = (end, used)
        elif text[begin] == "/":
            slash = (end, used)
    pieces.append((start, len(text)))
    return pieces


def _clusters(text: str) -> Iterator[tuple[int, int, int]]:
    """Each character with the marks that follow it: begin, end, cells."""
    if text.isascii():
        yield from ((i, i + 1, 1) for i in range(len(text)))
        return
    begin = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or cell_len(text[index]) > 0:
            yield begin, index, cell_len(text[begin:index])
            begin = index


def bar(share: float, cells: int) -> str:
    """A share from 0 to 1 as a bar, in eighths of a cell; what is more than nothing is seen."""
    filled = round(max(0.0, min(1.0, share)) * cells * 8) or (1 if share > 0 else 0)
    whole, rest = divmod(filled, 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(cells)


def count(number: int, one: str, many: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
