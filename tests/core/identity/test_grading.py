"""What changes only how replies are graded asks the model nothing."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eibench import Item, Model, Options, Sampling, Score
from eibench.core.compare.leaderboard import read_leaderboard
from eibench.core.journal import Journal
from eibench.core.parties.providers import ModelSpec
from eibench.core.plugins import installed
from eibench.core.run.connect import Pricing
from eibench.core.run.plan import make_plan
from eibench.core.settings.run_config import Endpoint
from eibench.testing import LoopbackServer
from tests.core.conftest import Lab
from tests.core.identity.conftest import Duel, OldDuel, answer, duel_pack

OLD_RUNS = (("one", "786ccfc1", 22 / 3), ("two", "c292aca4", 20 / 3), ("three", "3c204225", 19 / 3))
OLD = Path(__file__).with_name("journal_72df480.sql")
Patch = pytest.MonkeyPatch


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """Model and judge."""
    with LoopbackServer(answer) as started:
        yield started


@pytest.fixture
def desk(tmp_path: Path, server: LoopbackServer) -> Lab:
    """A lab for duels."""
    return Lab(tmp_path / "runs", server.base_url, Duel(), duel_pack())


@pytest.fixture
def old(desk: Lab) -> Lab:
    """The same with a journal of an older program, of a server that has moved since."""
    return with_old_journal(desk)


def with_old_journal(desk: Lab) -> Lab:
    """A lab whose journal is the older program's."""
    desk.runs_dir.mkdir()
    with closing(sqlite3.connect(desk.runs_dir / "bench.sqlite")) as database:
        database.executescript(OLD.read_text())
    return desk


class Wiser(Duel):
    """One word of the judge's prompt is another one."""

    judge = "How kind is this, from 0 to 9? {reply}"


class Paired(Duel):
    """One word of the prompt for comparisons is another one."""

    pair = "Which is warmer, really? A: {first} B: {second}"


class Drawn(Duel):
    """The judge's replies are drawn otherwise."""

    judge_sampling = Sampling(temperature=0.3, max_tokens=8000)


class Doubled(Duel):
    """What the judge says counts otherwise."""

    grading = "2"

    async def grade(
        self, item: Item, transcript: str, judge: Model | None, options: Options
    ) -> Score:
        """Twice as much."""
        score = await super().grade(item, transcript, judge, options)
        return Score({"warmth": 2 * (score.values["warmth"] or 0)})


def asked(server: LoopbackServer) -> Counter[str]:
    """How many answers the server gave, as whom."""
    return Counter(str(r.body["model"]) for r in server.answered)


def warmth(document: Any) -> float:
    """The result."""
    value: float = document["metrics"]["warmth"]["value"]
    return value


@pytest.mark.parametrize("changed", [Wiser, Drawn])
async def test_another_judge_prompt_or_sampling_asks_the_judge_alone(
    desk: Lab, server: LoopbackServer, changed: type[Duel]
) -> None:
    """It is the same run, the number is the new one, and the old grades stay beside it."""
    first = await desk.run(model=desk.endpoint("one"))
    before = asked(server)
    desk.benchmark = changed()
    again = await desk.run(model=desk.endpoint("one"))
    assert again["run_id"] == first["run_id"]
    assert asked(server) - before == {"judge": 3}
    assert again["calls"]["replayed"] >= 3
    assert len(desk.rows()) == 6
    desk.benchmark = Duel()
    back = await desk.run(model=desk.endpoint("one"))
    assert (warmth(back), asked(server) - before) == (warmth(first), {"judge": 3})


async def test_the_new_number_is_that_of_the_new_prompt(desk: Lab, server: LoopbackServer) -> None:
    """Not of a stored grade."""
    first = await desk.run(model=desk.endpoint("one"))
    desk.benchmark = Wiser()
    prompts = [r.prompt.replace("warm", "kind") for r in server.answered if "from 0" in r.prompt]
    again = await desk.run(model=desk.endpoint("one"))
    heard = [r for r in server.answered if "How kind" in r.prompt]
    assert sorted(r.prompt for r in heard) == sorted(prompts)
    assert warmth(again) == sum(int(answer(r)) for r in heard) / 3 != warmth(first)


