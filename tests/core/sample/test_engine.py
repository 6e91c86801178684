"""The engine: replay, extension, failures, and other judges, on a benchmark of a third party."""

import asyncio
import gc
import re
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from eibench import (
    Item,
    JudgeError,
    MissingCall,
    Model,
    Options,
    ProviderError,
    Sampling,
    Score,
    UsageError,
)
from eibench.core.clients.limits import Limits, RetryPolicy
from eibench.core.journal import Journal
from eibench.core.sample import workers as samples
from eibench.testing import Gate, LoopbackServer, ReceivedRequest

if TYPE_CHECKING:
    from tests.core.conftest import Lab

CALLS = 8  # of one sample: six to the model, two to the judge


def asked(server: LoopbackServer) -> Counter[str]:
    """How often each prompt was asked."""
    return Counter(request.prompt for request in server.requests)


@pytest.mark.parametrize("party", ["judge", "benchmark"])
async def test_a_credential_in_a_benchmark_s_own_sampling_is_refused(
    lab: "Lab", counting_server: LoopbackServer, party: str
) -> None:
    """As it would be stored with every run, of the model's sampling and of the judge's."""
    own = Sampling(extra_body={"api_key": "fake-0123456789"})
    field = "judge_sampling" if party == "judge" else "sampling"
    lab.benchmark = type("Careless", (type(lab.benchmark),), {field: own})()
    with pytest.raises(UsageError, match=f"the sampling of the {party} holds 'api_key'") as caught:
        await lab.run()
    assert "0123456789" not in str(caught.value)
    assert not counting_server.requests and not lab.runs_dir.exists()


# Replay


async def test_a_finished_run_is_told_again_without_a_request(
    lab: "Lab", counting_server: LoopbackServer
) -> None:
    """The same command once more: the same result, not one request, no time added."""
    first = await lab.run()
    heard = len(counting_server.requests)
    again = await lab.run()
    assert len(counting_server.requests) == heard == 4 * CALLS
    assert again["calls"].pop("replayed") == heard
    first["calls"].pop("replayed")
    assert 0 == again["asked"].pop("now") < first["asked"].pop("now") <= heard
    assert again == first


async def test_a_run_that_is_cut_off_anywhere_ends_like_one_that_is_not(
    lab: "Lab", counting_server: LoopbackServer
) -> None:
    """Cancelled at 20 moments and begun again: every reply is kept and none is asked twice.

    Every reply of the server is another number, so that a reply which lands in another place
    than before would change the scores.
    """
    lab.take_items(6)
    rng = Random(1)
    for _ in range(20):
        running = asyncio.create_task(lab.run())
        await asyncio.wait([running], timeout=rng.uniform(0.0, 0.04))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    final = await lab.run()
    scores = lab.rows()
    with Journal(lab.runs_dir) as journal:
        (run,) = journal.runs()
        calls = list(journal.calls(run))
    assert final["status"] == "complete"
    assert len(calls) == 6 * CALLS
    said = {str(request.n) for request in counting_server.answered}
    assert {call.response.text for call in calls} <= said
    for row, score in scores.items():
        item = row.split()[2]
        kept = sorted(float(c.response.text) for c in calls if c.item_id == item)
        assert sorted(v for v in score.values.values() if v is not None) == kept
    again = await lab.run()
    assert (again["metrics"], lab.rows()) == (final["metrics"], scores)


async def test_each_of_several_equal_calls_gets_its_own_reply_again(lab: "Lab") -> None:
    """Equal requests at the same time are told apart by their order, not by who answers first."""
    await lab.run()
    before = lab.rows()
    with Journal(lab.runs_dir) as journal:
        journal.writer.add("DELETE FROM grades", ())
    again = await lab.run()
    assert again["calls"]["replayed"] == 4 * CALLS
    assert lab.rows() == before


