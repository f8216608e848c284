"""Names of models as people and other programs write them."""

from __future__ import annotations

import pytest

from xum_intuition.names import model_name, provider_of


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("openai/gpt-5", "openai/gpt-5"),
        ("openai:gpt-5", "openai/gpt-5"),
        (" anthropic:claude ", "anthropic/claude"),
        ("openrouter:openai/gpt-4o", "openrouter/openai/gpt-4o"),
        ("ollama/llama3:8b", "ollama/llama3:8b"),
        ("ollama:llama3:8b", "ollama/llama3:8b"),
        ("openrouter/deepseek/r1:free", "openrouter/deepseek/r1:free"),
        ("anthropic.claude-3-v1:0", "anthropic.claude-3-v1:0"),
        ("ft:gpt-4o:mine", "ft:gpt-4o:mine"),
        ("arn:aws:bedrock:x", "arn:aws:bedrock:x"),
        ("gpt-5", "gpt-5"),
        ("offline", "offline"),
        ("openai:", "openai:"),
    ],
)
def test_provider_and_model_are_told_apart(written: str, meant: str) -> None:
    assert model_name(written) == meant
    assert model_name(meant) == meant


def test_a_provider_is_only_what_is_said_outright() -> None:
    assert provider_of("OpenAI/x") == provider_of("openai:y") == "openai"
    assert provider_of("gpt-5") is None
