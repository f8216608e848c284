"""What a recall or an index looks like to a person."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from xum_intuition.cli.render_page import Page, Part, bar, count, text_lines
from xum_intuition.result import (
    Candidate,
    Considered,
    Failure,
    LimitReached,
    Memory,
    ModelUsage,
    Recognized,
    Result,
    Stats,
    Uncertain,
)
from xum_intuition.text import visible

if TYPE_CHECKING:
    from xum_intuition.cli.output import Output
    from xum_intuition.memory.index import Index
    from xum_intuition.protocol import Row

_BAR = 5
_HANG = 12
"""Columns of a relevance, its bar and the space behind: a path's further rows begin there."""
_MAX_CONSIDERED = 20
_MAX_MEASURED = 3
"""Files whose features are shown."""
_MAX_FEATURES = 12
_REASONS = {
    "below_threshold": "below the threshold",
    "excerpt_not_verified": "what was quoted is not in the file",
    "forbidden_excerpt": "what was quoted is hidden by a hook",
    "lexical": "only has words in common with the cue",
}
_SOURCES = {"heading": " (its heading)", "text": " (its first line)"}
"""Of descriptions that the memory's author did not write as such."""


def show_result(out: Output, result: Result) -> None:
    """A result; an error goes to standard error, as do warnings."""
    out.warn(*result.warnings)
    if isinstance(result, Failure):
        out.complain(result.code, result.message)
        if result.stats is not None and result.usage:
            spent = _footer(None, result.stats, result.usage)
            print(visible(" · ".join(spent)), file=sys.stderr)
        return
    page = Page(out)
    match result:
        case LimitReached():
            _headline(page, "Limit reached", "yellow")
            page.put(result.message)
            _hint(page, "A new turn (--turn ID) may recall again.")
        case Recognized():
            for memory in result.memories:
                page.gap()
                _memory(page, memory)
            _leads(page, result.candidates)
            _end(page, result)
        case Uncertain():
            _uncertain(page, result)
            _end(page, result)
    page.print()


def _memory(page: Page, memory: Memory) -> None:
    first, last = memory.lines
    _scored(page, memory.relevance, "green", memory.path, f":{first}-{last}")
    lines = text_lines(memory.excerpt)
    digits = max(4, len(str(last)))
    numbered = page.width >= 60
    gutter = " " * digits + " │ " if numbered else "│ "
    for number, line in enumerate(lines, first):
        head = f"{number:>{digits}} │ " if numbered else "│ "
        page.block([("dim", head)], (line,), gutter)
    if memory.truncated:
        page.block([("dim", gutter)], (("… (cut here; the file has more)", "dim"),), gutter)
    foot = " " * digits + " ╰ " if numbered else "╰ "
    why = _one_line(memory.why) or "no reason given"
    page.block([("dim", foot)], (("why: ", "dim"), why), " " * len(foot))


def _scored(page: Page, relevance: float, style: str, path: str, lines: str = "") -> None:
    """A relevance with its bar, and the path it belongs to."""
    hang = _HANG if page.width >= 36 else 2
    head = [
        (f"bold {style}", f"{relevance:.2f} "),
        (style, bar(relevance, _BAR)),
        ("", "  "),
    ]
    parts = ((path, "bold"), (lines, "cyan"))
    if hang == _HANG:
        page.block(head, parts, " " * hang)
    else:
        page.block(head, ("",), "")
        page.put(*parts, hang=hang)


def _leads(page: Page, candidates: tuple[Candidate, ...]) -> None:
    if not candidates:
        return
    page.gap()
    _headline(page, "Leads", "yellow")
    for lead in candidates:
        _scored(page, lead.relevance, "yellow", lead.path)
        indent = _HANG if page.width >= 36 else 2
        reason = _REASONS[lead.reason]
        told = (f"{lead.description} ", "") if lead.description else ("", "")
        page.put(told, (f"({reason})", "dim"), indent=indent)


def _uncertain(page: Page, result: Uncertain) -> None:
    stats = result.stats
    if result.candidates:
        _headline(page, "Nothing is recognized for certain.", "yellow")
        _leads(page, result.candidates)
        _hint(page, "A lead is not verified: read it before you rely on it.")
    elif stats.timed_out:
        _headline(page, "Out of time.", "yellow")
        _hint(page, "Give it more with --timeout SECONDS, or a smaller folder with --include.")
    elif _is_empty(result):
        _headline(page, "No memory yet.", "yellow")
        if result.note:
            page.put(_one_line(result.note))
        _hint(
            page,
            "Write a markdown file there, or name another folder with --memory-dir DIR;"
            " --example tries the memories that ship with this program.",
        )
    else:
        _headline(page, "Nothing comes to mind.", "yellow")
        page.put(f"None of {count(stats.index_entries_considered, 'memory', 'memories')} answers.")
        _hint(
            page, "Say it in other words, ask for leads with a lower --floor, or look at --verbose."
        )


def _is_empty(result: Uncertain) -> bool:
    """Whether there was no memory at all to look at."""
    return not (
        result.candidates or result.stats.timed_out or result.stats.index_entries_considered
    )


