"""A provider that bills, and counts for itself what it charged, however it tells that.

Real providers bill for answers that never arrive, count thinking beside the answer, or keep to no
limit. With `Billing` as a responder a test compares what a client believes to have spent with
what was really charged.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from eibench.core.types import Json, JsonDict, JsonObject
from eibench.plugins.kit.faults import Fault
from eibench.plugins.kit.replies import Answer, render_answer
from eibench.plugins.kit.responders import Reply
from eibench.plugins.kit.wire import ReceivedRequest

_LIMITS = ("max_tokens", "max_completion_tokens")
_TOO_MANY = 10


class Work(NamedTuple):
    """What one request makes the provider do.

    Of its output, thinking included, honest work keeps to the limit; `even` is every second
    request.
    """

    text: str
    input: int
    output: int
    even: bool


class BilledReply(NamedTuple):
    """What is charged and what is sent."""

    input: int
    output: int
    usage: JsonObject | None = None
    fault: Fault | None = None


def _usage(prompt: int, completion: int, **more: Json) -> JsonDict:
    total = {"total_tokens": prompt + completion}
    return {"prompt_tokens": prompt, "completion_tokens": completion, **total, **more}


def _honest(work: Work, times_in: int = 1, times_out: int = 1) -> BilledReply:
    """What is written, or so many times as much, is counted and billed."""
    taken, written = times_in * work.input, times_out * work.output
    return BilledReply(taken, written, _usage(taken, written))


def _reasoning_beside(work: Work) -> BilledReply:
    """Thinking is counted beside `completion_tokens` and in the total."""
    seen = work.output // 10
    thought = {"reasoning_tokens": work.output - seen}
    usage = _usage(work.input, seen, completion_tokens_details=thought)
    usage["total_tokens"] = work.input + work.output
    return BilledReply(work.input, work.output, usage)


def _total_only(work: Work) -> BilledReply:
    """Thinking is counted nowhere but in the total."""
    usage = _usage(work.input, work.output // 10) | {"total_tokens": work.input + work.output}
    return BilledReply(work.input, work.output, usage)


def _loses_half(kind: str, work: Work) -> BilledReply:
    """Half of the answers are lost, after they were written."""
    return _honest(work)._replace(fault=Fault(kind) if work.even else None)


MANNERS: Mapping[str, Callable[[Work], BilledReply]] = {
    "honest": _honest,
    "reasoning-beside": _reasoning_beside,
    "total-only": _total_only,
    "no-usage": lambda work: BilledReply(work.input, work.output),
    "refuses-limits": _honest,
    "ignores-limit": partial(_honest, times_out=_TOO_MANY),
    "long-prompt": partial(_honest, times_in=20),
    "drops": partial(_loses_half, "drop"),
    "fails": partial(_loses_half, "500"),
}


class Billing:
    """A responder, in OpenAI's dialect, that charges for what it does.

    Args:
        respond: What is said to a request.
        manner: How it bills, a name of `MANNERS`. ``refuses-limits`` refuses both names of the
            token limit, and writes ten times as much without one.
        price: Dollars per million tokens in and out.
        writes: Tokens of an answer, thinking included, where the limit allows them.
        sound: So many requests are billed honestly before the manner begins.

    Attributes:
        charges: Dollars of each request that was worked on, in order of arrival.
    """

    def __init__(
        self,
        respond: Callable[[ReceivedRequest], str],
        manner: str = "honest",
        *,
        price: tuple[float, float] = (10.0, 10.0),
        writes: int = 2000,
        sound: int = 0,
    ) -> None:
        self._respond = respond
        self._manner = manner
        self._bill = MANNERS[manner]
        self._price = price
        self._writes = writes
        self._sound = sound
        self.charges: list[float] = []

    @property
    def dollars(self) -> float:
        """All that was charged so far."""
        return sum(self.charges)

    def __call__(self, request: ReceivedRequest) -> Reply:
        """The reply, which is charged for from now on."""
        limit = next((int(request.body[n]) for n in _LIMITS if n in request.body), None)
        if limit is not None and self._manner == "refuses-limits":
            return self._refuse(request)
        text = self._respond(request)
        taken = Answer(text).input_of(request)
        written = _TOO_MANY * self._writes if limit is None else min(limit, self._writes)
        done = Work(text, taken, written, even=len(self.charges) % 2 == 1)
        outcome = (_honest if len(self.charges) < self._sound else self._bill)(done)
        dollars_in, dollars_out = self._price
        self.charges.append((outcome.input * dollars_in + outcome.output * dollars_out) / 1e6)
        return outcome.fault or _reply(done, outcome, request)

    def _refuse(self, request: ReceivedRequest) -> Fault:
        name = next(n for n in _LIMITS if n in request.body)
        return Fault("400", message=f"Unsupported parameter: '{name}' is not supported here.")


def _reply(work: Work, outcome: BilledReply, request: ReceivedRequest) -> JsonObject:
    body: JsonDict = json.loads(render_answer(Answer(work.text), request).body)
    body.pop("usage")
    return body if outcome.usage is None else {**body, "usage": dict(outcome.usage)}