async def test_grading_raised_grades_anew_from_the_journal(
    desk: Lab, server: LoopbackServer
) -> None:
    """Nobody is asked in the words that the journal has answers to."""
    first = await desk.run(model=desk.endpoint("one"))
    await desk.run(model=desk.endpoint("two"))
    before = asked(server)
    desk.benchmark = Doubled()
    assert await planned(desk, "one") == [0, 0, 0]
    again = await desk.run(model=desk.endpoint("one"))
    assert warmth(again) == 2 * warmth(first)
    assert asked(server) == before
    assert again["ratings"] == (await desk.run(model=desk.endpoint("one")))["ratings"]


async def planned(desk: Lab, model: str) -> list[int]:
    """The calls that a command would make: replies, verdicts, comparisons."""
    config = desk.session(model=desk.endpoint(model)).config
    plan = await asyncio.to_thread(make_plan, config, desk.pack, list(desk.pack.items), Pricing())
    calls = {party.phase: party.calls for party in plan.parties}
    return [calls.get(phase, 0) for phase in ("generate", "judge", "compare")]


async def test_grading_raised_grades_anew_without_a_judge_too(lab: Lab) -> None:
    """And the grades of before are kept under their own grader."""
    vars(lab.benchmark)["judged"] = False
    first = await lab.run(judge=None)
    heard = first["calls"]["model"]
    vars(lab.benchmark)["grading"] = "2"
    again = await lab.run(judge=None)
    assert (again["run_id"], again["calls"]["replayed"]) == (first["run_id"], heard)
    assert len(lab.rows()) == 8


def test_grades_without_a_judge_keep_their_grader(lab: Lab) -> None:
    """A journal of an older program needs nothing done to them."""
    from eibench.core.settings.run_config import grader

    facts = grader(lab.session(judge=None).config)
    assert facts == {"version": "1", "judge": None, "options": {"reader": "plain"}}


async def test_the_plan_counts_the_verdicts_to_ask_again(desk: Lab) -> None:
    """Neither those that the journal answers, nor too few."""
    model = desk.endpoint("one")
    await desk.run(model=model, limit=2)
    for benchmark, calls in ((Duel(), [1, 1]), (Wiser(), [1, 3]), (Doubled(), [1, 1])):
        desk.benchmark = benchmark
        assert (await planned(desk, "one"))[:2] == calls


async def test_comparisons_of_another_prompt_do_not_count(
    desk: Lab, server: LoopbackServer
) -> None:
    """They are made anew; verdicts are not, nor are comparisons where only verdicts changed."""
    for name in ("one", "two"):
        await desk.run(model=desk.endpoint(name))
    before = asked(server)
    desk.benchmark = Wiser()
    await desk.run(model=desk.endpoint("two"))
    assert asked(server) - before == {"judge": 3}
    desk.benchmark = Paired()
    assert await planned(desk, "two") == [0, 0, 6]
    document = await desk.run(model=desk.endpoint("two"))
    assert document["comparisons"]["read"] == 6
    assert asked(server) - before == {"judge": 9}
    assert sum("really" in r.prompt for r in server.answered) == 6


# Journals of older programs


async def test_runs_whose_prompts_held_the_judge_s_are_found_again(
    old: Lab, server: LoopbackServer
) -> None:
    """Nothing is asked, and the numbers are those of before, for both ways of saying it."""
    for benchmark in (Duel(), OldDuel()):
        old.benchmark = benchmark
        for name, run_id, value in OLD_RUNS:
            document = await old.run(model=old.endpoint(name))
            assert (document["run_id"], document["status"]) == (run_id, "complete")
            assert warmth(document) == pytest.approx(value)
            assert document["comparisons"]["read"] == 18
    assert not server.answered


