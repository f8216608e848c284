"""Folders of memories made up for measuring: the same text on every machine.

Word frequencies fall as in natural text, so that a cue's words are in some files and not in
others; one file in each store answers the cue.
"""

from __future__ import annotations

import json
import random
from itertools import accumulate
from pathlib import Path

CUE = "the staging certificate has expired: how do we renew it before the release window?"
ANSWER = """---
name: staging-certificate
description: "Staging certificate: renew it with certctl, then reload the proxy"
---
# Renewing the staging certificate

When the staging certificate has expired, run `certctl renew staging` on the bastion host and
reload the proxy with `systemctl reload proxy` before the release window opens.
Never copy the production certificate over.
"""
_COMMON = """
the a to and of in is it for with on that be this as by from or not we are at run when use test
file server build log deploy release config host user error data cache branch token certificate
staging production window database service docker always never before after script command
review change version queue retry backup index memory
"""
_SYLLABLES = "ba ce di fo gu ha ke li mo nu pa re si to vu wa ye zo tra ple ster con"
LARGEST = 100 * 1024


def make(folder: Path, files: int, *, spread: bool = False) -> Path:
    """A store of so many files of 2 KiB each, or spread from 200 bytes up to 100 KiB."""
    chance = random.Random(f"{files} {spread}")
    words, weights = _vocabulary()
    folder.mkdir(parents=True)
    for number in range(files):
        size = round(200 * (LARGEST / 200) ** chance.random() ** 2) if spread else 2048
        text = ANSWER if number == files // 2 else ""
        while len(text) < size:
            picked = chance.choices(words, cum_weights=weights, k=60)
            text += _head(number, picked) if not text else _paragraph(chance, picked)
        topic = folder / f"topic-{number % 10}"
        topic.mkdir(exist_ok=True)
        (topic / f"note-{number:05}.md").write_text(text[:size], "ascii")
    return folder


def make_sidecar(file: Path, entries: int, *, seed: int) -> Path:
    """A sidecar with so many entries, most of them the same whatever the seed."""
    chance = random.Random(seed)
    found = {
        f"global:topic-{n % 10}/note-{n:05}.md": {
            "pinned": n % 97 == 0,
            "accessCount": n % 13 + (chance.random() < 0.1),
            "lastAccessedAt": 1_750_000_000_000 + n * 1000,
            "lastWriteAt": None,
        }
        for n in range(entries)
    }
    file.write_text(json.dumps({"entries": found}, indent=2))
    return file


def _vocabulary() -> tuple[list[str], list[float]]:
    chance = random.Random(1)
    syllables = _SYLLABLES.split()
    made = {"".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(9000)}
    words = _COMMON.split() + sorted(made)
    return words, list(accumulate(1 / (rank + 3) for rank in range(len(words))))


def _head(number: int, words: list[str]) -> str:
    """Frontmatter for two files of three, quoted for one of these, and a heading."""
    line = " ".join(words[:7])
    described = {0: f"description: Use when {line}\n", 1: f'description: "How: {line}"\n'}
    front = described.get(number % 3)
    opening = f"---\nname: note-{number}\n{front}---\n" if front else ""
    return f"{opening}# {line.capitalize()}\n\n"


def _paragraph(chance: random.Random, words: list[str]) -> str:
    lines = [" ".join(words[n : n + 12]).capitalize() + ".\n" for n in range(0, len(words), 12)]
    mark = chance.choice(["", "", "- ", f"\n## {' '.join(words[:3]).capitalize()}\n\n"])
    return mark + "".join(lines) + "\n"
