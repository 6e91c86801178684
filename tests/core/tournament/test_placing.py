"""A placement by `adaptive`, from its plan to what it says at its end."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from eibench.core.journal import Journal
from tests.core.tournament.conftest import Table

ADAPTIVE = ("--no-rubric", "--schedule", "adaptive")


@pytest.fixture
def ladder(table: Table, make_pack: Callable[..., Path]) -> Table:
    """Four models that were compared, on twelve scenarios."""
    table.pack = make_pack(12, 12)
    table.placed("m0", "m2", "m4", "m6", more=("--no-rubric", "--orders", "one"))
    return table


def orders_of(table: Table, model: str) -> dict[tuple[str, str], list[str]]:
    """By opponent and item, the orders that a model's run has asked for."""
    found: dict[tuple[str, str], list[str]] = {}
    run_id = table.run_id(model)
    for row in table.rows():
        if row.run_a == run_id:
            found.setdefault((row.b, row.item_id), []).append(row.first)
    return found


def test_adaptive_buys_mixed_orders_by_default(ladder: Table) -> None:
    """One pair of ten in both, the others in one; the place is estimated from them."""
    done = ladder.run("m3", more=ADAPTIVE)
    assert (done.code, done.json["status"]) == (0, "complete"), done.err
    orders = orders_of(ladder, "m3")
    twice = sum(len(each) == 2 for each in orders.values())
    assert len(orders) // 10 <= twice <= -(-len(orders) // 10)
    assert "position" in done.json["notes"]["rating"]["diagnostics"]


def test_all_buys_both_orders_by_default(ladder: Table) -> None:
    """As published; `mixed` may be asked for."""
    ladder.run("m3", more=("--no-rubric",))
    assert {len(each) for each in orders_of(ladder, "m3").values()} == {2}
    ladder.run("m5", more=("--no-rubric", "--orders", "mixed"))
    assert sorted({len(each) for each in orders_of(ladder, "m5").values()}) == [1, 2]


def test_the_plan_says_what_it_expects(ladder: Table) -> None:
    """In words and in JSON: about how many comparisons, and how wide an interval."""
    asked = len(ladder.server.requests)
    everything = ladder.run("m3", more=(*ADAPTIVE, "--dry-run")).json["runs"][0]["comparisons"]
    assert everything["about"] == everything["most"] == 53  # 48 items, 5 of them in both orders
    target = 1.5 * everything["half_width"]
    dry = (*ADAPTIVE, "--target-ci", str(target), "--dry-run")
    left = ladder.run("m3", more=dry).json["runs"][0]["comparisons"]
    assert 8 < left["about"] < left["most"] == 53
    assert everything["half_width"] < left["half_width"] <= target
    message = ladder.bench(*(a for a in ladder.arguments("m3") if a != "--json"), *dry).err
    assert f"about {left['about']} comparisons (at most 53; half-width" in message
    assert f"about {left['half_width']:.0f} points) by openai/judge" in message
    assert len(ladder.server.requests) == asked


def test_the_plan_of_other_schedules_says_at_most(ladder: Table) -> None:
    """They do not stop for precision alone."""
    done = ladder.run("m3", more=("--no-rubric", "--dry-run"))
    assert done.json["runs"][0]["comparisons"] == {"most": 96, "about": None, "half_width": None}


def test_the_end_says_what_would_help_more(ladder: Table) -> None:
    """In the result, and in the note of its table; again when it is only shown."""
    done = ladder.run("m3", more=(*ADAPTIVE, "--max-comparisons", "20"))
    stopped = done.json["notes"]["rating"]["stopped"]
    assert stopped["kind"] == "budget"
    message = re.fullmatch(
        r"(\d+) more comparisons would take the half-width from (\d+) to (\d+), with another "
        r"iteration of it \(12 calls to the model\) and of its opponents to (\d+)",
        stopped["advice"],
    )
    assert message, stopped
    shown = ladder.bench("show", done.json["run_id"]).out
    assert stopped["advice"] in " ".join(shown.split())
    again = ladder.run("m3", more=(*ADAPTIVE, "--max-comparisons", "20"))
    assert again.json["notes"]["rating"]["stopped"] == stopped


def test_when_the_money_runs_out_it_is_told_what_more_would_do(ladder: Table) -> None:
    """And the same command with more money goes on."""
    prices = '[prices."openai/judge"]\ninput = 10\noutput = 10\n'
    (ladder.folder / "bench.toml").write_text(prices, encoding="utf-8")
    dear = (*ADAPTIVE, "--concurrency", "1")
    done = ladder.run("m3", more=(*dear, "--max-cost", "0.3"))
    assert (done.code, done.json["status"]) == (5, "budget"), done.err
    stopped = done.json["notes"]["rating"]["stopped"]
    assert stopped["kind"] == "budget"
    assert stopped["told"] == f"--max-cost is reached; {stopped['advice']}"
    assert "would take the half-width from" in stopped["advice"]
    done = ladder.run("m3", more=(*dear, "--max-cost", "100"))
    assert (done.code, done.json["status"]) == (0, "complete"), done.err
    assert done.json["notes"]["rating"]["stopped"]["kind"] == "exhausted"
    assert set(ladder.compared().values()) == {1}


def test_a_placement_in_both_orders_of_before_is_at_its_end(ladder: Table) -> None:
    """What was finished with the default of before asks nothing with that of today."""
    done = ladder.run("m3", more=(*ADAPTIVE, "--orders", "both"))
    assert done.json["status"] == "complete"
    asked = len(ladder.server.requests)
    again = ladder.run("m3", more=ADAPTIVE)
    assert len(ladder.server.requests) == asked
    assert again.json["notes"]["rating"] == done.json["notes"]["rating"]
    plan = ladder.run("m3", more=(*ADAPTIVE, "--dry-run")).json["runs"][0]
    assert plan["comparisons"]["most"] == 0


def test_one_order_that_the_opponent_has_bought_is_enough(ladder: Table) -> None:
    """Of a pair in one order; of one in both the other order is bought."""
    ladder.run("m3", more=("--no-rubric", "--no-elo"))
    one = ("--no-rubric", "--orders", "one", "--opponents", "openai/m3")
    assert ladder.run("m4", more=one).code == 0
    bought = ladder.bought()
    more = ("--no-rubric", "--orders", "mixed", "--schedule", "all", "--opponents", "openai/m4")
    assert ladder.run("m3", more=more).code == 0
    run_id = ladder.run_id("m3")
    rows = [row for row in ladder.rows() if row.run_a == run_id]
    twice = [orders for orders in orders_of(ladder, "m3").values() if len(orders) == 2]
    assert ladder.bought() - bought == len(twice) >= 1
    assert sum(row.status == "known" for row in rows) == len(rows) - len(twice)


def test_scores_say_where_to_look_first(table: Table, make_pack: Callable[..., Path]) -> None:
    """A model whose grades are those of the weakest meets weak ones first."""
    table.pack = make_pack(12, 12)
    for n in range(8):
        table.world.abilities[f"x{n}"] = 0.7 * n
        assert table.run(f"x{n}", more=("--orders", "one", "--max-comparisons", "40")).code == 0
    table.world.abilities["new"] = 0.1
    assert table.run("new", more=("--schedule", "adaptive", "--max-comparisons", "8")).code == 0
    with Journal(table.folder / "runs", create=False) as journal:
        met = [row.b for row in journal.comparisons() if row.a == "openai/new"]
    strengths = [table.world.abilities[name.removeprefix("openai/")] for name in met]
    assert sum(strengths) / len(strengths) < 1.5
