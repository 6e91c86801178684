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

from eibench.core.checking.model import ScriptedModel
from eibench.plugins.kit.conformance.running import conformance
from eibench.plugins.kit.faults import FAULT_KINDS, Fault, fail_first
from eibench.plugins.kit.gate import Gate
from eibench.plugins.kit.loopback import LoopbackServer
from eibench.plugins.kit.replies import Answer
from eibench.plugins.kit.responders import Reply, Responder, uniform_ratings
from eibench.plugins.kit.simulator import Noise, Tournament
from eibench.plugins.kit.wire import Delivery, ReceivedRequest, Response

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
