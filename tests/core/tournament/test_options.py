"""What the options of comparisons do, and that the plan says it before."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Table = Any


def opponents(table: Table) -> set[str]:
    """With whom the newest model was compared."""
    return {row.b for row in table.rows() if row.run_a == table.rows()[-1].run_a}


def planned(table: Table, model: str, *more: object) -> int:
    """Calls to the judge that a dry run tells of, no verdict among them."""
    done = table.run(model, more=("--dry-run", "--no-rubric", *more))
    assert done.code == 0, done.err
    assert done.json["dry_run"] is True
    return int(done.json["runs"][0]["calls"]["judge"])


@pytest.fixture
def three(table: Table) -> Table:
    """Three models that were generated and not compared."""
    table.placed("m0", "m1", "m2", more=("--no-elo", "--no-rubric"))
    return table


def test_nothing_is_judged_without_rubric_and_elo(table: Table) -> None:
    """No judge is needed, and none is asked."""
    arguments = table.arguments("m0")
    at = arguments.index("--judge")
    done = table.bench(*arguments[:at], *arguments[at + 4 :], "--no-elo", "--no-rubric")
    assert done.code == 0, done.err
    assert done.json["calls"] == {"model": 9, "judge": 0, "replayed": 0, "retries": 0}
    assert (done.json["comparisons"], done.json["ratings"]) == ({}, [])


def test_without_the_rubric_only_comparisons_are_judged(three: Table) -> None:
    """Analyses are compared too, which the published code leaves out then."""
    done = three.run("m3", more=("--no-rubric",))
    assert done.json["calls"]["judge"] == three.bought() == 3 * 18
    assert len(done.json["ratings"]) == 4
    assert done.json["metrics"].get("rubric_score", {"value": None})["value"] is None


def test_ratings_without_verdicts_are_on_the_leaderboard(three: Table) -> None:
    """With dashes where the rubric would be; `bench rate` finds them too."""
    done = three.run("m3", more=("--no-rubric",))
    board = three.bench("leaderboard", "eqbench3", "--json")
    assert board.code == 0, board.err
    rows = board.json["rows"]
    assert [(r["model"], r["rating"]) for r in rows] == [
        (r["model"], r["rating"]) for r in done.json["ratings"]
    ]
    assert [row["run_id"] for row in rows] == [three.run_id(f"m{n}") for n in (3, 2, 1, 0)]
    assert three.bench("leaderboard", "eqbench3").code == 0
    rated = three.bench("rate", "--benchmark", "eqbench3", "--json").json
    assert rated["ratings"] == done.json["ratings"]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("openai/m0", {"openai/m0"}),
        (" openai/m2 , openai/m0,", {"openai/m0", "openai/m2"}),
        ("", {"openai/m0", "openai/m1", "openai/m2"}),
    ],
)
def test_opponents_are_those_that_are_named(three: Table, given: str, names: set[str]) -> None:
    """One, several, or all."""
    done = three.run("m3", more=("--no-rubric", "--opponents", given))
    assert done.code == 0
    assert opponents(three) == names
    assert three.bought() == 18 * len(names)


def test_an_unknown_opponent_is_refused_before_anything_is_sent(three: Table) -> None:
    """With those that there are; in an empty folder too."""
    asked = len(three.server.requests)
    done = three.run("m3", more=("--opponents", "openai/m0,openai/nobody"))
    assert done.code == 2
    assert "--opponents names openai/nobody" in done.err
    assert "there are: openai/m0, openai/m1, openai/m2" in done.err
    done = three.run("m3", more=("--opponents", "openai/m0"), runs="empty")
    assert (done.code, "there are: none" in done.err) == (2, True)
    assert len(three.server.requests) == asked


@pytest.mark.parametrize(
    "given", [("--target-ci", "-1"), ("--target-ci", "nan"), ("--max-comparisons", "-2")]
)
def test_a_limit_below_zero_is_refused(table: Table, given: tuple[str, str]) -> None:
    """Before anything is sent."""
    done = table.run("m0", more=given)
    last = done.err.strip().splitlines()[-1]
    assert (done.code, last.startswith("Error: "), given[0] in last) == (2, True, True)
    assert not table.server.requests


def test_max_comparisons_is_a_limit_for_the_run(three: Table) -> None:
    """Pairs of calls are not broken up; a higher limit goes on from there."""
    done = three.run("m3", more=("--no-rubric", "--max-comparisons", "7"))
    assert (done.code, three.bought()) == (0, 6)
    stopped = done.json["notes"]["rating"]["stopped"]
    assert stopped["kind"] == "budget"
    assert stopped["told"].startswith("7 comparisons were allowed, 6 made; the one left")
    again = three.run("m3", more=("--no-rubric", "--max-comparisons", "7"))
    assert again.json["calls"]["replayed"] == 9 + 6
    done = three.run("m3", more=("--no-rubric", "--max-comparisons", "12"))
    assert three.bought() == 12
    assert done.json["notes"]["rating"]["stopped"]["kind"] == "budget"


def test_a_target_stops_the_placement_by_itself(
    table: Table, make_pack: Callable[..., Path]
) -> None:
    """Before everything is compared, and the document and the table say why."""
    table.pack = make_pack(24, 24)
    more = ("--no-rubric", "--target-ci", "60")
    for model in ("m0", "m3"):
        table.run(model, more=more)
    done = table.run("m6", more=more)
    stopped = done.json["notes"]["rating"]["stopped"]
    assert (done.code, stopped["kind"]) == (0, "precise")
    assert "±60" in stopped["told"]
    own = next(row for row in done.json["ratings"] if row["model"] == "openai/m6")
    assert (own["ci95"][1] - own["ci95"][0]) / 2 <= 60
    assert own["comparisons"] < 96
    assert "stopped: the interval is within ±60" in " ".join(
        table.bench("show", done.json["run_id"]).out.split()
    )


@pytest.mark.parametrize("schedule", ["all", "staged", "adaptive"])
@pytest.mark.parametrize("orders", ["both", "one"])
def test_each_schedule_comes_to_an_end(three: Table, schedule: str, orders: str) -> None:
    """In batches that the journal names after it; each comparison is bought once."""
    more = ("--no-rubric", "--schedule", schedule, "--orders", orders)
    done = three.run("m3", more=more)
    assert (done.code, done.json["status"]) == (0, "complete"), done.err
    assert done.json["ratings"][0]["model"] == "openai/m3"
    assert done.json["notes"]["rating"]["stopped"]["kind"] in {"exhausted", "settled", "floor"}
    assert set(three.compared().values()) == {1}
    stages = {row.stage.partition(" ")[0] for row in three.rows()}
    names = {"all": {"all"}, "adaptive": {"adaptive"}}
    zooms = {f"zoom-{items}" for items in (4, 8, 16, 24)}
    assert stages <= names.get(schedule, {"sparse", *zooms, "comprehensive"})
    calls = [(row.b, row.item_id, row.first) for row in three.rows()]
    assert len(calls) == len(set(calls)) == three.bought()
    if orders == "both":
        assert all((b, i, "b" if f == "a" else "a") in calls for b, i, f in calls)
    else:
        assert len({call[:2] for call in calls}) == len(calls)


def test_eight_opponents_are_met_adaptively(table: Table) -> None:
    """By default from eight models on."""
    table.world.abilities["m8"] = 2.0
    for n in range(8):
        table.run(f"m{n}", more=("--no-elo", "--no-rubric"))
    done = table.run("m8", more=("--no-rubric", "--max-comparisons", "16"))
    assert done.code == 0
    assert {row.stage for row in table.rows()} == {"adaptive"}


def test_other_opponents_after_some_are_no_stumbling_block(three: Table) -> None:
    """What is known of an earlier opponent, which nobody else has met, is not needed."""
    more = ("--no-rubric", "--schedule", "adaptive", "--opponents")
    assert three.run("m3", more=(*more, "openai/m2")).code == 0
    done = three.run("m3", more=(*more, "openai/m0"))
    assert done.code == 0, done.err
    batches: dict[int, set[str]] = {}
    for row in three.rows():
        batches.setdefault(row.batch, set()).add(row.b)
    assert all(len(models) == 1 for models in batches.values()), "a batch of two plans"


def test_the_plan_tells_what_is_bought(three: Table) -> None:
    """Exactly, where everything is: before, in the middle, and at the end."""
    assert planned(three, "m3") == 3 * 18
    assert planned(three, "m3", "--orders", "one") == 3 * 9
    assert planned(three, "m3", "--opponents", "openai/m1") == 18
    assert planned(three, "m3", "--limit", "2") == 3 * 4
    assert planned(three, "m3", "--max-comparisons", "10") == 10
    assert planned(three, "m3", "--max-comparisons", "7") == 6  # whole pairs of orders
    assert planned(three, "m3", "--max-comparisons", "7", "--orders", "one") == 7
    three.run("m3", more=("--no-rubric", "--max-comparisons", "10"))
    assert planned(three, "m3", "--max-comparisons", "10") == 0
    assert planned(three, "m3") == 3 * 18 - 10
    three.run("m3", more=("--no-rubric",))
    assert planned(three, "m3") == 0
    # m3's run has bought what both count.
    assert planned(three, "m0") == 2 * 18
    three.run("m0", more=("--no-rubric",))
    assert three.bought() == 5 * 18
    assert planned(three, "m0", "--fresh") == 3 * 18
    assert planned(three, "m3", "--iterations", "2") == 0  # the others have only one
    assert three.bought() == 5 * 18


def test_the_plan_is_zero_when_the_placement_is_at_its_end(three: Table) -> None:
    """Though there would be more to compare."""
    more = ("--schedule", "all", "--target-ci", "1000")
    three.run("m3", more=("--no-rubric", *more))
    assert three.bought() < 3 * 18
    assert planned(three, "m3", *more) == 0
    assert planned(three, "m3") > 0


def test_the_dry_run_says_at_most_in_words(three: Table) -> None:
    """And verdicts apart from comparisons."""
    done = three.bench(*(a for a in three.arguments("m3") if a != "--json"), "--dry-run")
    assert done.code == 0
    assert "9 calls to openai/m3" in done.err
    assert "9 calls to openai/judge" in done.err
    assert "at most 54 comparisons by openai/judge" in done.err


def test_several_models_in_one_command(table: Table) -> None:
    """Each is compared with those before it."""
    done = table.run("m0", "m2", "m1", more=("--no-rubric",))
    assert done.code == 0
    assert [len(d["ratings"]) for d in done.json["runs"]] == [0, 2, 3]
    assert table.bought() == 3 * 18


def test_short_replies_are_not_compared(table: Table) -> None:
    """Under a hundred characters; the others of the same model are."""

    def speak(request: Any, compares: bool) -> Any:
        """m1 has nothing to say about two scenes."""
        is_short = request.model == "m1" and any(s in request.prompt for s in ("ne 3.", "ne 4."))
        return "x" * 99 if is_short else None

    table.placed("m0")
    table.world.before = speak
    done = table.run("m1", more=("--no-rubric",))
    assert (done.code, done.json["status"]) == (0, "complete")
    assert done.json["comparisons"]["read"] == 14
    assert {"s3", "s4"}.isdisjoint(row.item_id for row in table.rows())
