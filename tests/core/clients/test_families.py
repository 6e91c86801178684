"""Which models are kin."""

import pytest

from eibench.core.clients.families import family, kinship
from eibench.core.endpoints.providers import ModelSpec


@pytest.mark.parametrize(
    ("names", "maker"),
    [
        ("openai/gpt-4.1 openai/o3 openai/o4-mini openai/chatgpt-4o-latest openai/gpt4o", "openai"),
        ("litellm/azure/gpt-4o openai/openai/gpt-oss-120b", "openai"),
        ("anthropic/claude-sonnet-4 litellm/bedrock/anthropic.claude-3-haiku", "anthropic"),
        ("litellm/gemini/gemini-2.5-pro openai/google/gemma-3-27b-it openai/gemma2:9b", "google"),
        ("openai/meta-llama/Llama-3.1-8B-Instruct openai/llama3.2 openai/Hermes-3-Llama", "meta"),
        ("openai/Mixtral-8x7B openai/ministral-3b openai/mistralai/Magistral-Small", "mistral"),
        ("openai/Qwen/Qwen2.5-7B openai/qwq-32b openai/qwen3:8b", "alibaba"),
        ("openai/deepseek-ai/DeepSeek-R1", "deepseek"),
        ("openai/x-ai/grok-4", "xai"),
        ("openai/phi-4 openai/microsoft/Phi-3-mini", "microsoft"),
        ("openai/moonshotai/kimi-k2", "moonshot"),
        ("openai/THUDM/glm-4-9b openai/glm4", "zhipu"),
    ],
)
def test_a_family_is_told_from_the_name_as_makers_name_models(names: str, maker: str) -> None:
    """Whoever serves it."""
    assert {family(ModelSpec.parse(name)) for name in names.split()} == {maker}


def test_an_unknown_name_s_first_word_is_its_family() -> None:
    """Two sizes of one's own model are kin."""
    small, large, other = (
        ModelSpec.parse(f"openai/{name}") for name in ("acme-7b", "org/acme-70b", "zeta-7b")
    )
    assert family(small) == family(large) == "acme"
    assert kinship(small, large) is not None
    assert kinship(small, other) is None


def test_kinship_names_the_judge_and_why() -> None:
    """The model itself, another of its family, a stranger."""
    model = ModelSpec.parse("openai/gpt-4.1")
    assert "the model itself" in str(kinship(model, model))
    assert "(openai)" in str(kinship(model, ModelSpec.parse("litellm/azure/o3")))
    assert kinship(model, ModelSpec.parse("anthropic/claude-opus-4")) is None


def test_demo_models_are_not_kin_to_their_judge() -> None:
    """Else every first run would begin with a warning."""
    assert kinship(ModelSpec.parse("demo/medium"), ModelSpec.parse("demo/judge")) is None
