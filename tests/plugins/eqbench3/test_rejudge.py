"""Judging a stored run again, scoring it again, looking at it, and taking it elsewhere."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
Write = Callable[..., Path]
REPLY = "# What goes on in me\n\nI wince.\n\n# What I do\n\nI wait, and look at *her*."
#: What each judge gives, of 10; the run's rubric score is ten times that.
GIVES = {"judge-a": 4.0, "judge-b": 7.0, "judge-c": 1.0}


@dataclass
class Lab:
    """A run of three scenarios that may be asked for, with a server that is model and judges."""

    bench: Bench
    server: LoopbackServer
    pack: Path

    def run(self, *more: object, judge: str | None = "judge-a") -> Any:
        """`bench run`, with a judge or only generating."""
        judged = self.judge(judge) if judge else ("--no-rubric", "--no-elo")
        return self.bench("run", "eqbench3", *self.model, *judged, *more)

    def rejudge(self, run_id: str, *more: object, judge: str = "judge-b") -> Any:
        """`bench rejudge`."""
        return self.bench("rejudge", run_id, *self.judge(judge), *more)

    @property
    def model(self) -> tuple[str, ...]:
        """The model's options."""
        url = self.server.base_url
        return ("--model", "openai/m", "--base-url", url, "--dataset", str(self.pack))

    def judge(self, name: str) -> tuple[str, ...]:
        """A judge's options."""
        return ("--judge", f"openai/{name}", "--judge-base-url", self.server.base_url)

    def asked(self, model: str) -> int:
        """How many requests there were for a model, but for those to see if a judge answers."""
        return sum(r.model == model and not r.is_trial for r in self.server.requests)


@pytest.fixture
def lab(bench: Bench, own_pack: Write, grades: Callable[..., dict[str, Any]]) -> Iterator[Lab]:
    """Two role-plays and an analysis: five calls of the model, three verdicts."""

    def respond(request: ReceivedRequest) -> str:
        if request.model == "m":
            return REPLY
        return json.dumps(grades(request.prompt, GIVES[request.model]))

    kinds = ("role-play", "role-play", "analysis")
    rows = [
        {"id": f"s{n}", "title": "t", "kind": kind, "turns": [f"Scene s{n}."], "notes": f"N{n}."}
        for n, kind in enumerate(kinds)
    ]
    with LoopbackServer(respond) as server:
        yield Lab(bench, server, own_pack(*rows))


def score(document: Any) -> float:
    """The rubric score of a result."""
    return float(document["metrics"]["rubric_score"]["value"])


def test_the_next_step_after_a_second_judge_is_their_agreement(lab: Lab) -> None:
    """Not after the first one: nobody to agree with."""
    first = lab.run("--json")
    run_id = first.json["run_id"]
    assert "bench judges" not in first.err
    done = lab.rejudge(run_id)
    assert f"next: bench judges {run_id} " in done.err


def test_rejudging_asks_the_judge_alone(lab: Lab) -> None:
    """Three verdicts of the other judge beside those that are there; no word of the model."""
    first = lab.run("--json").json
    done = lab.rejudge(first["run_id"], "--json")
    assert done.code == 0, done.err
    assert [score(first), score(done.json)] == pytest.approx([40, 70])
    assert done.json["run_id"] == first["run_id"]
    assert done.json["judge"] == "openai/judge-b"
    assert done.json["calls"] == {"model": 5, "judge": 3, "replayed": 5, "retries": 0}
    assert [lab.asked(name) for name in ("m", "judge-a", "judge-b")] == [5, 3, 3]


def test_each_judge_s_result_is_there_afterwards(lab: Lab) -> None:
    """`bench run` with either prints its own, and `rejudge` again too, without a call."""
    first = lab.run("--json").json
    second = lab.rejudge(first["run_id"], "--json").json
    count = len(lab.server.requests)
    assert lab.run("--json").json["metrics"] == first["metrics"]
    assert lab.run("--json", judge="judge-b").json["metrics"] == second["metrics"]
    assert (
        lab.rejudge(first["run_id"], "--json", judge="judge-a").json["metrics"]
        == (first["metrics"])
    )
    assert len(lab.server.requests) == count
    (stored,) = lab.bench("runs", "--json").json["runs"]
    assert stored["run_id"] == first["run_id"]


