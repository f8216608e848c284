"""An excerpt is verified exactly where it stands in the file and in what hooks let through."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xum_intuition.judge.verify import verify

TEXT = "# Head\r\n\r\nAlways  run\tthe\u00a0checks first.\n- ok go\nab\nlast line without end"

spaces = st.sampled_from(
    [" ", "\n", "\r\n", "\t", "\u00a0", "\u2003", "\u3000", "\u2028", "\x0b", "\r"]
)
words = st.text(
    st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1, max_size=8
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Words with white space of every kind between them."""
    pieces = draw(st.lists(st.tuples(words, spaces), min_size=1, max_size=40))
    return "".join(word + space for word, space in pieces)


def found(excerpt: str, text: str = TEXT, visible: str | None = None, limit: int = 1200) -> str:
    quote = verify(excerpt, text, text if visible is None else visible, limit)
    return quote.excerpt if quote else ""


def test_white_space_of_every_kind_is_one_space() -> None:
    assert found("  Always run the checks\n first. ") == "Always  run\tthe\u00a0checks first."


def test_the_files_own_text_comes_back_with_its_lines() -> None:
    quote = verify("checks first. - ok go", TEXT, TEXT, 1200)
    assert quote is not None
    assert (quote.excerpt, quote.lines, quote.truncated) == (
        "checks first.\n- ok go",
        (3, 4),
        False,
    )


@pytest.mark.parametrize("excerpt", ["- ok go", "  - ok  go "])
def test_a_short_excerpt_counts_as_a_whole_line(excerpt: str) -> None:
    assert found(excerpt) == "- ok go"


@pytest.mark.parametrize(
    "excerpt",
    [
        "",
        "  \n",
        "ok go",
        "ab",
        "run the",
        "# Heads",
        "always run the checks first.",
        "x" * 300_000,
    ],
)
def test_what_is_not_there_or_not_substantial_is_not_verified(excerpt: str) -> None:
    assert found(excerpt) == ""


def test_eleven_characters_are_too_few_and_twelve_enough() -> None:
    text = "some abcdefghijklmn text"
    assert found("abcdefghijk", text) == ""
    assert found("abcdefghijkl", text) == "abcdefghijkl"


def test_a_short_line_needs_four_letters_or_digits() -> None:
    assert found("- abc", "- abc\n- abcd\n") == ""
    assert found("- abcd", "x - abcd\n  - abcd \n") == "- abcd"
    assert found("日本語だ", "日本語だ\n") == "日本語だ"


def test_it_must_occur_in_what_hooks_let_through() -> None:
    text = "public part here\nthe password is hunter2\n"
    assert found("the password is hunter2", text, "public part here\n") == ""
    assert found("public part here", text, "public part here\n") == "public part here"
    # A filter's own words are not the file's.
    assert found("redacted by a filter", text, "redacted by a filter\n") == ""


def test_a_long_excerpt_is_cut_after_it_is_verified() -> None:
    text = "word " * 1000
    quote = verify(text, text, text, 1200)
    assert quote is not None
    assert quote.truncated
    assert text.startswith(quote.excerpt)
    assert 1190 <= len(quote.excerpt) <= 1200


@pytest.mark.parametrize(
    "character", ["e\u0301\u0302", "👨\u200d👩\u200d👧", "🇩🇪", "👍🏽", "❤\ufe0f", "\r\n", "ก\u0e33"]
)
def test_the_cut_never_falls_inside_a_character(character: str) -> None:
    text = "0123456789ab" + character * 20 + "end"
    for limit in range(12, 30):
        cut = found(text, text, limit=limit)
        rest = text[len(cut) :]
        assert text.startswith(cut)
        assert not unicodedata.combining(rest[0])
        assert rest[0] not in "\u200d\ufe0f🏽"
        assert not cut.endswith(("\r", "\u200d"))
        assert sum("\U0001f1e6" <= c <= "\U0001f1ff" for c in cut) % 2 == 0


@given(texts(), texts(), st.data())
def test_any_slice_of_a_memory_is_verified(before: str, after: str, data: st.DataObject) -> None:
    core = "twelve letters"  # whatever else the slice holds, it is substantial
    text = before + core + after
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(len(before) + len(core), len(text)))
    excerpt = text[start:end]
    quote = verify(excerpt, text, text, len(text) + 1)
    assert quote is not None
    assert quote.excerpt in text
    assert quote.excerpt.split() == excerpt.split()
    first, last = quote.lines
    assert quote.excerpt in "\n".join(text.split("\n")[first - 1 : last])
    respelled = data.draw(spaces).join(excerpt.split())
    assert verify(respelled, text, text, len(text) + 1) == quote


@given(texts(), texts(), st.integers(1, 60))
def test_what_is_verified_is_in_the_file(text: str, excerpt: str, limit: int) -> None:
    quote = verify(excerpt, text, text, limit)
    present = " ".join(excerpt.split()) in " ".join(text.split())
    if not present:
        assert quote is None
    elif quote is not None:
        assert quote.excerpt in text
        assert len(quote.excerpt) <= limit


@given(texts(), texts())
def test_nothing_hidden_is_quoted(text: str, visible: str) -> None:
    quote = verify(text, text, visible, 10_000)
    if quote is not None:
        assert " ".join(quote.excerpt.split()) in " ".join(visible.split())
