"""The parts of a result that tell how the recall went. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from xum_intuition.agent.loop import Inquiry
from xum_intuition.judge.classify import Verdict
from xum_intuition.limits import Limits
from xum_intuition.memory.index import Index
from xum_intuition.memory.store import Counts
from xum_intuition.result import Candidate, Considered, Stats


def lexical_leads(
    index: Index, read: Sequence[str], files: Callable[[str], str], limits: Limits
) -> tuple[Candidate, ...]:
    """Leads by preselect score alone, for a recall that came to no report.

    What the model had already read comes first. The relevance stays between floor and threshold:
    the best score is just below the threshold, and none of them is judged.
    """
    rows = [row for row in index.shown if row.score > 0 or row.path in read]
    rows.sort(key=lambda row: row.path not in read)
    top = max((row.score for row in rows), default=0.0) or 1.0
    span = (limits.threshold - limits.floor) * 0.9
    return tuple(
        Candidate(
            path=row.path,
            file=files(row.path),
            relevance=round(limits.floor + span * row.score / top, 3),
            description=row.description,
            reason="lexical",
        )
        for row in rows[: limits.max_results]
    )


def stats(
    index: Index | None,
    inquiry: Inquiry | None,
    verdict: Verdict | None,
    counts: Iterable[Counts],
    *,
    elapsed_ms: int,
    timed_out: bool,
) -> Stats:
    counts = list(counts)
    return Stats(
        index_entries_considered=len(index.shown) if index else 0,
        index_entries_omitted=index.omitted if index else 0,
        files_read=len(inquiry.read) if inquiry else 0,
        bytes_read=inquiry.bytes_read if inquiry else 0,
        steps=inquiry.steps if inquiry else 0,
        elapsed_ms=elapsed_ms,
        timed_out=timed_out,
        read=inquiry.read if inquiry else (),
        retries=inquiry.retries if inquiry else 0,
        items_dropped=(inquiry.items_dropped if inquiry else 0)
        + (verdict.dropped if verdict else 0),
        files_beyond_cap=sum(count.beyond_cap for count in counts),
        files_skipped=sum(count.skipped for count in counts),
        protocol=inquiry.protocol if inquiry else "tools",
    )


def considered(
    index: Index, inquiry: Inquiry | None, features: Mapping[str, Mapping[str, float]]
) -> tuple[Considered, ...]:
    """The rows shown, best first, with what the embedded recognizer measured of those it read."""
    read = set(inquiry.read) if inquiry else set()
    return tuple(
        Considered(
            path=row.path,
            score=row.score,
            read=row.path in read,
            features=dict(features[row.path]) if row.path in features else None,
        )
        for row in index.shown
    )
