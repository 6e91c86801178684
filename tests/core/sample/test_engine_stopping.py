"""Ctrl-C: once, and nothing more is sent but what is in flight is kept; twice, and at once."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eibench.core.errors import BenchError, Interrupted, ProviderError
from eibench.core.errors import ErrorKind as Kind
from eibench.core.sample.workers import Stop, on_signals
from eibench.testing import Fault, Gate, LoopbackServer, uniform_ratings
from tests.processes import MAIN, Process

if TYPE_CHECKING:
    from tests.core.conftest import Bench

CONCURRENCY = 3


def arguments(server: LoopbackServer, *more: str) -> list[str]:
    """A run of the bundled pack against the server."""
    base = ["run", "eqbench-v1", "--dataset", "bundled", "--model", "openai/m"]
    return [*base, "--base-url", server.base_url, "--concurrency", str(CONCURRENCY), *more]


LOUD = """
import eibench.core.console.live as live
from eibench.core.cli import main
from eibench.core.sample.workers import Stop

live.PLAIN_EVERY_S = 0.05
ask = Stop.ask

def marked(self, reason):
    ask(self, reason)
    open("stopping", "w").close()

Stop.ask = marked
main()
"""


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def start_marked(bench: "Bench", *arguments: str) -> Process:
    """`bench`, which says often how far it is, and makes the file `stopping` when it stops."""
    return Process(arguments, bench.folder, code=LOUD)


def stop(process: Process, number: int = signal.SIGINT) -> str:
    """Send a signal; what the process has written on standard error when it says so."""
    process.send_signal(number)
    return until_told(process, "stopping")


def until_told(process: Process, what: str) -> str:
    """Read standard error until it says something, which has to come; what it said so far."""
    message = ""
    while what not in message:
        line = process.stderr.readline()
        assert line, f"it ended without saying {what!r}: {message}"
        message += line
    return message


def finish(process: Process) -> tuple[str, str]:
    """What a process printed; at most a minute later."""
    return process.communicate(timeout=60)


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
    gate.wait_for(CONCURRENCY)
    message = stop(process)
    gate.open()
    out, err = finish(process)
    document, err = json.loads(out), message + err
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
    gate.wait_for(CONCURRENCY)
    stop(process)
    gate.open()
    finish(process)
    resumed = json.loads(bench(*arguments(server, "--json")).stdout)
    assert len(server.requests) == 30
    whole = json.loads(bench(*arguments(server, "--json", "--fresh")).stdout)
    assert resumed["status"] == whole["status"] == "complete"
    assert resumed["metrics"] == whole["metrics"]
    assert resumed["calls"]["replayed"] == 6 + CONCURRENCY


def test_at_the_end_of_a_run_the_next_one_is_not_begun(bench: "Bench") -> None:
    """Although the first is complete, as what was in flight was the last of it."""
    with LoopbackServer(uniform_ratings(1), latency=(gate := Gate(free=2))) as server:
        process = bench.start(*arguments(server, "--model", "openai/n", "--limit", "3", "--json"))
        gate.wait_for(1)
        message = stop(process)
        gate.open()
        out, err = finish(process)
        assert len(server.requests) == 3
    document = json.loads(out)
    assert (process.returncode, document["not_begun"][0]["name"]) == (130, "openai/n"), err
    assert [run["status"] for run in document["runs"]] == ["complete"], message


def test_twice_stops_at_once(bench: "Bench", server: LoopbackServer, gate: Gate) -> None:
    """What is in flight, and never answered, is given up; what was answered is kept."""
    process = bench.start(*arguments(server, "--json"))
    gate.wait_for(CONCURRENCY)
    stop(process)
    process.send_signal(signal.SIGINT)
    out, err = finish(process)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert json.loads(out)["calls"]["model"] == 6


def test_a_wait_between_attempts_ends_with_the_stop(bench: "Bench") -> None:
    """A Retry-After of an hour is not waited for: nothing is in flight then."""
    fault = Fault("429-retry-after", retry_after=3600)
    with LoopbackServer(faults=lambda r: fault) as server:
        process = bench.start(*arguments(server, "--json", "--timeout", "3600"))
        until(lambda: server.counts["429-retry-after"] >= CONCURRENCY)
        process.send_signal(signal.SIGINT)
        out, err = finish(process)
    assert process.returncode == 130, err
    assert json.loads(out)["items"]["pending"] == 30


def test_attempts_of_a_call_that_nobody_answered_are_counted(bench: "Bench") -> None:
    """As the live display counts them, though no journal has such a call."""
    faults = iter(["500"])
    last = Fault("429-retry-after", retry_after=3600)
    with LoopbackServer(faults=lambda request: next(faults, last)) as server:
        model = ("--model", "openai/m", "--base-url", server.base_url, "--timeout", "3600")
        more = ("--dataset", "bundled", "--concurrency", "1", "--json")
        process = bench.start("run", "eqbench-v1", *model, *more)
        until(lambda: server.counts["429-retry-after"] == 1)
        process.send_signal(signal.SIGINT)
        out, err = finish(process)
    assert process.returncode == 130, err
    assert (json.loads(out)["calls"]["model"], json.loads(out)["calls"]["retries"]) == (0, 1)


def test_a_stop_before_anything_was_answered_prints_a_result(bench: "Bench") -> None:
    """No score at all is no reason to fail: the document says so with nulls."""
    with LoopbackServer(latency=Gate()) as server:
        process = bench.start(*arguments(server, "--json"))
        until(lambda: len(server.requests) == CONCURRENCY)
        stop(process)
        process.send_signal(signal.SIGINT)
        out, err = finish(process)
    assert process.returncode == 130, err
    assert json.loads(out)["metrics"]["score"]["value"] is None


def test_a_refused_key_keeps_the_answers_that_were_in_flight(bench: "Bench") -> None:
    """One 401 ends the run with exit 4; the good answers that were on their way are saved."""
    gate = Gate(holds=lambda r: r.n < CONCURRENCY - 1)
    with LoopbackServer(
        uniform_ratings(1),
        latency=gate,
        faults=lambda r: "401" if r.n == CONCURRENCY - 1 else None,
    ) as server:
        process = start_marked(bench, *arguments(server))
        until((bench.folder / "stopping").exists)
        gate.open()
        _, err = finish(process)
        assert (process.returncode, len(server.requests)) == (4, CONCURRENCY)
        assert "Error: " in err
        resumed = json.loads(bench(*arguments(server, "--json")).stdout)
        assert resumed["calls"]["replayed"] == CONCURRENCY - 1
        assert len(server.requests) == 1 + 30


def test_the_second_process_is_told_who_owns_the_run(
    bench: "Bench", server: LoopbackServer, gate: Gate, tmp_path: Path
) -> None:
    """Exit 4 with the owner's id, and no request; once the owner is killed the command works."""
    owner = bench.start(*arguments(server))
    gate.wait_for(CONCURRENCY)
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


SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.mark.parametrize("number", [*SIGNALS, signal.SIGHUP])
def test_each_signal_keeps_what_is_in_flight(
    bench: "Bench", server: LoopbackServer, gate: Gate, number: signal.Signals
) -> None:
    """Ctrl-C, a polite kill and a lost terminal: exit 130, and every answer is in the journal."""
    process = bench.start(*arguments(server, "--json"))
    gate.wait_for(CONCURRENCY)
    stop(process, number)
    gate.open()
    out, err = finish(process)
    assert process.returncode == 130, err
    assert json.loads(out)["calls"]["model"] == len(server.requests) == 6 + CONCURRENCY


def test_nohup_is_obeyed(bench: "Bench", server: LoopbackServer, gate: Gate) -> None:
    """A signal that is ignored from the start stays ignored."""
    ignoring = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); {MAIN}"
    process = Process(arguments(server, "--json"), bench.folder, code=ignoring)
    gate.wait_for(CONCURRENCY)
    process.send_signal(signal.SIGHUP)
    gate.open()
    out, err = finish(process)
    assert process.returncode == 0, err
    assert json.loads(out)["calls"]["model"] == 30


# Streams that nobody reads any more


def test_a_closed_stderr_stops_gently(bench: "Bench", server: LoopbackServer, gate: Gate) -> None:
    """As in ``2>&1 | head -1``: nothing more is sent, and every answer is in the journal."""
    with start_marked(bench, *arguments(server, "--json")) as process:
        gate.wait_for(CONCURRENCY)
        process.stderr.close()
        until((bench.folder / "stopping").exists)
        gate.open()
        out = process.stdout.read()
    assert process.returncode == 130
    document = json.loads(out)
    assert document["status"] == "interrupted"
    assert document["calls"]["model"] == len(server.answered) == 6 + CONCURRENCY