def test_both_judges_are_asked_the_same(lab: Lab) -> None:
    """To the letter: the transcript, the notes, the form."""
    lab.rejudge(lab.run("--json").json["run_id"])
    asked = {
        name: sorted(
            json.dumps(r.messages)
            for r in lab.server.requests
            if r.model == name and not r.is_trial
        )
        for name in ("judge-a", "judge-b")
    }
    assert asked["judge-a"] == asked["judge-b"]


def test_a_run_without_verdicts_can_be_judged(lab: Lab) -> None:
    """One that was only generated: that is what `--no-rubric` is for."""
    run_id = lab.run("--json", judge=None).json["run_id"]
    done = lab.rejudge(run_id, "--json")
    assert done.code == 0, done.err
    assert score(done.json) == pytest.approx(70)
    assert (lab.asked("m"), lab.asked("judge-b")) == (5, 3)


def test_a_run_that_was_only_compared_can_be_judged(lab: Lab) -> None:
    """`--no-rubric` alone leaves it to comparisons: a judge that is named has verdicts to give."""
    run_id = lab.run("--no-rubric", "--json").json["run_id"]
    done = lab.rejudge(run_id, "--json")
    assert (done.code, done.json["calls"]["judge"]) == (0, 3), done.err
    assert done.json["metrics"]["rubric_score"]["value"] == 10 * GIVES["judge-b"]


def test_a_demo_run_can_be_judged_by_a_real_judge(lab: Lab) -> None:
    """It stays DEMO."""
    demo = lab.bench("run", "eqbench3", "--dataset", lab.pack, "--json").json
    done = lab.rejudge(demo["run_id"], "--json")
    assert done.code == 0, done.err
    assert done.json["demo"] is True
    assert score(done.json) == pytest.approx(70)
    assert lab.asked("m") == 0


def test_an_unfinished_run_is_judged_as_far_as_it_is(lab: Lab) -> None:
    """Its finished transcripts get verdicts; the rest waits for the run's own command."""
    run_id = lab.run("--limit", 2, "--json", judge=None).json["run_id"]
    partial = lab.rejudge(run_id, "--json").json
    assert partial["items"]["scored"] == partial["items"]["total"] == 2
    whole = lab.run("--json", judge="judge-b").json
    assert whole["run_id"] == run_id
    assert whole["items"]["scored"] == 3
    assert (lab.asked("m"), lab.asked("judge-b")) == (5, 3)


def test_a_run_whose_scenario_broke_off_is_judged_without_it(
    lab: Lab, own_pack: Write, bench: Bench
) -> None:
    """The one that lacks its debrief is no transcript yet: not judged, not failed, not scored."""

    def respond(request: ReceivedRequest) -> str:
        return REPLY

    def fault(request: ReceivedRequest) -> str | None:
        talk = [message["content"] for message in request.messages]
        return "context" if "Scene s1." in talk[0] and len(talk) > 1 else None

    with LoopbackServer(respond, faults=fault) as broken:
        url = broken.base_url
        done = bench(
            "run", "eqbench3", "--model", "openai/m", "--base-url", url, "--dataset", lab.pack,
            "--no-rubric", "--no-elo", "--json",
        )  # fmt: skip
        assert done.json["items"]["failed"] == 1
    judged = lab.rejudge(done.json["run_id"], "--json")
    assert judged.json["items"]["total"] == judged.json["items"]["scored"] == 2
    assert lab.asked("m") == 0


def test_a_second_iteration_that_was_stopped_is_judged_as_far_as_it_is(
    lab: Lab, bench: Bench
) -> None:
    """What is missing is to do, the run stays unfinished, and its own command finishes it."""

    def fault(request: ReceivedRequest) -> str | None:
        again = request.body.get("seed") == 2
        return "401" if again and "Scene s2." in request.prompt else None

    with LoopbackServer(REPLY, faults=fault) as broken:
        options = ("--model", "openai/m", "--base-url", broken.base_url, "--dataset", lab.pack)
        done = bench(
            "run", "eqbench3", *options, "--seed", 1, "--iterations", 2, "--concurrency", 1,
            "--no-rubric", "--no-elo", "--json",
        )  # fmt: skip
        assert done.code == 4
    (run,) = bench("runs", "--json").json["runs"]
    judged = lab.rejudge(run["run_id"], "--json")
    assert judged.code == 1
    assert judged.json["status"] == "incomplete"
    assert judged.json["items"]["scored"] == 5
    assert judged.json["items"]["pending"] == 1
    (run,) = bench("runs", "--json").json["runs"]
    assert run["finished_at"] is None


