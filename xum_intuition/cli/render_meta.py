"""What `stats` and `meta` look like to a person; the page makes every text visible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xum_intuition import when
from xum_intuition.cli.render_page import Page, Part, bar, count
from xum_intuition.ledger import ModelTotal
from xum_intuition.memory.sidecar import Entry, parse_key
from xum_intuition.text import dump_json

if TYPE_CHECKING:
    from xum_intuition.cli.output import Output
    from xum_intuition.memory.diff import Diff, Field
    from xum_intuition.memory.inspect import Listing
    from xum_intuition.overview import Overview, Ranked, ScopeFigures

_WIDE = 76
"""Columns from which on an entry or a model takes one line; below, two."""
_BAR = 6
_MAX_ROWS = 20
_MANY = 10**6
"""Uses and scores from which on no more digits are shown."""
_NOTES = {
    "present": "",
    "gone": "  (file is gone)",
    "unlisted": "  (file is not listed)",
    "elsewhere": "  (not of this store)",
}


def show_overview(out: Output, found: Overview) -> None:
    out.warn(*found.warnings)
    page = Page(out)
    _store(page, found)
    page.gap()
    _hot_set(page, found)
    page.gap()
    _costs(page, found)
    page.print()


def show_diff(out: Output, found: Diff, at_ms: int) -> None:
    page = Page(out)
    if not found:
        page.put("No difference.")
    for sign, keys, style in (("+", found.added, "green"), ("-", found.removed, "red")):
        for key in keys:
            page.put((f"{sign} {key}", style), hang=2)
    for change in found.changed:
        page.put((f"~ {change.key}", "yellow"), hang=2)
        for name, field in change.fields.items():
            page.put(_field(name, field), indent=4, hang=6)
    hot = found.hot_set
    if hot.entered or hot.left or hot.moved:
        page.put(("Hot set", "bold"), f" at {when.shown(at_ms)}")
    for word, keys in (("entered", hot.entered), ("left", hot.left)):
        for key in keys:
            page.put(f"{word:<8}{key}", indent=2, hang=10)
    for move in hot.moved:
        page.put(f"moved   {move.key}  {move.before} → {move.after}", indent=2, hang=10)
    page.print()


def show_listing(out: Output, found: Listing) -> None:
    page = Page(out)
    page.put(("Sidecar", "bold"), f"  {found.file}", hang=9)
    if not found.listed:
        page.put("no entries", indent=2)
        page.print()
        return
    _header(page)
    top = max(item.score for item in found.listed)
    for item in found.listed:
        rank = "" if item.rank is None else str(item.rank)
        style = "dim" if item.rank is None else ""
        name = _named(item.key) + _of(item.key)
        _entry(page, rank, item.score, top, item.entry, found.at_ms, (name, style))
    page.print()


def show_pin(out: Output, document: dict[str, Any]) -> None:
    page = Page(out)
    word = "Pinned" if document["pinned"] else "Not pinned"
    uses = _uses(document["accessCount"])
    page.put((word, "bold"), f"  {document['path'] or document['key']}  ({uses})", hang=8)
    page.print()


def show_snapshot(out: Output, document: dict[str, Any]) -> None:
    page = Page(out)
    entries = count(document["entries"], "entry", "entries")
    page.put(f"{entries} of {document['sidecar']} kept in {document['snapshot']}", hang=2)
    page.print()


def _store(page: Page, found: Overview) -> None:
    page.put(("Store", "bold"), f"  {found.layout.base}", hang=7)
    for scope, figures in found.scopes.items():
        hang = 13 if page.width >= 36 else 4
        page.put(f"{scope:<9}  {_scope(figures)}", indent=2, hang=hang)
    if not found.layout.sidecar_file.exists():
        page.put(f"no use was recorded yet in {found.layout.sidecar_file}", indent=2)


def _scope(figures: ScopeFigures) -> str:
    parts = [count(figures.files, "file"), _size(figures.bytes)]
    for number, told in (
        (figures.undescribed, "without description"),
        (figures.unreadable, "unreadable"),
        (figures.beyond_cap, "beyond the cap"),
        (figures.broken, "could not be opened"),
        (figures.escaped_links, "links leading out"),
        (figures.bad_names, "with a name that no memory path can hold"),
    ):
        if number:
            parts.append(f"{number:,} {told}")
    return ", ".join(parts)


def _hot_set(page: Page, found: Overview) -> None:
    hot = sum(item.hot for item in found.ranked)
    page.put(("Hot set", "bold"), f"  {count(hot, 'memory', 'memories')}")
    rows = found.ranked[:_MAX_ROWS]
    if not rows:
        page.put("nothing is pinned or was used", indent=2)
        return
    _header(page)
    top = max(item.score for item in rows)
    for item in rows:
        entry = Entry(item.pinned, item.access_count, item.last_accessed_at)
        name = (_named(item.key) + _note(item), "" if item.hot else "dim")
        _entry(page, str(item.rank), item.score, top, entry, found.at_ms, name)
    if len(found.ranked) > len(rows):
        more = len(found.ranked) - len(rows)
        page.put(f"and {more:,} more; `intuition meta show` has all", indent=2)


def _header(page: Page) -> None:
    if page.width >= _WIDE:
        cells = f"{'':>3}  {'score':<{_BAR + 7}}  {'uses':>5}  {'last used':<10}  {'pinned':<6}"
        page.put((f"{cells}  memory", "dim"))


def _entry(
    page: Page, rank: str, score: float, top: float, entry: Entry, at_ms: int, name: Part
) -> None:
    """A rank, the score with its bar against the highest, uses, last use, pin, and the memory."""
    shown = f"{score:.2f}" if score < _MANY else "many"
    drawn = bar(score / top if top > 0 else 0.0, _BAR)
    last = when.ago(entry.last_accessed_at, at_ms)
    if page.width >= _WIDE:
        uses = f"{entry.access_count:,}" if entry.access_count < 10_000 else "many"
        pinned = "pinned" if entry.pinned else ""
        head = [("", f"{rank:>3}  {shown:>6} "), ("cyan", drawn)]
        head.append(("", f"  {uses:>5}  {last:<10}  {pinned:<6}  "))
        page.block(head, (name,), " " * sum(len(text) for _, text in head))
        return
    page.block([("", f"{rank:>3}  ")], (name,), " " * 5)
    told = f"{_uses(entry.access_count)}, {last}" + (", pinned" if entry.pinned else "")
    page.put(f"{shown} ", (drawn, "cyan"), f" {told}", indent=5)


def _note(item: Ranked) -> str:
    return "  (no room)" if item.status == "present" and not item.hot else _NOTES[item.status]


def _named(key: str) -> str:
    """An entry's virtual path; its key where that has another form."""
    parts = parse_key(key)
    return key if parts is None else parts.path


