"""Fakes for the tests of benchmarks and model clients, with no network and no key.

`LoopbackServer` is a provider on 127.0.0.1 that speaks OpenAI chat completions
and Anthropic messages, with every fault that real ones have:

    with LoopbackServer("Paris.", faults=fail_first("429")) as server:
        ...  # a client with base_url=server.base_url
    assert len(server.answered) == 1

`SmallModelServer` is one with a small model on a machine of one's own: slow, one request at a
time, and seldom in the form that was asked for.

`Tournament` makes comparisons of models of known ability by a judge with known faults.
"""

from eibench.core.testing import (
    FAULT_KINDS,
    MANNERS,
    Answer,
    Billing,
    Delivery,
    Fault,
    FaultPlan,
    Faults,
    Gate,
    LoopbackServer,
    ReceivedRequest,
    Reply,
    Responder,
    Response,
    ScriptedModel,
    ScriptedReplies,
    SmallModelServer,
    fail_first,
    small_model,
    uniform_ratings,
)
from eibench.core.testing.simulator import Noise, Tournament

__all__ = [
    "FAULT_KINDS",
    "MANNERS",
    "Answer",
    "Billing",
    "Delivery",
    "Fault",
    "FaultPlan",
    "Faults",
    "Gate",
    "LoopbackServer",
    "Noise",
    "ReceivedRequest",
    "Reply",
    "Responder",
    "Response",
    "ScriptedModel",
    "ScriptedReplies",
    "SmallModelServer",
    "Tournament",
    "fail_first",
    "small_model",
    "uniform_ratings",
]
