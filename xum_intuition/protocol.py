"""All that nested agent and memory store know of each other: rows, and reading one memory."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple, Protocol

from xum_intuition.text import dump_json

DescriptionSource = Literal["frontmatter", "heading", "text", "none"]


class Row(NamedTuple):
    """One memory as the index shows it; `score` is its preselect score for the cue."""

    path: str
    description: str
    description_source: DescriptionSource
    score: float


def render_row(row: Row) -> str:
    """One JSON object on one line; nothing in a description can end it."""
    return _rendered(row.path, row.description)


@lru_cache(1024)  # for the budget and for the prompt, and again for a batch's next cue
def _rendered(path: str, description: str) -> str:
    return dump_json({"path": path, "description": description})


class Seen(NamedTuple):
    """A memory as hooks let it through: `text` is the file's own, `visible` what may be shown."""

    path: str
    text: str
    visible: str
    sha256: str
    """Of the file's bytes, the very ones that `text` was decoded from."""
    nbytes: int
    """UTF-8 bytes of `visible`: what a read is charged."""


class Memories(Protocol):
    """Reading, whoever asks: the model's tool, or the check of an excerpt."""

    def read(self, path: str) -> Seen:
        """The memory at a virtual path, hooks run once a recall; raises MemoryRefused."""
        ...
