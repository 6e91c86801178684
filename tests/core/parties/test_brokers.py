"""Brokers: whether one was told whom to ask, and what replies say of whom it has asked."""

from typing import Any

import pytest

from eibench.core.parties.brokers import provider_of, unpinned
from eibench.core.parties.providers import ModelSpec

OPENROUTER, VERCEL = "https://openrouter.ai/api/v1", "https://ai-gateway.vercel.sh/v1"
HUGGING_FACE = "https://router.huggingface.co/v1"


@pytest.mark.parametrize(
    ("spec", "url", "body", "broker"),
    [
        ("openai/a/b", OPENROUTER, {}, "openrouter.ai"),
        ("anthropic/a/b", "https://openrouter.ai/api", {}, "openrouter.ai"),
        ("openai/a/b", OPENROUTER, {"provider": {"order": ["X"]}}, "openrouter.ai"),
        ("openai/a/b", OPENROUTER, {"provider": {"only": ["X", "Y"]}}, "openrouter.ai"),
        ("openai/a/b", OPENROUTER, {"provider": "X"}, "openrouter.ai"),
        ("openai/a/b", OPENROUTER, {"provider": {"only": ["X"]}}, None),
        ("openai/a", OPENROUTER, {"provider": {"order": ["X"], "allow_fallbacks": False}}, None),
        ("litellm/openrouter/a/b", None, {}, "openrouter.ai"),
        ("litellm/openrouter/a/b", None, {"provider": {"only": ["X"]}}, None),
        ("openai/a/b", VERCEL, {}, "ai-gateway.vercel.sh"),
        ("openai/a/b", VERCEL, {"providerOptions": {"gateway": {"only": ["X"]}}}, None),
        ("openai/a/b", HUGGING_FACE, {}, "router.huggingface.co"),
        ("openai/a/b:fastest", HUGGING_FACE, {}, "router.huggingface.co"),
        ("openai/a/b:together", HUGGING_FACE, {}, None),
        ("openai/a/b", "https://api.example.com/v1", {}, None),
        ("openai/a", "https://openrouter.ai.example.com/v1", {}, None),
        ("openai/a", None, {}, None),
        ("litellm/gemini/a", None, {}, None),
    ],
)
def test_who_chooses(spec: str, url: str | None, body: dict[str, Any], broker: str | None) -> None:
    """A broker does, unless it was told of one host and no other."""
    found = unpinned(ModelSpec.parse(spec), url, body)
    assert (found and found.host) == broker


@pytest.mark.parametrize(
    ("body", "headers", "provider"),
    [
        ({"provider": "Together"}, {}, "Together"),
        ({"provider": {"name": "Together"}}, {}, None),
        ({"provider": ""}, {}, None),
        ({}, {"x-inference-provider": "novita"}, "novita"),
        ({}, {"x-litellm-model-api-base": "https://api.fireworks.ai/inference/v1"},
         "api.fireworks.ai"),
        ({}, {"x-litellm-model-api-base": "http://u:secret@10.0.0.1:8000/v1"}, "10.0.0.1:8000"),
        ({}, {"x-litellm-model-api-base": "nonsense"}, None),
        ({}, {}, None),
    ],
)  # fmt: skip
def test_what_a_reply_says(
    body: dict[str, Any], headers: dict[str, str], provider: str | None
) -> None:
    """In its body, or in a header; of an address the host alone."""
    assert provider_of(body, headers) == provider
