"""Verdicts that could not be read are asked anew by `bench rejudge`, and nothing else is."""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from eibench.core.journal import Journal
from eibench.testing import LoopbackServer, ReceivedRequest
from tests.processes import Process

Bench = Callable[..., Any]
Write = Callable[..., Path]
REPLY = "# What goes on in me\n\nI wince.\n\n# What I do\n\nI wait, and look at *her*."
PROSE = "I would rather not put this in numbers."


@dataclass
class Desk:
    """A server that is model and judges; `bad` says of which scenes a judge replies in prose.

    `faults` says by a text of the prompt for whom a request fails, and how.
    """

    bench: Bench
    server: LoopbackServer
    pack: Path
    bad: dict[str, set[str]] = field(default_factory=dict)
    faults: dict[str, tuple[str, str]] = field(default_factory=dict)

    def run(self, *more: object, judges: tuple[str, ...] = ("j",)) -> Any:
        """`bench run`."""
        url = self.server.base_url
        named = [word for name in judges for word in ("--judge", f"openai/{name}")]
        options = ("--model", "openai/m", "--base-url", url, "--judge-base-url", url)
        return self.bench(
            "run", "eqbench3", "--dataset", self.pack, *options, *named, "--no-elo", *more
        )

    def rejudge(self, run_id: str, *more: object, judge: str = "j") -> Any:
        """`bench rejudge`."""
        named = ("--judge", f"openai/{judge}", "--judge-base-url", self.server.base_url)
        return self.bench("rejudge", run_id, *named, *more)

    def asked(self) -> Counter[str]:
        """How many requests each party has had, and none is counted twice."""
        counts = Counter(str(r.model) for r in self.server.requests if not r.is_trial)
        self.server.requests.clear()
        return counts


@pytest.fixture
def desk(bench: Bench, own_pack: Write, grades: Callable[..., dict[str, Any]]) -> Iterator[Desk]:
    """Four scenes of one turn each."""
    bad: dict[str, set[str]] = {}
    faults: dict[str, tuple[str, str]] = {}

    def fault(request: ReceivedRequest) -> str | None:
        kinds = (kind for text, (who, kind) in faults.items()
                 if request.model == who and text in request.prompt)  # fmt: skip
        return next(kinds, None)

    def respond(request: ReceivedRequest) -> str:
        if request.model == "m":
            return REPLY
        scene = re.search(r"Scene (s\d)", request.prompt)
        if scene and scene[1] in bad.get(str(request.model), ()):
            return PROSE
        return json.dumps(grades(request.prompt, 6.0))

    rows = [
        {"id": f"s{n}", "title": "t", "kind": "analysis", "turns": [f"Scene s{n}."], "notes": "N."}
        for n in range(4)
    ]
    with LoopbackServer(respond, faults=fault) as server:
        yield Desk(bench, server, own_pack(*rows), bad, faults)


def test_what_is_unread_is_asked_anew_and_nothing_else(desk: Desk) -> None:
    """Two of four: the judge has two calls more, and the run's own result is whole."""
    desk.bad["j"] = {"s1", "s3"}
    first = desk.run("--json")
    assert (first.code, first.json["status"], first.json["items"]["unscored"]) == (
        1,
        "incomplete",
        2,
    )
    run_id = first.json["run_id"]
    assert desk.asked() == {"m": 4, "j": 2 + 2 * 3}
    desk.bad.clear()
    done = desk.rejudge(run_id, "--json")
    assert desk.asked() == {"j": 2}
    assert (done.code, done.json["status"], done.json["main"]) == (0, "complete", True)
    assert done.json["metrics"]["rubric_score"]["value"] == pytest.approx(60)
    assert done.json["flags"]["re-asked later"] == 2
    again = desk.run("--json")
    assert again.json["metrics"] == done.json["metrics"]
    assert again.json["status"] == "complete"
    assert desk.rejudge(run_id, "--json").json["metrics"] == done.json["metrics"]
    assert desk.bench("rescore", run_id, "--json").json["metrics"] == done.json["metrics"]
    assert not desk.asked()


def test_the_run_s_own_command_asks_nothing_and_says_what_does(desk: Desk) -> None:
    """It would be paid for at every repetition of the command."""
    desk.bad["j"] = {"s1"}
    run_id = desk.run("--json").json["run_id"]
    desk.asked()
    again = desk.run()
    assert not desk.asked()
    assert f"next: bench rejudge {run_id} --judge openai/j" in again.err
    assert "asks anew" in again.err


def test_a_plan_counts_what_is_asked_anew(desk: Desk) -> None:
    """And a dry run sends nothing."""
    desk.bad["j"] = {"s1", "s2"}
    run_id = desk.run("--json").json["run_id"]
    desk.asked()
    plan = desk.rejudge(run_id, "--dry-run", "--json").json["runs"][0]
    assert plan["samples"] == {"total": 4, "left": 2}
    assert (plan["calls"]["model"], plan["calls"]["judge"]) == (0, 2)
    assert "2 of them done; 2 calls to openai/j" in desk.rejudge(run_id, "--dry-run").err
    assert not desk.asked()