def _of(key: str) -> str:
    """The project or workspace that the virtual path does not tell."""
    parts = parse_key(key)
    if parts is None or parts.component is None:
        return ""
    return f"  ({parts.scope} {parts.component})"


def _uses(number: int) -> str:
    return count(number, "use") if number < _MANY else "many uses"


def _costs(page: Page, found: Overview) -> None:
    costs = found.costs
    which = "of all stores" if found.all_stores else "of this store"
    since = "" if found.since_ms is None else f" since {when.shown(found.since_ms)}"
    page.put(("Recalls", "bold"), f"  {which}{since}")
    if not costs.recalls:
        page.put("none", indent=2)
        return
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in costs.kinds.items())
    page.put(f"{costs.recalls:,}: {kinds}", indent=2)
    times = f"half within {_seconds(costs.p50_ms)}, 95 % within {_seconds(costs.p95_ms)}"
    page.put(f"{times}, {count(costs.timeouts, 'timeout')}", indent=2)
    if costs.models and page.width >= _WIDE:
        cells = f"{'recalls':>9}  {'tokens in':>13}  {'out':>11}  {'cost':>12}"
        page.put((f"{cells}  model", "dim"))
    for total in costs.models:
        _model(page, total)


def _model(page: Page, total: ModelTotal) -> None:
    if page.width >= _WIDE:
        tokens = f"{total.input_tokens:>13,}  {total.output_tokens:>11,}"
        head = f"{total.recalls:>9,}  {tokens}  {_cost(total):>12}  "
        page.block([("", head)], (total.model,), " " * len(head))
        return
    page.put(total.model, indent=2)
    tokens = f"{total.input_tokens:,} tokens in, {total.output_tokens:,} out"
    page.put(f"{count(total.recalls, 'recall')}, {tokens}, {_cost(total)}", indent=4)


def _cost(total: ModelTotal) -> str:
    """US dollars; a sum in which some price was not known is a lower bound."""
    if total.cost_usd is None:
        return "cost unknown"
    return f"{'≥ ' if total.unpriced else ''}${total.cost_usd:.4f}"


def _field(name: str, field: Field) -> str:
    """One changed field: `accessCount +1 (3 → 4)`, `lastAccessedAt → 2026-11-30 14:02 (+3 d)`."""
    before, after = field.before, field.after
    shown = name or "entry"
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


def _size(number: float) -> str:
    if number < 1024:
        return count(int(number), "byte")
    if number < 1024**2:
        return f"{number / 1024:.1f} KiB"
    return f"{number / 1024**2:,.1f} MiB"


def _seconds(ms: int | None) -> str:
    return "an unknown time" if ms is None else f"{ms / 1000:,.2f} s"