async def test_only_the_missing_calls_are_asked_again(
    lab: "Lab", counting_server: LoopbackServer
) -> None:
    """A sample without some of its replies asks for those alone."""
    await lab.run()
    heard = len(counting_server.requests)
    with Journal(lab.runs_dir) as journal:
        journal.writer.add("DELETE FROM grades", ())
        journal.writer.add("DELETE FROM calls WHERE phase = 'judge' AND occurrence = 1", ())
    document = await lab.run()
    new = counting_server.requests[heard:]
    assert sorted(r.prompt.split()[:2] for r in new) == [["judge", str(n)] for n in range(1, 5)]
    assert document["calls"]["replayed"] == 4 * (CALLS - 1)


# Larger, smaller, other


async def test_more_iterations_and_a_larger_limit_extend_a_run(
    lab: "Lab", counting_server: LoopbackServer
) -> None:
    """Only what is new is asked; the result is over all of it."""
    await lab.run(limit=2)
    assert len(counting_server.requests) == 2 * CALLS
    document = await lab.run(limit=3, iterations=2)
    assert len(counting_server.requests) == 6 * CALLS
    assert (document["items"]["total"], document["items"]["scored"]) == (6, 6)
    assert document["calls"]["replayed"] == 2 * CALLS


async def test_a_smaller_command_reports_its_subset(
    lab: "Lab", counting_server: LoopbackServer
) -> None:
    """Fewer iterations, items or a limit: numbers of that part, from the journal alone."""
    small = await lab.run(limit=2)
    await lab.run(iterations=2)
    heard = len(counting_server.requests)
    again = await lab.run(limit=2)
    named = await lab.run(items=("1", "2"))
    assert len(counting_server.requests) == heard
    assert again["metrics"] == small["metrics"] == named["metrics"]
    assert again["items"] == small["items"]
    assert again["calls"]["model"] == 12


async def test_another_judge_adds_its_calls_only(
    lab: "Lab", counting_server: LoopbackServer
) -> None:
    """Transcripts stay; each judge's grades stay; back to the first one asks nothing."""
    first = await lab.run()
    heard = len(counting_server.requests)
    other = await lab.run(judge=lab.endpoint("other-judge"))
    new = counting_server.requests[heard:]
    assert [r.model for r in new] == ["other-judge"] * 8
    assert other["metrics"] != first["metrics"]
    back = await lab.run()
    assert len(counting_server.requests) == heard + 8
    assert back["metrics"] == first["metrics"]


async def test_a_grading_option_is_graded_anew_from_the_journal(
    lab: "Lab", counting_server: LoopbackServer
) -> None:
    """Another parser needs no request, and its grades stand beside the others."""
    await lab.run()
    heard = len(counting_server.requests)
    await lab.run(options={"reader": "other"})
    assert len(counting_server.requests) == heard
    assert len(lab.rows()) == 8


async def test_each_iteration_has_the_next_seed(
    lab: "Lab", counting_server: LoopbackServer
) -> None:
    """Iteration N is asked with SEED + N - 1; the judge gets none."""
    await lab.run(iterations=3, limit=1, sampling=Sampling(seed=40))
    seeds = {(r.model, r.body.get("seed")) for r in counting_server.requests}
    assert seeds == {("model", 40), ("model", 41), ("model", 42), ("judge", None)}


async def test_without_a_seed_none_is_sent(lab: "Lab", counting_server: LoopbackServer) -> None:
    """Iterations do not invent one."""
    await lab.run(iterations=2, limit=1)
    assert {r.body.get("seed") for r in counting_server.requests} == {None}


# Failures


def fails_for(item_id: str, at: str, error: Exception) -> Any:
    """What makes one item raise in one phase."""

    def broken(phase: str, item: Item) -> None:
        if (phase, item.id) == (at, item_id):
            raise error

    return broken


