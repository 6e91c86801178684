"""The plan's ranges of tokens and dollars."""

import pytest

from eibench.core.spending.prices import (
    Beyond,
    CallPlan,
    Price,
    Range,
    cost,
    cost_range,
    dollars,
    format_range,
    output_tokens,
    plan_calls,
    request_tokens,
    total_tokens,
)
from eibench.core.types import ChatRequest, Message, Sampling, Usage


def _request(text: str, max_tokens: int | None = 1000) -> ChatRequest:
    return ChatRequest((Message("user", text),), Sampling(max_tokens=max_tokens))


def test_input_is_between_four_characters_and_two_bytes_per_token() -> None:
    """English: 1 to 2 tokens for 4 letters; Chinese: three bytes a character widen the range."""
    assert request_tokens(_request("abcd")) == Range(1.0, 2.0)
    assert request_tokens(_request("情绪理解")) == Range(1.0, 6.0)


@pytest.mark.parametrize(
    ("limit", "expected"), [(1000, Range(50, 1000)), (10, Range(10, 10)), (None, Range(50, 4096))]
)
def test_output_is_between_a_short_answer_and_its_limit(limit: int | None, expected: Range) -> None:
    """50 tokens to max_tokens; never low above high; 4,096 where there is no limit."""
    assert output_tokens(limit) == expected


def test_a_plan_takes_unknown_requests_to_be_like_the_known_ones() -> None:
    """The mean of the sample stands for all calls."""
    plan = plan_calls([_request("a" * 400, 100), _request("a" * 1200, 300)], 10)
    assert plan == CallPlan(10, Range(200.0, 400.0), Range(50.0, 200.0))


def test_a_plan_without_any_request_is_refused() -> None:
    """Nothing to go by is an error, not a range from 0 to 0."""
    with pytest.raises(ValueError, match="at least one"):
        plan_calls([], 10)


def test_tokens_and_dollars_add_up_over_plans() -> None:
    """Two kinds of calls: their tokens and their costs are summed."""
    plans = [CallPlan(10, Range(100, 200), Range(50, 100)), CallPlan(1, Range(0, 0), Range(5, 5))]
    assert total_tokens(plans) == (Range(1000, 2000), Range(505, 1005))
    # low 1000 x 2 + 505 x 8 = 6040, high 2000 x 2 + 1005 x 8 = 12040 millionths
    found = cost_range(plans, Price(2.0, 8.0))
    assert found.low == pytest.approx(0.00604)
    assert found.high == pytest.approx(0.01204)


def test_the_high_end_counts_cache_writes_and_long_inputs() -> None:
    """Each at its own rate, so that the range is not too low."""
    price = Price(3.0, 15.0, cache_write=3.75, beyond=Beyond(150, Price(6.0, 20.0)))
    plan = CallPlan(1, Range(100, 200), Range(10, 10))
    found = cost_range([plan], price)
    assert found.low == pytest.approx(cost(Usage(input=100, output=10), price))
    assert found.high == pytest.approx(cost(Usage(input=200, output=10), price))
    near = CallPlan(1, Range(100, 120), Range(10, 10))
    assert cost_range([near], price).high == pytest.approx((120 * 3.75 + 10 * 15) / 1e6)


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0.0, "$0"), (0.1234, "$0.12"), (12.5, "$12.50"), (1234.5, "$1,234.50"), (0.012, "$0.012"),
     (0.00004, "$0.000040"), (0.0999, "$0.100"), (1e-9, "under $0.000001")],
)  # fmt: skip
def test_dollars_are_readable(amount: float, text: str) -> None:
    """Cents from ten cents on, two digits below."""
    assert dollars(amount) == text


@pytest.mark.parametrize(
    ("cost", "text"),
    [(Range(0.12, 0.8), "$0.12 to $0.80"), (Range(0, 0), "$0"), (Range(0.121, 0.122), "$0.12"),
     (None, "an unknown price")],
)  # fmt: skip
def test_a_range_is_readable(cost: Range | None, text: str) -> None:
    """Both ends, one of them where they read the same, and unknown in words."""
    assert format_range(cost) == text