def test_a_judge_that_stays_unread_is_asked_once_more_a_command(desk: Desk) -> None:
    """With its reasons, as ever; every reply stays, and each command begins a new round."""
    desk.bad["j"] = {"s1"}
    run_id = desk.run("--json").json["run_id"]
    desk.asked()
    for _ in range(4):
        done = desk.rejudge(run_id, "--json")
        assert desk.asked() == {"j": 3}
        assert (done.code, done.json["items"]["unscored"]) == (1, 1)
        assert done.json["items"]["failed"] == 0
    desk.bad.clear()
    assert desk.rejudge(run_id, "--json").json["status"] == "complete"
    assert desk.asked() == {"j": 1}
    calls = desk.bench("show", run_id, "s1", "--json").json["iterations"][0]["calls"]
    assert sum(call["phase"] == "judge" for call in calls) == 3 + 4 * 3 + 1


def test_a_verdict_that_failed_is_asked_for_too(desk: Desk) -> None:
    """Of a judge whose server refused it; the samples that it graded are left alone."""
    first = desk.run("--json", "--limit", 2)
    run_id = first.json["run_id"]
    desk.run("--json", judges=("other",))
    desk.asked()
    done = desk.rejudge(run_id, "--json")
    assert desk.asked() == {"j": 2}
    assert done.json["items"]["scored"] == 4


def test_a_sample_without_a_transcript_stays_missing(desk: Desk) -> None:
    """The result of the same judge is still about all that the run has begun."""
    desk.bad["j"] = {"s1"}
    desk.faults["Scene s2"] = ("m", "400")
    first = desk.run("--json")
    assert first.json["items"]["failed"] == 1
    desk.faults.clear()
    desk.bad.clear()
    desk.asked()
    done = desk.rejudge(first.json["run_id"], "--json")
    assert desk.asked() == {"j": 1}
    assert (done.json["status"], done.json["items"]["total"]) == ("incomplete", 4)
    assert (done.json["items"]["scored"], done.json["items"]["failed"]) == (3, 1)


# Filters


@pytest.mark.parametrize("again", [0, 1, 2])
def test_a_filter_before_the_model_leaves_a_sample_unscored(desk: Desk, again: int) -> None:
    """The run is whole, and neither it nor its judge is asked again for what is refused."""
    desk.faults["Scene s2"] = ("m", "400-content-filter")
    done = desk.run("--json")
    assert desk.asked() == {"m": 4, "j": 3}
    for _ in range(again):
        done = desk.run("--json")
        assert not desk.asked()
    assert (done.code, done.json["status"]) == (0, "complete")
    assert done.json["items"]["failed"] == 0
    assert (done.json["items"]["scored"], done.json["items"]["unscored"]) == (3, 1)
    (refused,) = done.json["unscored"]
    assert refused["reason"].startswith("the model refused: a filter refused the request (")
    assert "content filtering policy" in refused["reason"]
    assert any("refused 1 of 4 samples" in text for text in done.json["warnings"])
    assert done.json["calls"]["retries"] == 0
    assert "another provider" in done.err and "tries again" not in done.err
    row = desk.bench("leaderboard", "eqbench3", "--json").json["rows"][0]
    assert not row["partial"]


def test_a_refused_sample_stays_so_for_every_grader(desk: Desk) -> None:
    """Scored again, or judged by another: nothing is asked of the model."""
    desk.faults["Scene s2"] = ("m", "400-content-filter")
    run_id = desk.run("--json").json["run_id"]
    desk.asked()
    for done in (
        desk.bench("rescore", run_id, "--json"),
        desk.rejudge(run_id, "--json"),
        desk.run("--json", judges=("other",)),
    ):
        assert done.json["items"]["unscored"] == 1, done.err
        assert done.json["unscored"][0]["reason"].startswith("the model refused")
    assert desk.asked() == {"other": 3}


def test_a_filter_before_a_judge_is_an_unread_verdict(desk: Desk) -> None:
    """It is not asked again by the same command; another judge may be."""
    desk.faults["Scene s2"] = ("j", "400-content-filter")
    done = desk.run("--json")
    assert desk.asked() == {"m": 4, "j": 4}
    assert (done.code, done.json["status"]) == (1, "incomplete")
    assert (done.json["items"]["failed"], done.json["items"]["unscored"]) == (0, 1)
    again = desk.run("--json")
    assert not desk.asked()
    assert "next: another --judge: a filter refuses this one 1 verdict" in again.err


