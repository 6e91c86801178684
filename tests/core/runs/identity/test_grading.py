"""What changes only how replies are graded asks the model nothing."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench import Item, Model, Options, Sampling, Score
from eibench.core.compare.board_reader import read_leaderboard
from eibench.core.compare.boards import Boards
from eibench.core.journal import Journal
from eibench.core.plugins import installed
from eibench.core.run.plan import make_plan
from eibench.testing import LoopbackServer
from tests.core.conftest import Lab
from tests.core.runs.identity.conftest import Duel, answer, duel_pack


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """Model and judge."""
    with LoopbackServer(answer) as started:
        yield started


@pytest.fixture
def desk(tmp_path: Path, server: LoopbackServer) -> Lab:
    """A lab for duels."""
    return Lab(tmp_path / "runs", server.base_url, Duel(), duel_pack())


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
    session = desk.session(model=desk.endpoint(model))
    plan = await asyncio.to_thread(make_plan, session.task, session)
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


def test_a_leaderboard_names_runs_that_were_graded_otherwise(
    desk: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not shown as today's, and not left out without a word; nor tried again."""
    made = [asyncio.run(desk.run(model=desk.endpoint(name))) for name in ("one", "two")]
    things = {**installed().benchmarks.things, Duel.name: Wiser()}
    monkeypatch.setattr(installed().benchmarks, "things", things)
    for _ in range(2):
        with Journal(desk.runs_dir) as journal:
            board = read_leaderboard(Boards(journal, installed(), Wiser()))
        assert all(row["metrics"] == {} for row in board.rows())
        named = zip(board.warnings, made, strict=True)
        assert all(f"bench rescore {run['run_id']}" in warning for warning, run in named)
