from __future__ import annotations

from tests.support.inquiries import A, B, C, Texts, inquire
from tests.support.scripted_model import ScriptedModel, reads
from xum_intuition.agent.model import ModelFailure
from xum_intuition.agent.offline import Recognizer
from xum_intuition.agent.offline_model import OfflineModel
from xum_intuition.limits import Limits
from xum_intuition.memory.preselect import Preselect

CUE = "Which port does the staging database listen on?"
PORT = "# Staging\n\nThe staging database listens on port 6543, behind the pooler.\n"
STORE = {A: PORT, B: "# Lunch\n\nThe canteen closes at two.\n", C: "# Tea\n\nGreen.\n"}


def seat(texts: dict[str, str] | None = None) -> OfflineModel:
    texts = texts or STORE
    preselect = Preselect(CUE)
    for path, text in texts.items():
        preselect.add(path, "", text)
    ranking = preselect.finish()
    rows = [(p, "", s) for p, s in zip(texts, ranking.scores, strict=True)]
    recognizer = Recognizer(CUE, ranking, sorted(rows, key=lambda row: -row[2]))
    return OfflineModel(recognizer, Texts(texts))


def test_it_reads_and_reports_like_any_other_model_at_no_cost() -> None:
    inquiry = inquire(seat, texts=STORE, limits=Limits(max_cost_usd=0.01))
    assert inquiry.stop == "reported" and inquiry.model == "offline"
    assert inquiry.items[0].path == A and "6543" in inquiry.items[0].excerpt
    assert inquiry.read[0] == A and inquiry.steps == 2
    [usage] = inquiry.usage
    assert (usage.model, usage.input_tokens, usage.cost_usd) == ("offline", 0, 0.0)


def test_with_nothing_in_common_it_reports_nothing_without_reading() -> None:
    inquiry = inquire(lambda: seat({B: STORE[B]}), texts={B: STORE[B]})
    assert inquiry.stop == "reported" and inquiry.items == () and inquiry.read == ()


def test_it_keeps_the_read_budget() -> None:
    inquiry = inquire(seat, texts=STORE, limits=Limits(max_read_bytes=10))
    assert inquiry.stop == "reported" and inquiry.bytes_read == 0 and inquiry.items == ()


def test_on_its_only_step_it_has_read_nothing_to_report() -> None:
    inquiry = inquire(seat, texts=STORE, limits=Limits(max_steps=1))
    assert (inquiry.stop, inquiry.read) == ("out_of_steps", ())


def test_it_takes_over_from_a_model_that_failed_half_way() -> None:
    first = ScriptedModel(reads(A), ModelFailure("gone"))
    inquiry = inquire(first, seat, texts=STORE)
    assert inquiry.model == "offline" and inquiry.items[0].path == A
    assert inquiry.bytes_read <= sum(map(len, STORE.values()))


def test_it_takes_over_from_a_model_that_read_nothing() -> None:
    first = ScriptedModel(ModelFailure("gone"))
    assert inquire(first, seat, texts=STORE).items[0].path == A
