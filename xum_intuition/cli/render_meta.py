"""What `stats` and `meta` show a person. Every text from outside is made visible first."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from xum_intuition import when
from xum_intuition.cli.output import Output, print_text
from xum_intuition.ledger import ModelTotal
from xum_intuition.memory.diff import Diff, Field
from xum_intuition.memory.inspect import Listing
from xum_intuition.memory.sidecar import parse_key
from xum_intuition.overview import Overview, Ranked, ScopeFigures
from xum_intuition.text import dump_json, visible

_WIDE = 76
"""Columns from which on the hot set is a table; below, each memory takes two lines."""
_BAR = 8
_EIGHTHS = " ▏▎▍▌▋▊▉"
_MAX_ROWS = 20


def show_overview(output: Output, found: Overview) -> None:
    page = _Page(output)
    _store(page, found)
    _hot_set(page, found)
    _costs(page, found)
    page.print()


def show_diff(output: Output, found: Diff, at_ms: int) -> None:
    page = _Page(output)
    if not found:
        page.line("No difference.")
    for sign, keys, style in (("+", found.added, "green"), ("-", found.removed, "red")):
        for key in keys:
            page.line(f"{sign} {visible(key)}", style)
    for change in found.changed:
        page.line(f"~ {visible(change.key)}", "yellow")
        for name, field in change.fields.items():
            page.line(f"    {_field(name, field)}")
    hot = found.hot_set
    if hot.entered or hot.left or hot.moved:
        page.line(f"Hot set at {when.shown(at_ms)}", "bold")
    for word, keys in (("entered", hot.entered), ("left", hot.left)):
        for key in keys:
            page.line(f"  {word:<8}{visible(key)}")
    for move in hot.moved:
        page.line(f"  moved   {visible(move.key)}  {move.before} → {move.after}")
    page.print()


def show_listing(output: Output, found: Listing) -> None:
    page = _Page(output)
    page.line(visible(str(found.file)), "bold")
    if not found.listed:
        page.line("  no entries")
    top = max((item.score for item in found.listed), default=0.0)
    for item in found.listed:
        entry = item.entry
        rank = "" if item.rank is None else str(item.rank)
        page.line(f"{rank:>3}  {_named(item.key)}{_of(item.key)}")
        used = _used(entry.access_count, entry.last_accessed_at, entry.pinned, found.at_ms)
        page.line(f"     {_bar(item.score, top)} {_score(item.score)}  {used}")
    page.print()


def show_pin(output: Output, document: dict[str, Any]) -> None:
    word = "Pinned" if document["pinned"] else "Not pinned"
    uses = _count(document["accessCount"], "use")
    print_text(f"{word}: {visible(document['path'] or document['key'])} ({uses})")


def show_snapshot(output: Output, document: dict[str, Any]) -> None:
    count = _count(document["entries"], "entry", "entries")
    print_text(f"{count} of {visible(document['sidecar'])} kept in {visible(document['snapshot'])}")


class _Page:
    """What is printed at once, as UTF-8 whatever the locale says."""

    def __init__(self, output: Output) -> None:
        self.text = io.StringIO()
        color = output.color and sys.stdout.isatty()
        self.console = Console(
            file=self.text,
            force_terminal=color,
            no_color=not color,
            width=_columns(),
            highlight=False,
            markup=False,
            emoji=False,
        )

    def line(self, text: str, style: str = "") -> None:
        """One line; where it is too long, what follows is indented as its beginning is."""
        stripped = text.lstrip(" ")
        indent = len(text) - len(stripped)
        self.console.print(Padding(Text(stripped, style=style, overflow="fold"), (0, 0, 0, indent)))

    def table(self, table: Table) -> None:
        self.console.print(table)

    def print(self) -> None:
        lines = (line.rstrip() for line in self.text.getvalue().split("\n"))
        print_text("\n".join(lines).rstrip("\n"))


def _columns() -> int | None:
    """COLUMNS, or what rich finds; a width nobody can read is not taken."""
    named = os.environ.get("COLUMNS", "")
    return max(20, int(named)) if named.isdigit() and len(named) < 6 else None


def _store(page: _Page, found: Overview) -> None:
    page.line(f"Store  {visible(found.layout.base)}", "bold")
    for scope, figures in found.scopes.items():
        page.line(f"  {scope:<10}{_scope(figures)}")
    if not found.layout.sidecar_file.exists():
        page.line(f"  no use was recorded yet ({visible(str(found.layout.sidecar_file))})")


def _scope(figures: ScopeFigures) -> str:
    parts = [_count(figures.files, "file"), _size(figures.bytes)]
    if figures.undescribed:
        parts.append(f"{figures.undescribed:,} without description")
    for name, word in (
        ("unreadable", "unreadable"),
        ("beyond_cap", "beyond the cap"),
        ("broken", "could not be opened"),
        ("escaped_links", "links leading out"),
        ("bad_names", "with a name that cannot be used"),
    ):
        if getattr(figures, name):
            parts.append(f"{getattr(figures, name):,} {word}")
    return ", ".join(parts)


def _hot_set(page: _Page, found: Overview) -> None:
    page.line("")
    page.line(
        f"Hot set  ({_count(sum(item.hot for item in found.ranked), 'memory', 'memories')})", "bold"
    )
    rows = found.ranked[:_MAX_ROWS]
    if not rows:
        page.line("  nothing is pinned or was used")
        return
    top = max(item.score for item in rows)
    if page.console.width >= _WIDE:
        page.table(_hot_table(rows, top, found.at_ms))
    else:
        for item in rows:
            page.line(f"{item.rank:>3}  {_name(item)}", _style(item))
            used = _used(item.access_count, item.last_accessed_at, item.pinned, found.at_ms)
            page.line(f"     {_bar(item.score, top)} {_score(item.score)}  {used}")
    if len(found.ranked) > len(rows):
        page.line(f"  and {len(found.ranked) - len(rows):,} more; `intuition meta show` has all")


def _hot_table(rows: tuple[Ranked, ...], top: float, at_ms: int) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("memory", overflow="fold", ratio=1)
    table.add_column("score", no_wrap=True)
    table.add_column("uses", justify="right", no_wrap=True)
    table.add_column("last used", no_wrap=True)
    table.add_column("pinned", no_wrap=True)
    for item in rows:
        table.add_row(
            Text(f"{item.rank:>3}"),
            Text(_name(item)),
            Text(f"{_bar(item.score, top)} {_score(item.score)}"),
            Text(f"{item.access_count:,}" if item.access_count < 10**9 else "many"),
            Text(when.ago(item.last_accessed_at, at_ms)),
            Text("yes" if item.pinned else ""),
            style=_style(item),
        )
    return table


def _style(item: Ranked) -> str:
    return "" if item.hot else "dim"


def _name(item: Ranked) -> str:
    notes = {
        "present": "" if item.hot else "  (no room)",
        "gone": "  (file is gone)",
        "unlisted": "  (not listed)",
        "elsewhere": "  (of another project or workspace)",
    }
    return _named(item.key) + notes[item.status]


def _named(key: str) -> str:
    """An entry's virtual path; its key where that has another form."""
    parts = parse_key(key)
    return visible(key if parts is None else parts.path)