def test_nothing_is_sent_for_a_reader_that_has_gone(bench: "Bench", server: LoopbackServer) -> None:
    """Who closes standard error before the run begins pays for nothing."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", LOUD, *arguments(server)]
    done = subprocess.run(
        command, cwd=bench.folder, stdout=subprocess.PIPE, stderr=writing, timeout=60
    )
    os.close(writing)
    assert (done.returncode, len(server.requests)) == (130, 0)


def test_a_closed_stdout_ends_as_interrupted(bench: "Bench", server: LoopbackServer) -> None:
    """The result is in the journal, so the same command prints it without a call."""
    with bench.start(*arguments(server, "--items", "1")) as process:
        process.stdout.close()
        err = process.stderr.read()
    assert process.returncode == 130
    assert "Error: standard output was closed" in err
    assert "Traceback" not in err and "BrokenPipe" not in err
    again = json.loads(bench(*arguments(server, "--items", "1", "--json")).stdout)
    assert (again["status"], len(server.requests)) == ("complete", 1)


@pytest.mark.parametrize("number", SIGNALS)
async def test_both_signals_ask_for_a_stop_and_are_announced_once(number: signal.Signals) -> None:
    """Ctrl-C and a polite kill mean the same."""
    stop, messages = Stop(), []
    with on_signals(stop, lambda: messages.append(stop.interrupts)):
        for _ in range(2):
            before = stop.interrupts
            signal.raise_signal(number)  # in this thread: `os.kill` may come after the block
            async with asyncio.timeout(60):
                while stop.interrupts == before:
                    await asyncio.sleep(0.001)
    assert (messages, stop.interrupts) == ([0], 2)
    assert isinstance(stop.reason, Interrupted)


async def test_a_lost_terminal_never_counts_as_the_second_request() -> None:
    """It may come twice, and with a polite kill; what is in flight is still waited for."""
    stop, messages = Stop(), []
    with on_signals(stop, lambda: messages.append(True)):
        for number in (signal.SIGHUP, signal.SIGHUP, signal.SIGTERM):
            signal.raise_signal(number)  # in this thread: `os.kill` may come after the block
            await asyncio.sleep(0.01)
    assert (stop.interrupts, stop.hurried) == (1, False)
    assert isinstance(stop.reason, Interrupted)
    assert messages


async def test_the_handlers_from_before_come_back() -> None:
    """Whoever embeds a run keeps what it had."""
    before = [signal.getsignal(number) for number in (*SIGNALS, signal.SIGHUP)]
    with on_signals(Stop(), lambda: None):
        pass
    assert [signal.getsignal(number) for number in (*SIGNALS, signal.SIGHUP)] == before


async def test_nothing_is_sent_once_it_was_said() -> None:
    """A check raises after a stop, and after the last sample is done."""
    stop = Stop()
    stop.check()
    stop.send_no_more()
    assert not stop.asked
    with pytest.raises(Interrupted):
        stop.check()
    await stop.sleep(60)  # returns at once
