"""The line that stands for a memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition.memory.describe import describe, frontmatter_description


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (" plain words", "plain words"),
        (" Plain, with a colon: broken YAML", "Plain, with a colon: broken YAML"),
        (" 'single ''quoted'''", "single 'quoted'"),
        (' "double \\"quoted\\" \\u00e9"', 'double "quoted" é'),
        (" >-\n  folded\n  over lines", "folded over lines"),
        (" |\n  kept\n  lines", "kept lines"),
        ("\n  on the next line", "on the next line"),
        (" two\n  lines", "two lines"),
        (" value # a comment", "value"),
        (" C# and #a comment", "C# and"),
        (' "\\ud83d\\udd04 a pair of escapes"', "🔄 a pair of escapes"),
        (' "a \\x41 that only YAML knows"', "a A that only YAML knows"),
        (" 2026-01-02", "2026-01-02"),
        (" 42", "42"),
        (" [a, list]", ""),
        (" {a: mapping}", ""),
        (" true", ""),
        (" ~", ""),
        (" null", ""),
        ("", ""),
        (" &anchor text", "text"),
        (" *alias", ""),
        (" !!python/object:os.system x", ""),
        (" !!binary aGVsbG8=", ""),
        (" [unclosed", ""),
        (' "unclosed', ""),
        (" tab\there", "tab here"),
        (" esc \x1b[31m red", "esc [31m red"),
        (" 日本語の説明", "日本語の説明"),
    ],
)
def test_the_frontmatter_names_the_description(value: str, expected: str) -> None:
    text = f"---\ntitle: x\ndescription:{value}\ntags: [a]\n---\nbody\n"
    assert frontmatter_description(text) == expected


def test_a_mistake_elsewhere_in_the_frontmatter_does_not_take_the_description() -> None:
    text = "---\nglobs: *.ts\ndescription: Rules for TypeScript\nalwaysApply: : :\n---\n"
    assert describe(text) == ("Rules for TypeScript", "frontmatter")


def test_line_ends_of_windows_are_no_obstacle() -> None:
    text = "---\r\ntitle: x\r\ndescription: a plain one\r\n---\r\n\r\n# CRLF\r\n\r\nText.\r\n"
    assert describe(text) == ("a plain one", "frontmatter")
    folded = "---\r\ndescription: >\r\n  over\r\n  lines\r\n...\r\n# CRLF\r\n"
    assert describe(folded) == ("over lines", "frontmatter")
    assert describe("---\r\ntitle: x\r\n---\r\n# Head\r\n\r\nText.\r\n") == (
        "Head: Text.",
        "heading",
    )


def test_only_a_key_of_the_top_level_counts() -> None:
    text = "---\nmeta:\n  description: nested\n---\n# Heading\n\nSentence one. Two.\n"
    assert describe(text) == ("Heading: Sentence one.", "heading")


def test_frontmatter_without_an_end_is_body() -> None:
    assert frontmatter_description("---\ndescription: no end\n") == ""
    assert describe("---\ndescription: no end\n")[1] == "text"


def test_the_description_is_found_in_the_first_4_kib_only() -> None:
    filler = "# " + "x" * 77 + "\n"
    near = "---\n" + filler * 40 + "description: near\n" + filler * 40 + "---\n"
    far = "---\n" + filler * 52 + "description: far\n---\n# Title\n"
    assert describe(near) == ("near", "frontmatter")
    assert describe(far) == ("Title", "heading")


def test_aliases_cannot_blow_up() -> None:
    bomb = (
        "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\ndescription: *b\n---\n# T\n"
    )
    assert describe(bomb) == ("T", "heading")
    deep = "---\ndescription: " + "[" * 4000 + "\n---\n# T\n"
    assert describe(deep) == ("T", "heading")


def test_it_is_one_line_of_200_characters_at_most() -> None:
    long = "word " * 100
    found, _ = describe(f"---\ndescription: {long}\n---\n")
    assert len(found) <= 200
    assert found.endswith("word…")
    exact = "x" * 200
    assert describe(f"---\ndescription: {exact}\n---\n")[0] == exact


@pytest.mark.parametrize(
    ("text", "expected", "source"),
    [
        ("# Title\n\nFirst sentence. Second.\n", "Title: First sentence.", "heading"),
        ("# Title #\n\n- [ ] a task! more\n", "Title: a task!", "heading"),
        ("Title\n=====\n\n1. one step\n", "Title: one step", "heading"),
        ("# A\n\n## B\n\nText under B.\n", "A: Text under B.", "heading"),
        ("intro first\n\n# Later\n\nunder it\n", "Later: under it", "heading"),
        ("```\n# no heading\n```\nJust text\n", "# no heading", "text"),
        ("* bullet text\nmore", "bullet text", "text"),
        ("# 題\n\n最初の文。次の文。\n", "題: 最初の文。", "heading"),
        ("Uses v1.2.3 of it. Next.\n", "Uses v1.2.3 of it.", "text"),
        ("<!-- hidden -->\nshown\n", "shown", "text"),
        ("\n\n---\n\n", "", "none"),
        ("", "", "none"),
        ("a\x1b[31mb\u202e\n", "a[31mb", "text"),
        ("one\rtwo\r", "one", "text"),
    ],
)
def test_without_one_it_is_heading_and_sentence(text: str, expected: str, source: str) -> None:
    assert describe(text) == (expected, source)
    assert describe(text, body=False) == ("", "none")


@given(st.text())
def test_any_text_has_a_harmless_description(text: str) -> None:
    for whole in (text, f"---\ndescription: {text}\n---\n", f"---\n{text}\n---\n{text}"):
        found, _ = describe(whole)
        assert len(found) <= 200
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in found)
        assert found == found.strip()
