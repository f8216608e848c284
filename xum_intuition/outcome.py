"""What a recall has found so far, and the results that can be made of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xum_intuition.agent.loop import Inquiry
from xum_intuition.clock import Deadline
from xum_intuition.errors import IntuitionError
from xum_intuition.judge.classify import Verdict
from xum_intuition.limits import Limits
from xum_intuition.memory.access import Access
from xum_intuition.memory.index import Index
from xum_intuition.memory.store import Store
from xum_intuition.result import (
    Candidate,
    Considered,
    Failure,
    LimitReached,
    Recognized,
    Stats,
    Uncertain,
)

if TYPE_CHECKING:
    from xum_intuition.agent.offline import Recognizer


@dataclass(slots=True)
class Findings:
    """Filled along the way; whatever ends the recall, a result tells how far it came."""

    cue: str
    limits: Limits
    deadline: Deadline
    warned: list[str]
    verbose: bool
    store: Store | None = None
    access: Access | None = None
    index: Index | None = None
    recognizer: Recognizer | None = None
    inquiry: Inquiry | None = None
    dropped: int = 0
    """Items of the report that judging dropped."""
    timed_out: bool = False

    @property
    def warnings(self) -> tuple[str, ...]:
        return (
            *self.warned,
            *(self.store.warnings if self.store else ()),
            *(self.access.warnings if self.access else ()),
        )

    def of_verdict(self, verdict: Verdict) -> Recognized | Uncertain:
        """Recognized if a memory was, else uncertain."""
        assert self.inquiry is not None
        self.dropped = verdict.dropped
        if not verdict.memories:
            return self.uncertain(verdict.candidates, self.inquiry.note)
        return Recognized(
            cue=self.cue,
            memories=verdict.memories,
            candidates=verdict.candidates,
            model=self.inquiry.model,
            usage=self.inquiry.usage,
            stats=self.stats(),
            note=self.inquiry.note,
            warnings=self.warnings,
            considered=self._considered(),
        )

    def uncertain(self, candidates: Iterable[Candidate], note: str | None) -> Uncertain:
        inquiry = self.inquiry
        return Uncertain(
            cue=self.cue,
            candidates=tuple(candidates),
            model=inquiry.model if inquiry else None,
            usage=inquiry.usage if inquiry else (),
            stats=self.stats(),
            note=note,
            warnings=self.warnings,
            considered=self._considered(),
        )

    def unfinished(self, note: str | None) -> Uncertain:
        """A recall that a bound ended before the report was judged: leads by score alone."""
        return self.uncertain(self._lexical_leads(), note)

    def out_of_time(self, when: str) -> Uncertain:
        self.timed_out = True
        note = f"The deadline of {self.deadline.seconds:g} s struck {when};"
        note += " the leads are by words in common."
        if self.inquiry is not None and self.inquiry.note:
            note = f"{note} {self.inquiry.note}"
        return self.unfinished(note)

    def limit_reached(self) -> LimitReached:
        return LimitReached(
            f"This turn has already recalled {self.limits.max_uses_per_turn} times, which is its"
            " limit (budgets.max_uses_per_turn): go on with what was recalled.",
            warnings=self.warnings,
        )

    def failure(self, error: IntuitionError) -> Failure:
        """An error; what the steps before it used is told if there were any."""
        return Failure(
            code=error.code,
            message=str(error),
            usage=self.inquiry.usage if self.inquiry else None,
            stats=self.stats() if self.inquiry else None,
            warnings=self.warnings,
        )

    def stats(self) -> Stats:
        index, inquiry = self.index, self.inquiry
        counts = list(self.store.counts.values()) if self.store else []
        return Stats(
            index_entries_considered=len(index.shown) if index else 0,
            index_entries_omitted=index.omitted if index else 0,
            files_read=len(inquiry.read) if inquiry else 0,
            bytes_read=inquiry.bytes_read if inquiry else 0,
            steps=inquiry.steps if inquiry else 0,
            elapsed_ms=self.deadline.elapsed_ms(),
            timed_out=self.timed_out,
            read=inquiry.read if inquiry else (),
            retries=inquiry.retries if inquiry else 0,
            items_dropped=(inquiry.items_dropped if inquiry else 0) + self.dropped,
            files_beyond_cap=sum(count.beyond_cap for count in counts),
            files_skipped=sum(count.skipped for count in counts),
            protocol=inquiry.protocol if inquiry else "tools",
        )

    def _lexical_leads(self) -> tuple[Candidate, ...]:
        """Leads by preselect score, what the model had already read first.

        Nobody judged them, so their relevance stays between floor and threshold.
        """
        assert self.index is not None
        assert self.store is not None
        read = self.inquiry.read if self.inquiry else ()
        rows = [row for row in self.index.shown if row.score > 0 or row.path in read]
        rows.sort(key=lambda row: row.path not in read)
        top = max((row.score for row in rows), default=0.0) or 1.0
        span = (self.limits.threshold - self.limits.floor) * 0.9
        return tuple(
            Candidate(
                path=row.path,
                file=self.store.file(row.path),
                relevance=round(self.limits.floor + span * row.score / top, 3),
                description=row.description,
                reason="lexical",
            )
            for row in rows[: self.limits.max_results]
        )

    def _considered(self) -> tuple[Considered, ...] | None:
        """The rows shown, best first, with what the embedded recognizer measured of some."""
        if not self.verbose or self.index is None:
            return None
        read = set(self.inquiry.read) if self.inquiry else set()
        judged = self.recognizer.judged if self.recognizer else ()
        features = {judgement.path: dict(judgement.features) for judgement in judged}
        return tuple(
            Considered(row.path, row.score, row.path in read, features.get(row.path))
            for row in self.index.shown
        )