@pytest.mark.parametrize("phase", ["generate", "grade"])
@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        (
            KeyError("x"),
            "plugin",
            "{phase} of talk (module tests.core.conftest) raised KeyError: 'x'",
        ),
        (JudgeError("no verdict", raw="?"), "judge", "no verdict"),
        (
            ValueError("half \ud83d and sk-fake-0123456789abcdef"),
            "plugin",
            "{phase} of talk (module tests.core.conftest) raised ValueError: half \ufffd and [key]",
        ),
        (
            ExceptionGroup("g", [ExceptionGroup("h", [OSError("disk")])]),
            "plugin",
            "{phase} of talk (module tests.core.conftest) raised OSError: disk",
        ),
    ],
    ids=["KeyError", "JudgeError", "odd text", "group"],
)
async def test_what_a_plugin_raises_fails_its_sample_alone(
    lab: "Lab", phase: str, error: Exception, kind: str, reason: str
) -> None:
    """The sample is failed with the reason, the others are scored, the next command tries again."""
    vars(lab.benchmark)["broken"] = fails_for("2", phase, error)
    document = await lab.run()
    assert document["status"] == "incomplete"
    assert document["items"]["scored"] == 3
    (failed,) = document["failed"]
    failed["reason"] = re.sub(r" \(test_engine\.py:\d+\)$", "", failed["reason"])
    message = reason.format(phase=phase)
    assert failed == {"item_id": "2", "iteration": 1, "kind": kind, "reason": message}
    del vars(lab.benchmark)["broken"]
    repaired = await lab.run()
    assert (repaired["status"], repaired["items"]["failed"]) == ("complete", 0)


@pytest.mark.parametrize(
    "score",
    [1.0, None, Score({"v": float("nan")}), Score({"v": 1.0}, detail={"x": object()})],
    ids=["a number", "nothing", "NaN", "not JSON"],
)
async def test_a_grade_that_is_no_score_fails_its_sample_alone(lab: "Lab", score: Any) -> None:
    """A plugin that returns something else breaks its own sample, not the run."""
    right = lab.benchmark.grade

    async def grade(item: Item, *rest: Any) -> Any:
        return score if item.id == "2" else await right(item, *rest)

    vars(lab.benchmark)["grade"] = grade
    document = await lab.run()
    assert (document["items"]["scored"], document["items"]["failed"]) == (3, 1)
    assert document["failed"][0]["kind"] == "plugin"


async def test_a_missing_call_leaves_a_sample_unscored(lab: "Lab") -> None:
    """What needs a reply that cannot be had is unscored with that reason."""
    vars(lab.benchmark)["broken"] = fails_for("2", "grade", MissingCall("no such reply"))
    document = await lab.run()
    assert document["unscored"] == [{"item_id": "2", "iteration": 1, "reason": "no such reply"}]
    assert document["items"]["failed"] == 0


async def gathered(item: Item, model: Model, options: Options) -> list[str]:
    """Three good questions and a bad one at the same time."""
    prompts = ["slow 1", "slow 2", "bad", "slow 3"]
    return [r.text for r in await asyncio.gather(*map(model.chat, prompts))]


async def grouped(item: Item, model: Model, options: Options) -> list[str]:
    """The same in a task group, which cancels the others when one fails."""
    async with asyncio.TaskGroup() as tasks:
        prompts = ["slow 1", "slow 2", "bad", "slow 3"]
        asking = [tasks.create_task(model.chat(prompt)) for prompt in prompts]
    return [task.result().text for task in asking]


async def swallowing(item: Item, model: Model, options: Options) -> list[str]:
    """One after the other, with a zero for whatever goes wrong."""
    said = []
    for prompt in ["slow 1", "bad", "slow 2", "slow 3"]:
        try:
            said.append((await model.chat(prompt)).text)
        except Exception:  # noqa: BLE001 - what a careless plugin does
            said.append("0")
    return said


def use(lab: "Lab", generate: Any) -> None:
    """Give the benchmark another coroutine, and no judge."""
    vars(lab.benchmark).update(generate=generate, judged=False)
    lab.take_items(1)


