"""The Python API: what it gives, what it refuses, what it leaves alone."""

import asyncio
import dataclasses
import hashlib
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

import eibench
from eibench import (
    BenchError,
    Benchmark,
    BudgetReached,
    ConfigError,
    DataError,
    Item,
    JournalError,
    Metric,
    Model,
    Option,
    Options,
    Pack,
    PackSource,
    PluginError,
    Progress,
    ProviderError,
    Result,
    SampleScore,
    Sampling,
    Score,
    Summary,
    UsageError,
    read_jsonl,
)
from eibench.core.cli.app import app
from eibench.core.cli.run import run_command
from eibench.core.settings.arguments import RunArguments
from eibench.core.settings.python import python_words
from eibench.core.settings.rules import RULES
from eibench.testing import Answer, Fault, Gate, LoopbackServer, ReceivedRequest, uniform_ratings

ROOT = Path(eibench.__file__).resolve().parents[2]
KEY = "sk-fake-0123456789abcdef"
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def empty_place(empty_place: Path) -> Path:
    """Every test here runs in it."""
    return empty_place


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """A model that gives readable ratings."""
    with LoopbackServer(uniform_ratings(), latency=0.01) as made:
        yield made


def bench(*args: object) -> Any:
    """How a command ended, in this process."""
    return CliRunner().invoke(app, [str(a) for a in args])


class Quiz(Benchmark):
    """A benchmark that no entry point names: the model must say the word back."""

    name = "quiz"
    version = "1"
    title = "a benchmark of the tests"
    options = (
        Option("shout", False, "In capitals.", in_requests=True),
        Option("weight", 1.0, "Of a right answer.", in_grades=True),
        Option("times", 1, "How often.", in_requests=True),
        Option("tone", "warm", "How.", choices=("warm", "cold")),
        Option("hint", None, "A text."),
    )

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """A word a line."""
        rows = [row for path in source.files.values() for _, row in read_jsonl(path)]
        return Pack(source, [Item(row["id"], row["word"]) for row in rows], "beside nothing")

    async def generate(self, item: Item, model: Model, options: Options) -> str:
        """What the model says."""
        word = item.content.upper() if options["shout"] else item.content
        return (await model.chat(f"Say {word}")).text

    async def grade(
        self, item: Item, transcript: str, judge: Model | None, options: Options
    ) -> Score:
        """1 for the word; a judge is asked for its number."""
        said = (await judge.chat(transcript)).text if judge else transcript
        return Score({"right": options["weight"] * (said == item.content)})

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """The mean."""
        values = [value for s in scores for value in s.score.values.values() if value is not None]
        return Summary({"share": Metric(sum(values) / len(values), n=len(values))})


class JudgedQuiz(Quiz):
    """Likewise, with a judge."""

    name = "judged-quiz"
    judged = True


