"""The live display and the plain lines of a run under way."""

import asyncio
import os
import re
import signal
import time
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

import eibench
from eibench.core.benchmark import Benchmark
from eibench.core.clients.caller import Caller
from eibench.core.clients.error_bodies import HttpFailure
from eibench.core.clients.failures import provider_error
from eibench.core.clients.limits import Limits
from eibench.core.console.live import describe, displayed, frame
from eibench.core.parties.providers import AskedParty, CallContext
from eibench.core.sample.progress import Phase, Progress, SampleProgress
from eibench.core.text import duration
from eibench.core.types import ChatRequest, Item
from eibench.testing import LoopbackServer, uniform_ratings
from tests.processes import Process, on_a_terminal

_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def running(phases: Mapping[str, Phase]) -> Progress:
    """The progress of a run of 45 samples that is under way."""
    progress = Progress(samples=45, scored=12, phases=dict(phases))
    progress.callers.append(Caller(None, Limits()))  # type: ignore[arg-type]
    return progress


def shown(progress: Progress, title: str = "eqbench3 openai/m", width: int = 80) -> list[str]:
    """The lines of a frame."""
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(frame(progress, title, width))
    return capture.get().splitlines()


def labels(lines: list[str]) -> list[tuple[str, str]]:
    """Name and count of each bar."""
    return [(li.split()[0], li.split()[-1]) for li in lines if "━" in li or "╸" in li]


ALL = {"generate": Phase(118, 57), "judge": Phase(45, 12), "compare": Phase(54, 10)}


@pytest.mark.parametrize(
    ("phases", "bars"),
    [
        (("generate",), [("replies", "57/118")]),
        (("generate", "judge"), [("replies", "57/118"), ("verdicts", "12/45")]),
        (("judge",), [("verdicts", "12/45")]),
        (tuple(ALL), [("replies", "57/118"), ("verdicts", "12/45"), ("comparisons", "10/54")]),
    ],
)
def test_a_bar_for_each_phase_that_there_is(
    phases: tuple[str, ...], bars: list[tuple[str, str]]
) -> None:
    """Under the names that users have for them, and no bar for what the run does not have."""
    assert labels(shown(running({name: ALL[name] for name in phases}))) == bars


def test_nothing_is_shown_where_nothing_is_to_do() -> None:
    """A finished run prints its result only."""
    assert shown(Progress(samples=45, phases=dict(ALL))) == []


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_cut_or_broken_within_a_number(width: int) -> None:
    """What does not fit stands on the next line, one thing after the other."""
    progress = running(ALL)
    progress.failed = progress.unscored = 3
    lines = shown(progress, width=width)
    facts = " ".join(" ".join(lines[4:]).split())
    assert max(map(len, lines)) <= width and "…" not in facts
    message = r"18/45 samples \S+ calls/s 0 in flight 0 tokens 3 unscored 3 failed \S+ s so far"
    assert re.fullmatch(message, facts)


def test_what_went_wrong_is_told_by_kind() -> None:
    """Retries by what came before, fewer in flight than allowed, and what could not be read."""
    progress = running(ALL)
    (caller,) = progress.callers
    caller.retries = 3
    caller.retried.update({"429": 2, "timeout": 1})
    caller.slots.limit = 4.5
    progress.unread, progress.sent["judge"] = 1, 5
    told = describe(progress)
    assert "3 retries (2 x 429, 1 x timeout)" in told
    assert "0 in flight (reduced to 4 of 32)" in told
    assert "  free  1 unread  " in told


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_judge_is_named_on_its_bars(width: int) -> None:
    """The bars are shorter for it, and end alike."""
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(frame(running(ALL), "eqbench3 openai/m", width, "openai/judge-a"))
    bars = [row for row in capture.get().splitlines() if "━" in row or "╸" in row]
    assert ["openai/judge-a" in row for row in bars] == [False, True, True]
    assert max(map(len, bars)) <= width


def test_a_long_name_leaves_room_for_the_bars() -> None:
    """It has a line of its own, and is cut there."""
    lines = shown(running(ALL), title="eqbench3 openai/" + "long" * 50)
    assert len(lines[0]) == 80 and lines[0].endswith("…")
    assert len(labels(lines)) == 3