def _end(page: Page, result: Recognized | Uncertain) -> None:
    if result.considered is not None:
        _considered(page, result.considered)
    empty = isinstance(result, Uncertain) and _is_empty(result)
    if result.note and not empty:
        page.gap()
        page.put(("Note: ", "yellow"), _one_line(result.note), hang=6)
    page.gap()
    _joined(page, _footer(result.model, result.stats, result.usage))


def _considered(page: Page, considered: tuple[Considered, ...]) -> None:
    """The rows that had something in common with the cue, and what was measured of them."""
    page.gap()
    _headline(page, f"Considered ({count(len(considered), 'memory', 'memories')})")
    told = [item for item in considered if item.read or item.score > 0][:_MAX_CONSIDERED]
    top = max((item.score for item in told), default=0.0) or 1.0
    for item in told:
        head = f"{_score(item.score):>6} {bar(item.score / top, _BAR)} "
        _row(page, head, "cyan", item.path, ("  read", "green") if item.read else "")
        if item.features and item in told[:_MAX_MEASURED]:
            page.put((_measured(item.features), "dim"), indent=_row_indent(page))
    if len(considered) > len(told):
        rest = considered[len(told) :]
        more = "more" if any(item.score > 0 for item in rest) else "have no word of the cue"
        page.put((f"{len(rest):,} {more}; --verbose --json has all", "dim"), indent=2, hang=2)


def _measured(features: Mapping[str, float]) -> str:
    """The first of what was measured, which tells most, as far as it is not nothing."""
    told = [f"{name}={_score(value)}" for name, value in features.items() if value]
    more = len(told) - _MAX_FEATURES
    return " ".join(told[:_MAX_FEATURES]) + (f" and {more} more" if more > 0 else "")


def _row(page: Page, head: str, style: str, path: str, *after: Part, bold: str = "bold") -> None:
    """A path behind its score; below the score where the terminal is narrow."""
    if page.width >= 60 or not head:
        page.block([(style, head)], ((path, bold), *after), " " * (len(head) or 2))
    else:
        page.block([(style, head)], after, "")
        page.put((path, bold), indent=2)


def _row_indent(page: Page) -> int:
    return 13 if page.width >= 60 else 2


def _footer(model: str | None, stats: Stats, usage: tuple[ModelUsage, ...]) -> list[str]:
    """What the recall took: model, steps, files read, time, cost."""
    said = [] if model is None else [model]
    said += [count(stats.steps, "step"), f"{count(stats.files_read, 'file')} read"]
    said.append(f"{stats.elapsed_ms / 1000:.2f} s")
    if stats.timed_out:
        said.append("timed out")
    if stats.retries:
        said.append(count(stats.retries, "retry", "retries"))
    return [*said, _cost(usage)]


def _cost(usage: tuple[ModelUsage, ...]) -> str:
    """US dollars; where a price is not known, what is known is the least."""
    known = [used.cost_usd for used in usage if used.cost_usd is not None]
    total = sum(known)
    if len(known) < len(usage):
        return f"at least {_dollars(total)}" if total else "cost unknown"
    return _dollars(total)


def _dollars(amount: float) -> str:
    if amount and amount < 0.0001:
        return "< $0.0001"
    return f"${amount:.4f}" if amount else "$0"


def _joined(page: Page, items: list[str]) -> None:
    """Items on dim lines, none of them broken where that can be helped."""
    line = ""
    for item in items:
        if line and len(line) + 3 + len(item) > page.width:
            page.put((line, "dim"))
            line = item
        else:
            line = f"{line} · {item}" if line else item
    page.put((line, "dim"))


def _headline(page: Page, text: str, style: str = "") -> None:
    page.put((text, f"bold {style}".strip()))


def _hint(page: Page, text: str) -> None:
    page.put(("→ ", "cyan"), text, hang=2)


def _one_line(text: str) -> str:
    return re.sub(r"[ \t\r\n]+", " ", text).strip()


def _score(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 1000 else f"{value:.3g}"


def show_index(
    out: Output, rows: list[tuple[Row, bool]], built: Index, warnings: list[str]
) -> None:
    """Index rows, best first where there is a cue; those that are left out are dim."""
    out.warn(*warnings)
    page = Page(out)
    scored = built.ranking is not None
    top = max((row.score for row, _ in rows), default=0.0) or 1.0
    for row, shown in rows:
        head = f"{_score(row.score):>6} {bar(row.score / top, _BAR)} " if scored else ""
        _row(page, head, "cyan" if shown else "dim", row.path, bold="bold" if shown else "dim")
        if row.description:
            source = (_SOURCES.get(row.description_source, ""), "dim")
            indent = _row_indent(page) if scored else 2
            page.put((row.description, "" if shown else "dim"), source, indent=indent)
    if not rows:
        _headline(page, "No memory yet.", "yellow")
        _hint(page, "Name a folder of markdown files with --memory-dir DIR.")
    page.gap()
    said = [f"{count(len(built.shown), 'row')} shown"]
    if built.omitted_by_rows:
        said.append(f"{built.omitted_by_rows:,} left out by budgets.max_index_entries")
    if built.omitted_by_bytes:
        said.append(f"{built.omitted_by_bytes:,} left out by budgets.max_index_bytes")
    _joined(page, said)
    page.print()
