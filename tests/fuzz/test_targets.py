"""The fuzz targets under hypothesis; FUZZ_EXAMPLES says how many inputs each gets."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import targets

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "400"))
bounded = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))

SPACES = [chr(n) for n in range(0x110000) if chr(n).isspace()]
PIECES = [*SPACES, "\r\n", "\u200b", "\u200d", "\u0301", "\u0e33", "\U0001f1e9", "\U0001f3fd",
          "\ufe0f", "e\u0301", "👨\u200d👩", "a", "B", "ab12", "twelve letters", "日本語だ", "-",
          "# ", "x", ".", "\ud800", "\x00", "\ufeff"]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join)
YAML = ["---\n", "---", "...", "description:", "description: ", '"', "'", "\\", "\\x1b", "&a ",
        "*a", "!!str ", "!!python/object:os.system ", "<<: ", "[", "]", "{", "}", ", ", ": ", "- ",
        "|\n  ", ">-\n  ", "#", "# Heading\n", "\n", "\r\n", " ", "\t", "true", "1.10", "0x1F",
        "2024-01-01", "text", "日本", "\x85", "\u2028", "\x00", "\x1b", "\ufeff", "```\n", "<!--",
        "-->", "===\n", "a. b", "%TAG", "? "]  # fmt: skip
documents = st.lists(st.sampled_from(YAML) | st.text(max_size=3), max_size=25).map("".join)


@bounded
@given(text=texts, data=st.data(), limit=st.integers(1, 60))
def test_excerpts(text: str, data: st.DataObject, limit: int) -> None:
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    wanted = data.draw(
        st.just(text[start:end])
        | st.just(data.draw(st.sampled_from(SPACES)).join(text[start:end].split()))
        | texts
    )
    visible = data.draw(st.just(text) | st.just(text[: (start + end) // 2]) | texts)
    targets.excerpt(text, wanted, visible, limit)


@bounded
@given(st.just("---\ndescription:") | st.just("---\n") | st.just(""), documents)
def test_frontmatter(begin: str, rest: str) -> None:
    targets.frontmatter(begin + rest)
    targets.frontmatter(begin + rest + "\n---\nbody\n")


@bounded
@given(texts | st.text(), texts | st.text())
def test_rows(path: str, description: str) -> None:
    targets.row(path, description)
