"""What a call costs, and the bound of what it can cost."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eibench.core.errors import UsageError
from eibench.core.spending.prices import (
    Beyond,
    Price,
    cost,
    input_bound,
    known_cost,
    upper_bound,
)
from eibench.core.types import ChatRequest, ChatResponse, Message, Sampling, Usage

GPT = Price(2.0, 8.0, cached_input=0.5)
CLAUDE = Price(3.0, 15.0, cached_input=0.3, cache_write=3.75)
LONG = Price(1.25, 10.0, beyond=Beyond(1000, Price(2.5, 15.0)))


@pytest.mark.parametrize(
    ("usage", "price", "dollars"),
    [
        # 1000 x 2 + 100 x 8 = 2800 millionths
        (Usage(input=1000, output=100), GPT, 0.0028),
        # (1000 - 400) x 2 + 400 x 0.5 + 100 x 8 = 2200
        (Usage(input=1000, cached=400, output=100), GPT, 0.0022),
        # thinking is in the output already: 1000 x 2 + 100 x 8
        (Usage(input=1000, output=100, reasoning=80), GPT, 0.0028),
        # 500 x 3 + 300 x 0.3 + 200 x 3.75 + 10 x 15 = 1500 + 90 + 750 + 150
        (Usage(input=1000, cached=300, cache_write=200, output=10), CLAUDE, 0.00249),
        # no rates for the cache: all input at 2
        (Usage(input=1000, cached=300, cache_write=200), Price(2.0, 8.0), 0.002),
        # at the step the plain price holds, beyond it the dearer one, for the whole call
        (Usage(input=1000, output=1), LONG, 0.00126),
        (Usage(input=1001, output=1), LONG, 0.0025175),
        (Usage(), GPT, 0.0),
    ],
)
def test_a_call_costs_its_tokens_at_their_rates(usage: Usage, price: Price, dollars: float) -> None:
    """Plain, cached and written input and output each count once, at their own rate."""
    assert cost(usage, price) == pytest.approx(dollars, abs=1e-12)


def test_cache_counts_beyond_the_input_do_not_make_it_cheaper() -> None:
    """A server that counts more cached tokens than input has all its input cached, not more."""
    assert cost(Usage(input=100, cached=500, cache_write=50), CLAUDE) == pytest.approx(3e-5)


@pytest.mark.parametrize("rate", [-1.0, math.nan, math.inf, 1e308])
def test_a_price_that_is_no_price_is_refused(rate: float) -> None:
    """Negative, infinite, undefined and senseless rates cannot be made into a price."""
    with pytest.raises(ValueError, match="a price is a number from 0 to"):
        Price(1.0, 1.0, cache_write=rate)


@pytest.mark.parametrize(
    ("response", "dollars"),
    [
        (ChatResponse("yes", usage=Usage(input=1000, output=100)), 0.0028),
        (ChatResponse("", usage=Usage(input=1000)), 0.002),
        (ChatResponse("yes"), None),
        (ChatResponse("yes", usage=Usage(input=1000)), None),
        (ChatResponse("", "hm", usage=Usage(input=1000)), None),
        (ChatResponse("yes", usage=Usage(output=10)), None),
    ],
)
def test_a_cost_is_unknown_where_the_server_did_not_count(
    response: ChatResponse, dollars: float | None
) -> None:
    """No usage, or only half of it, is an unknown cost and not a cost of 0."""
    assert known_cost(response, GPT) == (dollars and pytest.approx(dollars))


def test_a_free_call_costs_nothing_counted_or_not() -> None:
    """What is free needs no count, and no limit of the reply."""
    free = Price(0.0, 0.0)
    assert known_cost(ChatResponse("yes"), free) == 0.0
    assert upper_bound(ChatRequest((Message("user", "hi"),)), free) == 0.0


def _request(*texts: str, **sampling: object) -> ChatRequest:
    messages = tuple(Message("user", text) for text in texts)
    return ChatRequest(messages, Sampling(**{"max_tokens": 100, **sampling}))  # type: ignore[arg-type]


def test_the_bound_counts_bytes_messages_and_the_longest_reply() -> None:
    """Bytes + 16 a message + 64 at the input's rate, max_tokens at the output's."""
    request = _request("abc", "größe")  # 3 + 7 bytes, 2 messages
    assert input_bound(request) == 3 + 7 + 2 * 16 + 64
    # 106 x 2 + 100 x 8 = 1012 millionths
    assert upper_bound(request, GPT) == pytest.approx(0.001012)


def test_the_bound_takes_the_dearest_input_rate() -> None:
    """All input may turn out to be written to a cache."""
    # (4 + 16 + 64) x 3.75 + 100 x 15 = 1815 millionths
    assert upper_bound(_request("four"), CLAUDE) == pytest.approx(0.001815)


def test_the_bound_of_a_long_input_takes_its_rates() -> None:
    """If the input may be beyond the step, the dearer rates count."""
    # (1000 + 80) x 2.5 + 100 x 15
    assert upper_bound(_request("x" * 1000), LONG) == pytest.approx(0.0042)
    # (900 + 80) x 1.25 + 100 x 10
    assert upper_bound(_request("x" * 900), LONG) == pytest.approx(0.002225)


def test_what_may_be_put_into_the_prompt_counts() -> None:
    """A JSON schema and further fields make the bound larger by at least their bytes."""
    plain = input_bound(_request("hi"))
    assert input_bound(_request("hi", json_schema={"type": "object"})) >= plain + 17
    assert input_bound(_request("hi", extra_body={"top_k": 40})) >= plain + 12


def test_a_request_without_a_reply_limit_has_no_bound() -> None:
    """Without --max-tokens nothing bounds the cost: the error names the option."""
    with pytest.raises(UsageError, match="--max-tokens"):
        upper_bound(_request("hi", max_tokens=None), GPT)


@pytest.mark.parametrize("name", ["n", "best_of", "max_tokens", "service_tier", "tools"])
def test_fields_that_multiply_the_cost_have_no_bound(name: str) -> None:
    """More replies, another limit, tier or tool would make the bound a lie: refused by name."""
    with pytest.raises(UsageError, match=rf"what {name} of --extra-body costs"):
        upper_bound(_request("hi", extra_body={name: 5}), GPT)


RATES = st.floats(0, 100)


@given(
    text=st.text(max_size=200),
    rates=st.tuples(RATES, RATES, RATES, RATES),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)),
    limit=st.integers(1, 10_000),
)
def test_no_usage_within_the_limits_costs_more_than_the_bound(
    text: str,
    rates: tuple[float, float, float, float],
    shares: tuple[float, float, float, float],
    limit: int,
) -> None:
    """Whatever is cached, written or thought: at most a token per byte, and the bound holds."""
    price = Price(*rates, beyond=Beyond(100, Price(rates[0] + 1, rates[1] + 1)))
    request = _request(text, max_tokens=limit)
    tokens = int(shares[0] * input_bound(request))
    cached = int(shares[1] * tokens)
    written = int(shares[2] * (tokens - cached))
    usage = Usage(tokens, cached, written, int(shares[3] * limit))
    assert cost(usage, price) <= upper_bound(request, price) + 1e-12


def test_a_lone_surrogate_has_a_bound_too() -> None:
    """Text that is not valid Unicode, as models return it, does not break the count."""
    assert input_bound(_request("\ud83d")) >= 64 + 16
