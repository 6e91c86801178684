"""A run's own result, and what takes its place."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core.journal import Journal
from eibench.core.plugins import installed
from eibench.core.runs.stored_run import StoredRun
from eibench.testing import LoopbackServer
from tests.core.conftest import Lab
from tests.core.runs.identity.conftest import Duel, answer, duel_pack
from tests.core.runs.identity.test_grading import Doubled, Wiser, warmth


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Lab]:
    """A lab for duels."""
    with LoopbackServer(answer) as server:
        yield Lab(tmp_path / "runs", server.base_url, Duel(), duel_pack())


def stored(desk: Lab) -> Any:
    """The run's own result."""
    with Journal(desk.runs_dir) as journal:
        (run,) = journal.runs()
        return journal.document(run)


@pytest.mark.parametrize("changed", [Wiser, Doubled])
async def test_another_way_of_grading_takes_its_place(desk: Lab, changed: type[Duel]) -> None:
    """The new number is the run's own, and each grader's grades are kept."""
    first = await desk.run(model=desk.endpoint("one"))
    desk.benchmark = changed()
    again = await desk.run(model=desk.endpoint("one"))
    own = stored(desk)
    assert warmth(first) != warmth(own) == warmth(again)
    assert own["main"] and again["main"]
    with Journal(desk.runs_dir) as journal:
        graders = journal.graders(journal.runs()[0])
    assert {count.grader.digest for count in graders} == {first["grader"], own["grader"]}


async def test_a_result_of_another_grader_than_today_s_says_so(
    desk: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to do about it."""
    await desk.run(model=desk.endpoint("one"))
    for benchmark, message in ((Duel(), False), (Wiser(), True)):
        things = {**installed().benchmarks.things, "duel": benchmark}
        monkeypatch.setattr(installed().benchmarks, "things", things)
        with Journal(desk.runs_dir) as journal:
            (run,) = journal.runs()
            notes = list(StoredRun(journal, run).left_out())
        assert any("graded otherwise" in note for note in notes) is message


async def test_a_first_result_that_is_not_whole_makes_way(desk: Lab) -> None:
    """The first grader of the whole run is whoever went through it first."""
    session = desk.session(model=desk.endpoint("one"), judge=desk.endpoint("first"))
    session.stop.interrupt()
    assert (await session.run())["items"]["pending"]
    await desk.run(model=desk.endpoint("one"), judge=desk.endpoint("second"))
    assert stored(desk)["judge"] == "openai/second"
    by_first = await desk.run(model=desk.endpoint("one"), judge=desk.endpoint("first"))
    assert (by_first["judge"], by_first["main"]) == ("openai/first", False)
    assert stored(desk)["judge"] == "openai/second"


async def test_judges_of_like_names_replace_no_results_of_each_other(desk: Lab) -> None:
    """Each is a judge of its own, and the first one's result stays."""
    for judge in ("first", "a b", "a-b", "a/b", "a.b"):
        document = await desk.run(model=desk.endpoint("one"), judge=desk.endpoint(judge))
        assert (document["judge"], document["main"]) == (f"openai/{judge}", judge == "first")
    assert stored(desk)["judge"] == "openai/first"


async def test_ratings_stay_with_a_result(desk: Lab) -> None:
    """Another judge's result of the run, or grading again, does not take them away."""
    for name in ("one", "two"):
        document = await desk.run(model=desk.endpoint(name))
    assert len(document["ratings"]) == 2
    with Journal(desk.runs_dir) as journal:
        run = journal.runs()[-1]
        kept = journal.document(run)
    await desk.run(model=desk.endpoint("two"), judge=desk.endpoint("other"))
    with Journal(desk.runs_dir) as journal:
        assert journal.document(run) == kept


async def test_the_same_part_again_settles_nothing_anew(desk: Lab) -> None:
    """A placement of a part that came to its end is at its end."""
    for name in ("one", "two"):
        await desk.run(model=desk.endpoint(name))
    part = await desk.run(model=desk.endpoint("two"), limit=1)
    again = await desk.run(model=desk.endpoint("two"), limit=1)
    assert not (part["main"] or again["main"])
    assert part["notes"]["rating"]["stopped"] == again["notes"]["rating"]["stopped"]
