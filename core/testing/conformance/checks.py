"""What a check is, what it finds, and the list of all of them.

A check is a generator function marked with `check`: it gives a `Finding` for each fault, raises
`NotChecked` where it does not apply, and may let a `PluginError` pass, which is a finding too.
"""

import inspect
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import BenchError
from ...guard import described
from .patience import TookTooLong, at_most

CheckFunction = Callable[[Any], "Iterator[Finding | str]"]
"""Gives findings, and texts that are none but worth saying."""
MOST_FINDINGS = 3
"""Of one check; further ones are mostly the same fault again."""


class Conformance(StrEnum):
    """How a check ended."""

    OK = "OK"
    FAIL = "FAIL"
    SKIP = "SKIP"


class Finding(NamedTuple):
    """A fault of a plugin.

    Attributes:
        message: What is wrong.
        method: Of the plugin; empty where it is no method's fault.
        item: Id of the item that it shows at; empty where it is no item's.
        todo: What to do; empty for what the check says.
        where: File and line; empty where the message has them.
    """

    message: str
    method: str = ""
    item: str = ""
    todo: str = ""
    where: str = ""

    def __str__(self) -> str:
        item = f" (item {self.item!r})" if self.item and repr(self.item) not in self.message else ""
        where = f" [{self.where}]" if self.where and ".py:" not in self.message else ""
        return f"{self.message}{item}{where}; {self.todo}"


class NotChecked(BenchError):
    """A check does not apply; the message says why. Of ours, so that it passes a plugin."""


class PluginFault(Exception):
    """A finding that ends its check."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


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

    def run(self, subject: Any) -> CheckResult:
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
        except BenchError as error:
            method = method_in(str(error), subject.thing)
            findings.append(Finding(str(error), method, where=place_of(subject.thing, method)))
        except Exception as error:  # noqa: BLE001 - what a plugin holds may end a check as well
            message = f"ended the check with {described(error)}"
            findings.append(Finding(message, where=place_of(subject.thing)))
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


def method_in(message: str, thing: object) -> str:
    """The method of a plugin's object that a message of the guard begins with; else empty."""
    match = re.match(r"(\w+) of ", message)
    return match[1] if match and hasattr(thing, match[1]) else ""


def place_of(thing: object, method: str = "") -> str:
    """File and line of a method of a plugin's object, else of its class, else the file alone.

    Of one that a file declares, that file.
    """
    kind = type(thing)
    if files := getattr(thing, "files", None):
        return Path(next(iter(files))).name
    for part in (getattr(kind, method, None), kind):
        try:
            source: Any = inspect.unwrap(part)  # type: ignore[arg-type]
            file = inspect.getsourcefile(source) or ""
            return f"{Path(file).name}:{inspect.getsourcelines(source)[1]}"
        except (TypeError, OSError, ValueError):
            continue
    return Path(getattr(sys.modules.get(kind.__module__), "__file__", None) or "").name
