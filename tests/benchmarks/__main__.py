"""Makes stores, times whole processes side by side, and prints the tables.

python -m tests.benchmarks                  all of it, some minutes
python -m tests.benchmarks --rounds 5 --no-provider
python -m tests.benchmarks --corpus DIR     tokens a recall over DIR/cues.jsonl as well
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks import measure, provider, stores
from tests.benchmarks.measure import Row

SIZES = (100, 1000, 3000)
TYPER = "import typer"
REFERENCE = "import typer, rich.table, pydantic"
FULLTEXT = str(Path(__file__).with_name("fulltext.py"))
WORDS = "staging certificate expired renew release window"


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        env = _environment(scratch)
        print(_machine(), "", sep="\n", flush=True)
        rows = list(_rows(scratch))
        found = measure.in_turn(rows, env, options.rounds)
        print(measure.table(rows, found), flush=True)
        thousand = scratch / "1000"
        if options.provider:
            rounds = max(3, options.rounds // 3)
            print("", provider.beside_bare(thousand, env, rounds, scratch), sep="\n", flush=True)
            for files in SIZES[:2]:
                told = provider.batch(scratch / str(files), files, env, scratch)
                print("", told, sep="\n", flush=True)
        for corpus in options.corpus:
            print("", provider.tokens(corpus, env, scratch, options.cues), sep="\n", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, help="runs of each command (15)")
    parser.add_argument("--no-provider", dest="provider", action="store_false")
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="see above")
    parser.add_argument("--cues", type=int, default=40, help="cues of a corpus at most (40)")
    options = parser.parse_args()
    options.corpus = [corpus.absolute() for corpus in options.corpus]
    return options


def _rows(scratch: Path) -> Iterator[Row]:
    python = partial(_python)
    yield Row("python -c pass", python("pass"), REFERENCE)
    yield Row(TYPER, python(TYPER), TYPER)
    yield Row(REFERENCE, python(REFERENCE), REFERENCE)
    yield Row("--version", [*provider.INTUITION, "--version"], TYPER, bar="1.2")
    yield Row("--help", [*provider.INTUITION, "--help"], TYPER)
    for files in SIZES:
        folder = stores.make(scratch / str(files), files)
        yield from _on_store(folder, str(files), bar="3" if files == SIZES[-1] else "")
    largest = scratch / str(SIZES[-1])
    cold = Row("recall, files uncached", _recall(largest), REFERENCE, str(SIZES[-1]))
    yield cold._replace(before=lambda: measure.forget(largest))
    spread = stores.make(scratch / "spread", 1000, spread=True)
    yield Row("recall, 0.2-100 KiB", _recall(spread), REFERENCE, "1000")
    before = str(stores.make_sidecar(scratch / "before.json", SIZES[-1], seed=1))
    after = str(stores.make_sidecar(scratch / "after.json", SIZES[-1], seed=2))
    where = ["--memory-dir", str(largest)]
    diff = [*provider.INTUITION, "meta", "diff", before, after, *where]
    yield Row("meta diff", diff, REFERENCE, str(SIZES[-1]))
    yield from _others(largest, scratch)


def _on_store(folder: Path, files: str, bar: str) -> Iterator[Row]:
    where = ["--memory-dir", str(folder)]
    cue = ["--cue", stores.CUE]
    yield Row(f"index ({files})", [*provider.INTUITION, "index", *where], REFERENCE, files)
    yield Row(
        f"index --cue ({files})", [*provider.INTUITION, "index", *where, *cue], REFERENCE, files
    )
    yield Row(f"recall offline ({files})", _recall(folder), REFERENCE, files, bar=bar)
    yield Row(f"stats ({files})", [*provider.INTUITION, "stats", *where], REFERENCE, files)


def _others(folder: Path, scratch: Path) -> Iterator[Row]:
    """What others do on the same folder, where they are installed."""
    files = str(SIZES[-1])
    if rg := shutil.which("rg"):
        asked = [rg, "--ignore-case", "--count", WORDS.replace(" ", "|"), str(folder)]
        yield Row("rg", asked, REFERENCE, files)
    database = str(scratch / "fulltext.db")
    build = [sys.executable, FULLTEXT, "build", str(folder), database]
    query = [sys.executable, FULLTEXT, "query", str(folder), database, WORDS]
    yield Row("SQLite FTS5, building", build, REFERENCE, files)
    yield Row("SQLite FTS5, asking", query, REFERENCE, files)


def _recall(folder: Path) -> list[str]:
    where = ["--memory-dir", str(folder)]
    return [*provider.INTUITION, "recall", *where, "--cue", stores.CUE]


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def _environment(scratch: Path) -> dict[str, str]:
    """A home of its own, no keys; compiled modules are kept, as an installation has them."""
    kept = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "SYSTEMROOT")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    home = scratch / "home"
    home.mkdir()
    return {**env, "HOME": str(home), "OPENAI_API_KEY": "none"}


def _machine() -> str:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return (
        f"{time.strftime('%Y-%m-%d')}, Python {platform.python_version()}, {os.cpu_count()} cores,"
        f" load {load:.1f}, {platform.system()} {platform.machine()}"
    )


if __name__ == "__main__":
    main()
