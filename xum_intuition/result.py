"""The public contract of a recall: four kinds of result and their JSON form.

Plain dataclasses, because importing pydantic's model machinery costs more than a whole offline
recall; `tools/generate_schema.py` lets pydantic derive the JSON Schema from them, and a test
holds `result.schema.json` to it. Attribute names are the JSON names in snake case.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, assert_never

from xum_intuition.errors import ExitCode

SCHEMA_VERSION: Literal[1] = 1

CandidateReason = Literal["below_threshold", "excerpt_not_verified", "forbidden_excerpt", "lexical"]
ErrorCode = Literal["provider", "store", "config", "disabled", "interrupted", "internal", "usage"]
"""`usage` only answers a bad line of a batch or a server's client; elsewhere it is no result."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A recognized memory: `excerpt` is the file's own text at `lines` (from 1, inclusive)."""

    path: str
    file: str
    relevance: float
    excerpt: str
    lines: tuple[int, int]
    sha256: str
    truncated: bool
    why: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A lead: worth a look, not recognized."""

    path: str
    file: str
    relevance: float
    description: str
    reason: CandidateReason


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What one model used over a recall; the cost is None where no price is known."""

    model: str
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Stats:
    """How the recall went. `read` lists the paths whose text was sent to the model."""

    index_entries_considered: int = 0
    index_entries_omitted: int = 0
    files_read: int = 0
    bytes_read: int = 0
    steps: int = 0
    elapsed_ms: int = 0
    timed_out: bool = False
    read: tuple[str, ...] = ()
    retries: int = 0
    items_dropped: int = 0
    files_beyond_cap: int = 0
    files_skipped: int = 0
    protocol: Literal["tools", "text"] = "tools"
    """How the model was spoken to: tool calls, or JSON in plain text."""


@dataclass(frozen=True, slots=True)
class Considered:
    """One file that was looked at, shown with --verbose."""

    path: str
    score: float
    read: bool
    features: dict[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Recognized:
    cue: str
    memories: tuple[Memory, ...]
    candidates: tuple[Candidate, ...]
    model: str | None
    usage: tuple[ModelUsage, ...]
    stats: Stats
    note: str | None = None
    warnings: tuple[str, ...] = ()
    considered: tuple[Considered, ...] | None = None
    kind: Literal["recognized"] = "recognized"
    schema_version: Literal[1] = SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class Uncertain:
    cue: str
    candidates: tuple[Candidate, ...]
    model: str | None
    usage: tuple[ModelUsage, ...]
    stats: Stats
    note: str | None = None
    warnings: tuple[str, ...] = ()
    considered: tuple[Considered, ...] | None = None
    kind: Literal["uncertain"] = "uncertain"
    schema_version: Literal[1] = SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class LimitReached:
    message: str
    warnings: tuple[str, ...] = ()
    kind: Literal["limit_reached"] = "limit_reached"
    schema_version: Literal[1] = SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class Failure:
    """An error; `usage` and `stats` are there when some steps had already run."""

    code: ErrorCode
    message: str
    usage: tuple[ModelUsage, ...] | None = None
    stats: Stats | None = None
    warnings: tuple[str, ...] = ()
    is_error: Literal[True] = True
    kind: Literal["error"] = "error"
    schema_version: Literal[1] = SCHEMA_VERSION


Result = Recognized | Uncertain | LimitReached | Failure

_OPTIONAL = {"considered", "usage", "stats"}
_FIRST = ("schema_version", "kind", "is_error", "code", "message")


def camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.title() for part in tail)


def to_json(value: Any) -> Any:
    """The JSON form: dataclasses become objects in camelCase, tuples lists.

    `considered`, and an error's `usage` and `stats`, are left out where they are None.
    """
    if is_dataclass(value):
        names = [f.name for f in fields(value)]
        names.sort(key=lambda n: _FIRST.index(n) if n in _FIRST else len(_FIRST))
        pairs = ((name, getattr(value, name)) for name in names)
        return {camel(n): to_json(v) for n, v in pairs if v is not None or n not in _OPTIONAL}
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    return value


def exit_code_of(result: Result, *, uncertain_differs: bool = False) -> ExitCode:
    """The exit code of a result; an uncertain one has its own only where that is asked for."""
    match result:
        case Recognized():
            return ExitCode.OK
        case Uncertain():
            return ExitCode.DIFFERENT if uncertain_differs else ExitCode.OK
        case LimitReached():
            return ExitCode.LIMIT
        case Failure():
            return _EXIT_CODES[result.code]
        case _:
            assert_never(result)


_EXIT_CODES: dict[ErrorCode, ExitCode] = {
    "usage": ExitCode.USAGE,
    "provider": ExitCode.PROVIDER,
    "store": ExitCode.STORE,
    "config": ExitCode.STORE,
    "disabled": ExitCode.DISABLED,
    "interrupted": ExitCode.INTERRUPTED,
    "internal": ExitCode.BUG,
}


def schema_text() -> str:
    """The JSON Schema of a result, as it is kept in the package."""
    return Path(__file__).with_name("result.schema.json").read_text(encoding="utf-8").rstrip()