def slow_server(fault: str, *, together: bool = True) -> LoopbackServer:
    """Fails the bad question, and answers the others, asked together with it, after that."""
    failed = threading.Event()
    if not together:
        failed.set()

    def note(request: ReceivedRequest, outcome: str) -> None:
        if request.prompt == "bad":
            failed.set()

    return LoopbackServer(
        lambda r: str(r.n),
        latency=Gate(holds=lambda r: r.prompt != "bad", until=failed.is_set),
        faults=lambda r: fault if r.prompt == "bad" else None,
        on_outcome=note,
    )


@pytest.mark.parametrize("generate", [gathered, grouped])
async def test_replies_to_siblings_of_a_failed_call_are_kept(lab: "Lab", generate: Any) -> None:
    """Of calls at the same time one is refused, also without temperature; others are saved."""
    use(lab, generate)
    with slow_server("400") as server:
        lab.url = server.base_url
        failed = await lab.run()
        await lab.run()
    assert failed["failed"][0]["kind"] == "invalid_request"
    assert failed["calls"]["model"] == 3
    counts = dict(asked(server))
    assert counts.pop("bad") <= 6
    assert counts == {"slow 1": 1, "slow 2": 1, "slow 3": 1}


async def test_an_error_that_the_plugin_does_not_wait_for_is_not_printed(
    lab: "Lab", caplog: pytest.LogCaptureFixture
) -> None:
    """A task group gives up waiting when one call fails; another one then fails too."""
    use(lab, grouped)
    failed = threading.Event()
    server = LoopbackServer(
        lambda r: str(r.n),
        latency=Gate(holds=lambda r: r.prompt != "bad", until=failed.is_set),
        faults=lambda r: "400" if r.prompt in ("bad", "slow 1") else None,
        on_outcome=lambda r, outcome: failed.set() if r.prompt == "bad" else None,
    )
    with server:
        lab.url = server.base_url
        await lab.run()
    gc.collect()
    assert caplog.records == []


@pytest.mark.parametrize("generate", [gathered, grouped, swallowing])
async def test_what_ends_the_run_is_no_failure_of_its_sample(lab: "Lab", generate: Any) -> None:
    """A refused key ends the run, whatever the plugin makes of it; what was in flight is kept."""
    use(lab, generate)
    with slow_server("401", together=generate is not swallowing) as server:
        lab.url = server.base_url
        with pytest.raises(ProviderError, match="answered 401"):
            await lab.run()
        done = server.counts["ok"]
    with Journal(lab.runs_dir) as journal:
        (run,) = journal.runs()
        assert (run.status, run.finished_at) == ("stopped", None)
        assert (list(journal.failures(run)), journal.graders(run)) == ([], [])
        assert journal.count_calls(run) == done == (1 if generate is swallowing else 3)


async def test_a_fatal_error_lets_other_samples_finish_what_is_in_flight(lab: "Lab") -> None:
    """One call is refused for good while others wait: their answers are saved, none is new."""
    vars(lab.benchmark)["judged"] = False
    sessions = lab.sessions
    gate = Gate(holds=lambda r: r.prompt[0] != "3", until=lambda: sessions[-1].stop.asked)
    server = LoopbackServer(
        lambda r: str(r.n),
        latency=gate,
        faults=lambda r: "401" if r.prompt[0] == "3" else None,
    )
    with server:
        lab.url = server.base_url
        with pytest.raises(ProviderError, match="answered 401"):
            await lab.run(limits=Limits(concurrency=12))
    with Journal(lab.runs_dir) as journal:
        (run,) = journal.runs()
        assert journal.count_calls(run) == server.counts["ok"] == 9
    assert not any("then" in prompt for prompt in asked(server))


