"""Several runs in one command: planned as one, shown as one while they go on, summed up as one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import LoopbackServer, uniform_ratings

Bench = Callable[..., Any]
THREE = [word for name in ("weak", "medium", "strong") for word in ("--model", f"demo/{name}")]


def rows(text: str) -> list[list[str]]:
    """The cells of a table."""
    return [[cell.strip() for cell in row.split("│")[1:-1]]
            for row in text.splitlines() if "│" in row]  # fmt: skip


def test_runs_that_are_alike_are_a_row(bench: Bench, empty_place: Path) -> None:
    """With the sums of their models; what holds for all is said once, and one total is last."""
    done = bench("run", "eqbench3", "seceu", *THREE, "--limit", 1, "--dry-run")
    heading, *runs = rows(done.err)
    cells = [dict(zip(heading, row, strict=True)) for row in runs]
    assert [(c["benchmark"], c["model"], c["comparisons"]) for c in cells] == [
        ("eqbench3", "3 models", "6"),
        ("seceu", "3 models", "–"),
    ]
    assert done.err.count("judged by demo/judge") == 1
    assert done.err.count("cannot be read") == 1
    assert "in all 6 runs; 15 calls to models and 9 to judges (6 of them comparisons)" in done.err


def test_a_model_of_another_price_is_a_row_of_its_own(bench: Bench, empty_place: Path) -> None:
    """What it lacks of a key is said once for all."""
    names = ["openai/gpt-4.1", "openai/gpt-4o", "openai/of-no-known-price"]
    models = [word for name in names for word in ("--model", name)]
    done = bench("run", "seceu", *models, "--limit", 1, "--dry-run")
    _, *runs = rows(done.err)
    assert [row[2] for row in runs] == names
    assert done.err.count("no key for openai/") == 1
    assert "and an unknown price" in done.err.splitlines()[-2]


def test_what_is_stored_leaves_nothing_to_ask(bench: Bench, empty_place: Path) -> None:
    """Of all runs together."""
    command = ("run", "seceu", *THREE, "--limit", 1)
    bench(*command)
    assert "in all 3 runs; nothing to ask that the journal does not hold" in bench(*command).err


def test_the_limit_is_held_against_the_total(bench: Bench, empty_place: Path) -> None:
    """Each run fits into it, all together do not: nothing is sent."""
    with LoopbackServer(uniform_ratings(1)) as server:
        models = ["--model", "openai/a", "--model", "openai/b"]
        command = ("run", "eqbench-v1", *models, "--base-url", server.base_url,
                   "--price", "1000,1000", "--limit", 1)  # fmt: skip
        plan = bench(*command, "--dry-run", "--json").json
        low = plan["total"]["cost_usd"][0]
        assert low == pytest.approx(sum(run["cost_usd"][0] for run in plan["runs"]))
        refused = bench(*command, "--max-cost", low * 0.7)
        assert refused.code == 2
        assert "does not cover the least" in refused.err
        assert not server.requests
        done = bench(*command, "--json", "--yes").json
    spent = sum(run["cost_usd"] for run in done["runs"])
    assert done["total"]["calls"] == {"models": 2, "judges": 0}
    assert done["total"]["cost_usd"] == pytest.approx(spent)


def test_the_end_is_one_total(bench: Bench, empty_place: Path) -> None:
    """Calls, dollars and time of this command, in the last line."""
    last = bench("run", "seceu", *THREE, "--limit", 1).out.splitlines()[-1]
    assert "3 complete" in last
    assert "in all 3 calls, free, " in last


def test_a_rating_is_of_the_day_that_the_run_ended(bench: Bench, empty_place: Path) -> None:
    """Where it is shown later, with the command for today's."""
    done = bench("run", "eqbench3", *THREE[:4], "--limit", 1)
    assert "when it ended" not in done.out
    last = bench("show", "demo/medium").out.splitlines()[-1]
    assert "when it ended (2 models; today: bench leaderboard eqbench3 --demo)" in last
