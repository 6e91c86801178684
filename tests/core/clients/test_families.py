"""Which models are kin."""

from collections.abc import Iterator

import pytest

from eibench.core.clients.families import common_family, family, kinship, stated
from eibench.core.parties.providers import ModelSpec


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


@pytest.mark.parametrize(
    "names",
    [
        "openai/m055-ft openai/m040-base",
        "openai/run1-ck200 openai/run2-ck200",
        "openai/lora-1 openai/lora-2",
        "openai/my-model-7b openai/my-model-70b",
    ],
)
def test_no_family_is_made_of_a_name_that_nobody_knows(names: str) -> None:
    """Names of one's own models begin alike by chance."""
    one, other = map(ModelSpec.parse, names.split())
    assert family(one) is None
    assert kinship(one, other) is None
    assert common_family(one, other) is None


def test_a_model_is_its_own_kin_whoever_serves_it() -> None:
    """By its name."""
    one, other = ModelSpec.parse("openai/m055-ft"), ModelSpec.parse("litellm/hosted/M055-ft")
    assert "(m055-ft)" in str(kinship(one, other))


@pytest.fixture
def families() -> Iterator[None]:
    """What a file states."""
    token = stated.set({"Acme-*": "acme", "acme-by-llama": "meta", "openai/gpt-x*": "copies"})
    yield
    stated.reset(token)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai/acme-7b", "acme"),
        ("openai/org/ACME-70b", "acme"),
        ("openai/acme-llama", "acme"),  # before the makers' names
        ("openai/acme-by-llama", "meta"),  # a name before a pattern
        ("openai/gpt-x-small", "copies"),
        ("litellm/azure/gpt-x-small", "openai"),
        ("openai/zeta-7b", None),
    ],
)
@pytest.mark.usefixtures("families")
def test_a_stated_family_goes_first(name: str, expected: str | None) -> None:
    """By the whole spec, the name, or its end; a name before a pattern."""
    assert family(ModelSpec.parse(name)) == expected


def test_kinship_names_the_judge_and_why() -> None:
    """The model itself, another of its family, a stranger."""
    model = ModelSpec.parse("openai/gpt-4.1")
    assert "the model itself" in str(kinship(model, model))
    assert "(openai)" in str(kinship(model, ModelSpec.parse("litellm/azure/o3")))
    assert kinship(model, ModelSpec.parse("anthropic/claude-opus-4")) is None


def test_demo_models_are_not_kin_to_their_judge() -> None:
    """Else every first run would begin with a warning."""
    assert kinship(ModelSpec.parse("demo/medium"), ModelSpec.parse("demo/judge")) is None