def test_long_samples_say_how_far_they_are() -> None:
    """The first three in their benchmark's words, and how many more there are."""
    progress = running({"generate": Phase(118, 57)})
    progress.stages.update({("a", 1): "year 3 of 15"})
    assert "a: year 3 of 15" in describe(progress)
    progress.stages.update({(item, 2): "year 1" for item in "abcd"})
    text = " ".join(shown(progress))
    assert "a (1): year 3 of 15  a (2): year 1  b (2): year 1" in text
    assert "2 more samples under way" in text


@pytest.mark.parametrize(
    ("phases", "message"),
    [
        ({"generate": Phase(45, 12)}, "12/45 samples  "),
        ({"generate": Phase(118, 57)}, "12/45 samples  57/118 replies  "),
        (ALL, "12/45 samples  57/118 replies  12/45 verdicts  10/54 comparisons  "),
    ],
)
def test_a_plain_line_names_the_phases(phases: dict[str, Phase], message: str) -> None:
    """Unless there is but one call for each sample, so that they say the same."""
    assert describe(running(phases)).startswith(message)
    assert ("replies" in describe(running(phases))) == ("replies" in message)


def under_way(seconds: float, **phases: Phase) -> Progress:
    """A progress whose phases that have calls began so long ago."""
    progress = running(phases)
    for phase in phases.values():
        phase.began = time.monotonic() - seconds if phase.done else None
    return progress


def test_comparisons_that_may_follow_are_shown_from_the_start() -> None:
    """With the most that there may be, as a bar and in the plain line."""
    progress = running({"judge": Phase(45, 12), "compare": Phase(256, at_most=True)})
    assert shown(progress)[2].split() == ["comparisons", "0/≤256"]
    assert "  0/≤256 comparisons  " in describe(progress)
    progress.phases["compare"].end()
    assert "≤" not in describe(progress)


def test_the_time_left_counts_the_comparisons_that_may_follow() -> None:
    """At the pace of the verdicts, or else of the replies, until there are some."""
    compare = Phase(100, at_most=True)
    both = under_way(60, generate=Phase(60, 30), judge=Phase(40, 30), compare=compare)
    assert both.seconds_left == pytest.approx(60 + 100 * 2, rel=0.01)
    assert re.search(r"  at most \d+ min left$|  at most 26\d s left$", describe(both))
    replies = under_way(60, generate=Phase(60, 30), compare=compare)
    assert replies.seconds_left == pytest.approx(60 + 100 * 2, rel=0.01)
    begun = Phase(100, 50, at_most=True)
    last = under_way(10, generate=Phase(60, 60), judge=Phase(40, 40), compare=begun)
    assert last.seconds_left == pytest.approx(50 * 0.2, rel=0.01)
    assert under_way(10, generate=Phase(60), compare=compare).seconds_left is None


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0.4 s"), (95, "95 s"), (725, "12 min"), (7810, "2 h 10 min")]
)
def test_times_are_told_to_be_read(seconds: float, words: str) -> None:
    """Nobody wants to divide by sixty."""
    assert duration(seconds) == words


# What the phases count


def test_a_sample_counts_as_its_planned_calls() -> None:
    """Calls beyond them do not, and those that it did not need do when it is finished."""
    phases = {"generate": Phase(6), "judge": Phase(2)}
    more, fewer = (SampleProgress(phases, {"generate": 3, "judge": 1}) for _ in range(2))
    for _ in range(5):
        more.advance("generate", spared=False)
    fewer.advance("generate", spared=False)
    assert (phases["generate"].done, phases["judge"].done) == (4, 0)
    fewer.finish()
    more.finish(["generate"])
    assert (phases["generate"].done, phases["judge"].done) == (6, 1)


def test_the_pace_is_that_of_the_calls_that_were_sent() -> None:
    """Those of earlier commands took no time; before the first answer nothing is known."""
    phase = Phase(total=100, done=60, spared=60)
    phase.begin()
    assert phase.seconds_left is None and phase.began is not None
    phase.began -= 10
    phase.advance(20)
    assert phase.seconds_left == pytest.approx(10, abs=1)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Progress]:
    """The progress of a run of `eqbench-v1`, once it is at its end."""

    def run(server: LoopbackServer, **more: Any) -> Progress:
        progress = Progress()
        eibench.run(
            "eqbench-v1",
            model="openai/m",
            base_url=server.base_url,
            progress=progress,
            runs_dir=tmp_path,
            **more,
        )
        return progress

    return run


def test_replies_of_earlier_commands_are_among_those_done(run: Callable[..., Progress]) -> None:
    """So that the bar goes on where it stopped."""
    with LoopbackServer(uniform_ratings()) as server:
        run(server, limit=2)
        phases = run(server, limit=5).phases
    assert phases.keys() == {"generate"}
    assert (phases["generate"].total, phases["generate"].done) == (5, 5)
    assert phases["generate"].spared == 2


