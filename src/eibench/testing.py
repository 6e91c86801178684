"""Fakes for the tests of benchmarks and model clients, with no network and no key.

`LoopbackServer` is a provider on 127.0.0.1 that speaks OpenAI chat completions
and Anthropic messages, with every fault that real ones have:

    with LoopbackServer("Paris.", faults=fail_first("429")) as server:
        ...  # a client with base_url=server.base_url
    assert len(server.answered) == 1

`conformance` is a test of a whole benchmark, provider or rating engine in one line:

    test_conforms = conformance(MyBench())

`Tournament` makes comparisons of models of known ability by a judge with known faults.
"""

from eibench.core.testing.conformance.running import conformance
from eibench.core.testing.faults import FAULT_KINDS, Fault, fail_first
from eibench.core.testing.gate import Gate
from eibench.core.testing.loopback import LoopbackServer
from eibench.core.testing.model import ScriptedModel
from eibench.core.testing.replies import Answer
from eibench.core.testing.responders import Reply, Responder, uniform_ratings
from eibench.core.testing.simulator import Noise, Tournament
from eibench.core.testing.wire import Delivery, ReceivedRequest, Response

__all__ = [
    "FAULT_KINDS",
    "Answer",
    "Delivery",
    "Fault",
    "Gate",
    "LoopbackServer",
    "Noise",
    "ReceivedRequest",
    "Reply",
    "Responder",
    "Response",
    "ScriptedModel",
    "Tournament",
    "conformance",
    "fail_first",
    "uniform_ratings",
]
