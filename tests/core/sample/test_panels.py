"""Panels: several judges whose verdicts become one score, and are each kept."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from eibench import Item, Model, Options, Score, UsageError, run_async
from eibench.core.clients.limits import Limits, RetryPolicy
from eibench.core.console.short import short
from eibench.core.errors import ProviderError
from eibench.core.journal import Journal
from eibench.core.parties.graders import Panel
from eibench.core.parties.party import Party
from eibench.core.reports.ending import result_line
from eibench.core.settings.run_config import with_judges
from eibench.testing import Fault, LoopbackServer, ReceivedRequest, Reply, Response
from tests.core.conftest import Lab, Talk, make_pack

GRADES = {"one": 2.0, "two": 4.0, "three": 9.0, "four": 5.0}


class Graded(Talk):
    """One question, one verdict: a number, or what is none."""

    name = "graded"

    async def generate(self, item: Item, model: Model, options: Options) -> list[str]:
        """The reply."""
        return [(await model.chat(f"about {item.id}")).text]

    async def grade(
        self, item: Item, transcript: list[str], judge: Model | None, options: Options
    ) -> Score:
        """The number that the judge says."""
        assert judge is not None
        said = (await judge.chat(f"judge {item.id}: {transcript[0]}")).text
        try:
            return Score({"v": float(said), "length": 7.0})
        except ValueError:
            return Score.unscored("no number in the verdict", flags=("unread",))

    unjudged_values = ("length",)


class Server:
    """A model and judges; each judge has a grade of its own.

    Attributes:
        garbage: By judge, what stands in the prompts to which it replies with garbage.
        by_item: Whether an item's number is added to the grade.
        refused: Likewise, those that the server refuses.
        faults: By judge, the fault of all its answers.
    """

    def __init__(self) -> None:
        self.by_item = False
        self.garbage: Mapping[str, str] = {}
        self.refused: Mapping[str, str] = {}
        self.faults: Mapping[str, str] = {}

    def __call__(self, request: ReceivedRequest) -> Reply:
        """What that model says."""
        if request.model not in GRADES:
            return "my reply"
        if fault := self.faults.get(request.model):
            return Response(402, b"{}") if fault == "402" else Fault(fault)
        if self.refused.get(request.model, "never") in request.prompt:
            return Response(400, b'{"error": {"message": "not this"}}')
        if self.garbage.get(request.model, "never") in request.prompt:
            return "I would rather not say."
        number = re.search(r"judge (\d+)", request.prompt) if self.by_item else None
        return str(GRADES[request.model] + (int(number[1]) if number else 0))


@pytest.fixture
def court(tmp_path: Path) -> Iterator[Lab]:
    """A lab with one model and four judges on one server."""
    words = Server()
    with LoopbackServer(words) as server:
        lab = Lab(tmp_path / "runs", server.base_url, Graded(), make_pack(10))
        lab.words, lab.server = words, server  # type: ignore[attr-defined]
        lab.answered |= {lab.endpoint(name).party for name in GRADES}
        yield lab


def asked(lab: Lab) -> Counter[str]:
    """How many requests each model got since this was asked last."""
    requests = lab.server.requests  # type: ignore[attr-defined]
    counted = Counter(r.model for r in requests if r.model)
    before: Counter[str] = getattr(lab, "before", None) or Counter()
    lab.before = counted  # type: ignore[attr-defined]
    return counted - before


def first_line(document: Any) -> str:
    """Of the result on a terminal."""
    screen = Console(width=400, file=StringIO())
    for part in short(document):
        screen.print(part.shown)
    return str(screen.file.getvalue()).splitlines()[0]  # type: ignore[attr-defined]


async def judged(lab: Lab, *judges: str, timeout_s: float = 60.0, **rules: Any) -> Any:
    """The result of a run with these judges, of which each call is sent once."""
    session = lab.session(judge=None)
    hasty = Limits(concurrency=16, timeout_s=timeout_s, retry=RetryPolicy(attempts=1, timeouts=0))
    endpoints = [replace(lab.endpoint(name), limits=hasty) for name in judges]
    config = replace(session.task.config, panel=Panel((), **rules))
    config = with_judges(config, endpoints)
    session.task = replace(session.task, config=config)
    return await session.run()


async def test_each_judge_is_asked_once_and_the_model_once(court: Lab) -> None:
    """About each item."""
    await judged(court, "one", "two", "three")
    assert asked(court) == {"model": 10, "one": 10, "two": 10, "three": 10}


@pytest.mark.parametrize(("rule", "value"), [("mean", 5.0), ("median", 4.0)])
async def test_the_score_is_made_of_all_verdicts(court: Lab, rule: str, value: float) -> None:
    """Of 2, 4 and 9; a value that no judge gives stays what it is."""
    document = await judged(court, "one", "two", "three", rule=rule)
    scores = [score for key, score in court.rows().items() if document["grader"] in key]
    assert [score.values for score in scores] == [{"v": value, "length": 7.0}] * 10


async def test_each_judge_s_own_number_stands_beside(court: Lab) -> None:
    """With what could be read, and how far they agree."""
    document = await judged(court, "one", "two", "three")
    own = {row["judge"].split("/")[1].split()[0]: row for row in document["judges"]}
    means = {name: (row["metrics"]["mean"]["value"], row["unread"]) for name, row in own.items()}
    assert means == {"one": (4.5, 0), "two": (5.5, 0), "three": (8.0, 0)}  # with the lengths
    assert document["panel"]["rule"] == "mean"
    assert document["panel"]["quorum"] == 2
    assert document["judge"].startswith("mean(openai/one at ")


async def test_the_result_says_how_far_its_judges_agree(court: Lab) -> None:
    """Each with the others, at most how many votes they are, and what a run cannot tell."""
    court.take_items(12)
    court.words.by_item = True  # type: ignore[attr-defined]
    document = await judged(court, "one", "two", "three")
    found = document["robustness"]
    assert (found["value"], found["n"]) == ("v", 12)
    assert {row["value"] for row in found["judges"].values()} == {1.0}
    verdicts = {row["about"]: row["verdict"] for row in found["conclusions"]}
    tested = {"order of transcripts": "not tested", "shared errors": "not shown"}
    assert verdicts == {**tested, "kin": "not tested", "ranking": "not tested"}
    assert "needs 3 runs" in found["conclusions"][1]["text"]
    screen = Console(width=80, file=StringIO())
    for part in short(document):
        screen.print(part.shown)
    page = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "shared errors: not shown  3 judges count as at most 3.0 votes" in page
    assert "NOT TESTED" not in page


async def test_a_judge_after_another_says_how_far_they_agree(court: Lab) -> None:
    """With one judge there is nothing to say; nor does the first one's result change."""
    first = await court.run(judge=court.endpoint("one"))
    second = await court.run(judge=court.endpoint("two"))
    assert "robustness" not in first
    assert len(second["robustness"]["judges"]) == 2
    assert "judges" not in second