def test_a_filter_before_one_judge_of_a_panel_leaves_the_others_score(desk: Desk) -> None:
    """Under the quorum it is an unread verdict; nobody is asked again."""
    desk.faults["Scene s2"] = ("a", "400-content-filter")
    done = desk.run("--json", judges=("a", "b", "c"))
    assert desk.asked() == {"m": 4, "a": 4, "b": 4, "c": 4}
    assert done.json["items"]["scored"] == 4
    row = next(row for row in done.json["judges"] if "/a" in row["judge"])
    assert (row["graded"], row["unread"]) == (4, 1)
    desk.run("--json", judges=("a", "b", "c"))
    assert not desk.asked()


def test_a_filter_before_the_model_of_a_panel_is_no_judge_s_fault(desk: Desk) -> None:
    """No judge owes a verdict on what was never said."""
    desk.faults["Scene s2"] = ("m", "400-content-filter")
    done = desk.run("--json", judges=("a", "b", "c"))
    assert (done.code, done.json["status"]) == (0, "complete"), done.err
    desk.asked()
    desk.run("--json", judges=("a", "b", "c"))
    assert not desk.asked()


# Panels, comparisons, kills


def test_a_panel_is_asked_anew_judge_by_judge(desk: Desk) -> None:
    """Each judge's unread verdicts by a command; the panel's own result takes them in."""
    judges = ("a", "b", "c")
    desk.bad |= {"a": {"s1"}, "b": {"s1"}, "c": {"s3"}}
    first = desk.run("--json", judges=judges)
    run_id = first.json["run_id"]
    assert (first.json["status"], first.json["items"]["unscored"]) == ("incomplete", 1)
    desk.asked()
    told = desk.run(judges=judges).err
    assert f"next: bench rejudge {run_id} --judge openai/a " in told
    desk.bad.clear()
    assert desk.rejudge(run_id, judge="a").code == 0
    assert desk.asked() == {"a": 1}
    after_one = desk.run("--json", judges=judges)
    assert after_one.json["items"]["unscored"] == 0
    for judge in ("b", "c"):
        desk.rejudge(run_id, judge=judge)
        assert desk.asked() == {judge: 1}
    whole = desk.run("--json", judges=judges)
    assert not desk.asked()
    assert (whole.code, whole.json["status"]) == (0, "complete")
    assert [row["unread"] for row in whole.json["judges"]] == [0, 0, 0]
    shown = desk.bench("show", run_id, "s1", "--json").json
    assert shown["iterations"][0]["score"]["detail"]["verdicts"] == 3


def test_only_judges_of_the_run_s_panel_change_its_result(desk: Desk) -> None:
    """Another judge's verdicts stay beside it."""
    desk.bad |= {"a": {"s1"}}
    judges = ("a", "b", "c")
    run_id = desk.run("--json", judges=judges).json["run_id"]
    before = desk.run("--json", judges=judges).json
    desk.asked()
    desk.rejudge(run_id, judge="d")
    assert desk.asked() == {"d": 4}
    after = desk.run("--json", judges=judges).json
    assert before["judges"] == after["judges"]
    assert before["metrics"] == after["metrics"]


def test_a_kill_between_two_answers_loses_none_of_them(desk: Desk, empty_place: Path) -> None:
    """What the journal holds is never asked for twice, and the newest reply that is read counts."""
    desk.bad["j"] = {"s0", "s1", "s2", "s3"}
    run_id = desk.run("--json", "--keep-going").json["run_id"]
    desk.asked()
    url = desk.server.base_url
    words = ["rejudge", run_id, "--judge", "openai/j", "--judge-base-url", url, "--json"]
    answered = 0
    for kill_after in (1, 2, 3, 5):
        desk.server.answered.clear()
        with Process([*words, "--concurrency", "1"], empty_place) as process:
            while len(desk.server.answered) < kill_after and process.poll() is None:
                time.sleep(0.002)
            process.kill()
        desk.server.settle()
        answered += len(desk.server.answered)
    desk.asked()
    held = calls_of(desk, run_id)
    assert answered - 4 <= held - 12 <= answered
    desk.bad.clear()
    done = desk.rejudge(run_id, "--json")
    assert (done.code, done.json["items"]["scored"]) == (0, 4), done.err
    sent = desk.asked()["j"]
    assert calls_of(desk, run_id) == held + sent
    assert sent <= 4
    assert desk.rejudge(run_id, "--json").json["metrics"] == done.json["metrics"]
    assert not desk.asked()


def calls_of(desk: Desk, run_id: str) -> int:
    """How many replies of the judge a run holds, each under a key of its own."""
    with Journal(Path("runs"), create=False) as journal:
        run = next(run for run in journal.runs() if run.run_id == run_id)
        keys = [(c.item_id, c.key) for c in journal.calls(run) if c.key.phase == "judge"]
    assert len(keys) == len(set(keys))
    return len(keys)