def words(*given: str) -> str:
    """A pack of words."""
    rows = [{"id": str(n), "word": word} for n, word in enumerate(given, 1)]
    Path("words.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return "words.jsonl"


def last_word(request: ReceivedRequest) -> str:
    """A model that does what a quiz asks."""
    return request.prompt.split()[-1]


# Results.


def test_a_result_is_the_document_with_names() -> None:
    """Typed views say what the document says; the file is what `bench show` prints."""
    result = eibench.run("eqbench-v1")
    document = result.document
    assert result.value == document["metrics"]["score"]["value"]
    assert list(result.metrics) == list(document["metrics"])
    for name, metric in result.metrics.items():
        assert metric.as_json() == document["metrics"][name]
        assert [metric.label, metric.over] == document["metric_labels"][name]
    assert result.items._asdict() == dict(document["items"])
    assert (result.status, result.complete, result.demo) == ("complete", True, True)
    assert (result.cost_usd, result.warnings, dict(result.scores)) == (0.0, (), {})
    assert result.path is not None
    assert json.loads(result.path.read_text(encoding="utf-8")) == document
    assert json.loads(bench("show", result.run_id, "--json").stdout) == document


def test_a_result_cannot_be_rebound() -> None:
    """It is a value: frozen, and equal to another of the same contents."""
    document: Any = {"status": "complete"}
    result = Result(document)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.document = document  # type: ignore[misc]  # the point
    assert result == Result(document.copy())


def test_repr_is_one_line_with_what_matters(server: LoopbackServer) -> None:
    """Benchmark, model, DEMO, status, main metric with its interval, counts, dollars."""
    demo = repr(eibench.run("eqbench-v1"))
    assert re.fullmatch(
        r"<Result eqbench-v1, demo/medium, DEMO, complete: "
        r"score [\d.]+ \[[\d.]+, [\d.]+\], 30/30 scored, \$0>",
        demo,
    )
    real = repr(eibench.run("eqbench-v1", model="openai/m", base_url=server.base_url, limit=1))
    assert "DEMO" not in real
    assert repr(eibench.score("eqbench-v1", {"1": "no"}, name="x")) == (
        "<Result eqbench-v1, x, incomplete: no score, 0/30 scored>"
    )
    assert "\n" not in demo + real


def test_raise_for_status_passes_what_is_complete() -> None:
    """It gives the result back, to go on with."""
    result = eibench.run("eqbench-v1", limit=2)
    assert result.raise_for_status() is result


def test_raise_for_status_raises_what_is_not() -> None:
    """A failed sample's reason, and the validity rule, are in the message."""
    with LoopbackServer("No.", faults=lambda r: "context" if r.n == 0 else None) as server:
        target = {"model": "openai/m", "base_url": server.base_url, "concurrency": 1}
        incomplete = eibench.run("eqbench-v1", limit=2, **target)  # type: ignore[arg-type]  # strings and a number
        assert (incomplete.status, incomplete.items.failed) == ("incomplete", 1)
        with pytest.raises(BenchError, match=r"incomplete: 1 failed, 0 not done.*first: "):
            incomplete.raise_for_status()
    with pytest.raises(BenchError, match=r"30 unscored \(29 absent\) of 30 samples"):
        eibench.score("eqbench-v1", {"1": "No."}).raise_for_status()
    failed = eibench.score("eqbench-v1", {str(n): "No." for n in range(1, 31)})
    with pytest.raises(BenchError, match=r"fail: .+"):
        failed.raise_for_status()


# Runs.


def test_the_same_call_again_asks_nothing(server: LoopbackServer) -> None:
    """And gives the same result."""
    args: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url, "limit": 4}
    first = eibench.run("eqbench-v1", **args)
    again = eibench.run("eqbench-v1", **args)
    assert len(server.requests) == 4
    assert again.metrics == first.metrics
    assert again.document["calls"]["replayed"] == 4


SAME = {
    "temperature 1": ({"temperature": 1}, ("--temperature", 1)),
    "numpy numbers": ({"top_p": np.float64(0.5), "seed": np.int64(3)},
                      ("--top-p", 0.5, "--seed", 3)),
    "sampling": ({"sampling": Sampling(min_p=0, max_tokens=99)},
                 ("--min-p", 0, "--max-tokens", 99)),
    "top_k": ({"top_k": 40}, ("--top-k", 40)),
    "extra body": ({"extra_body": {"a": [1, 2.5]}}, ("--extra-body", '{"a": [1, 2.5]}')),
    "options": ({"options": {"revise": False}}, ("--no-revise",)),
    "system and name": ({"system": "Hi.", "name": "x"}, ("--system", "Hi.", "--name", "x")),
    "effort": ({"reasoning_effort": "low"}, ("--reasoning-effort", "low")),
}  # fmt: skip


@pytest.mark.parametrize(("keywords", "flags"), SAME.values(), ids=SAME)
def test_it_means_the_same_run_as_the_command(
    server: LoopbackServer, keywords: dict[str, Any], flags: tuple[object, ...]
) -> None:
    """What one of them began, the other knows: not a call is made twice."""
    target: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url + "/"}
    result = eibench.run("eqbench-v1", limit=2, **target, **keywords)
    sent = len(server.requests)
    args = ("--model", "openai/m", "--base-url", server.base_url, "--limit", 2, *flags)
    done = bench("run", "eqbench-v1", *args, "--json")
    assert len(server.requests) == sent == 2
    assert json.loads(done.stdout)["run_id"] == result.run_id


@pytest.mark.parametrize("limit", [2, None])
def test_more_is_added_and_less_is_a_subset(server: LoopbackServer, limit: int | None) -> None:
    """`limit`, `items` and `iterations` as on the command line."""
    args: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url}
    assert eibench.run("eqbench-v1", limit=limit, **args).items.total == (limit or 30)
    assert eibench.run("eqbench-v1", items=["2"], **args).items.total == 1
    assert len(server.requests) == (limit or 30)
    assert eibench.run("eqbench-v1", items=("2", "5"), iterations=2, **args).items.scored == 4


def test_a_benchmark_of_ones_own_needs_no_plugin() -> None:
    """An instance is enough; its options have their defaults unless they are given."""
    with LoopbackServer(last_word) as server:
        args: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url}
        args["dataset"] = Path(words("Calm", "GLAD"))
        plain = eibench.run(Quiz(), **args)
        loud = eibench.run(Quiz(), options={"shout": True, "weight": 2}, **args)
    assert (plain.value, loud.value) == (1.0, 1.0)
    assert loud.document["options"] == {
        "shout": True, "weight": 2.0, "times": 1, "tone": "warm", "hint": None,
    }  # fmt: skip
    assert plain.run_id != loud.run_id


