"""Prices read from the map of the installed litellm, without importing it."""

import hashlib
import subprocess
import sys
from typing import Any

import pytest

from eibench import JsonDict
from eibench.core.parties.providers import ModelSpec
from eibench.core.spending.prices import Price
from eibench.plugins.litellm.prices import listed_price, map_file, price_of

pytestmark = pytest.mark.skipif(map_file() is None, reason="litellm is not installed")


def _price(spec: str) -> Price | None:
    return listed_price(ModelSpec.parse(spec))


def _rates(price: Price | None) -> tuple[float | None, ...] | None:
    if price is None:
        return None
    return price.input, price.output, price.cached_input, price.cache_write


@pytest.mark.parametrize(
    ("spec", "rates"),
    [  # by hand from the file of litellm 1.106.2, dollars per token x 1,000,000
        ("openai/gpt-4.1", (2.0, 8.0, 0.5, None)),
        ("anthropic/claude-sonnet-4-5", (3.0, 15.0, 0.3, 3.75)),
        ("litellm/openai/gpt-4.1", (2.0, 8.0, 0.5, None)),
        ("litellm/anthropic/claude-sonnet-4-5", (3.0, 15.0, 0.3, 3.75)),
        ("litellm/gemini/gemini-2.5-pro", (1.25, 10.0, 0.125, None)),
        ("openai/ft:gpt-4.1-2025-04-14:org:name:id", (3.0, 12.0, 0.75, None)),
    ],
)
def test_a_model_has_its_rates_per_million(spec: str, rates: tuple[float | None, ...]) -> None:
    """The map's dollars per token become ours per million, under each way to write the model."""
    assert _rates(_price(spec)) == rates


def test_a_long_input_has_its_own_rates() -> None:
    """gemini-2.5-pro: 2.50 and 15 beyond 200,000 tokens of input."""
    price = _price("litellm/gemini/gemini-2.5-pro")
    assert price is not None
    assert price.beyond is not None
    assert price.beyond.tokens == 200_000
    assert _rates(price.beyond.price) == (2.5, 15.0, 0.25, None)


@pytest.mark.parametrize(
    "spec",
    [
        "openai/no-such-model",
        "anthropic/claude-3-7-sonnet-20250219",  # retired, and gone from the map
        "openai/claude-sonnet-4-5",  # another provider's
        "anthropic/gpt-4.1",
        "acme/gpt-4.1",
        "litellm/acme/gpt-4.1",
        "litellm/acme/gemini/gemini-2.5-pro",
        "litellm/openrouter/openai/gpt-4.1",
        "openai/sample_spec",
        "openai/text-embedding-3-small",  # no chat model
        "litellm/ollama/llama3",  # a zero
        "litellm/perplexity/sonar",  # a fee per search
        "openai/gpt-4o-search-preview",
        "litellm/dashscope/qwen-turbo",  # thinking at another rate
    ],
)
def test_what_the_map_does_not_tell_is_unknown(spec: str) -> None:
    """Unknown models, other providers' models and prices that are not all have none."""
    assert _price(spec) is None


@pytest.mark.parametrize(
    "change",
    [
        {"input_cost_per_token": 0.0},
        {"output_cost_per_token": None},
        {"input_cost_per_request": 0.005},
        {"tiered_pricing": []},
        {"output_cost_per_reasoning_token": 9e-6},
        {"mode": "embedding"},
    ],
)
def test_an_entry_that_is_not_the_whole_price_gives_none(change: dict[str, Any]) -> None:
    """A fee, a missing figure or another rate for thinking: no price, not a wrong one."""
    entry: JsonDict = {"mode": "chat", "input_cost_per_token": 2e-6, "output_cost_per_token": 8e-6}
    assert _rates(price_of(entry, "here")) == (2.0, 8.0, None, None)
    assert price_of({**entry, **change}, "here") is None


def test_cache_rates_that_cannot_be_are_left_out() -> None:
    """A zero, or writing for less than reading, is no rate: the input's holds."""
    entry: JsonDict = {"mode": "chat", "input_cost_per_token": 2e-6, "output_cost_per_token": 8e-6,
             "cache_read_input_token_cost": 0.0,
             "cache_creation_input_token_cost": 1e-6}  # fmt: skip
    assert _rates(price_of(entry, "here")) == (2.0, 8.0, None, None)


def test_the_source_names_version_and_blob() -> None:
    """The source is exact enough to find the file again in litellm's history."""
    price, path = _price("openai/gpt-4.1"), map_file()
    assert price is not None
    assert path is not None
    version, _, blob = price.source.removeprefix("litellm ").partition(" offline map, blob ")
    assert version[0].isdigit()
    content = path.read_bytes()
    assert blob == hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def test_no_price_imports_litellm() -> None:
    """Looking a price up loads no module of litellm and opens no socket."""
    code = (
        "import sys\n"
        "def no_socket(event, args):\n"
        "    assert not event.startswith('socket.'), event\n"
        "sys.addaudithook(no_socket)\n"
        "from eibench.plugins.litellm.prices import listed_price\n"
        "from eibench.core.parties.providers import ModelSpec\n"
        "assert listed_price(ModelSpec('openai', 'gpt-4.1'))\n"
        "assert not [m for m in sys.modules if m.startswith(('litellm', 'openai'))]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
