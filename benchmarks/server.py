"""The loopback server in a process of its own, with a clock on what it serves.

It fills in EQ-Bench forms, grades what a rubric judge is asked to, and has a sentence for
every other prompt.

As a program it prints its URL, then answers each line on its standard input
with one JSON line about the requests since the last, and ends with its input.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from .measuring import ROOT

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from eibench.testing import ReceivedRequest, Reply, Responder

_RUBRIC = re.compile(r'"(\w+)": 0-\d+')


class Served(NamedTuple):
    """What a client made the server do.

    Attributes:
        answered: Good answers sent.
        seconds: From the first request's arrival to the last answer's end.
        peak_in_flight: Most requests open at once, since the server's start.
    """

    answered: int
    seconds: float
    peak_in_flight: int


class Server:
    """A running server, seen from the process that started it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.base_url = self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError("the loopback server has ended")
        return line

    def served(self) -> Served:
        """What it has served since this was last asked."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return Served(**json.loads(self._line()))


@contextmanager
def serving(latency_s: float) -> Iterator[Server]:
    """A server that answers benchmarks' prompts, each after `latency_s`."""
    command = [sys.executable, "-m", "benchmarks.server", "--latency", str(latency_s)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield Server(process)
        finally:
            process.communicate(timeout=30)  # the end of its input


class _Marks:
    """First arrival, last end and number of good answers; written by the server's thread."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.first, self.last, self.answered = float("inf"), 0.0, 0

    def note(self, received_at: float, outcome: str) -> None:
        """A request has been dealt with."""
        self.first = min(self.first, received_at)
        self.last = time.monotonic()
        self.answered += outcome == "ok"

    def take(self) -> dict[str, float]:
        """What was noted, forgotten with this."""
        noted = {"answered": self.answered, "seconds": max(0.0, self.last - self.first)}
        self._clear()
        return noted


def _responder() -> "Responder":
    from eibench.testing import uniform_ratings

    rate = uniform_ratings()

    def respond(request: "ReceivedRequest") -> "Reply | Awaitable[Reply]":
        if names := _RUBRIC.findall(request.prompt):
            return json.dumps({"chain_of_thought_reasoning": "So.", **dict.fromkeys(names, 5)})
        return rate(request)

    return respond


def main() -> None:
    """Serve until the input ends."""
    from eibench.testing import LoopbackServer

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    options = parser.parse_args()
    marks = _Marks()
    with LoopbackServer(
        _responder(),
        latency=options.latency,
        record=False,
        on_outcome=lambda request, outcome: marks.note(request.received_at, outcome),
    ) as server:
        print(server.base_url, flush=True)
        for _ in sys.stdin:
            seen = marks.take() | {"peak_in_flight": server.peak_in_flight}
            print(json.dumps(seen), flush=True)


if __name__ == "__main__":
    main()
