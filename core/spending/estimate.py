"""The plan before a run: tokens and a range of dollars. An estimate, no promise.

Low: 4 characters per token and short answers. High: 2 bytes per token, answers as
long as they may get, cache writes at their rate. Re-asks and failed attempts are
in neither; what bounds a command's cost is `budget`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10

from ..types import ChatRequest
from .prices import Price

CHARACTERS_PER_TOKEN = 4
BYTES_PER_TOKEN = 2
SHORT_ANSWER = 50
"""Tokens of a short answer: four ratings, or a verdict's line."""
LONG_ANSWER = 4096
"""Tokens of a long answer where no limit is set."""
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`."""

    low: float
    high: float

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)

    def __mul__(self, factor: float) -> "Range":
        return Range(self.low * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class CallPlan:
    """Calls of one kind.

    Attributes:
        calls: How many.
        input: Tokens of one call's input.
        output: Tokens of one call's output.
    """

    calls: int
    input: Range
    output: Range


def request_tokens(request: ChatRequest) -> Range:
    """How many tokens a request's input has, about."""
    texts = [message.content for message in request.messages]
    size = sum(len(text.encode(errors="replace")) for text in texts)
    return Range(sum(map(len, texts)) / CHARACTERS_PER_TOKEN, size / BYTES_PER_TOKEN)


def output_tokens(max_tokens: int | None) -> Range:
    """How many tokens a reply has, about."""
    high = LONG_ANSWER if max_tokens is None else max_tokens
    return Range(min(SHORT_ANSWER, high), high)


def plan_calls(requests: Sequence[ChatRequest], calls: int) -> CallPlan:
    """A plan for `calls` calls of which some requests are known; the others are like them.

    Args:
        requests: A fair sample of the requests, at least one.
        calls: How many there will be.

    Raises:
        ValueError: No request is given.
    """
    if not requests:
        raise ValueError("a plan needs at least one request to go by")
    share = 1 / len(requests)
    inputs = sum((request_tokens(r) for r in requests), Range(0, 0)) * share
    outputs = sum((output_tokens(r.sampling.max_tokens) for r in requests), Range(0, 0)) * share
    return CallPlan(calls, inputs, outputs)


def total_tokens(plans: Iterable[CallPlan]) -> tuple[Range, Range]:
    """Input and output tokens of all calls."""
    inputs = outputs = Range(0, 0)
    for plan in plans:
        inputs += plan.input * plan.calls
        outputs += plan.output * plan.calls
    return inputs, outputs


def cost_range(plans: Iterable[CallPlan], price: Price) -> Range:
    """Dollars for all calls of one model."""
    return sum((_cost(plan, price) * plan.calls for plan in plans), Range(0, 0))


def _cost(plan: CallPlan, price: Price) -> Range:
    cheap, dear = price.at(int(plan.input.low)), price.at(int(plan.input.high))
    return Range(
        (plan.input.low * cheap.input + plan.output.low * cheap.output) / _MILLION,
        (plan.input.high * dear.dearest_input + plan.output.high * dear.output) / _MILLION,
    )


def dollars(amount: float) -> str:
    """An amount as people read it: cents, or two digits where it is less than 10 cents."""
    if amount == 0:
        return "$0"
    if amount < 1e-6:
        return "under $0.000001"
    places = 2 if amount >= 0.1 else 1 - floor(log10(amount))
    return f"${amount:,.{places}f}"


def format_range(cost: Range | None) -> str:
    """A cost range as the plan shows it: ``$0.12 to $0.80``; ``None`` is unknown."""
    if cost is None:
        return "an unknown price"
    low, high = dollars(cost.low), dollars(cost.high)
    return low if low == high else f"{low} to {high}"