async def test_an_older_run_with_another_judge_prompt_asks_the_judge_alone(
    old: Lab, server: LoopbackServer
) -> None:
    """The word may have been changed together with the move."""
    old.benchmark = Wiser()
    document = await old.run(model=old.endpoint("one"))
    assert document["run_id"] == "786ccfc1"
    assert asked(server) == {"judge": 3}


async def test_older_grades_are_put_under_today_s_grader(old: Lab) -> None:
    """Each that is still read so; the columns are what they were."""
    await old.run(model=old.endpoint("one"))
    with closing(sqlite3.connect(old.runs_dir / "bench.sqlite")) as database:
        rows = database.execute(
            "SELECT run, count(*), min(at), json_extract(graded_by, '$.sampling') IS NULL"
            " FROM grades GROUP BY run, grader"
        ).fetchall()
    assert [row[1] for row in rows] == [3, 3, 3]
    assert [row[3] for row in rows] == [0, 1, 1]
    assert rows[0][2] == "2026-11-22T06:28:09.034+00:00"


async def test_an_older_grade_that_is_read_otherwise_today_stays_another_s(
    old: Lab, server: LoopbackServer
) -> None:
    """The sample is graded anew, without a call."""

    class Strict(Duel):
        async def grade(
            self, item: Item, transcript: str, judge: Model | None, options: Options
        ) -> Score:
            score = await super().grade(item, transcript, judge, options)
            return score if item.id != "1" else Score({"warmth": 0.0})

    old.benchmark = Strict()
    document = await old.run(model=old.endpoint("one"))
    assert warmth(document) == pytest.approx(16 / 3)
    assert not server.answered
    assert len([row for row in old.rows() if row.startswith("786ccfc1")]) == 4


def test_a_leaderboard_reads_an_older_journal(old: Lab, register: Callable[[Any], None]) -> None:
    """Scores and ratings are there before any run goes on, and the second look writes nothing."""
    register(Duel())
    with Journal(old.runs_dir) as journal:
        board = read_leaderboard(journal, installed(), old.benchmark)
    assert {row["model"]: warmth(row) for row in board.rows()} == {
        f"openai/{name}": pytest.approx(value) for name, _, value in OLD_RUNS
    }
    assert [row["comparisons"] for row in board.rows()] == [12, 12, 12]
    assert not board.warnings


def test_a_leaderboard_names_runs_that_were_graded_otherwise(
    old: Lab, register: Callable[[Any], None]
) -> None:
    """They are not shown as today's, and not left out without a word; nor tried again."""
    register(Wiser())
    for _ in range(2):
        with Journal(old.runs_dir) as journal:
            board = read_leaderboard(journal, installed(), Wiser())
        assert all(row["metrics"] == {} for row in board.rows())
        assert len(board.warnings) == 3
        assert "bench rescore 786ccfc1" in board.warnings[0]


@pytest.fixture
def register(monkeypatch: Patch) -> Callable[[Any], None]:
    """Adds a benchmark to those that are installed."""

    def add(benchmark: Any) -> None:
        things = {**installed().benchmarks.things, benchmark.name: benchmark}
        monkeypatch.setattr(installed().benchmarks, "things", things)

    return add


def test_two_labels_of_one_judge_are_one_board(old: Lab, register: Callable[[Any], None]) -> None:
    """As older programs left it: the judge of the third run was at another port."""
    register(Duel())
    with Journal(old.runs_dir) as journal:
        labels = [a.label for a in journal.asked(party="judge")]
        named = [read_leaderboard(journal, installed(), old.benchmark, judge=j) for j in labels]
    assert len(set(labels)) == 2
    assert {board.board.judge for board in named} == {labels[0]}
    assert [len(list(board.rows())) for board in named] == [3, 3, 3]


def test_demo_and_other_specs_are_labels_of_themselves() -> None:
    """A label that no run has asked is a judge of its own."""
    from eibench.core.runs.finding import JudgeNames

    names = JudgeNames([])
    assert (names.first(None), names.first("demo/judge")) == (None, "demo/judge")
    assert Endpoint(ModelSpec("demo", "judge")).stored_label == "demo/judge"
