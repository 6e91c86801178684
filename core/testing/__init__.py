"""Fakes for tests: ours, and those of a plugin's author (as `eibench.testing`)."""

from .billing import MANNERS, Billing
from .faults import FAULT_KINDS, Fault, FaultPlan, Faults, fail_first
from .gate import Gate
from .loopback import LoopbackServer
from .model import ScriptedModel
from .replies import Answer
from .responders import Reply, Responder, ScriptedReplies, uniform_ratings
from .small_model import SmallModelServer, small_model
from .wire import Delivery, ReceivedRequest, Response

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
    "ReceivedRequest",
    "Reply",
    "Responder",
    "Response",
    "ScriptedModel",
    "ScriptedReplies",
    "SmallModelServer",
    "fail_first",
    "small_model",
    "uniform_ratings",
]
