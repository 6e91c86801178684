"""A price with its source, what a call cost by it, and what one can cost at most.

Where prices come from is the business of `book`. All are for the standard
service tier, but for those that the user gives.

A plan gives tokens and a range of dollars: an estimate, no promise. Low: 4 characters per token
and short answers. High: 2 bytes per token, answers as long as they may get, cache writes at
their rate. Re-asks and failed attempts are in neither; what bounds a cost is `budget`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import floor, isfinite, log10
from typing import NamedTuple

from ..errors import UsageError
from ..types import ChatRequest, ChatResponse, Usage, canonical

PER_MESSAGE = 16
"""Tokens that a chat template may add to a message: its role and its markers."""
PER_REQUEST = 64
"""Tokens that it may add once: start of text, a default preamble, the reply's header."""
FOR_SCHEMA = 512
"""Tokens of the instructions that a provider may add around a JSON schema."""
#: Fields of ``--extra-body`` that make a request cost more than its text and --max-tokens say.
UNBOUNDED = frozenset(
    {"n", "best_of", "max_tokens", "max_completion_tokens", "max_output_tokens"}  # the output
    | {"messages", "prompt", "documents", "tools"}  # the input
    | {"functions", "plugins", "prediction"}  # likewise
    | {"web_search", "web_search_options", "audio", "modalities"}  # fees
    | {"model", "models"}  # the rates
)
TIERS = frozenset({"service_tier", "speed", "inference_geo"})
"""Fields of it that change the rates alone: with a price that the user has given, it holds."""
_MILLION = 1_000_000


class Beyond(NamedTuple):
    """The dearer price of calls with a long input."""

    tokens: int
    """It holds for calls with more input tokens than this."""
    price: "Price"


MOST = 1e9
"""Dollars per million tokens; a larger price is a slip, and sums of it would be no numbers."""


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens.

    Attributes:
        input: Of tokens that are neither read from a cache nor written to one.
        output: Thinking included.
        cached_input: ``None`` where unknown, like `cache_write`: then as `input`.
        valid_from: ISO date from which on they are known to hold; empty where unknown.
        beyond: What calls with a long input cost, if that differs.
        stated: By the user, so it is that of whatever service tier is asked for.
    """

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None
    source: str = ""
    valid_from: str = ""
    beyond: Beyond | None = None
    stated: bool = False

    def __post_init__(self) -> None:
        rates = (self.input, self.output, self.cached_input or 0.0, self.cache_write or 0.0)
        if not all(isfinite(rate) and 0 <= rate <= MOST for rate in rates):
            raise ValueError(f"a price is a number from 0 to {MOST:,.0f}, not {rates}")

    @property
    def dearest_input(self) -> float:
        """The highest rate that an input token can have."""
        return max(self.input, self.cached_input or 0.0, self.cache_write or 0.0)

    @property
    def free(self) -> bool:
        """Whether no call can cost anything."""
        longer = self.beyond is None or self.beyond.price.free
        return longer and not (self.dearest_input or self.output)

    @property
    def halved(self) -> "Price":
        """That of batches: half of each rate."""

        def half(rate: float | None) -> float | None:
            return None if rate is None else rate / 2

        longer = self.beyond and Beyond(self.beyond.tokens, self.beyond.price.halved)
        rates = (half(self.cached_input), half(self.cache_write))
        source = f"{self.source}, half as a batch" if self.source else ""
        return replace(
            self, input=self.input / 2, output=self.output / 2, cached_input=rates[0],
            cache_write=rates[1], source=source, beyond=longer,
        )  # fmt: skip

    def at(self, input_tokens: int) -> "Price":
        """The rates of a call with that many input tokens."""
        if self.beyond is None or input_tokens <= self.beyond.tokens:
            return self
        return self.beyond.price.at(input_tokens)


def cost(usage: Usage, price: Price) -> float:
    """Dollars for the tokens of a call.

    `Usage.input` includes tokens read from and written to a cache, `Usage.output` includes
    thinking; a cache count that exceeds the input it is part of is cut to it.
    """
    rates = price.at(usage.input)
    cached = min(usage.cached, usage.input)
    written = min(usage.cache_write, usage.input - cached)
    cached_rate = rates.input if rates.cached_input is None else rates.cached_input
    write_rate = rates.input if rates.cache_write is None else rates.cache_write
    tokens_in = (usage.input - cached - written) * rates.input
    return (tokens_in + cached * cached_rate + written * write_rate
            + usage.output * rates.output) / _MILLION  # fmt: skip


def known_cost(response: ChatResponse, price: Price) -> float | None:
    """Dollars for a reply; ``None`` when the server did not count the tokens it bills.

    Every prompt has tokens and so has every answer, so a zero there is no count.
    """
    if price.free:
        return 0.0
    usage, words = response.usage, response.text or response.reasoning
    counted = usage.input > 0 and (usage.output > 0 or not words)
    return cost(usage, price) if counted else None


def input_bound(request: ChatRequest) -> int:
    """The most tokens that a request's input can have; see `upper_bound`."""
    sampling = request.sampling
    sizes = [len(m.content.encode(errors="replace")) + PER_MESSAGE for m in request.messages]
    if sampling.json_schema is not None:
        sizes.append(len(canonical(sampling.json_schema).encode()) + FOR_SCHEMA)
    if sampling.extra_body is not None:
        sizes.append(len(canonical(sampling.extra_body).encode()))
    return sum(sizes) + PER_REQUEST


