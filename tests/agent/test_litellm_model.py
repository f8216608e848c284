"""The real litellm against a scripted server, in this process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import openai_server as provider
from tests.support.inquiries import A, inquire
from tests.support.openai_server import OpenAIServer
from tests.support.scripted_model import item, results
from xum_intuition.agent.litellm_model import seat
from xum_intuition.agent.loop import Inquiry
from xum_intuition.agent.model import ModelFailure, Request
from xum_intuition.agent.tools import TOOLS
from xum_intuition.errors import UsageProblem
from xum_intuition.limits import Limits

KEY = "sk-test-0123456789"
MODEL = "openai/gpt-4o-mini"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def ask(server: OpenAIServer, model: str = MODEL, **given: Any) -> Inquiry:
    return inquire(seat(model, api_base=server.base_url), **given)


def request_of(messages: list[Any] | None = None) -> Request:
    messages = messages or [{"role": "user", "content": "cue"}]
    return Request(messages, TOOLS, None, 2_048, 20.0)


def test_a_run_through_a_real_client(server: OpenAIServer, capfd: Any) -> None:
    server.script(
        provider.answer("Let me see.", provider.read(A)),
        provider.answer(None, provider.report(item(A))),
    )
    inquiry = ask(server)
    assert [i.path for i in inquiry.items] == [A] and inquiry.read == (A,)
    assert inquiry.model == MODEL
    [usage] = inquiry.usage
    assert (usage.input_tokens, usage.output_tokens) == (200, 20)
    assert usage.cost_usd == pytest.approx(200 * 0.15e-6 + 20 * 0.6e-6)
    assert capfd.readouterr() == ("", "")


def test_what_is_sent_is_the_conversation_and_no_more(server: OpenAIServer) -> None:
    server.script(provider.answer(None, provider.report()))
    ask(server, limits=Limits(max_steps=1, max_output_tokens=77))
    [received] = server.received
    assert set(received.body) == {"model", "messages", "tools", "tool_choice", "max_tokens"}
    assert received.body["max_tokens"] == 77
    assert received.body["tool_choice"]["function"]["name"] == "intuition_report"
    assert received.body["tools"] == list(TOOLS)


def test_all_steps_use_one_connection(server: OpenAIServer) -> None:
    server.script(*[provider.answer("hm")] * 2, provider.answer(None, provider.report()))
    ask(server)
    assert server.connections == 1


@pytest.mark.parametrize(
    ("code", "tries"),
    [(400, 1), (401, 1), (403, 1), (404, 1), (429, 2), (500, 2), (503, 2)],
)
def test_a_status_is_shown_with_its_reason_and_tried_again_where_that_helps(
    server: OpenAIServer, code: int, tries: int
) -> None:
    server.script(*[provider.status(code, f"because of {KEY}")] * tries)
    inquiry = ask(server)
    assert inquiry.stop == "failed" and inquiry.retries == tries - 1
    assert inquiry.failure == f"{MODEL}: HTTP {code}: because of [hidden]"


def test_a_short_retry_after_is_waited_for(server: OpenAIServer) -> None:
    server.script(
        provider.status(429, Retry_After="0.01"), provider.answer(None, provider.report())
    )
    assert ask(server).stop == "reported"


@pytest.mark.parametrize("wait", ["61", "Fri, 31 Dec 2100 00:00:00 GMT"])
def test_a_retry_after_beyond_the_deadline_is_not(server: OpenAIServer, wait: str) -> None:
    server.script(provider.status(429, Retry_After=wait))
    inquiry = ask(server)
    assert inquiry.stop == "failed" and inquiry.retries == 0


ODD_BODIES = {
    "html": provider.raw(200, b"<html><body>Welcome</body></html>", "text/html"),
    "no json": provider.raw(200, b"\xff\xfe{{{"),
    "no choices": provider.raw(200, b"{}"),
    "empty choices": provider.raw(200, b'{"id": "1", "choices": []}'),
    "null": provider.raw(200, b"null"),
    "list": provider.raw(200, b"[1]"),
    "null message": provider.raw(200, b'{"choices": [{"message": null}]}'),
    "error in a 200": provider.raw(200, b'{"error": {"message": "quota", "code": 429}}'),
    "odd usage": provider.raw(
        200, json.dumps({**provider.completion("x"), "usage": {"prompt_tokens": "many"}}).encode()
    ),
    "a stream": provider.event_stream("hello"),
    "garbage": provider.garbage(),
}


@pytest.mark.parametrize("body", ODD_BODIES.values(), ids=ODD_BODIES)
def test_what_is_no_completion_is_a_failure_that_may_pass(
    server: OpenAIServer, body: provider.Step, capfd: Any
) -> None:
    server.script(body, provider.answer(None, provider.report()))
    inquiry = ask(server)
    assert inquiry.stop == "reported" and inquiry.retries == 1
    assert inquiry.failure and "\n" not in inquiry.failure
    assert not any(word in inquiry.failure for word in ("<", "Traceback", "litellm."))
    assert capfd.readouterr() == ("", "")


def test_no_redirect_is_followed(server: OpenAIServer) -> None:
    server.script(provider.raw(307, b"", Location=f"{server.base_url}/elsewhere"))
    assert ask(server).stop == "failed"
    assert len(server.received) == 1


class TestAnotherProvider:
    """One that litellm reaches by its own client and not by the openai package."""

    model = "anthropic/claude-sonnet-4-5"

    @pytest.fixture(autouse=True)
    def another_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-0123456789")

    def ask(self, server: OpenAIServer) -> Inquiry:
        return inquire(seat(self.model, api_base=server.base_url.removesuffix("/v1")))

    def test_is_asked_in_its_own_words(self, server: OpenAIServer) -> None:
        server.script(self.uses("memory_read", {"path": A}))
        server.script(self.uses("intuition_report", {"items": [item(A)]}))
        inquiry = self.ask(server)
        assert inquiry.read == (A,) and inquiry.items[0].path == A
        assert [received.path for received in server.received] == ["/v1/messages"] * 2

    def test_is_not_followed_elsewhere_with_the_key(self, server: OpenAIServer) -> None:
        server.script(*[provider.raw(307, b"", Location=f"{server.base_url}/elsewhere")] * 2)
        assert self.ask(server).stop == "failed"
        assert {received.path for received in server.received} == {"/v1/messages"}

    def test_has_its_reason_shown_without_wrapping(self, server: OpenAIServer) -> None:
        server.script(provider.status(401, "no such customer"))
        assert self.ask(server).failure == f"{self.model}: HTTP 401: no such customer"

    @staticmethod
    def uses(tool: str, arguments: dict[str, Any]) -> provider.Step:
        use = {"type": "tool_use", "id": "t1", "name": tool, "input": arguments}
        usage = {"input_tokens": 10, "output_tokens": 5}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "claude"}
        body = {**message, "content": [use], "stop_reason": "tool_use", "usage": usage}
        return provider.raw(200, json.dumps(body).encode())


def test_a_closed_port_is_named_as_such() -> None:
    inquiry = inquire(seat(MODEL, api_base="http://127.0.0.1:9/v1"))
    assert inquiry.stop == "failed" and inquiry.retries == 1
    assert inquiry.failure == f"{MODEL}: no connection: [Errno 111] Connection refused"


@pytest.mark.parametrize(
    ("model", "variable"),
    [(MODEL, "OPENAI_API_KEY"), ("anthropic/claude-x", "ANTHROPIC_API_KEY")],
)
def test_a_missing_key_names_the_variable(
    model: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    inquiry = inquire(seat(model))
    assert inquiry.stop == "failed" and inquiry.retries == 0
    assert inquiry.failure == f"{model}: no key is set in {variable}"


@pytest.mark.parametrize("model", ["nonsense/model", "model", "", "/"])
def test_an_unknown_provider_is_told_and_nothing_is_charged(model: str, capfd: Any) -> None:
    inquiry = inquire(seat(model), before_first_call=lambda: pytest.fail("charged"))
    assert inquiry.failure and "provider" in inquiry.failure
    assert capfd.readouterr() == ("", "")


class TestOddAnswers:
    def test_content_may_be_null_and_reasoning_is_ignored(self, server: OpenAIServer) -> None:
        fake = json.dumps({"items": [item(A)]})
        server.script(
            provider.answer(None, reasoning_content=fake),
            provider.answer(None, provider.report(item(A))),
        )
        assert ask(server).steps == 2

    def test_an_answer_cut_off_by_its_length_is_recoverable(self, server: OpenAIServer) -> None:
        cut = ("intuition_report", '{"items": [{"path": "/mem')
        server.script(
            provider.answer(None, cut, finish="length"),
            provider.answer(None, provider.report(item(A))),
        )
        assert ask(server).stop == "reported"
        sent = server.received[1].body["messages"]
        assert json.loads(sent[2]["tool_calls"][0]["function"]["arguments"]) == {}

    @pytest.mark.parametrize("arguments", [{"path": A}, None, 7])
    def test_arguments_may_be_anything(self, server: OpenAIServer, arguments: Any) -> None:
        body = provider.completion(None, [("memory_read", "")])
        body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = arguments
        server.script(
            provider.raw(200, json.dumps(body).encode()),
            *[provider.answer(None, provider.report())] * 1,
        )
        inquiry = ask(server)
        assert inquiry.stop == "reported"
        assert inquiry.read == ((A,) if isinstance(arguments, dict) else ())

    def test_lone_surrogates_can_be_sent_back(self, server: OpenAIServer) -> None:
        odd = ("memory_read", '{"path": "/\\ud800"}')
        server.script(
            provider.answer("\ud800", odd), provider.answer(None, provider.report(item(A)))
        )
        assert ask(server).stop == "reported"

    def test_a_usage_below_zero_saves_no_money(self, server: OpenAIServer) -> None:
        server.script(provider.answer(None, provider.report(), usage=(-1_000_000, -5)))
        [usage] = ask(server).usage
        assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (0, 0, 0.0)

    def test_cached_tokens_are_told(self, server: OpenAIServer) -> None:
        body = provider.completion(None, [provider.report()])
        body["usage"]["prompt_tokens_details"] = {"cached_tokens": 60}
        server.script(provider.raw(200, json.dumps(body).encode()))
        [usage] = ask(server).usage
        assert usage.cached_input_tokens == 60
        assert usage.cost_usd and usage.cost_usd < 100 * 0.15e-6 + 10 * 0.6e-6


class TestRefusals:
    def test_tools(self, server: OpenAIServer) -> None:
        server.script(
            provider.status(400, "this model does not support tools"),
            provider.answer(json.dumps({"tool": "memory_read", "path": A})),
            provider.answer(json.dumps({"tool": "intuition_report", "items": [item(A)]})),
        )
        inquiry = ask(server)
        assert inquiry.protocol == "text" and inquiry.stop == "reported" and inquiry.read == (A,)
        assert "tools" in server.received[0].body
        assert not any("tools" in received.body for received in server.received[1:])

    def test_tool_choice(self, server: OpenAIServer) -> None:
        server.script(
            provider.status(400, "Unsupported value: 'tool_choice'"),
            provider.answer(None, provider.report(item(A))),
        )
        inquiry = ask(server, limits=Limits(max_steps=1))
        assert inquiry.protocol == "tools" and inquiry.stop == "reported"
        assert "tools" in server.received[1].body and "tool_choice" not in server.received[1].body

    def test_another_400_is_final(self, server: OpenAIServer) -> None:
        server.script(provider.status(400, "the context is too long"))
        assert ask(server).stop == "failed"


class TestMoney:
    def test_the_greatest_cost_counts_input_and_all_output(self) -> None:
        model = seat(MODEL)()
        few = model.greatest_cost(request_of())
        many = model.greatest_cost(request_of([{"role": "user", "content": "word " * 10_000}]))
        assert few and many
        assert 2_048 * 0.6e-6 < few < many
        assert many - few == pytest.approx(10_000 * 0.15e-6, rel=0.05)

    def test_an_unknown_price_is_a_usage_error(self, server: OpenAIServer) -> None:
        with pytest.raises(UsageProblem, match="openai/home-made"):
            ask(server, "openai/home-made", limits=Limits(max_cost_usd=1))

    def test_an_unknown_price_without_a_limit_is_an_unknown_cost(
        self, server: OpenAIServer
    ) -> None:
        server.script(provider.answer(None, provider.report()))
        assert ask(server, "openai/home-made").usage[0].cost_usd is None

    def test_a_limit_ends_the_run_before_the_step_that_could_pass_it(
        self, server: OpenAIServer
    ) -> None:
        limits = Limits(max_cost_usd=0.002)
        server.script(provider.answer(None, provider.read(A), usage=(8_000, 10)))
        inquiry = ask(server, limits=limits)
        assert inquiry.stop == "out_of_money" and inquiry.steps == 1


def test_results_reach_the_provider_as_data(server: OpenAIServer) -> None:
    server.script(provider.answer(None, provider.read(A)), provider.answer(None, provider.report()))
    ask(server)
    messages = server.received[1].body["messages"]
    assert results(Request(messages, (), None, 1, 1)) == [{"path": A, "content": "alpha\n"}]


def test_a_failure_is_all_that_answer_raises(server: OpenAIServer) -> None:
    server.script(provider.status(401))
    with pytest.raises(ModelFailure):
        seat(MODEL, api_base=server.base_url)().answer(request_of())
