"""The ledger: what each recall that reached a model cost, one JSON line a recall.

    {"at", "store", "kind", "models", "usage": [{"model", "inputTokens", "outputTokens",
     "cachedInputTokens", "costUsd"}], "steps", "elapsedMs", "timedOut", "recognized"}

No cue, no excerpt and no key is in it. When `ledger.jsonl` is full it becomes `ledger.1.jsonl`,
that one `ledger.2.jsonl`, and the oldest goes.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from xum_intuition import atomic, dirs, statelock
from xum_intuition.result import ModelUsage, to_json

MAX_BYTES = 4 * 1024 * 1024
"""Size of one ledger file; a line that would pass it begins the next."""
KEPT = 3
"""Full ledger files that are kept beside the one that is written."""
_MAX_NAME_CHARS = 200
_MAX_LINE_BYTES = 1024 * 1024
"""What is longer is read in pieces, which are no records."""
_MAX_READ_BYTES = 64 * 1024 * 1024
"""Of one file; ours are never that large."""


class LedgerEntry(NamedTuple):
    """One recall; `at_ms` since the epoch, `store` the identity of the memory store."""

    at_ms: int
    store: str
    kind: str
    models: tuple[str, ...]
    usage: tuple[ModelUsage, ...]
    steps: int
    elapsed_ms: int
    timed_out: bool
    recognized: int


@dataclass(slots=True)
class ModelTotal:
    """One model's sums. The cost is None where no recall had a price; `unpriced` had none."""

    model: str
    recalls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    cost_usd: float | None = None
    unpriced: int = 0


@dataclass(slots=True)
class Summary:
    """What a ledger says; latencies in ms, None without a recall."""

    recalls: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    models: list[ModelTotal] = field(default_factory=list)
    p50_ms: int | None = None
    p95_ms: int | None = None
    timeouts: int = 0
    recognized: int = 0
    first_ms: int | None = None
    last_ms: int | None = None
    unreadable_lines: int = 0


def append(
    state_dir: Path,
    entry: LedgerEntry,
    *,
    max_bytes: int = MAX_BYTES,
    wait_s: float = statelock.WAIT_S,
) -> str | None:
    """Write one line; returns a warning where that failed, and raises nothing."""
    folder = os.fspath(state_dir)
    try:
        line = _line(entry)
        atomic.make_private_folder(folder)
        with statelock.held(os.path.join(folder, "ledger.lock"), wait_s=wait_s):
            _append_locked(folder, line, max_bytes)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        return f"What this recall cost was not written to the ledger in {folder}: {reason}."
    return None


def read(state_dir: Path, *, store: str | None, since_ms: int | None) -> Summary:
    """Sum up the recalls of one store, or of all (None); raises OSError where that fails."""
    summary = Summary()
    models: dict[str, ModelTotal] = {}
    elapsed: list[int] = []
    for record in _records(os.fspath(state_dir)):
        if record is None:
            summary.unreadable_lines += 1
            continue
        at = _count(record.get("at"))
        if store not in (None, record.get("store")) or at < (since_ms or 0):
            continue
        _add(summary, record, at)
        elapsed.append(_count(record.get("elapsedMs")))
        _add_usage(models, record.get("usage"))
    elapsed.sort()
    summary.p50_ms, summary.p95_ms = _percentile(elapsed, 50), _percentile(elapsed, 95)
    summary.kinds = dict(sorted(summary.kinds.items()))
    summary.models = [models[name] for name in sorted(models)]
    return summary


def _line(entry: LedgerEntry) -> bytes:
    record = {
        "at": entry.at_ms,
        "store": entry.store,
        "kind": entry.kind,
        "models": [name[:_MAX_NAME_CHARS] for name in entry.models],
        "usage": [to_json(used) | {"model": used.model[:_MAX_NAME_CHARS]} for used in entry.usage],
        "steps": entry.steps,
        "elapsedMs": entry.elapsed_ms,
        "timedOut": entry.timed_out,
        "recognized": entry.recognized,
    }
    return json.dumps(record, allow_nan=False).encode() + b"\n"


def _append_locked(folder: str, line: bytes, max_bytes: int) -> None:
    path = _file(folder, 0)
    with contextlib.suppress(FileNotFoundError):
        if os.stat(path).st_size + len(line) > max_bytes:
            for number in range(KEPT - 1, -1, -1):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(_file(folder, number), _file(folder, number + 1))
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC
    fd = os.open(path, flags, 0o600)
    try:
        dirs.require_regular(fd, path)
        size = os.fstat(fd).st_size
        torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        try:
            atomic.write_all(fd, b"\n" + line if torn else line)
        except OSError:
            os.ftruncate(fd, size)  # a full disk took a part of the line
            raise
    finally:
        os.close(fd)


def _file(folder: str, number: int) -> str:
    return os.path.join(folder, f"ledger.{number}.jsonl" if number else "ledger.jsonl")


def _records(folder: str) -> Iterator[dict[str, Any] | None]:
    """Every line's object, oldest file first; None for a line that is none."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(FileNotFoundError, PermissionError):
            stack.enter_context(statelock.held(os.path.join(folder, "ledger.lock"), shared=True))
        for number in range(KEPT, -1, -1):
            with (
                contextlib.suppress(FileNotFoundError),
                dirs.open_regular(_file(folder, number)) as file,
            ):
                while file.tell() < _MAX_READ_BYTES and (line := file.readline(_MAX_LINE_BYTES)):
                    if not line.isspace():
                        yield _record(line) if len(line) < _MAX_LINE_BYTES else None


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        return None
    return record


def _add(summary: Summary, record: dict[str, Any], at: int) -> None:
    kind = record["kind"][:_MAX_NAME_CHARS]
    summary.recalls += 1
    summary.kinds[kind] = summary.kinds.get(kind, 0) + 1
    summary.timeouts += record.get("timedOut") is True
    summary.recognized += _count(record.get("recognized"))
    summary.first_ms = at if summary.first_ms is None else min(summary.first_ms, at)
    summary.last_ms = at if summary.last_ms is None else max(summary.last_ms, at)


def _add_usage(models: dict[str, ModelTotal], usage: Any) -> None:
    rows: Iterable[Any] = usage if isinstance(usage, list) else ()
    for row in rows:
        if not isinstance(row, dict):
            continue
        name = str(row.get("model"))[:_MAX_NAME_CHARS]
        total = models.setdefault(name, ModelTotal(name))
        total.recalls += 1
        total.input_tokens += _count(row.get("inputTokens"))
        total.output_tokens += _count(row.get("outputTokens"))
        total.cached_input_tokens += _count(row.get("cachedInputTokens"))
        cost = row.get("costUsd")
        if cost is not None and _finite(cost) and cost >= 0:
            total.cost_usd = (total.cost_usd or 0.0) + cost
        else:
            total.unpriced += 1


def _finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < 1e300 and math.isfinite(value)


def _count(value: Any) -> int:
    """A number of a line as a count; what is none is zero."""
    return int(value) if _finite(value) and value > 0 else 0


def _percentile(ordered: list[int], percent: int) -> int | None:
    """The nearest-rank percentile of sorted numbers."""
    return ordered[math.ceil(len(ordered) * percent / 100) - 1] if ordered else None
