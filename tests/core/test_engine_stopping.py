"""Ctrl-C: once, and nothing more is sent but what is in flight is kept; twice, and at once."""

import asyncio
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eibench.core.engine.stopping import Stop, on_signals
from eibench.core.errors import BenchError, Interrupted, ProviderError
from eibench.core.errors import ErrorKind as Kind
from eibench.testing import Fault, LoopbackServer, ReceivedRequest, uniform_ratings

if TYPE_CHECKING:
    from tests.core.conftest import Bench

CONCURRENCY = 3


class Gate:
    """Holds answers back: the first few go through, the others wait until it opens.

    Attributes:
        waiting: How many have reached it so far.
        hold_s: How long it holds an answer.
    """

    def __init__(self, free: int) -> None:
        self.waiting = 0
        self.hold_s = 1.0
        self._free = free
        self._open = threading.Event()

    def __call__(self, request: ReceivedRequest) -> float:
        """The latency of a request."""
        if request.n < self._free or self._open.is_set():
            return 0.0
        self.waiting += 1
        return self.hold_s

    def open(self) -> None:
        """Let all later ones through."""
        self._open.set()


def arguments(server: LoopbackServer, *more: str) -> list[str]:
    """A run of the bundled pack against the server."""
    base = ["run", "eqbench-v1", "--dataset", "bundled", "--model", "openai/m"]
    return [*base, "--base-url", server.base_url, "--concurrency", str(CONCURRENCY), *more]


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def finish(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """What a process printed; at most 30 seconds later."""
    return process.communicate(timeout=30)


@pytest.fixture
def gate() -> Gate:
    """Lets six answers through."""
    return Gate(free=6)


@pytest.fixture
def server(gate: Gate) -> Iterator[LoopbackServer]:
    """Answers like a uniform rater, through the gate."""
    with LoopbackServer(uniform_ratings(1), latency=gate) as made:
        yield made


def test_once_finishes_what_is_in_flight_and_sends_nothing_more(
    bench: "Bench", server: LoopbackServer, gate: Gate
) -> None:
    """Exit 130 with one JSON document; all that was sent is kept; it says how to go on."""
    process = bench.start(*arguments(server, "--json"))
    until(lambda: gate.waiting == CONCURRENCY)
    process.send_signal(signal.SIGINT)
    out, err = finish(process)
    document = json.loads(out)
    assert process.returncode == 130, err
    assert document["status"] == "interrupted"
    assert len(server.requests) == len(server.answered) == 6 + CONCURRENCY
    assert document["calls"]["model"] == 6 + CONCURRENCY
    assert f"waiting for {CONCURRENCY} calls in flight" in err
    assert "the same command goes on" in err
    assert "Traceback" not in err


def test_the_same_command_goes_on_to_the_scores_of_an_undisturbed_run(
    bench: "Bench", server: LoopbackServer, gate: Gate
) -> None:
    """After a stop only the rest is asked, and the numbers are those of a run without one."""
    process = bench.start(*arguments(server))
    until(lambda: gate.waiting == CONCURRENCY)
    process.send_signal(signal.SIGINT)
    finish(process)
    gate.open()
    resumed = json.loads(bench(*arguments(server, "--json")).stdout)
    assert len(server.requests) == 30
    whole = json.loads(bench(*arguments(server, "--json", "--fresh")).stdout)
    assert resumed["status"] == whole["status"] == "complete"
    assert resumed["metrics"] == whole["metrics"]
    assert resumed["calls"]["replayed"] == 6 + CONCURRENCY


def test_twice_stops_at_once(bench: "Bench") -> None:
    """What is in flight is given up within two seconds; what was answered is kept."""
    gate = Gate(free=6)
    with LoopbackServer(uniform_ratings(1), latency=lambda r: 60 * gate(r)) as server:
        process = bench.start(*arguments(server, "--json"))
        until(lambda: gate.waiting == CONCURRENCY)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        while "stopping" not in process.stderr.readline():
            pass
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = finish(process)
        took = time.monotonic() - began
    assert process.returncode == 130
    assert took < 2
    assert "Traceback" not in err
    assert json.loads(out)["calls"]["model"] == 6


@pytest.mark.parametrize(
    "fault", [Fault("429-retry-after", retry_after=60), Fault("500")], ids=["Retry-After", "500"]
)
def test_a_wait_between_attempts_ends_with_the_stop(bench: "Bench", fault: Fault) -> None:
    """Neither Retry-After nor back-off is waited for: nothing is in flight then."""
    with LoopbackServer(faults=lambda r: fault) as server:
        process = bench.start(*arguments(server, "--json"))
        until(
            lambda: sum(server.counts.values()) >= CONCURRENCY * (1 if fault.kind != "500" else 2)
        )
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = finish(process)
        assert time.monotonic() - began < 3
    assert process.returncode == 130, err
    assert json.loads(out)["items"]["pending"] == 30


def test_a_stop_before_anything_was_answered_prints_a_result(bench: "Bench") -> None:
    """No score at all is no reason to fail: the document says so with nulls."""
    with LoopbackServer(latency=1.0) as server:
        process = bench.start(*arguments(server, "--json"))
        until(lambda: len(server.requests) == CONCURRENCY)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        out, err = finish(process)
    assert process.returncode == 130, err
    assert json.loads(out)["metrics"]["score"]["value"] is None


def test_a_refused_key_keeps_the_answers_that_were_in_flight(bench: "Bench") -> None:
    """One 401 ends the run with exit 4; the good answers that were on their way are saved."""
    with LoopbackServer(
        uniform_ratings(1),
        latency=lambda r: 0.5 if r.n < 2 else 0.0,
        faults=lambda r: "401" if r.n == 2 else None,
    ) as server:
        ended = bench(*arguments(server))
        assert (ended.returncode, len(server.requests)) == (4, CONCURRENCY)
        assert "Error: " in ended.stderr
        resumed = json.loads(bench(*arguments(server, "--json")).stdout)
        assert resumed["calls"]["replayed"] == CONCURRENCY - 1
        assert len(server.requests) == 1 + 30


def test_the_second_process_is_told_who_owns_the_run(
    bench: "Bench", server: LoopbackServer, gate: Gate, tmp_path: Path
) -> None:
    """Exit 4 with the owner's id, and no request; once the owner is killed the command works."""
    gate.hold_s = 20.0  # longer than another process needs to start on a busy machine
    owner = bench.start(*arguments(server))
    until(lambda: gate.waiting == CONCURRENCY)
    second = bench(*arguments(server))
    assert second.returncode == 4
    assert f"owned by process {owner.pid} on" in second.stderr
    assert second.stdout == ""
    assert len(server.requests) == 6 + CONCURRENCY
    owner.kill()
    finish(owner)
    gate.open()
    assert bench(*arguments(server)).returncode == 0


# The parts


async def test_the_first_reason_counts() -> None:
    """A stop that was asked for keeps its reason."""
    stop = Stop()
    first: BenchError = ProviderError(Kind.AUTH, "refused")
    stop.ask(first)
    stop.interrupt()
    assert stop.reason is first


async def test_the_second_interrupt_is_at_once_whatever_stopped_the_run() -> None:
    """Also where an error already stops it and the user does not want to wait for the rest."""
    stop, done = Stop(), []
    stop.when_at_once(lambda: done.append(True))
    stop.ask(ProviderError(Kind.AUTH, "refused"))
    stop.interrupt()
    assert done == []
    stop.interrupt()
    assert done == [True]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_both_signals_ask_for_a_stop_and_are_announced_once(number: signal.Signals) -> None:
    """Ctrl-C and a polite kill mean the same."""
    stop, told = Stop(), []
    with on_signals(stop, lambda: told.append(stop.interrupts)):
        for _ in range(2):
            os.kill(os.getpid(), number)
            await asyncio.sleep(0.01)
    assert (told, stop.interrupts) == ([0], 2)
    assert isinstance(stop.reason, Interrupted)


async def test_nothing_is_sent_once_it_was_said() -> None:
    """A check raises after a stop, and after the last sample is done."""
    stop = Stop()
    stop.check()
    stop.send_no_more()
    assert not stop.asked
    with pytest.raises(Interrupted):
        stop.check()
    await stop.sleep(60)  # returns at once
