"""What `intuition config` looks like to a person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from xum_intuition.cli.render_page import Page

if TYPE_CHECKING:
    from xum_intuition.cli.output import Output

_WIDE = 72
"""Columns from which on value and source stand beside the key."""


def show_settings(out: Output, document: dict[str, Any]) -> None:
    """Every setting with its value and where it came from; those that are not set at the end."""
    out.warn(*document["warnings"])
    page = Page(out)
    there = "" if document["fileExists"] else "  (not there yet)"
    page.put(("Configuration  ", "bold"), document["file"], (there, "dim"), hang=2)
    page.gap()
    rows = {k: r for k, r in document["settings"].items() if r["value"] not in (None, [])}
    column = max(map(len, rows), default=0) + 2
    for key, row in rows.items():
        _setting(page, key, value_text(row["value"]), row["source"], column)
    unset = [key for key in document["settings"] if key not in rows]
    if unset:
        page.gap()
        page.put(("Not set: " + ", ".join(unset), "dim"), hang=2)
    page.gap()
    for named in document["modelCascade"][1:]:
        page.put(f"The model {named['model']} from {named['source']} does not win.")
    told: dict[str, None] = {}  # one switch can turn off both
    for name, what in (("recall", "Recall"), ("integrations", "Recall for other agents")):
        verdict = document[name]
        told[f"{what} is on." if verdict["enabled"] else verdict["reason"]] = None
    for sentence in told:
        page.put(sentence)
    for note in document["notes"]:
        page.put(("Note: ", "yellow"), note, hang=6)
    page.print()


def show_change(out: Output, document: dict[str, Any]) -> None:
    """One value that was set or taken out, and what it was before."""
    key, file, before, after = (document[name] for name in ("key", "file", "before", "after"))
    was = "not set" if before is None else value_text(before)
    page = Page(out)
    if after is not None:
        page.put(f"{key} = {value_text(after)} in {file} (it was {was}).")
    elif before is not None:
        page.put(f"{key} is no longer set in {file} (it was {was}).")
    else:
        page.put(f"{key} is not set in {file}.")
    page.print()


def _setting(page: Page, key: str, value: str, source: str, column: int) -> None:
    """A default is dim, so that what somebody chose is seen."""
    chosen = source != "default"
    style = "bold" if chosen else "dim"
    told = ((value, "" if chosen else "dim"), (f"  {source}", "cyan" if chosen else "dim"))
    if page.width >= _WIDE:
        page.block([(style, key.ljust(column))], told, " " * column)
    else:
        page.put((key, style), hang=2)
        page.put(*told, indent=2)


def value_text(value: Any) -> str:
    """A value as the file would hold it, on one line."""
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
