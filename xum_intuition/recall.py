"""The way of a cue: index, preselect, nested agent, verify, classify, record, result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

from xum_intuition import ledger, outcome, policy, statelock, turns
from xum_intuition.agent import prompt
from xum_intuition.agent.loop import Inquiry, Progress, investigate
from xum_intuition.clock import Deadline, Interrupt
from xum_intuition.desk import Desk
from xum_intuition.errors import Interrupted, IntuitionError, ProviderError, UsageProblem
from xum_intuition.judge.classify import Verdict, judge
from xum_intuition.limits import MAX_CUE_CHARS
from xum_intuition.memory import sidecar
from xum_intuition.memory.access import Access
from xum_intuition.memory.hooks import Runner
from xum_intuition.memory.index import Index, build
from xum_intuition.memory.store import Store
from xum_intuition.result import (
    Candidate,
    Considered,
    Failure,
    LimitReached,
    Recognized,
    Result,
    Stats,
    Uncertain,
)

if TYPE_CHECKING:
    from xum_intuition.agent.offline import Recognizer

MAX_LOCK_WAIT_S = 5.0


class Wish(NamedTuple):
    """What one recall is asked for beside its cue."""

    turn: str | None = None
    record: bool = True
    verbose: bool = False
    way: policy.Way = "command"


class _TurnIsOver(Exception):
    pass


def checked_cue(text: str) -> str:
    """The cue as it is used; raises UsageProblem naming the limit."""
    cue = text.strip()
    if not cue:
        raise UsageProblem(
            f"The cue is empty: say in one or two sentences (1 to {MAX_CUE_CHARS:,} characters)"
            " what the task is."
        )
    if len(cue) > MAX_CUE_CHARS:
        raise UsageProblem(
            f"The cue has {len(cue):,} characters; at most {MAX_CUE_CHARS:,} are allowed."
        )
    if any("\ud800" <= c <= "\udfff" for c in cue):
        raise UsageProblem(f"The cue is not UTF-8 text (of 1 to {MAX_CUE_CHARS:,} characters).")
    return cue


def recall(
    cue: str,
    desk: Desk,
    wish: Wish,
    *,
    interrupt: Interrupt,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Result:
    """Recognize which memories a cue calls up. Raises UsageProblem; all else is a result."""
    run = _Run(checked_cue(cue), desk, wish, interrupt, progress)
    try:
        return run.recall()
    except UsageProblem:
        raise
    except _TurnIsOver:
        return run.limit_reached()
    except IntuitionError as error:
        return run.failed(error)


def first_request(cue: str, desk: Desk) -> dict[str, Any]:
    """The first request that a recall would send; no model is called and nothing is recorded."""
    cue = checked_cue(cue)
    settings = desk.settings
    policy.check(settings, way="command", env=desk.env)
    _, found = desk.documents(lambda: False)
    index = build(found, cue, settings.limits, hidden=settings.hooks.hides)
    instructions = settings.agent.instructions
    request = prompt.first_request(cue, index.shown, instructions, settings.limits)
    return {"model": settings.model, **request}


@dataclass(slots=True)
class _Run:
    """One recall: what it was given, and what it knows so far."""

    cue: str
    desk: Desk
    wish: Wish
    interrupt: Interrupt
    progress: Callable[[Progress], None]
    deadline: Deadline = field(init=False)
    warnings: list[str] = field(init=False)
    store: Store | None = None
    access: Access | None = None
    index: Index | None = None
    recognizer: Recognizer | None = None
    inquiry: Inquiry | None = None
    verdict: Verdict | None = None
    timed_out: bool = False

    def __post_init__(self) -> None:
        self.deadline = Deadline(self.desk.clock, self.desk.settings.limits.timeout_ms / 1000)
        self.warnings = list(self.desk.settings.warnings)

    def recall(self) -> Result:
        settings = self.desk.settings
        policy.check(settings, way=self.wish.way, env=self.desk.env)
        self._check_turn()
        store, found = self.desk.documents(self._stopped)
        self.store = store
        first = next(found, None)
        self.interrupt.check()
        if first is None:
            return self._uncertain((), f"There is no memory in {store.layout.base}.")
        self.desk.prepare_models()
        access = self.access = self._open(store)
        index = self.index = build(
            chain((first,), found), self.cue, settings.limits, hidden=access.hidden
        )
        self.interrupt.check()
        if self.deadline.passed():
            return self._timed_out("before all memories were looked at")
        inquiry = self.inquiry = self._investigate(index, access)
        return self._record(self._conclude(inquiry, index, store, access), store)

    def _open(self, store: Store) -> Access:
        """Reading as hooks allow it, within this recall's time."""
        layout = store.layout
        runner = Runner(
            env=self.desk.env,
            folder=layout.base if layout.kind == "xum" else None,
            project=layout.project,
            workspace=layout.workspace,
            deadline=self.deadline,
            interrupt=self.interrupt,
        )
        return Access(store, self.desk.settings.hooks, runner)

    def _investigate(self, index: Index, access: Access) -> Inquiry:
        settings = self.desk.settings
        return investigate(
            self.cue,
            index.shown,
            access,
            self.desk.seats(lambda: self._embedded(index)),
            instructions=settings.agent.instructions,
            limits=settings.limits,
            deadline=self.deadline,
            interrupt=self.interrupt,
            before_first_call=self._charge_turn,
            progress=self.progress,
        )

    def _embedded(self, index: Index) -> Recognizer:
        from xum_intuition.agent.offline import Recognizer  # no other model needs it

        assert index.ranking is not None
        rows = [(row.path, row.description, row.score) for row in index.shown]
        self.recognizer = Recognizer(self.cue, index.ranking, rows)
        return self.recognizer

    def _conclude(
        self, inquiry: Inquiry, index: Index, store: Store, access: Access
    ) -> Recognized | Uncertain:
        """What the nested agent's end comes to, the report judged."""
        match inquiry.stop:
            case "failed":
                raise ProviderError(inquiry.failure or "The model failed.")
            case "interrupted":
                raise Interrupted("The recall was interrupted; nothing was recorded as used.")
            case "timed_out":
                return self._timed_out("before the model reported")
            case "out_of_steps" | "out_of_money":
                return self._uncertain(self._leads(), inquiry.note)
            case "reported":
                rows = {row.path: row for row in index.shown}
                limits = self.desk.settings.limits
                verdict = judge(inquiry.items, rows, store.file, access, limits)
            case _:
                assert_never(inquiry.stop)
        if self.deadline.passed():
            return self._timed_out("before the excerpts were verified")
        self.verdict = verdict
        if verdict.memories:
            return self._recognized(verdict, inquiry)
        return self._uncertain(verdict.candidates, inquiry.note)

    def _record(self, result: Recognized | Uncertain, store: Store) -> Result:
        """Count the uses, from where on the result stands, and write down what it cost."""
        memories = result.memories if isinstance(result, Recognized) else ()
        if not memories or not self.wish.record:
            self.interrupt.begin_commit()
        else:
            self.warnings += sidecar.record_uses(
                store.layout.sidecar_file,
                [store.key(memory.path) for memory in memories],
                now_ms=self.desk.clock.now_ms(),
                wait_s=max(0.0, min(MAX_LOCK_WAIT_S, self.deadline.left())),
                begin=self.interrupt.begin_commit,
                check=self.interrupt.check,
            )
        self._write_ledger(result.kind, len(memories))
        return replace(result, warnings=self._warnings(), stats=self._stats())

    def _check_turn(self) -> None:
        limit = self.desk.settings.limits.max_uses_per_turn
        now_ms = self.desk.clock.now_ms()
        if self.wish.turn and turns.reached(self.desk.state_dir, self.wish.turn, limit, now_ms):
            raise _TurnIsOver

    def _charge_turn(self) -> None:
        """Count this recall, right before the first model call."""
        if not self.wish.turn:
            return
        limit = self.desk.settings.limits.max_uses_per_turn
        now_ms = self.desk.clock.now_ms()
        wait_s = max(0.0, min(statelock.WAIT_S, self.deadline.left()))
        charge = turns.charge(self.desk.state_dir, self.wish.turn, limit, now_ms, wait_s=wait_s)
        if charge.warning:
            self.warnings.append(charge.warning)
        if not charge.allowed:
            raise _TurnIsOver

    def _stopped(self) -> bool:
        return self.deadline.passed() or self.interrupt.requested

    def limit_reached(self) -> LimitReached:
        uses = self.desk.settings.limits.max_uses_per_turn
        return LimitReached(
            f"This turn has already recalled {uses} times, which is its limit"
            " (budgets.max_uses_per_turn): go on with what was recalled.",
            warnings=self._warnings(),
        )

    def failed(self, error: IntuitionError) -> Failure:
        """An error's result; what finished steps cost is in it and in the ledger."""
        inquiry = self.inquiry
        if inquiry is not None:
            self._write_ledger("error", 0)
        return Failure(
            code=error.code,
            message=str(error),
            usage=inquiry.usage if inquiry else None,
            stats=self._stats() if inquiry else None,
            warnings=self._warnings(),
        )

    def _recognized(self, verdict: Verdict, inquiry: Inquiry) -> Recognized:
        return Recognized(
            cue=self.cue,
            memories=verdict.memories,
            candidates=verdict.candidates,
            model=inquiry.model,
            usage=inquiry.usage,
            stats=self._stats(),
            note=inquiry.note,
            considered=self._considered(),
        )

    def _uncertain(self, candidates: Iterable[Candidate], note: str | None) -> Uncertain:
        inquiry = self.inquiry
        return Uncertain(
            cue=self.cue,
            candidates=tuple(candidates),
            model=inquiry.model if inquiry else None,
            usage=inquiry.usage if inquiry else (),
            stats=self._stats(),
            note=note,
            warnings=self._warnings(),
            considered=self._considered(),
        )

    def _timed_out(self, when: str) -> Uncertain:
        self.timed_out = True
        seconds = self.desk.settings.limits.timeout_ms / 1000
        note = f"The deadline of {seconds:g} s struck {when}; the leads are by words in common."
        if self.inquiry is not None and self.inquiry.note:
            note = f"{note} {self.inquiry.note}"
        return self._uncertain(self._leads(), note)

    def _leads(self) -> tuple[Candidate, ...]:
        assert self.index is not None and self.store is not None
        read = self.inquiry.read if self.inquiry else ()
        limits = self.desk.settings.limits
        return outcome.lexical_leads(self.index, read, self.store.file, limits)

    def _stats(self) -> Stats:
        return outcome.stats(
            self.index,
            self.inquiry,
            self.verdict,
            self.store.counts.values() if self.store else (),
            elapsed_ms=self.deadline.elapsed_ms(),
            timed_out=self.timed_out,
        )

    def _considered(self) -> tuple[Considered, ...] | None:
        if not self.wish.verbose or self.index is None:
            return None
        judged = self.recognizer.judged if self.recognizer else ()
        features = {judgement.path: judgement.features for judgement in judged}
        return outcome.considered(self.index, self.inquiry, features)

    def _warnings(self) -> tuple[str, ...]:
        return (
            *self.warnings,
            *(self.store.warnings if self.store else ()),
            *(self.access.warnings if self.access else ()),
        )

    def _write_ledger(self, kind: str, recognized: int) -> None:
        inquiry = self.inquiry
        if inquiry is None or not inquiry.reached_provider or not self.wish.record:
            return
        entry = ledger.LedgerEntry(
            at_ms=self.desk.clock.now_ms(),
            store=self.desk.layout.base,
            kind=kind,
            models=tuple(used.model for used in inquiry.usage),
            usage=inquiry.usage,
            steps=inquiry.steps,
            elapsed_ms=self.deadline.elapsed_ms(),
            timed_out=self.timed_out,
            recognized=recognized,
        )
        # Past the deadline the process is to be gone within half a second.
        wait_s = max(0.2, min(statelock.WAIT_S, self.deadline.left()))
        warning = ledger.append(self.desk.state_dir, entry, wait_s=wait_s)
        if warning:
            self.warnings.append(warning)