async def test_a_judge_added_later_is_the_only_one_asked(court: Lab) -> None:
    """The others' verdicts are in the journal."""
    await judged(court, "one", "two", "three")
    asked(court)
    document = await judged(court, "one", "two", "three", "four")
    assert asked(court) == {"four": 10}
    assert len(document["judges"]) == 4


async def test_a_judge_that_is_left_out_costs_nothing(court: Lab) -> None:
    """Two of three are a panel of their own."""
    await judged(court, "one", "two", "three")
    asked(court)
    document = await judged(court, "three", "one")
    assert not asked(court)
    assert document["metrics"]["mean"]["value"] == 6.25  # of 5.5 and the length


async def test_single_judges_before_make_a_panel_for_nothing(court: Lab) -> None:
    """A run by each of two judges, then by both."""
    for name in ("one", "two"):
        await court.run(judge=court.endpoint(name))
    asked(court)
    await judged(court, "one", "two")
    assert not asked(court)


async def test_a_panel_leaves_its_judges_grades_for_single_runs(court: Lab) -> None:
    """A run with one of them asks nothing."""
    await judged(court, "one", "two")
    asked(court)
    document = await court.run(judge=court.endpoint("two"))
    assert not asked(court)
    assert document["judge"] == "openai/two"
    assert "judges" not in document


