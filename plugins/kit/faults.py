"""Everything that a provider does wrong, by name.

A `Fault` takes the place of an answer: a request that meets one never reaches
the responder, so a script of replies loses nothing to it. Faults come in three
sorts: error statuses (`ERRORS`, with each dialect's own body), answers that are
not good (`ANSWERS`), and everything else: odd bodies and broken connections.
`fault_plan` turns what the server was given into one decision per request.
"""

import math
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import NamedTuple

from eibench import JsonDict

from .replies import Answer, render_answer, render_json
from .wire import Delivery, ReceivedRequest, Response


class _Error(NamedTuple):
    status: int
    type: str
    code: str | None
    message: str
    param: str | None = None
    anthropic_type: str | None = None  # where it is not `type`
    anthropic_status: int | None = None  # where it is not `status`


_LIMITED = _Error(429, "rate_limit_error", "rate_limit_exceeded", "Rate limit reached.")
ERRORS: Mapping[str, _Error] = {
    "429": _LIMITED,
    "429-retry-after": _LIMITED,
    "429-retry-after-ms": _LIMITED,
    "quota": _Error(
        429,
        "insufficient_quota",
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details.",
        anthropic_type="billing_error",
        anthropic_status=402,
    ),
    "500": _Error(500, "server_error", None, "Internal error.", anthropic_type="api_error"),
    "502": _Error(502, "server_error", None, "Bad gateway.", anthropic_type="api_error"),
    "529": _Error(529, "overloaded_error", None, "Overloaded."),
    "401": _Error(
        401,
        "invalid_request_error",
        "invalid_api_key",
        "Incorrect API key provided: {key}.",
        anthropic_type="authentication_error",
    ),
    "403": _Error(403, "permission_error", None, "Your key may not use the model {model}."),
    "404": _Error(
        404,
        "invalid_request_error",
        "model_not_found",
        "The model {model} does not exist.",
        anthropic_type="not_found_error",
    ),
    "400": _Error(400, "invalid_request_error", None, "The request is invalid."),
    "400-temperature": _Error(
        400,
        "invalid_request_error",
        "unsupported_value",
        "Unsupported value: 'temperature' does not support {temperature} with this model."
        " Only the default (1) value is supported.",
        "temperature",
    ),
    "context": _Error(
        400,
        "invalid_request_error",
        "context_length_exceeded",
        "prompt is too long: this model's maximum context length is 8192 tokens.",
        "messages",
    ),
    "400-content-filter": _Error(
        400,
        "invalid_request_error",
        "content_filter",
        "Output blocked by content filtering policy.",
    ),
}
ANSWERS: Mapping[str, Answer] = {
    "empty": Answer(""),
    "null-content": Answer(None),
    "length": Answer("An answer that ran out of", finish="length"),
    "refusal": Answer(None, finish="refusal", refusal="I can't help with that."),
}
DELIVERIES: Mapping[str, Delivery] = {
    "hang": Delivery.NEVER,
    "trickle": Delivery.TRICKLE,
    "drop": Delivery.DROP,
    "drop-mid": Delivery.HALF,
    "endless": Delivery.ENDLESS,
}
#: Every name that `Fault` takes.
FAULT_KINDS = (
    *(*ERRORS, *ANSWERS, *DELIVERIES),
    *("html", "truncated", "empty-object", "error-200", "gzip-bomb"),
)
_BOMB_MB = 200


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong, in place of an answer.

    Attributes:
        kind: One of `FAULT_KINDS`.
        retry_after: Seconds asked for by the two `429-retry-after` kinds.
        pause: Seconds between two bytes of a trickle.
        message: Overrides the text of an error status.
        status: Overrides the status itself.

    Raises:
        ValueError: There is no such kind.
    """

    kind: str
    retry_after: float = 1.0
    pause: float = 0.1
    message: str | None = None
    status: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in FAULT_KINDS:
            raise ValueError(f"no fault {self.kind!r}; there are: {', '.join(FAULT_KINDS)}")


FaultPlan = Callable[[ReceivedRequest], str | Fault | None]
Faults = Mapping[str, float] | Mapping[Fault, float] | FaultPlan


def as_fault(fault: str | Fault) -> Fault:
    """The fault of that name with its defaults; a `Fault` as it is."""
    return Fault(fault) if isinstance(fault, str) else fault


def fail_first(fault: str | Fault, attempts: int = 1) -> FaultPlan:
    """A plan in which the first attempts of each prompt fail, for each model apart."""
    seen: Counter[tuple[str, str]] = Counter()

    def plan(request: ReceivedRequest) -> Fault | None:
        seen[request.model, request.prompt] += 1
        return as_fault(fault) if seen[request.model, request.prompt] <= attempts else None

    return plan


def fault_plan(faults: Faults, seed: int) -> FaultPlan:
    """One decision per request: the given plan, or a seeded draw in order of arrival.

    Raises:
        ValueError: A kind is unknown, or the numbers are not probabilities.
    """
    if callable(faults):
        return faults
    kinds = [as_fault(fault) for fault in faults]
    bounds = list(accumulate(faults.values()))
    if any(not p >= 0 for p in faults.values()) or (bounds and bounds[-1] > 1 + 1e-9):
        raise ValueError(f"not probabilities, or more than 1 together: {dict(faults)}")
    rng = Random(seed)

    def plan(request: ReceivedRequest) -> Fault | None:
        i = bisect_right(bounds, rng.random())
        return kinds[i] if i < len(kinds) else None

    return plan if kinds else lambda request: None


def render_fault(fault: Fault, request: ReceivedRequest) -> Response:
    """What the server sends for the fault, in the dialect of the request."""
    if fault.kind in ERRORS:
        return _render_error(fault, request)
    good = render_answer(ANSWERS.get(fault.kind, Answer()), request)
    if fault.kind == "html":
        return good._replace(body=b"<html><body>Hello</body></html>", content_type="text/html")
    if fault.kind == "truncated":
        return good._replace(body=good.body[: len(good.body) // 2])
    if fault.kind == "empty-object":
        return good._replace(body=b"{}")
    if fault.kind == "error-200":
        return render_json({"error": {"message": "Upstream failed.", "code": 502}}, request)
    if fault.kind == "gzip-bomb":
        packed = ("Content-Encoding", "gzip")
        small = render_answer(Answer(input_tokens=1), replace(request, n=0)).body  # always the same
        return good._replace(body=_bomb(small), headers=(*good.headers, packed))
    if fault.kind == "endless":
        return good._replace(body=good.body.ljust(2**16), delivery=Delivery.ENDLESS)
    return good._replace(delivery=DELIVERIES.get(fault.kind, Delivery.WHOLE))


@lru_cache(maxsize=1)
def _bomb(body: bytes) -> bytes:
    """A good answer with 200 MB of text in it, packed into 200 KB."""
    before, _, after = body.partition(b"OK")
    packing = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    pieces = [before, *[b"a" * 1_000_000] * _BOMB_MB, after]
    return b"".join(map(packing.compress, pieces)) + packing.flush()


def _render_error(fault: Fault, request: ReceivedRequest) -> Response:
    error = ERRORS[fault.kind]
    message = fault.message or error.message.format(
        key=request.api_key, model=request.model, temperature=request.body.get("temperature")
    )
    openai = request.dialect == "openai"
    status, fields = error.status, {"type": error.type, "message": message}
    body: JsonDict = {"error": fields | {"param": error.param, "code": error.code}}
    if not openai:
        status = error.anthropic_status or status
        body = {"type": "error", "error": fields | {"type": error.anthropic_type or error.type}}
    response = render_json(body, request, fault.status or status)
    seconds = fault.retry_after
    waits = {
        "429-retry-after": ("retry-after", f"{seconds:g}"),
        "429-retry-after-ms": ("retry-after-ms", str(math.ceil(seconds * 1000))),
    }
    wait = waits.get(fault.kind)
    return response._replace(headers=(*response.headers, wait)) if wait else response
