"""What a check is, what it finds, and the list of all of them.

A check is a generator function marked with `check`: it gives a `Finding` for each fault, raises
`NotChecked` where it does not apply, and may let a `PluginError` pass, which is a finding too.
"""

import inspect
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from eibench.checking import Finding, NotChecked, PluginFault, Subject

from .patience import TookTooLong, at_most

CheckFunction = Callable[[Subject], "Iterator[Finding | str]"]
"""Gives findings, and texts that are none but worth saying."""
MOST_FINDINGS = 3
"""Of one check; further ones are mostly the same fault again."""


class Conformance(StrEnum):
    """How a check ended."""

    OK = "OK"
    FAIL = "FAIL"
    SKIP = "SKIP"


class CheckResult(NamedTuple):
    """What came of one check.

    Attributes:
        reason: Why it was skipped, or what else there is to say.
        seconds: How long it took.
    """

    id: str
    title: str
    verdict: Conformance
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class ConformanceCheck:
    """One check.

    Attributes:
        kind: Of what: ``benchmark``, ``provider`` or ``rating engine``.
        title: The first line of its docstring.
        todo: What to do about a fault that does not say so itself.
    """

    id: str
    kind: str
    title: str
    todo: str
    function: CheckFunction

    def run(self, subject: Subject) -> CheckResult:
        """What it finds in a plugin; never raises for a fault of it."""
        began = time.perf_counter()
        findings: list[Finding] = []
        notes: list[str] = []
        try:
            with at_most(subject.patience_s):
                for one in islice(self.function(subject), MOST_FINDINGS):
                    notes.append(one) if isinstance(one, str) else findings.append(one)
        except NotChecked as error:
            return CheckResult(self.id, self.title, Conformance.SKIP, reason=str(error))
        except PluginFault as error:
            findings.append(error.finding)
        except TookTooLong as error:
            message = f"has not ended after {subject.patience_s:g} s, at {error}"
            findings.append(Finding(message, todo="nothing it calls may wait or run without end"))
        except Exception as error:  # noqa: BLE001 - what a plugin holds may end a check as well
            findings.append(subject.fault(error).finding)
        verdict = Conformance.FAIL if findings else Conformance.OK
        whole = tuple(finding._replace(todo=finding.todo or self.todo) for finding in findings)
        seconds = time.perf_counter() - began
        return CheckResult(self.id, self.title, verdict, whole, "; ".join(notes), seconds)


CHECKS: dict[str, ConformanceCheck] = {}
"""All checks by id."""


def check(
    name: str, todo: str, kind: str = "benchmark"
) -> Callable[[CheckFunction], CheckFunction]:
    """Make a function a check of that id."""

    def add(function: CheckFunction) -> CheckFunction:
        title = (inspect.getdoc(function) or "").partition("\n")[0]
        CHECKS[name] = ConformanceCheck(name, kind, title, todo, function)
        return function

    return add
