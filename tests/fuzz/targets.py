"""What must hold for every input, told independently of the code that is under attack.

Each target takes text and fails by an AssertionError, or by whatever else is raised.
"""

from __future__ import annotations

import json
import re
import unicodedata
from itertools import pairwise

from xum_intuition.judge.verify import verify
from xum_intuition.limits import MAX_DESCRIPTION_CHARS
from xum_intuition.memory.describe import describe, frontmatter_end
from xum_intuition.protocol import Row, render_row
from xum_intuition.text import hidden


def excerpt(text: str, wanted: str, visible: str, limit: int) -> None:
    """An excerpt is verified exactly where a regular expression finds it, and quoted from there."""
    quote = verify(wanted, text, visible, limit)
    words = wanted.split()
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    there = bool(words) and pattern.search(text) is not None
    seen = bool(words) and pattern.search(visible) is not None
    substantial = sum(map(len, words)) >= 12
    short_line = sum(c.isalnum() for c in wanted) >= 4 and any(
        line.split() == words for line in text.split("\n")
    )
    assert (quote is not None) == (there and seen and (substantial or short_line))
    if quote is None:
        return
    assert quote.excerpt in text
    assert len(quote.excerpt) <= limit
    first, last = quote.lines
    assert quote.excerpt in "\n".join(text.split("\n")[first - 1 : last])
    told = quote.excerpt.split()
    if not quote.truncated:
        assert told == words
        return
    assert told[:-1] == words[: len(told) - 1]
    assert not told or words[len(told) - 1].startswith(told[-1])
    if quote.excerpt:
        _cut_between_characters(text, quote.excerpt)


def _cut_between_characters(text: str, quoted: str) -> None:
    """What was cut off begins with no mark or joiner, unless one character alone fills the room."""
    for match in re.finditer(re.escape(quoted), text):
        rest = text[match.end() : match.end() + 1]
        if not rest or not _goes_on(quoted[-1:], rest):
            return
    assert all(_goes_on(before, after) for before, after in pairwise(quoted))


def _goes_on(before: str, after: str) -> bool:
    """Whether the second sign belongs to the first one's character."""
    tied = before == "\u200d" or after in "\u200d\ufe0e\ufe0f" or (before, after) == ("\r", "\n")
    flags = before >= "\U0001f1e6" and after <= "\U0001f1ff" and after >= "\U0001f1e6"
    tone = "\U0001f3fb" <= after <= "\U0001f3ff"
    return tied or flags or tone or unicodedata.category(after)[0] == "M"


def frontmatter(text: str) -> None:
    """A description is one printable line of bounded length, whatever the text."""
    for body in (True, False):
        found, source = describe(text, body=body)
        assert bool(found) == (source != "none")
        assert source in (("frontmatter", "heading", "text", "none") if body else
                          ("frontmatter", "none"))  # fmt: skip
        assert len(found) <= MAX_DESCRIPTION_CHARS
        assert found == " ".join(found.split())
        assert found.isprintable()
    assert 0 <= frontmatter_end(text) <= len(text)


def row(path: str, description: str) -> None:
    """A row is one line of JSON that says what it was made of, and holds nothing unseen."""
    shown = render_row(Row(path, description, "text", 0.0))
    assert json.loads(shown) == {"path": path, "description": description}
    assert not [c for c in shown if hidden(c)]
    assert len(shown.splitlines()) == 1