def upper_bound(request: ChatRequest, price: Price) -> float:
    """The most dollars that one attempt of a request can cost, known before it is sent.

    Why it is a bound: a tokeniser splits the bytes of a text, and a token holds at least
    one of them, so there are at most as many tokens as UTF-8 bytes. A provider's chat
    template adds tokens that are not in the request: a role and markers per message, at
    times a preamble. They are declared to be at most 16 per message and 64 per request;
    should a template add more, the bytes that ordinary text has beyond its tokens (4 to
    1 in English, 2 to 1 and more elsewhere) still cover it in all but the shortest prompts.
    A JSON schema and ``extra_body`` may be put into the prompt, so they count too. The
    output ends at ``max_tokens``, thinking included. Every input token is counted at the
    dearest rate it can have (plain, read from or written to a cache), and at that of long
    inputs if the bound reaches so far.

    It does not hold for a tokeniser that lengthens a text first (NFKC makes one ligature
    into 18 letters), nor for a server that ignores ``max_tokens``.

    Raises:
        UsageError: Nothing bounds the length of the reply, or ``--extra-body`` asks for
            something whose cost does not follow from the tokens of one text and one reply.
    """
    if price.free:
        return 0.0
    _check_bounded(request, price)
    tokens = input_bound(request)
    replies = request.sampling.max_tokens or 0
    highest, rates = 0.0, price
    while True:
        dollars = (tokens * rates.dearest_input + replies * rates.output) / _MILLION
        highest = max(highest, dollars)
        if rates.beyond is None or tokens <= rates.beyond.tokens:
            return highest
        rates = rates.beyond.price


def _check_bounded(request: ChatRequest, price: Price) -> None:
    sampling = request.sampling
    if sampling.max_tokens is None:
        raise UsageError(
            "--max-cost needs to know how long a reply can get; give --max-tokens N too"
        )
    asked = set(sampling.extra_body or ())
    if unbounded := sorted(UNBOUNDED & asked):
        raise UsageError(
            f"--max-cost cannot tell what {unbounded[0]} of --extra-body costs; "
            "leave one of the two out"
        )
    if (tier := sorted(TIERS & asked)) and not price.stated:
        raise UsageError(
            f"--max-cost cannot tell what {tier[0]} of --extra-body costs; give its price with "
            "--price IN,OUT or in bench.toml"
        )


CHARACTERS_PER_TOKEN = 4
BYTES_PER_TOKEN = 2
SHORT_ANSWER = 50
"""Tokens of a short answer: four ratings, or a verdict's line."""
LONG_ANSWER = 4096
"""Tokens of a long answer where no limit is set."""


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
    """Calls of one kind, with the tokens of one of them."""

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
    """A plan for `calls` calls like the requests, a fair sample of them.

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
    digits = 2 if amount >= 0.1 else 1 - floor(log10(amount))
    return f"${amount:,.{digits}f}"


def exact_dollars(amount: float) -> str:
    """An amount that was spent, as the end of a result has it."""
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${amount:.4f}"


def format_range(cost: Range | None) -> str:
    """A cost range as the plan shows it: ``$0.12 to $0.80``; ``None`` is unknown."""
    if cost is None:
        return "an unknown price"
    low, high = dollars(cost.low), dollars(cost.high)
    return low if low == high else f"{low} to {high}"