async def test_garbage_is_counted_for_its_judge_and_the_quorum_holds(court: Lab) -> None:
    """Two of three could be read: a score; one of 20 replies that could not is no error."""
    court.take_items(20)
    court.words.garbage = {"three": "judge 7"}  # type: ignore[attr-defined]
    document = await judged(court, "one", "two", "three")
    assert document["status"] == "complete"
    assert [row["unread"] for row in document["judges"]] == [0, 0, 1]
    assert document["items"]["scored"] == 20
    assert document["panel"]["whole"] == 3


async def test_beyond_5_percent_of_garbage_the_run_is_incomplete(court: Lab) -> None:
    """Items 1 and 10 to 19 of 20: the mean is not that of the panel."""
    court.take_items(20)
    court.words.garbage = {"three": "judge 1"}  # type: ignore[attr-defined]
    document = await judged(court, "one", "two", "three")
    assert (document["status"], document["items"]["scored"]) == ("incomplete", 20)
    assert (document["panel"]["whole"], document["panel"]["judges"]) == (2, 3)
    assert first_line(document).endswith("openai/three 20 of 20 (11 unread)")


async def test_below_the_quorum_a_sample_is_unscored(court: Lab) -> None:
    """With how many could be read, and how many were needed."""
    court.words.garbage = {"three": "judge 2", "two": "judge 2"}  # type: ignore[attr-defined]
    document = await judged(court, "one", "two", "three")
    (unscored,) = document["unscored"]
    assert unscored["reason"] == "1 of 3 verdicts could be read, and the quorum is 2"


async def test_a_quorum_of_one_takes_what_there_is(court: Lab) -> None:
    """The only verdict that could be read."""
    court.words.garbage = {"three": "judge 2", "two": "judge 2"}  # type: ignore[attr-defined]
    document = await judged(court, "one", "two", "three", quorum=1)
    assert document["items"]["scored"] == 10


async def test_rotate_asks_as_many_calls_as_one_judge(court: Lab) -> None:
    """One judge a sample where none overlap, each of them some."""
    court.take_items(40)
    document = await judged(court, "one", "two", "three", rule="rotate", overlap=0.0)
    count = asked(court)
    assert count.pop("model") == 40
    assert sum(count.values()) == 40
    assert set(count) == {"one", "two", "three"}
    assert document["items"]["scored"] == 40


async def test_rotate_has_a_share_judged_by_all(court: Lab) -> None:
    """A tenth, about; on it they can be compared."""
    court.take_items(60)
    document = await judged(court, "one", "two", "three", rule="rotate")
    count = asked(court)
    shared = document["panel"]["agreement"]["v"]["n"]
    assert 1 <= shared <= 15
    assert sum(count.values()) - count["model"] == 60 + 2 * shared


async def test_a_panel_is_graded_again_from_the_journal(court: Lab, tmp_path: Path) -> None:
    """Each judge's words are read anew, and nothing is asked."""
    from eibench.core.run.rescore import regrade
    from eibench.core.runs.stored_run import StoredRun

    first = await judged(court, "one", "two", "three")
    asked(court)
    with Journal(court.runs_dir) as journal:
        (run,) = journal.runs()
        again = await regrade(StoredRun(journal, run), court.sessions[-1].task.config, court.pack)
    assert again.document["metrics"] == first["metrics"]
    assert not asked(court)


