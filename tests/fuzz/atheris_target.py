"""One target under atheris: `excerpt` or `frontmatter`, then options of libFuzzer.

python -m tests.fuzz.atheris_target excerpt -max_total_time=60
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["xum_intuition"]):
    from xum_intuition.judge import verify  # noqa: F401 (instrumented here)
    from xum_intuition.memory import describe  # noqa: F401

from tests.fuzz import targets


def excerpt(data: bytes) -> None:
    """A text, and an excerpt that is a part of it or another text."""
    source = atheris.FuzzedDataProvider(data)
    limit = source.ConsumeIntInRange(1, 60)
    start, length = source.ConsumeIntInRange(0, 99), source.ConsumeIntInRange(0, 99)
    other = source.ConsumeUnicode(40) if source.ConsumeBool() else None
    text = source.ConsumeUnicode(400)
    wanted = text[start : start + length] if other is None else other
    targets.excerpt(text, wanted, text if source.ConsumeBool() else text[length:], limit)


def frontmatter(data: bytes) -> None:
    """A document that begins as frontmatter does."""
    text = data.decode("utf-8", "replace")
    targets.frontmatter(text)
    targets.frontmatter(f"---\ndescription:{text}\n---\nbody\n")


if __name__ == "__main__":
    target = {"excerpt": excerpt, "frontmatter": frontmatter}[sys.argv[1]]
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target)
    atheris.Fuzz()
