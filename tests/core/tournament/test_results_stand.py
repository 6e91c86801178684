"""A result that is there stands, whatever the opponents are."""

from collections.abc import Callable
from typing import Any

import pytest

import eibench
from eibench.core.errors import BenchError, PluginError, UsageError
from eibench.core.plugins import installed
from eibench.testing import Fault, ReceivedRequest

Table = Any
SHORT = "This is {} speaking of x. No."


def speak_short(*models: str, scenes: tuple[str, ...] = ("scene",)) -> Callable[..., str | None]:
    """Makes models say less than a hundred characters, of all scenes or of some."""

    def speak(request: ReceivedRequest, compares: bool) -> str | None:
        is_short = request.model in models and any(scene in request.prompt for scene in scenes)
        return SHORT.format(request.model) if is_short else None

    return speak


def plan_of(table: Table, model: str, *more: str) -> int:
    """Calls to the judge that a dry run tells of."""
    done = table.run(model, more=("--dry-run", *more))
    assert done.code == 0, done.err
    return int(done.json["runs"][0]["calls"]["judge"])


def stands(done: Any) -> bool:
    """Whether a command ended well, with a rubric score and without a rating."""
    assert done.code == 0, done.err
    document = done.json
    assert document["metrics"]["rubric_score"]["value"] is not None
    return (document["status"], document["ratings"]) == ("complete", [])


def message(done: Any) -> str:
    """Why there is no rating."""
    stopped = done.json["notes"]["rating"]["stopped"]
    assert stopped["kind"] == "none"
    return str(stopped["told"])


@pytest.fixture
def shy(table: Table) -> Table:
    """m0 has transcripts, all of them too short to be compared."""
    table.world.before = speak_short("m0")
    table.stage("shy", lambda: table.run("m0"))
    return table


def test_an_opponent_that_says_too_little_is_passed_over(shy: Table) -> None:
    """The rubric result stands, the plan speaks of no comparison, and the reason is told."""
    assert plan_of(shy, "m1") == 9
    done = shy.run("m1")
    assert stands(done)
    assert message(done) == "openai/m0: too short to be compared"
    shown = shy.bench("show", done.json["run_id"]).out
    assert "rating     none yet: openai/m0: too short to be compared" in shown
    assert {run["status"] for run in shy.bench("runs", "--json").json["runs"]} == {"complete"}


def test_a_complete_run_stays_complete_when_it_is_run_again(shy: Table) -> None:
    """That of the model with short replies, and that of its opponent."""
    shy.run("m1")
    for model, reason in (("m0", "openai/m0"), ("m1", "openai/m0")):
        done = shy.run(model)
        assert stands(done)
        assert message(done) == f"{reason}: too short to be compared"
        assert done.json["calls"]["replayed"] == 18
    assert shy.bought() == 0


def test_a_model_that_says_too_little_has_a_result(table: Table) -> None:
    """Beside an opponent that says enough."""
    table.placed("m0")
    table.world.before = speak_short("m1")
    assert plan_of(table, "m1") == 9 + 18  # nobody knows yet what it will say
    done = table.run("m1")
    assert stands(done)
    assert message(done) == "openai/m1: too short to be compared"
    assert plan_of(table, "m1") == 0


def test_one_that_says_enough_is_met_beside_others(shy: Table) -> None:
    """Those who say too little take nobody's rating away."""
    shy.run("m1")
    assert plan_of(shy, "m2") == 9 + 18
    done = shy.run("m2")
    assert {row["model"] for row in done.json["ratings"]} == {"openai/m1", "openai/m2"}
    assert (done.code, done.json["status"], shy.bought()) == (0, "complete", 18)


def test_only_what_can_be_compared_is_planned(table: Table) -> None:
    """Of an opponent with short replies in two scenes, and of the model's own in another."""
    table.world.before = speak_short("m0", scenes=("scene 3.", "scene 4."))
    table.run("m0")
    assert plan_of(table, "m1", "--no-rubric") == 2 * 7
    table.world.before = speak_short("m1", scenes=("scene 4.", "scene 5."))
    table.run("m1", more=("--no-elo",))
    assert plan_of(table, "m1", "--no-rubric") == 2 * 6
    done = table.run("m1", more=("--no-rubric",))
    assert (done.code, table.bought()) == (0, 2 * 6)