async def test_a_verdict_that_could_not_be_had_is_asked_for_again(court: Lab) -> None:
    """The run is incomplete, whatever the quorum; the same command completes the panel."""
    words = court.words  # type: ignore[attr-defined]
    words.refused = {"three": "judge 4"}
    document = await judged(court, "one", "two", "three")
    assert (document["status"], document["items"]["scored"]) == ("incomplete", 10)
    assert [row["graded"] for row in document["judges"]] == [10, 10, 9]
    assert first_line(document).endswith("openai/three 9 of 10")
    words.refused = {}
    asked(court)
    document = await judged(court, "one", "two", "three")
    assert asked(court) == {"three": 1}
    assert [row["graded"] for row in document["judges"]] == [10, 10, 10]
    assert document["status"] == "complete"


FAILURES = ("401", "402", "quota", "404", "500", "400", "hang", "html")


@pytest.mark.parametrize("fault", FAILURES)
async def test_a_judge_that_fails_leaves_the_others_their_work(court: Lab, fault: str) -> None:
    """Whatever the cause: a score by two, said to be so, and the third's calls alone are left."""
    words = court.words  # type: ignore[attr-defined]
    words.faults = {"three": fault}
    timeout_s = 2.0 if fault == "hang" else 60.0
    document = await judged(court, "one", "two", "three", timeout_s=timeout_s)
    count = asked(court)
    assert (count["model"], count["one"], count["two"]) == (10, 10, 10)
    assert (document["status"], document["items"]["scored"]) == ("incomplete", 10)
    said = "verdicts: openai/one 10 of 10, openai/two 10 of 10, openai/three 0 of 10"
    assert first_line(document).endswith(said)
    assert "INCOMPLETE (2 of 3 judges): " in result_line(document)
    (why,) = document["warnings"]
    assert why.startswith("the judge openai/three at ")
    words.faults = {}
    document = await judged(court, "one", "two", "three")
    assert asked(court) == {"three": 10}
    assert (document["status"], document["panel"]["whole"]) == ("complete", 3)


@pytest.mark.parametrize("fault", ["401", "quota"])
async def test_a_judge_that_is_tried_in_vain_does_not_end_the_run(court: Lab, fault: str) -> None:
    """It is tried once, and asked for no verdict."""
    court.answered = set()
    court.words.faults = {"three": fault}  # type: ignore[attr-defined]
    document = await judged(court, "one", "two", "three")
    assert asked(court) == {"model": 10, "one": 11, "two": 11, "three": 1}
    assert document["status"] == "incomplete"
    (said,) = [line for line in court.said if "openai/three" in line]
    assert said.endswith("the others go on without this judge, and its part is left")


@pytest.mark.parametrize("tried", [True, False])
async def test_where_every_judge_is_refused_the_command_ends(court: Lab, tried: bool) -> None:
    """As it does with one: nobody is left to judge."""
    court.answered = court.answered if not tried else set()
    court.words.faults = dict.fromkeys(GRADES, "401")  # type: ignore[attr-defined]
    with pytest.raises(ProviderError) as caught:
        await judged(court, "one", "two", "three")
    assert (caught.value.kind, caught.value.exit_code) == ("auth", 4)
    assert asked(court)["model"] == (0 if tried else 10)


async def test_rotate_fails_the_samples_of_a_judge_that_fails(court: Lab) -> None:
    """Nobody else is drawn for them; the others' samples are scored, and it is said whose fail."""
    court.take_items(40)
    words = court.words  # type: ignore[attr-defined]
    words.faults = {"three": "401"}
    rule: dict[str, Any] = {"rule": "rotate", "overlap": 0.0}
    document = await judged(court, "one", "two", "three", **rule)
    own = document["judges"][2]
    assert 0 < own["asked"] == document["items"]["failed"]
    assert own["graded"] == 0
    assert {row["kind"] for row in document["failed"]} == {"judge"}
    assert [row["asked"] == row["graded"] for row in document["judges"]] == [True, True, False]
    words.faults = {}
    asked(court)
    document = await judged(court, "one", "two", "three", **rule)
    assert asked(court) == {"three": own["asked"]}
    assert document["status"] == "complete"


