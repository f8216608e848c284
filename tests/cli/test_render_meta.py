from __future__ import annotations

import contextlib
import io
import json
import os
from typing import Any
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from xum_intuition.cli import render_meta
from xum_intuition.cli.output import Output, OutputFormat
from xum_intuition.ledger import ModelTotal, Summary
from xum_intuition.memory import diff, inspect, sidecar
from xum_intuition.memory.paths import Layout, ScopeRoot
from xum_intuition.overview import Overview, Ranked, ScopeFigures
from xum_intuition.text import hidden

NOW = 1_796_047_320_000

numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
values = st.none() | st.booleans() | numbers | st.text(max_size=9) | st.lists(st.text(), max_size=2)
names = st.sampled_from(["pinned", "accessCount", "lastAccessedAt", "lastWriteAt"]) | st.text()
keys = st.text(max_size=30) | st.builds("project:{}:{}".format, st.text(), st.text())
entries = st.dictionaries(keys, values | st.dictionaries(names, values, max_size=5), max_size=12)


def parsed(found: dict[str, Any]) -> sidecar.Sidecar:
    return sidecar.parse(json.dumps({"entries": found}).encode(), "it")


def page(columns: int, show: Any, *shown: Any) -> str:
    """What a table prints, at a width; nothing in it may have come through unseen."""
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8")
    out = Output(OutputFormat.TABLE, color=True, quiet=True, env={})
    with (
        mock.patch.dict(os.environ, {"COLUMNS": str(columns)}),
        contextlib.redirect_stdout(stream),
    ):
        show(out, *shown)
    assert isinstance(stream.buffer, io.BytesIO)
    text = stream.buffer.getvalue().decode()
    assert not any(hidden(c) for c in text if c != "\n")
    return text


@settings(max_examples=60)
@given(entries, entries, st.integers(20, 130))
def test_no_diff_shows_what_does_not_print(
    before: dict[str, Any], after: dict[str, Any], columns: int
) -> None:
    found = diff.diff(parsed(before), parsed(after), NOW)
    text = page(columns, render_meta.show_diff, found, NOW)
    assert (text == "No difference.\n") is (not found)


def layout() -> Layout:
    root = ScopeRoot("global", "/m", None)
    return Layout(
        kind="folder",
        base="/m\x1b[2J",
        scopes=(root,),
        sidecar_file=sidecar.Path("/none/\u202e.json"),
        max_files=9,
        include=(),
        exclude=(),
    )


@settings(max_examples=60)
@given(entries, st.integers(20, 130))
def test_no_listing_shows_what_does_not_print(found: dict[str, Any], columns: int) -> None:
    text = page(columns, render_meta.show_listing, inspect.listing(layout(), parsed(found), NOW))
    assert ("no entries" in text) is (not found)


@settings(max_examples=40)
@given(st.text(), st.floats(0, 1e308), st.integers(0, 10**308), st.integers(20, 130), st.booleans())
def test_no_overview_shows_what_does_not_print(
    text: str, score: float, number: int, columns: int, known: bool
) -> None:
    ranked = Ranked(1, text, None, "gone", False, score, True, number, number or None, None)
    cost = score if known else None
    model = ModelTotal(text, number, number, number, number, cost, 1)
    costs = Summary(recalls=1, kinds={text: number}, models=[model], p50_ms=number)
    found = Overview(NOW, layout(), {"global": ScopeFigures("/m")}, (ranked,), costs, None, True)
    assert page(columns, render_meta.show_overview, found)
