"""SQLite FTS5 on a folder, for comparison: `fulltext.py build|query FOLDER FILE WORDS`."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path


def build(folder: Path, file: Path) -> None:
    """Index every file anew."""
    file.unlink(missing_ok=True)
    with sqlite3.connect(file) as database:
        database.execute("CREATE VIRTUAL TABLE memory USING fts5(path, body)")
        texts = ((str(f), f.read_text()) for f in sorted(folder.rglob("*.md")))
        database.executemany("INSERT INTO memory VALUES (?, ?)", texts)


def query(file: Path, words: str) -> None:
    """Print the best ten for any of the words."""
    asked = " OR ".join(f'"{word}"' for word in words.split())
    chosen = "SELECT path FROM memory WHERE memory MATCH ? ORDER BY rank LIMIT 10"
    with sqlite3.connect(file) as database:
        for (path,) in database.execute(chosen, (asked,)):
            print(path)


if __name__ == "__main__":
    if sys.argv[1] == "build":
        build(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        query(Path(sys.argv[3]), sys.argv[4])
