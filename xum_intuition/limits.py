"""Every bound of a recall: unit, default and what must hold between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

MAX_CUE_CHARS = 2_000
MAX_MEMORY_BYTES = 100 * 1024
MAX_REPORT_ITEMS = 6
MAX_DESCRIPTION_CHARS = 200
FRONTMATTER_BYTES = 4 * 1024
MAX_FILES_XUM = 1_000
MAX_FILES_FOLDER = 5_000
MAX_TIMEOUT_S = 24 * 60 * 60
"""The longest deadline that can be set."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds that configuration can set. `None` means: no bound of its own."""

    max_steps: int = 6
    timeout_ms: int = 20_000
    max_output_tokens: int = 2_048
    """Output tokens of one model step."""
    max_uses_per_turn: int = 3
    max_results: int = 6
    max_excerpt_chars: int = 1_200
    max_read_bytes: int = 256 * 1024
    """UTF-8 bytes of memory text shown to the model in one recall."""
    max_index_entries: int = 200
    max_index_bytes: int = 32 * 1024
    """UTF-8 bytes of all rendered rows, line ends included."""
    max_files: int | None = None
    """Files a scope; `None` means 1,000 in an xum root and 5,000 elsewhere."""
    max_cost_usd: float | None = None
    threshold: float = 0.7
    floor: float = 0.3

    def problem(self) -> str | None:
        """What is wrong with these bounds, as one sentence, or None."""
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not (math.isfinite(value) and value > 0):
                return f"{field.name} must be a positive number, not {value}"
        if self.threshold > 1:
            return f"threshold must be at most 1, not {self.threshold}"
        if self.floor >= self.threshold:
            return f"floor ({self.floor}) must be below threshold ({self.threshold})"
        return None
