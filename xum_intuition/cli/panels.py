"""The groups of options, as their headings in the help."""

from __future__ import annotations

CUE = "What to recall"
WHERE = "Where the memories are"
MODEL = "Who reads and judges"
BOUNDS = "What it may spend, and what counts"
OUTPUT = "Output"
