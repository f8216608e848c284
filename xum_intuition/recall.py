"""The way of a cue: index, preselect, nested agent, verify, classify, record, result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

from xum_intuition import ledger, policy, statelock, turns
from xum_intuition.agent import prompt
from xum_intuition.agent.loop import Inquiry, Progress, investigate
from xum_intuition.clock import INTERRUPTED, Deadline, Interrupt
from xum_intuition.desk import Desk
from xum_intuition.errors import Interrupted, IntuitionError, ProviderError, UsageProblem
from xum_intuition.judge.classify import judge
from xum_intuition.limits import MAX_CUE_CHARS
from xum_intuition.memory import sidecar
from xum_intuition.memory.access import Access
from xum_intuition.memory.hooks import Runner
from xum_intuition.memory.index import Index, build
from xum_intuition.memory.store import Store
from xum_intuition.outcome import Findings
from xum_intuition.result import Recognized, Result, Uncertain

if TYPE_CHECKING:
    from xum_intuition.agent.offline import Recognizer


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
    return _Recall(checked_cue(cue), desk, wish, interrupt, progress).result()


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


class _Recall:
    """One recall. `result` reads top to bottom as what this program does."""

    def __init__(
        self,
        cue: str,
        desk: Desk,
        wish: Wish,
        interrupt: Interrupt,
        progress: Callable[[Progress], None],
    ) -> None:
        self.cue, self.desk, self.wish = cue, desk, wish
        self.interrupt, self.progress = interrupt, progress
        self.settings, self.limits = desk.settings, desk.settings.limits
        self.deadline = Deadline(desk.clock, self.limits.timeout_ms / 1000)
        warned = list(self.settings.warnings)
        self.found = Findings(cue, self.limits, self.deadline, warned, wish.verbose)

    def result(self) -> Result:
        try:
            policy.check(self.settings, way=self.wish.way, env=self.desk.env)
            self._check_turn()
            return self._recall()
        except UsageProblem:
            raise
        except _TurnIsOver:
            return self.found.limit_reached()
        except IntuitionError as error:
            if self.found.inquiry is not None:
                self._write_ledger("error", 0)
            return self.found.failure(error)

    def _recall(self) -> Result:
        store, documents = self.desk.documents(self._stopped)
        self.found.store = store
        first = next(documents, None)
        self.interrupt.check()
        if first is None:
            if any(counts.broken for counts in store.counts.values()):
                return self.found.uncertain((), f"No memory in {store.layout.base} can be read.")
            return self.found.uncertain((), store.layout.emptiness)
        self.desk.prepare_models()
        access = self.found.access = self._open(store)
        index = self.found.index = build(
            chain((first,), documents), self.cue, self.limits, hidden=access.hidden
        )
        self.interrupt.check()
        if self.deadline.passed():
            return self.found.out_of_time("before all memories were looked at")
        inquiry = self.found.inquiry = self._investigate(index, access)
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
        return Access(store, self.settings.hooks, runner)

    def _investigate(self, index: Index, access: Access) -> Inquiry:
        return investigate(
            self.cue,
            index.shown,
            access,
            self.desk.seats(lambda: self._recognizer(index), access),
            instructions=self.settings.agent.instructions,
            limits=self.limits,
            deadline=self.deadline,
            interrupt=self.interrupt,
            before_first_call=self._charge_turn,
            progress=self.progress,
        )

    def _recognizer(self, index: Index) -> Recognizer:
        from xum_intuition.agent.offline import Recognizer  # no other model needs it

        assert index.ranking is not None
        rows = [(row.path, row.description, row.score) for row in index.shown]
        self.found.recognizer = Recognizer(self.cue, index.ranking, rows)
        return self.found.recognizer

    def _conclude(
        self, inquiry: Inquiry, index: Index, store: Store, access: Access
    ) -> Recognized | Uncertain:
        """What the nested agent's end comes to, its report judged."""
        match inquiry.stop:
            case "failed":
                raise ProviderError(inquiry.failure or "The model failed.")
            case "interrupted":
                raise Interrupted(INTERRUPTED)
            case "timed_out":
                return self.found.out_of_time("before the model reported")
            case "out_of_steps" | "out_of_money":
                return self.found.unfinished(inquiry.note)
            case "reported":
                rows = {row.path: row for row in index.shown}
                verdict = judge(inquiry.items, rows, store.file, access, self.limits)
            case _:
                assert_never(inquiry.stop)
        if self.deadline.passed():
            return self.found.out_of_time("before the excerpts were verified")
        return self.found.of_verdict(verdict)

    def _record(self, result: Recognized | Uncertain, store: Store) -> Result:
        """Count the uses, from where on the result stands, and write down what it cost."""
        memories = result.memories if isinstance(result, Recognized) else ()
        if not memories or not self.wish.record:
            self.interrupt.begin_commit()
        else:
            self.found.warned += sidecar.record_uses(
                store.layout.sidecar_file,
                [store.key(memory.path) for memory in memories],
                now_ms=self.desk.clock.now_ms(),
                wait_s=self._time_for(sidecar.LOCK_WAIT_S),
                begin=self.interrupt.begin_commit,
                check=self.interrupt.check,
            )
        self._write_ledger(result.kind, len(memories))
        return replace(result, warnings=self.found.warnings, stats=self.found.stats())

    def _check_turn(self) -> None:
        limit, now_ms = self.limits.max_uses_per_turn, self.desk.clock.now_ms()
        if self.wish.turn and turns.reached(self.desk.state_dir, self.wish.turn, limit, now_ms):
            raise _TurnIsOver

    def _charge_turn(self) -> None:
        """Count this recall, right before the first model call."""
        if not self.wish.turn:
            return
        charge = turns.charge(
            self.desk.state_dir,
            self.wish.turn,
            self.limits.max_uses_per_turn,
            self.desk.clock.now_ms(),
            wait_s=self._time_for(statelock.WAIT_S),
        )
        if charge.warning:
            self.found.warned.append(charge.warning)
        if not charge.allowed:
            raise _TurnIsOver

    def _write_ledger(self, kind: str, recognized: int) -> None:
        inquiry = self.found.inquiry
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
            timed_out=self.found.timed_out,
            recognized=recognized,
        )
        # Past the deadline the process is to be gone within half a second.
        wait_s = max(0.2, self._time_for(statelock.WAIT_S))
        warning = ledger.append(self.desk.state_dir, entry, wait_s=wait_s)
        if warning:
            self.found.warned.append(warning)

    def _time_for(self, seconds: float) -> float:
        """That many seconds, as far as the deadline allows."""
        return max(0.0, min(seconds, self.deadline.left()))

    def _stopped(self) -> bool:
        return self.deadline.passed() or self.interrupt.requested
