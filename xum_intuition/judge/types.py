"""What the nested agent reports and what judging makes of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """One reported item: relevance from 0 to 1, and the excerpt as the model wrote it."""

    path: str
    relevance: float
    excerpt: str
    why: str