async def test_a_judge_that_is_down_lets_the_model_finish_what_is_in_flight(
    lab: "Lab", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only calls to the endpoint that is down are given up; the model's replies are saved."""
    monkeypatch.setattr(samples, "GRACE_S", 0.0)
    sessions = lab.sessions
    gate = Gate(holds=lambda r: r.prompt[0] != "3", until=lambda: sessions[-1].stop.asked)
    limits = Limits(concurrency=12, retry=RetryPolicy(base_s=0.001, down_after_s=0.0))
    with LoopbackServer(lambda r: str(r.n), latency=gate) as server:
        lab.url = server.base_url
        judge = replace(lab.endpoint("judge"), base_url="http://127.0.0.1:9/v1")
        lab.answered.add(judge.party)
        with pytest.raises(ProviderError, match=r"the judge openai/judge at 127\.0\.0\.1:9"):
            await lab.run(limits=limits, judge=judge)
    with Journal(lab.runs_dir) as journal:
        (run,) = journal.runs()
        assert journal.count_calls(run) == len(server.requests) == 15


@pytest.mark.parametrize(("ramps", "lines"), [(True, 1), (False, 2)])
async def test_parties_at_one_local_server_share_its_places(
    lab: "Lab", ramps: bool, lines: int
) -> None:
    """Unless the user said how many at a time each may send."""
    document = await lab.run(limits=Limits(concurrency=16, ramps=ramps))
    callers = lab.sessions[-1].progress.callers
    assert document["status"] == "complete"
    assert (len(callers), len({id(caller.line.slots) for caller in callers})) == (2, lines)
    assert len({id(caller.line.crowd) for caller in callers}) == 1  # they see each other anyway


async def test_a_reply_with_half_a_surrogate_pair_goes_all_the_way(lab: "Lab") -> None:
    """The plugin, the next request and the journal see the same text; a replay finds it."""

    async def two_turns(item: Item, model: Model, options: Options) -> list[str]:
        first = await model.chat("Hello")
        return [str(len((await model.chat(f"You said {first.text}")).text))]

    use(lab, two_turns)
    with LoopbackServer("broken \ud83d smile \0") as server:
        lab.url = server.base_url
        first = await lab.run()
        with Journal(lab.runs_dir) as journal:
            journal.writer.add("DELETE FROM grades", ())
            (run,) = journal.runs()
            assert {call.response.text for call in journal.calls(run)} == {"broken \ufffd smile \0"}
        again = await lab.run()
    assert first["status"] == again["status"] == "complete"
    assert again["calls"] == {**first["calls"], "replayed": 2}
    assert server.requests[1].prompt == "You said broken \ufffd smile \0"


async def test_a_network_file_system_gets_a_warning(
    lab: "Lab", monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user hears of it once, and the run goes on."""
    monkeypatch.setattr("eibench.core.journal.locks.NETWORK", frozenset(_local_kinds()))
    await lab.run(limit=1)
    assert len(lab.said) == 1
    assert "network file system" in lab.said[0]


def _local_kinds() -> set[str]:
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        pytest.skip("only Linux lists mounts in a file")
    return {line.split()[2] for line in mounts.read_text().splitlines()}


# Size

MEMORY = """
    import asyncio, resource, sys, types
    from pathlib import Path
    tests = sys.modules["tests"] = types.ModuleType("tests")  # whatever else has that name
    tests.__path__ = [sys.argv[1]]
    from tests.core.conftest import Lab, Talk, make_pack, Endpoint, ModelSpec

    class Large(Talk):
        judged = False
        async def generate(self, item, model, options):
            return [(await model.chat("Hello " + item.id)).text]
        def demo_reply(self, item, request, ability, rng):
            return "1" * 300 + "e-300"

    for count in (400, 4000):
        lab = Lab(Path(sys.argv[2]) / str(count), "", Large(), make_pack(count))
        document = asyncio.run(lab.run(model=Endpoint(ModelSpec("demo", "medium"))))
        assert document["status"] == "complete", document
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has another unit elsewhere")
def test_memory_does_not_grow_with_the_samples(tmp_path: Path) -> None:
    """Ten times the samples take at most a fifth more memory."""
    command = [sys.executable, "-c", textwrap.dedent(MEMORY), str(Path(__file__).parents[2])]
    done = subprocess.run(
        [*command, str(tmp_path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    peaks = [int(peak) for peak in done.stdout.split()]
    assert peaks[1] < 1.2 * peaks[0]