def test_a_run_without_a_finished_transcript_cannot_be_judged(lab: Lab, bench: Bench) -> None:
    """It says whose command makes them."""
    with LoopbackServer("x", faults={"context": 1.0}) as broken:
        done = bench(
            "run", "eqbench3", "--model", "openai/m", "--base-url", broken.base_url,
            "--dataset", lab.pack, "--no-rubric", "--no-elo", "--json",
        )  # fmt: skip
    judged = lab.rejudge(done.json["run_id"])
    assert judged.code == 4
    assert "no finished transcript" in judged.err


def test_a_dry_run_of_rejudging_tells_the_plan(lab: Lab) -> None:
    """Calls to the judge alone; nothing is asked."""
    run_id = lab.run("--json").json["run_id"]
    count = len(lab.server.requests)
    done = lab.rejudge(run_id, "--dry-run", "--json")
    assert done.code == 0
    (plan,) = done.json["runs"]
    assert plan["calls"] == {"model": 0, "judge": 3}
    assert "3 calls to openai/judge-b" in done.err
    assert "calls to openai/m " not in done.err
    assert len(lab.server.requests) == count


def test_rejudging_keeps_to_a_spending_limit(lab: Lab) -> None:
    """`--price` is the judge's; what it allows is done, the same command goes on."""
    run_id = lab.run("--json").json["run_id"]
    dear = ("--price", "1000,1000", "--concurrency", 1)
    done = lab.rejudge(run_id, *dear, "--max-cost", "0.01", "--json")
    assert done.code == 2 and "--max-cost $0.010 does not cover the least, $4.66" in done.err
    done = lab.rejudge(run_id, *dear, "--max-cost", "5", "--json")
    assert done.code == 5
    assert done.json["status"] == "budget"
    assert lab.asked("judge-b") == 0
    assert lab.rejudge(run_id, *dear, "--max-cost", "1000", "--json").code == 0
    assert lab.asked("judge-b") == 3


def test_a_limit_without_a_price_is_refused(lab: Lab) -> None:
    """No bound can be kept; a server on loopback costs nothing, any other may."""
    run_id = lab.run("--json").json["run_id"]
    judge = ("--judge", "openai/unheard-of", "--judge-base-url", "https://judge.example/v1")
    done = lab.bench("rejudge", run_id, *judge, "--max-cost", "1")
    assert done.code == 2
    assert "price" in done.err


@pytest.mark.parametrize(
    ("judge", "message"),
    [("demo/judge", "the demo judge cannot judge openai/m"), ("nobody", "PROVIDER/NAME")],
)
def test_who_cannot_judge_cannot_judge_again(lab: Lab, judge: str, message: str) -> None:
    """The rules are those of `bench run`."""
    run_id = lab.run("--json").json["run_id"]
    done = lab.bench("rejudge", run_id, "--judge", judge)
    assert done.code == 2
    assert message in done.err


def test_rejudging_needs_a_run_and_a_judge(lab: Lab) -> None:
    """Usage errors, each naming what is missing."""
    run_id = lab.run("--json").json["run_id"]
    assert lab.bench("rejudge", run_id).code == 2
    unknown = lab.rejudge("0000")
    assert unknown.code == 2
    assert "0000" in unknown.err


def test_a_run_of_a_benchmark_without_judge_is_refused(lab: Lab) -> None:
    """And told what is meant."""
    run_id = lab.bench("run", "eqbench-v1", "--limit", 1, "--dataset", "bundled", "--json").json[
        "run_id"
    ]
    done = lab.rejudge(run_id)
    assert done.code == 2
    assert "bench rescore" in done.err


def test_rejudging_warns_of_kin(lab: Lab) -> None:
    """A judge that is the model itself."""
    run_id = lab.run("--json").json["run_id"]
    done = lab.bench("rejudge", run_id, *lab.judge("m"), "--json")
    assert any("is the model itself" in warning for warning in done.json["warnings"])
    assert "is the model itself" in done.err


# Scoring again, from the journal