def _of(key: str) -> str:
    """The project or workspace that the virtual path does not tell."""
    parts = parse_key(key)
    if parts is None or parts.component is None:
        return ""
    return f"  ({parts.scope} {visible(parts.component)})"


def _used(count: int, last: int | None, pinned: bool, at_ms: int) -> str:
    uses = _count(count, "use") if count < 10**9 else "many uses"
    return f"{uses}, {when.ago(last, at_ms)}" + (", pinned" if pinned else "")


def _bar(score: float, top: float) -> str:
    """A score as a bar of eight cells against the highest, in eighths of a cell."""
    share = score / top if top > 0 else 0.0
    filled = min(_BAR * 8, round(share * _BAR * 8)) or (1 if score > 0 else 0)
    whole, rest = divmod(filled, 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(_BAR)


def _score(score: float) -> str:
    return f"{score:.2f}" if score < 10**6 else f"{score:.1e}"


def _costs(page: _Page, found: Overview) -> None:
    costs = found.costs
    which = "all stores" if found.all_stores else "this store"
    since = "" if found.since_ms is None else f" since {when.shown(found.since_ms)}"
    page.line("")
    page.line(f"Recalls  ({which}{since})", "bold")
    if not costs.recalls:
        page.line("  none")
        return
    kinds = ", ".join(f"{number:,} {visible(kind)}" for kind, number in costs.kinds.items())
    page.line(f"  {costs.recalls:,}: {kinds}")
    latency = f"  median {_seconds(costs.p50_ms)}, 95 % within {_seconds(costs.p95_ms)}"
    page.line(latency + f", {_count(costs.timeouts, 'timeout')}")
    if costs.models:
        page.table(_model_table(costs.models))


def _model_table(models: list[ModelTotal]) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim")
    table.add_column("model", overflow="fold")
    for name in ("recalls", "in", "out", "cost"):
        table.add_column(name, justify="right", overflow="fold")
    for total in models:
        table.add_row(
            Text(visible(total.model)),
            Text(f"{total.recalls:,}"),
            Text(f"{total.input_tokens:,}"),
            Text(f"{total.output_tokens:,}"),
            Text(_cost(total)),
        )
    return table


def _cost(total: ModelTotal) -> str:
    """US dollars; a sum in which some price was not known is a lower bound."""
    if total.cost_usd is None:
        return "unknown"
    return f"{'≥ ' if total.unpriced else ''}${total.cost_usd:.4f}"


def _field(name: str, field: Field) -> str:
    """One changed field: `accessCount +1 (3 → 4)`, `lastAccessedAt → 2026-11-30 14:02 (+3 d)`."""
    before, after = field.before, field.after
    shown = visible(name) or "entry"
    if name in ("lastAccessedAt", "lastWriteAt") and _number(after) and after > 0:
        span = "" if field.delta is None else f" ({when.delta(field.delta)})"
        return f"{shown} → {when.shown(after)}{span}"
    if field.delta is not None:
        change = f"{field.delta:+,}" if isinstance(field.delta, int) else f"{field.delta:+g}"
        return f"{shown} {change} ({before} → {after})"
    return f"{shown} {_value(before)} → {_value(after)}"


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _value(value: Any) -> str:
    text = dump_json(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _size(number: int) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if number < 1024:
            return f"{number:,.0f} {unit}" if unit == "bytes" else f"{number:,.1f} {unit}"
        number /= 1024  # type: ignore[assignment]
    return f"{number:,.1f} GiB"


def _seconds(ms: int | None) -> str:
    return "unknown" if ms is None else f"{ms / 1000:,.2f} s"