def test_failed_samples_need_nothing_more(run: Callable[..., Progress]) -> None:
    """The bar is full when all has been tried."""
    with LoopbackServer(
        uniform_ratings(), faults=lambda r: "context" if r.n % 2 else None
    ) as server:
        progress = run(server, limit=6)
    assert progress.failed == 3
    assert (progress.phases["generate"].done, progress.phases["generate"].total) == (6, 6)


def test_attempts_of_failed_calls_are_retries(run: Callable[..., Progress]) -> None:
    """All but the first of each call, and none that was not made."""
    with LoopbackServer(faults={"500": 1.0}) as server:
        progress = run(server, limit=2, max_retries=2)
    assert progress.failed == 2
    assert progress.retries == len(server.requests) - 2 > 0
    assert progress.retried == {"500": progress.retries}


def test_comparisons_are_as_many_as_there_may_be_and_then_as_were_made(tmp_path: Path) -> None:
    """A limit of three buys one pair of orders, and the bar is full all the same."""
    seen: list[tuple[int, int]] = []

    def watch(progress: Progress) -> None:
        phase = progress.phases.get("compare", Phase())
        seen.append((phase.done, phase.total))

    run: dict[str, Any] = {"limit": 4, "runs_dir": tmp_path}
    eibench.run("eqbench3", model="demo/weak", **run)
    options = {"max_comparisons": 3}
    eibench.run("eqbench3", model="demo/strong", options=options, progress=watch, **run)
    assert seen[-1] == (2, 2)
    assert {total for done, total in seen[:-1] if total} <= {2, 3}


def test_comparisons_are_planned_before_anything_is_asked(tmp_path: Path) -> None:
    """So that the first line already tells of them."""
    seen: list[tuple[int, bool]] = []

    def watch(progress: Progress) -> None:
        if progress.samples and not progress.done:
            phase = progress.phases.get("compare", Phase())
            seen.append((phase.total, phase.at_most))

    run: dict[str, Any] = {"limit": 2, "runs_dir": tmp_path}
    eibench.run("eqbench3", model="demo/weak", **run)
    eibench.run("eqbench3", model="demo/strong", progress=watch, **run)
    assert set(seen) == {(4, True)}


def test_judging_again_has_no_replies(tmp_path: Path) -> None:
    """The model is asked nothing."""
    run = ("run", "eqbench3", "--model", "demo/medium", "--limit", "2", "--no-rubric", "--no-elo")
    in_terminal(tmp_path, *run)
    (document,) = (tmp_path / "runs/demo").glob("*.json")
    last = in_terminal(tmp_path, "rejudge", document.stem.split("-")[-1], "--judge", "demo/judge")
    assert "verdicts" in last and "replies" not in last


# In a terminal


def in_terminal(
    folder: Path, *args: str, stop_at: str = "", exit_code: int = 0, codes: bool = False
) -> str:
    """What `bench` writes to a terminal of 80 columns.

    Args:
        folder: Where.
        args: Of `bench`.
        stop_at: It gets Ctrl-C when it has written this.
        exit_code: The one it is to end with.
        codes: Leave those that colour and move in it.
    """
    pytest.importorskip("pty")
    env = {k: v for k, v in os.environ.items() if not k.startswith("BENCH_")}
    env |= {"COLUMNS": "80", "TERM": "xterm", "XDG_CACHE_HOME": str(folder / "cache")}
    stopped: list[bool] = []

    def stop(process: Process, seen: bytes) -> None:
        if stop_at and stop_at.encode() in seen and not stopped:
            stopped.append(True)
            process.send_signal(signal.SIGINT)

    nowhere = "os.dup2(os.open(os.devnull, os.O_WRONLY), 1)"
    written, code = on_a_terminal(args, cwd=folder, env=env, before=nowhere, watch=stop)
    assert code == exit_code, written
    return written if codes else _CODES.sub("", written)


def test_a_terminal_shows_each_run_with_its_own_bars(tmp_path: Path) -> None:
    """The first of two models has nobody to be compared with, and so no such bar."""
    two = ("--model", "demo/weak", "--model", "demo/strong")
    written = in_terminal(tmp_path, "run", "eqbench3", *two, "--limit", "2")
    first, second = written.split("eqbench3 demo/strong (2 of 2)", 1)
    assert "eqbench3 demo/weak (1 of 2)" in first
    assert re.search(r"replies +\S+ +(\d+)/\1\s", first)
    assert re.search(r"verdicts +\S+ +2/2\s", first)
    assert "comparisons " not in first.split("(1 of 2)", 1)[1]
    assert re.search(r"comparisons +\S+ +4/4\s", second)


