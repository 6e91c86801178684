"""Fakes for tests: ours, and those of a plugin's author (as `eibench.testing`)."""

from .faults import FAULT_KINDS, Fault, FaultPlan, Faults, fail_first
from .loopback import LoopbackServer
from .model import ScriptedModel
from .replies import Answer
from .responders import Reply, Responder, ScriptedReplies, uniform_ratings
from .wire import ReceivedRequest

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
