"""Fakes for the tests of benchmarks and model clients, with no network and no key.

`LoopbackServer` is a provider on 127.0.0.1 that speaks OpenAI chat completions
and Anthropic messages, with every fault that real ones have:

    with LoopbackServer("Paris.", faults=fail_first("429")) as server:
        ...  # a client with base_url=server.base_url
    assert len(server.answered) == 1
"""

from eibench.core.testing import (
    FAULT_KINDS,
    Answer,
    Fault,
    FaultPlan,
    Faults,
    LoopbackServer,
    ReceivedRequest,
    Reply,
    Responder,
    ScriptedModel,
    ScriptedReplies,
    fail_first,
    uniform_ratings,
)

__all__ = [
    "FAULT_KINDS",
    "Answer",
    "Fault",
    "FaultPlan",
    "Faults",
    "LoopbackServer",
    "ReceivedRequest",
    "Reply",
    "Responder",
    "ScriptedModel",
    "ScriptedReplies",
    "fail_first",
    "uniform_ratings",
]