def test_a_judge_has_its_own_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own address and key; the model's headers are not sent to it."""
    monkeypatch.setenv("JUDGE_KEY", KEY)
    with LoopbackServer(last_word) as server, LoopbackServer("calm") as bench_server:
        result = eibench.run(
            JudgedQuiz(),
            model="openai/m",
            base_url=server.base_url,
            headers={"X-Who": "model"},
            judge="openai/j",
            judge_base_url=bench_server.base_url,
            judge_api_key_env="JUDGE_KEY",
            dataset=words("calm"),
        )
    assert result.value == 1.0
    assert server.requests[0].headers["x-who"] == "model"
    assert bench_server.requests[0].api_key == KEY
    assert "x-who" not in bench_server.requests[0].headers


def test_every_setting_of_the_command_has_its_argument() -> None:
    """Options of `bench run` and arguments of `run` are the same, but for those of a terminal."""
    renamed = {"models": "model", "judges": "judge", "json_output": None, "dry_run": None,
               "yes": None, "details": None, "price": "prices", "config": None,
               "systems": "system", "suite": None, "fail_under": None,
               "fail_if_worse": None, "serve": None, "health": None, "ready": None}  # fmt: skip
    names = [p.name for p in run_command.params if isinstance(p, click.Option)]
    wanted = {renamed.get(str(name), str(name)) for name in names} - {None}
    there = set(inspect.signature(eibench.run).parameters)
    assert there - wanted == {"benchmark", "options", "sampling", "progress"}
    assert wanted <= there


def test_type_checkers_see_every_argument() -> None:
    """The typed dictionary has what the declared settings make, and no more."""
    there = set(inspect.signature(eibench.run).parameters)
    assert RunArguments.__annotations__.keys() == there - {"benchmark", "progress"}


def test_an_unknown_argument_names_the_nearest() -> None:
    """As a `TypeError`, before anything is done."""
    with pytest.raises(TypeError, match=r"^run\(\) got .* 'modle'; did you mean model\?$"):
        eibench.run("eqbench-v1", modle="demo/weak")  # type: ignore[call-arg]  # the point


def test_both_forms_take_the_same_arguments() -> None:
    """And their defaults are those of the command line."""
    for plain, coroutine in (
        (eibench.run, eibench.run_async),
        (eibench.score, eibench.score_async),
    ):
        assert inspect.signature(plain) == inspect.signature(coroutine)
        assert inspect.iscoroutinefunction(coroutine)
        assert not inspect.iscoroutinefunction(plain)
    defaults = inspect.signature(eibench.run).parameters
    for param in run_command.params:
        if param.name in ("timeout", "max_retries"):
            assert defaults[param.name].default == param.default
        if param.name == "max_reply":
            assert defaults["max_reply"].default == RULES["max_reply"].read(str(param.default))


class Files(SimpleHTTPRequestHandler):
    """Serves the working directory without a word."""

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def online_quiz(tmp_path: Path) -> Iterator[Quiz]:
    """A quiz whose official pack is on a server of this machine."""
    data = Path(words("calm")).read_bytes()
    with ThreadingHTTPServer(("127.0.0.1", 0), Files) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        file = {"name": "words", "path": "words.jsonl", "size": len(data),
                "url": f"http://127.0.0.1:{http.server_port}/words.jsonl",
                "sha256": hashlib.sha256(data).hexdigest()}  # fmt: skip
        manifest = {"benchmark": "quiz", "packs": {"official": {"title": "x", "files": [file]}}}
        (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        quiz = Quiz()
        quiz.data = tmp_path
        yield quiz
        http.shutdown()


def test_official_data_are_fetched_when_they_are_asked_for(online_quiz: Quiz) -> None:
    """By run and by score; then they are in the cache."""
    with LoopbackServer(last_word) as server:
        args: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url}
        result = eibench.run(online_quiz, dataset="official", **args)
    assert result.document["dataset"]["name"] == "official"
    assert eibench.score(online_quiz, {"1": "calm"}).document["dataset"]["name"] == "official"


# Keys, settings, output: what it reads and what it leaves alone.