def test_rescoring_a_judged_run_sends_nothing(lab: Lab) -> None:
    """The same numbers from the stored verdicts: those of the judge of the run's own result."""
    first = lab.run("--json").json
    lab.rejudge(first["run_id"], "--json")
    count = len(lab.server.requests)
    done = lab.bench("rescore", first["run_id"], "--json")
    assert done.code == 0, done.err
    assert done.json["judge"] == "openai/judge-a"
    assert done.json["metrics"] == first["metrics"]
    assert len(lab.server.requests) == count


def test_rescoring_without_the_rubric_needs_no_judge(lab: Lab) -> None:
    """A run that was only generated has transcripts that can be looked through."""
    run_id = lab.run("--json", judge=None).json["run_id"]
    done = lab.bench("rescore", run_id, "--json")
    assert done.code == 0, done.err
    assert done.json["flags"] == {"sections": 2}


# Looking at it


def steady(text: str) -> str:
    """A transcript without times and ports."""
    return re.sub(r"\d+\.\d\d s", "0.00 s", re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text))


def test_an_item_is_shown_as_a_conversation(lab: Lab, snapshot: SnapshotAssertion) -> None:
    """Each message once, the judge's prompt only by its length, the grades in a table."""
    run_id = lab.run("--json").json["run_id"]
    done = lab.bench("show", run_id, "s0")
    assert done.code == 0
    assert steady(done.out) == snapshot


def test_full_shows_the_judge_s_prompt(lab: Lab) -> None:
    """As it was sent; without it, not a word of it."""
    run_id = lab.run("--json").json["run_id"]
    brief, full = lab.bench("show", run_id, "s0").out, lab.bench("show", run_id, "s0", "--full").out
    assert "[/SCENE]" not in brief
    assert "asked the judge" in brief
    assert "[/SCENE]" in full
    assert "N0." in full
    assert "asked the judge" not in full


def test_an_item_that_two_judges_graded_shows_both(lab: Lab) -> None:
    """Whose grades are told, and they are the later judge's."""
    run_id = lab.run("--json").json["run_id"]
    lab.rejudge(run_id)
    (iteration,) = lab.bench("show", run_id, "s0", "--json").json["iterations"]
    assert [call["model"] for call in iteration["calls"]][-2:] == ["judge-a", "judge-b"]
    assert iteration["score"]["values"]["rubric"] == pytest.approx(70)
    assert iteration["score"]["judge"].startswith("openai/judge-b at local")
    assert "judge: openai/judge-b" in lab.bench("show", run_id, "s0").out


def test_an_item_that_only_the_earlier_judge_graded_shows_its_grades(lab: Lab) -> None:
    """The later one was stopped before it came to it."""
    run_id = lab.run("--json").json["run_id"]
    lab.rejudge(run_id)
    lab.run("--limit", 1, "--json", judge="judge-c")
    (iteration,) = lab.bench("show", run_id, "s2", "--json").json["iterations"]
    assert iteration["score"]["values"]["rubric"] == pytest.approx(70)


# Taking it elsewhere


def test_a_judged_run_goes_elsewhere_and_back(lab: Lab, empty_place: Path) -> None:
    """All verdicts of both judges; importing twice changes nothing; no call is needed there."""
    first = lab.run("--json").json
    second = lab.rejudge(first["run_id"], "--json").json
    count = len(lab.server.requests)
    assert lab.bench("export", first["run_id"], "-o", "run.jsonl.gz").code == 0
    for _ in range(2):
        done = lab.bench("import", "run.jsonl.gz", "--runs-dir", "there")
        assert done.code == 0, done.err
    there = ("--runs-dir", "there", "--json")
    by = ("--judge", second["judge"])
    shown = lab.bench("show", first["run_id"], *by, *there).json
    assert (shown["metrics"], shown["main"]) == (second["metrics"], False)
    assert lab.bench("show", first["run_id"], *there).json["metrics"] == first["metrics"]
    assert lab.run(*there).json["metrics"] == first["metrics"]
    assert lab.run(*there, judge="judge-b").json["metrics"] == second["metrics"]
    assert len(lab.server.requests) == count
    assert lab.bench("export", first["run_id"], "-o", "again.jsonl", *there[:2]).code == 0
    grades = [json.loads(line) for line in (empty_place / "again.jsonl").read_text().splitlines()]
    judges = {row["graded_by"]["judge"]["name"] for row in grades if row.get("kind") == "grade"}
    assert judges == {"judge-a", "judge-b"}
