"""What the nested agent reports, and all that judging knows of it."""

from __future__ import annotations

from typing import NamedTuple


class Item(NamedTuple):
    """One reported item: relevance from 0 to 1, and the excerpt as the model wrote it."""

    path: str
    relevance: float
    excerpt: str
    why: str