@pytest.mark.parametrize("place", ["environment", "dotenv"])
def test_keys_come_from_the_environment_or_dotenv(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """By the standard name on loopback, by the given name too; nothing is set for others."""
    if place == "environment":
        monkeypatch.setenv("MY_KEY", KEY)
    else:
        Path(".env").write_text(f"MY_KEY={KEY}\n", encoding="utf-8")
    before = dict(os.environ)
    args: dict[str, Any] = {"base_url": server.base_url, "api_key_env": "MY_KEY", "limit": 1}
    eibench.run("eqbench-v1", model="openai/m", **args)
    assert server.requests[0].api_key == KEY
    assert dict(os.environ) == before


def test_settings_of_the_command_line_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither bench.toml nor BENCH_* changes what a program asks for."""
    monkeypatch.setenv("BENCH_LIMIT", "1")
    monkeypatch.setenv("BENCH_MODEL", "demo/weak")
    Path("bench.toml").write_text("[run]\nlimit = 2\niterations = 3\n", encoding="utf-8")
    result = eibench.run("eqbench-v1")
    assert (result.document["model"], result.items.total) == ("demo/medium", 30)


QUIET = """
import logging, eibench
from eibench.testing import LoopbackServer, fail_first
with LoopbackServer("No.", faults=fail_first("500")) as server:
    eibench.run("eqbench-v1", model="openai/m", base_url=server.base_url, limit=2)
eibench.score("eqbench-v1", {"1": "No."})
logging.getLogger("eibench").warning("what a program did not ask to see")
try:
    eibench.run("no-such")
except eibench.BenchError:
    pass
"""


def test_nothing_is_printed() -> None:
    """Not for retries, not for warnings, not for errors."""
    done = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


async def test_signal_handlers_are_left_alone() -> None:
    """A program's own reaction to Ctrl-C and SIGTERM holds while a run goes on."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    seen: list[Any] = []
    await eibench.run_async(
        "eqbench-v1", progress=lambda _: seen.append([signal.getsignal(n) for n in numbers])
    )
    assert len(seen) >= 2
    assert all(handlers == before for handlers in seen)


def test_keys_are_in_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even when the server repeats them."""
    monkeypatch.setenv("MY_KEY", KEY)
    message = Fault("401", message=f"Incorrect API key provided: {KEY}")
    with (
        LoopbackServer(faults=lambda r: message) as server,
        pytest.raises(ProviderError) as caught,
    ):
        eibench.run("eqbench-v1", model="openai/m", base_url=server.base_url, api_key_env="MY_KEY")
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert (caught.value.kind, caught.value.status) == ("auth", 401)


# Event loops and threads.


async def test_run_says_what_to_write_inside_a_loop() -> None:
    """One clear error, for score too; no coroutine is left that nobody awaits."""
    with pytest.raises(UsageError, match=r"await eibench\.run_async\(\.\.\.\)"):
        eibench.run("eqbench-v1")
    with pytest.raises(UsageError, match=r"await eibench\.score_async\(\.\.\.\)"):
        eibench.score("eqbench-v1", {"1": "x"})
    assert not Path("runs").exists()


async def test_runs_go_on_side_by_side() -> None:
    """In one loop, in one runs folder."""
    strong, weak = await asyncio.gather(
        eibench.run_async("eqbench-v1", model="demo/strong"),
        eibench.run_async("eqbench-v1", model="demo/weak"),
    )
    assert strong.complete and weak.complete
    assert (strong.value or 0) > (weak.value or 0)


def test_runs_go_on_in_threads() -> None:
    """A run needs no main thread."""
    eibench.run("eqbench-v1", limit=1)
    with ThreadPoolExecutor(2) as pool:
        models = ("demo/strong", "demo/weak")
        made = pool.map(lambda model: eibench.run("eqbench-v1", model=model, limit=3), models)
    assert [result.items.scored for result in made] == [3, 3]


async def test_score_async_gives_what_score_does() -> None:
    """The same document."""
    awaited = await eibench.score_async("eqbench-v1", {"1": "No."})
    plain = await asyncio.to_thread(eibench.score, "eqbench-v1", {"1": "No."})
    assert awaited == plain


# Progress and stopping.


def test_progress_is_called_and_ends_with_everything() -> None:
    """With the counters; the last call sees them all."""
    seen: list[tuple[int, int]] = []
    eibench.run("eqbench-v1", progress=lambda p: seen.append((p.done, p.samples)))
    assert seen[-1] == (30, 30)


def test_progress_may_take_its_time() -> None:
    """Every call is answered meanwhile: what blocks is not the event loop."""
    seen: list[int] = []
    with LoopbackServer(uniform_ratings()) as made:

        def wait_for_the_server(progress: Progress) -> None:
            while len(made.answered) < 4:
                time.sleep(0.01)
            seen.append(progress.done)

        args: dict[str, Any] = {"model": "openai/m", "base_url": made.base_url, "limit": 4}
        result = eibench.run("eqbench-v1", progress=wait_for_the_server, concurrency=1, **args)
    assert (result.items.scored, seen[-1]) == (4, 4)


def test_a_loop_that_was_closed_leaves_the_run_free() -> None:
    """A call that was under way in it cannot go on, so the next one may."""
    with LoopbackServer(uniform_ratings(), latency=lambda r: 60.0 * (r.n == 0)) as server:
        args: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url, "limit": 1}

        async def begin() -> None:
            while not server.requests:
                await asyncio.sleep(0.01)

        loop = asyncio.new_event_loop()
        pending = loop.create_task(eibench.run_async("eqbench-v1", **args))
        loop.run_until_complete(begin())
        with pytest.raises(JournalError, match="in another task or thread of this very process"):
            eibench.run("eqbench-v1", **args)
        loop.close()
        assert eibench.run("eqbench-v1", **args).status == "complete"
        assert not pending.done()


def test_a_progress_object_counts(server: LoopbackServer) -> None:
    """For whoever looks at it; it is not for two runs."""
    progress = Progress()
    args: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url, "limit": 3}
    eibench.run("eqbench-v1", progress=progress, **args)
    assert (progress.done, progress.calls, progress.in_flight) == (3, 3, 0)
    with pytest.raises(UsageError, match="make a new one"):
        eibench.run("eqbench-v1", progress=progress, **args)


class Enough(Exception):
    """A program has seen enough."""


def stop_after(count: int, then: Callable[[], None]) -> Callable[[Progress], None]:
    """A progress function that stops a run, and does something, once so many samples are done."""

    def watch(progress: Progress) -> None:
        if progress.done >= count:
            then()
            raise Enough

    return watch


def test_raising_in_progress_stops_gently() -> None:
    """The exception comes out; all that was sent is saved, and the rest is asked next time."""
    gate = Gate(free=8)
    with LoopbackServer(uniform_ratings(), latency=gate) as server:
        args: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url}
        args["concurrency"] = 4
        with pytest.raises(Enough):
            eibench.run("eqbench-v1", progress=stop_after(4, gate.open), **args)
        sent = len(server.answered)
        assert 4 <= sent < 30
        result = eibench.run("eqbench-v1", **args)
        assert (result.items.scored, len(server.requests)) == (30, 30)


async def test_cancelling_keeps_what_was_answered() -> None:
    """Only what was in flight is asked again."""
    gate = Gate(free=6)
    with LoopbackServer(uniform_ratings(), latency=gate) as server:
        args: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url}
        args["concurrency"] = 2
        task = asyncio.create_task(eibench.run_async("eqbench-v1", **args))
        await asyncio.to_thread(gate.wait_for, 2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.open()
        result = await eibench.run_async("eqbench-v1", **args)
    assert result.items.scored == 30
    assert len(server.requests) <= 30 + 2


def test_a_spending_limit_gives_a_result_that_can_go_on() -> None:
    """Status `budget`, the limit kept; more money buys only the rest."""
    answer = uniform_ratings()

    def costly(request: ReceivedRequest) -> Answer:
        return Answer(str(answer(request)), input_tokens=900, output_tokens=700)

    with LoopbackServer(costly) as server:
        args: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url}
        args["prices"] = {"openai/m": {"input": 2, "output": 8}}
        poor = eibench.run("eqbench-v1", max_cost=0.1, **args)
        assert (poor.status, poor.complete) == ("budget", False)
        assert poor.cost_usd == pytest.approx(len(server.answered) * 0.0074)
        assert poor.cost_usd is not None and 0 < poor.cost_usd <= 0.1
        with pytest.raises(BudgetReached, match=r"budget: 0 failed, \d+ not done"):
            poor.raise_for_status()
        rich = eibench.run("eqbench-v1", max_cost=1, **args)
    assert rich.complete
    assert len(server.answered) == 30


# What cannot be.

REFUSED = {
    "benchmark": ({"benchmark": "eqbench-v2x"}, UsageError, "did you mean"),
    "no instance": ({"benchmark": Quiz}, PluginError, "it is a class; pass Quiz()"),
    "spec": ({"model": "gpt"}, UsageError, "'gpt' is not a model spec"),
    "provider": ({"model": "opnai/x"}, UsageError, "unknown provider 'opnai'"),
    "demo name": ({"model": "demo/x"}, UsageError, "unknown demo model demo/x"),
    "option": ({"options": {"pars": 1}}, UsageError, "has no option 'pars'; there are: "),
    "choice": ({"options": {"parser": "x"}}, UsageError, "parser must be one of strict, reference"),
    "switch": ({"options": {"revise": "no"}}, UsageError, "revise must be true or false, not 'no'"),
    "pack": ({"dataset": "none.json"}, DataError, "none.json: no such file, folder or pack"),
    "items": ({"items": ["99"]}, UsageError, "items 99: the pack has no such item"),
    "one text": ({"items": "12"}, UsageError, "items must be a list, such as ['12']"),
    "items twice": ({"items": ["1", "1"]}, UsageError, "items names 1 twice"),
    "both": ({"items": ["1"], "limit": 1}, UsageError, "items and limit contradict"),
    "name": ({"name": " "}, UsageError, "name must not be blank"),
    "notes": ({"notes": {"a": 1}}, UsageError, "notes a: must be a text"),
    "headers": ({"headers": {"a": 1}, "model": "openai/m"}, UsageError, "headers a: must be"),
    "demo url": ({"base_url": "http://x/v1"}, UsageError, "base_url does not go with demo/"),
    "url": ({"base_url": "", "model": "openai/m"}, UsageError, "is not an http"),
    "key": ({"model": "openai/m"}, ConfigError, "set OPENAI_API_KEY"),
    "named key": ({"model": "openai/m", "api_key_env": "NOPE"}, ConfigError, "variable NOPE"),
    "no judge": ({"judge_base_url": "http://x/v1"}, UsageError, "judge_base_url needs judge"),
    "judge": ({"judge": "demo/judge"}, UsageError, "asks no judge; leave judge out"),
    "demo judge": ({"judge": "demo/judge", "judge_api_key_env": "X"}, UsageError,
                   "judge_api_key_env does not go with demo/judge"),
    "iterations": ({"iterations": 0}, UsageError, "iterations must be a whole number from 1"),
    "limit": ({"limit": True}, UsageError, "limit must be a whole number"),
    "concurrency": ({"concurrency": 1.5}, UsageError, "concurrency must be a whole number"),
    "temperature": ({"temperature": float("nan")}, UsageError, "must be a finite number"),
    "too large": ({"temperature": 10**400}, UsageError, "must be a finite number"),
    "below 0": ({"sampling": Sampling(temperature=-1)}, UsageError, "temperature must be"),
    "top p": ({"top_p": 1.1}, UsageError, "top_p must be a number from 0 to 1"),
    "max tokens": ({"max_tokens": "9"}, UsageError, "max_tokens must be a whole number"),
    "seed": ({"seed": 1.0}, UsageError, "seed must be a whole number, or none, not"),
    "given twice": ({"seed": 1, "sampling": Sampling(seed=1)}, UsageError, "seed is given twice"),
    "our field": ({"extra_body": {"n": 2}}, UsageError, "may not set 'n': use iterations"),
    "twice": ({"extra_body": {"seed": 2}, "seed": 1}, UsageError, "an option sets it already"),
    "credential": ({"extra_body": {"a": {"api_key": "x"}}}, UsageError, "holds 'a.api_key'"),
    "credential too": ({"sampling": Sampling(extra_body={"token": "x"})}, UsageError, "'token'"),
    "key for a name": ({"model": "openai/m", "api_key_env": "sk-live-word"}, UsageError,
                       "api_key_env takes the NAME of a variable"),
    "no JSON": ({"extra_body": {"a": float("inf")}}, UsageError, "what JSON cannot"),
    "no JSON type": ({"extra_body": {"a": {1, 2}}}, UsageError, "what JSON cannot"),
    "rpm": ({"rpm": 0}, UsageError, "rpm must be a number above 0, not 0"),
    "timeout": ({"timeout": -1}, UsageError, "timeout must be a number above 0, not -1"),
    "retries": ({"max_retries": -1}, UsageError, "max_retries must be a whole number from 0"),
    "max reply": ({"max_reply": 0}, UsageError, "max_reply must be a size above 0"),
    "no size": ({"max_reply": "much"}, UsageError, "such as 16MiB or 1048576, not 'much'"),
    "max cost": ({"max_cost": -1}, UsageError, "max_cost must be a number from 0 to 1,000"),
    "no sum": ({"max_cost": 1e308}, UsageError, "max_cost must be a number from 0 to 1,000"),
    "no end": ({"iterations": 10**9}, UsageError, "must be a whole number from 1 to 100,000"),
    "no text": ({"name": "\ud800"}, UsageError, "name holds what is no text"),
    "long folder": ({"runs_dir": "a" * 300}, JournalError, "name another folder with runs_dir"),
    "price": ({"prices": {"openai/m": {"input": 1}}}, ConfigError, "output is missing"),
    "unknown price": ({"model": "openai/m", "base_url": "http://x.example/v1", "max_cost": 1},
                      UsageError, "max_cost needs the price of openai/m"),
}  # fmt: skip


@pytest.mark.parametrize(("keywords", "kind", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused(
    keywords: dict[str, Any], kind: type[BenchError], message: str
) -> None:
    """One line that says what is wrong; nothing is made or sent."""
    with pytest.raises(kind) as caught:
        eibench.run(**{"benchmark": "eqbench-v1", **keywords})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "--" not in str(caught.value)
    assert not Path("runs").exists()


SHARED: dict[str, tuple[dict[str, Any], tuple[object, ...]]] = {
    "spec": ({"model": "gpt"}, ("--model", "gpt")),
    "key": ({"model": "openai/m"}, ("--model", "openai/m")),
    "pack": ({"dataset": "none.json"}, ("--dataset", "none.json")),
    "items": ({"items": ["99"]}, ("--items", "99")),
    "both": ({"items": ["1"], "limit": 1}, ("--items", "1", "--limit", 1)),
    "name": ({"name": " "}, ("--name", " ")),
    "demo url": ({"base_url": "http://x/v1"}, ("--base-url", "http://x/v1")),
    "judge": ({"judge": "demo/judge"}, ("--judge", "demo/judge")),
    "no judge": ({"judge_base_url": "http://x/v1"}, ("--judge-base-url", "http://x/v1")),
    "our field": ({"extra_body": {"n": 2}}, ("--extra-body", '{"n": 2}')),
    "credential": ({"extra_body": {"api_key": "x"}}, ("--extra-body", '{"api_key": "x"}')),
    "price": ({"model": "openai/m", "base_url": "http://x.example/v1", "max_cost": 1},
              ("--model", "openai/m", "--base-url", "http://x.example/v1", "--max-cost", 1)),
}  # fmt: skip


@pytest.mark.parametrize(("keywords", "flags"), SHARED.values(), ids=SHARED)
def test_errors_are_those_of_the_command(
    keywords: dict[str, Any], flags: tuple[object, ...]
) -> None:
    """The same message with arguments for options, and the exit code of its class."""
    with pytest.raises(BenchError) as caught:
        eibench.run("eqbench-v1", **keywords)
    done = bench("run", "eqbench-v1", *flags)
    assert python_words(done.stderr.splitlines()[-1]) == f"Error: {caught.value}"
    assert done.exit_code == caught.value.exit_code


@pytest.mark.parametrize(
    ("option", "value"),
    [("times", 1.5), ("times", True), ("weight", "1"), ("weight", True), ("hint", 3)],
)
def test_an_option_has_the_type_of_its_default(option: str, value: object) -> None:
    """A switch is no number, a number no text."""
    with pytest.raises(UsageError, match=f"{option} must be"):
        eibench.run(Quiz(), options={option: value}, dataset=words("a"))


def test_a_run_of_another_owner_is_refused() -> None:
    """The run is being worked on; the message names who does."""
    gate = Gate()
    with LoopbackServer(uniform_ratings(), latency=gate) as server:
        args: dict[str, Any] = {"model": "openai/m", "base_url": server.base_url, "limit": 1}

        async def twice() -> Sequence[Any]:
            both = [asyncio.create_task(eibench.run_async("eqbench-v1", **args)) for _ in "ab"]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            gate.open()
            return await asyncio.gather(*both, return_exceptions=True)

        ended = asyncio.run(twice())
    (error,) = (e for e in ended if isinstance(e, BaseException))
    assert isinstance(error, JournalError)
    assert len(server.requests) == 1


# Scoring.


def answer() -> str:
    """A readable answer to the first item of the bundled pack."""
    (line,) = bench("prompts", "eqbench-v1", "--limit", 1).stdout.splitlines()
    prompt = json.loads(line)["messages"][-1]["content"]
    names = list(dict.fromkeys(re.findall(r"^(.+): <score>$", prompt, re.M)))
    one = "\n".join(f"{name}: {n}" for n, name in enumerate(names, 1))
    return f"First pass scores:\n{one}\n\nCritique: none.\n\nRevised scores:\n{one}\n"


def test_every_form_of_answers_gives_the_same() -> None:
    """A file, rows, a generator of rows, and mappings by id or by id and iteration."""
    text = answer()
    rows = [{"item_id": "1", "response": text}, {"item_id": "2", "response": "No."}]
    Path("a.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    plain = {"1": text, "2": "No."}
    forms: Mapping[str, Any] = {
        "path": Path("a.jsonl"),
        "text path": "a.jsonl",
        "rows": rows,
        "generator": (row for row in rows),
        "by id": plain,
        "by id and iteration": {(item, 1): text for item, text in plain.items()},
    }
    results = [eibench.score("eqbench-v1", form, name="x") for form in forms.values()]
    assert all(result == results[0] for result in results)
    scored = results[0]
    assert (scored.items.scored, scored.items.unscored) == (1, 29)
    assert scored.scores.keys() == {"1", "2"}
    assert isinstance(scored.scores["1"][0]["first_pass"], float)
    assert (scored.run_id, scored.path, scored.demo) == (None, None, False)
    assert not Path("runs").exists()


def test_score_is_that_of_the_command() -> None:
    """The very document of `bench score --json`, options included."""
    Path("mine.jsonl").write_text(json.dumps({"item_id": 1, "response": answer()}))
    result = eibench.score("eqbench-v1", "mine.jsonl", options={"parser": "reference"})
    done = bench("score", "eqbench-v1", "mine.jsonl", "--parser", "reference", "--json")
    assert json.loads(done.stdout) == result.document
    assert result.document["name"] == "mine"


def test_iterations_are_kept_apart() -> None:
    """By the second part of the key; a missing one is unscored."""
    result = eibench.score("eqbench-v1", {("1", 1): answer(), ("1", 3): answer()})
    assert [row["reason"] is None for row in result.scores["1"]] == [True, False, True]
    assert result.document["iterations"] == 3


def test_a_benchmark_of_ones_own_can_be_scored() -> None:
    """From an instance, on a path."""
    assert eibench.score(Quiz(), {"1": "calm"}, dataset=words("calm")).value == 1.0


BROKEN: dict[str, tuple[Any, str]] = {
    "unknown item": ({"99": "x"}, "responses, key '99': the bundled pack has no item '99'"),
    "no text": ({"1": 5}, "responses, key '1': needs \"response\", a text"),
    "key": ({("1", 0): "x"}, "responses, key ('1', 0): \"iteration\" must be"),
    "key of a kind": ({("1", 1, 1): "x"}, 'needs "item_id", a text'),
    "twice": ([{"item_id": 1, "response": "x"}] * 2, "row 2: item '1', iteration 1, is answered"),
    "row": (["x"], "responses, row 1: not a JSON object"),
    "none": ({}, "responses: holds no responses"),
    "file": ("none.jsonl", "none.jsonl: no such file"),
    "kind": (5, "must be a path, a mapping or rows, not int"),
}


@pytest.mark.parametrize(("responses", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_answers_are_told_with_their_place(responses: Any, message: str) -> None:
    """`DataError`, one line."""
    with pytest.raises(DataError) as caught:
        eibench.score("eqbench-v1", responses)
    assert message in str(caught.value)


def test_what_answers_alone_cannot_score_is_refused() -> None:
    """A judged benchmark, one of several turns, and a blank name."""

    class Dialogue(Quiz):
        single_turn = False

    with pytest.raises(UsageError, match="needs a judge, so bench score cannot"):
        eibench.score(JudgedQuiz(), {"1": "x"})
    with pytest.raises(UsageError, match="is for benchmarks of one turn"):
        eibench.score(Dialogue(), {"1": "x"})
    with pytest.raises(UsageError, match="must not be blank"):
        eibench.score("eqbench-v1", {"1": "x"}, name="")


# The page.

EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.mark.parametrize("n", range(len(EXAMPLES)))
def test_examples_of_the_page_run(
    n: int, server: LoopbackServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each by itself, as it stands, with a server where it says that there is one."""
    code = EXAMPLES[n].replace("http://127.0.0.1:8000/v1", server.base_url)
    exec(compile(code, f"docs/api.md, example {n + 1}", "exec"), {"__name__": "example"})
    out = capsys.readouterr().out
    assert out
    shown = re.search(r"^<Result.*$", PAGE, re.M)
    assert n or (shown and out == shown[0] + "\n")


PAGES_OF_SETTINGS = ("commands", "configuration")


def test_the_page_names_every_argument_field_and_error() -> None:
    """Nothing public is left out; of arguments the page has those that are not as the settings."""
    pages = [(ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in PAGES_OF_SETTINGS]
    names = {*inspect.signature(eibench.run).parameters, *vars(Result), "path", "document"}
    for name in names - {"benchmark"}:
        if not name.startswith("_"):
            told = rf"`{name}(\(\))?`", rf"`--{name.replace('_', '-')}\b", rf"\| `{name}` \|"
            assert any(map(re.search, told, [PAGE, *pages])), name
    for error in (UsageError, ConfigError, DataError, PluginError, ProviderError, JournalError):
        assert f"`{error.__name__}`" in PAGE