def on_screen(written: str) -> list[str]:
    """The lines that are left on a screen when all codes were obeyed."""
    lines, row = [""], 0
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+", written):
        if re.fullmatch(r"\x1b\[\d*A", part):
            row -= int(part[2:-1] or 1)
        elif part == "\x1b[2K":
            lines[row] = ""
        elif part == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif part != "\r" and part[0] != "\x1b":
            lines[row] += part
    return lines


def test_what_is_said_meanwhile_stands_above_the_display(tmp_path: Path) -> None:
    """A closed port is told of, Ctrl-C is answered, and one whole display is left below."""
    with LoopbackServer() as server:
        pass
    where = ("--model", "openai/m", "--base-url", server.base_url)
    message = f"cannot reach openai/m at 127.0.0.1:{server.port}: Connection refused"
    run = ("run", "eqbench-v1", *where, "--limit", "2")
    written = in_terminal(tmp_path, *run, stop_at=message, exit_code=130, codes=True)
    lines = on_screen(written)
    display = lines.index("eqbench-v1 openai/m")
    said = [n for n, text in enumerate(lines) if text.startswith((message, "stopping"))]
    assert len(said) == 2 and max(said) < display
    assert sum("━" in text and "replies" in text for text in lines) == 1
    assert lines[display + 2].startswith("0/2 samples")


async def test_time_counts_from_the_beginning_of_the_run() -> None:
    """A plan may have waited for the user, or for the runs before it in the same command."""
    progress = Progress(samples=1, started=time.monotonic() - 100)
    async with displayed(progress, "t", Console(file=StringIO())):
        assert time.monotonic() - progress.started < 50


class _Clock:
    """A time that passes when told to, or in a wait."""

    now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let the time pass at once."""
        await asyncio.sleep(0)
        self.now += seconds


class _Asked:
    """A server that fails as often as it is told to, and then never answers."""

    def __init__(self, errors: int) -> None:
        self.errors, self.hangs = errors, asyncio.Event()

    async def complete(self, request: Any, call: Any) -> Any:
        """An error, or nothing."""
        self.errors -= 1
        if self.errors >= 0:
            raise provider_error(
                HttpFailure(
                    500,
                    "litellm.InternalServerError: OpenAIException - Connection error.\x1b[31m "
                    + "x" * 200,
                ),
                JUDGE,
            )
        self.hangs.set()
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Nothing to close."""


CALL = CallContext(cast(Benchmark, None), Item("1"), 1, "judge")
JUDGE = AskedParty("the judge openai/j at host.test")


@pytest.mark.parametrize(("errors", "says"), [(2, False), (3, True), (7, True)])
async def test_the_server_s_words_from_the_third_retry_on(errors: int, says: bool) -> None:
    """Who says what, in one line without control characters."""
    clock, client, progress = _Clock(), _Asked(errors), running(ALL)
    caller = Caller(client, Limits(), clock=clock, sleep=clock.sleep, asked=JUDGE)
    progress.callers[:] = [caller]
    asking = asyncio.create_task(caller.send(ChatRequest(()), CALL))
    await client.hangs.wait()
    told = describe(progress)
    assert (f"{JUDGE.name} says: 500: Connection error." in told) == says
    assert "\x1b" not in told and "x" * 80 not in told
    assert caller.retries == errors
    asking.cancel()


async def test_who_is_waited_for() -> None:
    """After 20 s without an answer, and for how long; at once for who asks to stop."""
    clock, client, progress = _Clock(), _Asked(0), running(ALL)
    caller = Caller(client, Limits(), clock=clock, sleep=clock.sleep, asked=JUDGE)
    progress.callers[:] = [caller]
    assert progress.awaited == []
    asking = asyncio.create_task(caller.send(ChatRequest(()), CALL))
    await client.hangs.wait()
    clock.now += 19.0
    assert "waiting" not in describe(progress) and progress.awaited == [JUDGE.name]
    clock.now += 61.0
    assert f"waiting for {JUDGE.name}, 80 s" in describe(progress)
    assert f"waiting for {JUDGE.name}, 80 s" in " ".join(shown(progress, width=120))
    asking.cancel()