async def test_without_a_quorum_a_sample_fails_and_is_tried_again(court: Lab) -> None:
    """With the reason that the server gave."""
    words = court.words  # type: ignore[attr-defined]
    words.refused = {"three": "judge 4", "two": "judge 4"}
    document = await judged(court, "one", "two", "three")
    (failed,) = document["failed"]
    assert failed["item_id"] == "4"
    words.refused = {}
    document = await judged(court, "one", "two", "three")
    assert document["status"] == "complete"


async def test_python_takes_a_list_of_judges(court: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an address for all, or for each."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-fake")
    judges = ["openai/one", "openai/three"]
    path = court.runs_dir.parent / "items.txt"
    path.write_text("item")
    benchmark = Graded()
    benchmark.read_pack = lambda source, options: court.pack  # type: ignore[method-assign]
    for where in (court.url, dict.fromkeys(judges, court.url)):
        result = await run_async(
            benchmark,
            model="openai/model",
            base_url=court.url,
            judge=judges,
            judge_base_url=where,
            panel="median",
            dataset=path,
            runs_dir=court.runs_dir,
        )
        assert [row["graded"] for row in result.document["judges"]] == [10, 10]
        assert result.document["panel"]["rule"] == "median"
    assert asked(court) == {"model": 10, "one": 11, "three": 11}  # with a trial of each judge


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"judge": "openai/a", "quorum": 1}, "quorum is about several judges"),
        ({"judge": ["openai/a", "openai/a"]}, "judge openai/a is given twice"),
        ({"judge": ["openai/a", "openai/b"], "panel": "best"}, "panel must be one of mean"),
    ],
)
async def test_panels_that_cannot_be_are_refused(
    tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    """Before anything is sent, in Python's words."""
    with pytest.raises(UsageError, match=message):
        await run_async(Graded(), model="openai/x", runs_dir=tmp_path, **settings)


def judges_named(names: str) -> tuple[Party, ...]:
    """A judge for each letter."""
    return tuple(Party.of(f"openai/{name}") for name in names)


@given(
    st.lists(st.floats(0, 10), min_size=1, max_size=5),
    st.sampled_from(["mean", "median"]),
    st.randoms(),
)
def test_the_order_of_verdicts_means_nothing(values: list[float], rule: str, rng: Any) -> None:
    """And the score lies among them."""
    panel = Panel(judges_named("abcde"[: len(values)]), rule)
    scores = [Score({"v": value}) for value in values]
    one = panel.score(scores, len(scores), ())
    rng.shuffle(scores)
    two = panel.score(scores, len(scores), ())
    assert one is not None and two is not None
    assert one.values["v"] == pytest.approx(two.values["v"])
    assert min(values) - 1e-9 <= (one.values["v"] or 0.0) <= max(values) + 1e-9


def test_a_majority_is_more_than_half_and_a_tie_is_half() -> None:
    """Of votes of yes and no; a split vote is flagged."""
    panel = Panel(judges_named("abcd"), "majority", quorum=1)
    votes = {(1, 1, 0): 1.0, (1, 0, 0): 0.0, (1, 0): 0.5, (1, 1): 1.0}
    for given_votes, value in votes.items():
        made = panel.score([Score({"v": float(v)}) for v in given_votes], 4, votes=["v"])
        assert made is not None
        assert made.values == {"v": value}
        assert ("split" in made.flags) == (len(set(given_votes)) == 2)


def test_numbers_that_differ_are_no_split_vote() -> None:
    """Grades of 0 and 1 of ten are no yes and no."""
    made = Panel(judges_named("ab")).score([Score({"v": 0.0}), Score({"v": 1.0})], 2)
    assert made is not None
    assert made.flags == ()