def test_an_opponent_of_other_items_is_no_end_of_a_run(table: Table) -> None:
    """There is no pair to compare."""
    table.run("m0", more=("--items", "s1,s2"))
    more = ("--items", "s3,s4")
    assert plan_of(table, "m1", *more) == 2
    done = table.run("m1", more=more)
    assert stands(done)
    assert message(done) == "openai/m0: no finished transcript of the same items"


def test_an_opponent_without_a_transcript_can_be_named(table: Table) -> None:
    """It was never answered."""
    table.world.before = lambda request, compares: Fault("401") if request.model == "m0" else None
    assert table.run("m0").code == 4
    done = table.run("m1", more=("--opponents", "openai/m0"))
    assert stands(done)
    assert message(done) == "openai/m0: no finished transcript of the same items"


def test_an_opponent_that_is_deleted_meanwhile_is_no_end_of_a_run(table: Table) -> None:
    """Though it was named: the plan had found it."""
    table.placed("m0")
    run_id, deleted = table.run_id("m0"), list[int]()

    def delete(request: ReceivedRequest, compares: bool) -> None:
        if not deleted:
            deleted.append(table.bench("delete", run_id, "--yes").code)

    table.world.before = delete
    assert stands(table.run("m1", more=("--opponents", "openai/m0")))
    assert deleted == [0]


def test_transcripts_that_cannot_be_read_are_no_end_of_a_run(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A benchmark that fails on an opponent's replies; the reason says how."""
    table.placed("m0")
    benchmark = installed().benchmark("eqbench3")

    def fail(item: Any, transcript: Any) -> bool:
        if "m0" in transcript.turns[0].reply:
            raise ValueError("what is this?")
        return True

    monkeypatch.setattr(benchmark, "is_comparable", fail)
    done = table.run("m1")
    assert stands(done)
    raised = "is_comparable of eqbench3 (eibench 0.1.0) raised ValueError: what is this?"
    assert message(done).startswith(f"openai/m0: cannot be read: {raised}")


def test_a_judge_that_is_refused_comparisons_leaves_the_verdicts(table: Table) -> None:
    """The command ends with its error; the run has its score, and the same command goes on."""
    table.placed("m0")
    table.world.before = lambda request, compares: Fault("401") if compares else None
    assert table.run("m1").code == 4
    (_, run) = table.bench("runs", "--json").json["runs"]
    assert run["status"] == "incomplete"
    assert run["metrics"]["rubric_score"]["value"] is not None
    table.world.before = lambda request, compares: None
    done = table.run("m1")
    assert (done.code, done.json["status"], table.bought()) == (0, "complete", 18)


def test_an_error_leaves_a_complete_run_complete(table: Table) -> None:
    """More iterations were wanted, and the server refused the key."""
    done = table.placed("m0")
    table.world.before = lambda request, compares: Fault("401")
    assert table.run("m0", more=("--iterations", "2")).code == 4
    (run,) = table.bench("runs", "--json").json["runs"]
    assert (run["status"], run["metrics"]) == ("complete", done.json["metrics"])


@pytest.mark.parametrize("schedule", ["all", "adaptive"])
def test_an_engine_that_fails_is_no_end_of_a_run(
    table: Table, monkeypatch: pytest.MonkeyPatch, schedule: str
) -> None:
    """The comparisons are there, and can be rated later."""
    table.placed("m0")

    class Broken:
        """Rates nobody."""

        def rate(self, comparisons: Any, settings: Any) -> Any:
            """As it says."""
            raise PluginError("the engine is broken")

    with monkeypatch.context() as patch:
        patch.setitem(installed().rating_engines.things, "glicko2", Broken())
        done = table.run("m1", more=("--schedule", schedule))
    assert stands(done)
    assert "no rating: the engine is broken" in done.json["warnings"]
    board = table.bench("leaderboard", "eqbench3", "--json").json
    assert [row["rank"] for row in board["rows"]] == [1, 2]


async def test_python_refuses_an_unknown_opponent_before_anything_is_sent(table: Table) -> None:
    """As the command line does."""
    url = table.server.base_url
    with pytest.raises(UsageError, match=r"^opponents names openai/nobody") as refused:
        await eibench.run_async(
            "eqbench3",
            model="openai/m0",
            judge="openai/judge",
            base_url=url,
            judge_base_url=url,
            dataset=table.pack,
            options={"opponents": "openai/nobody"},
            runs_dir=table.folder / "runs",
        )
    assert isinstance(refused.value, BenchError)
    assert not table.server.requests
