"""`bench show RUN --items` and ITEM: what came of each item, and of its comparisons."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest

Bench = Callable[..., Any]
Demos = Callable[..., list[Any]]


@pytest.fixture
def run_id(bench: Bench) -> str:
    """A run of four questions in two iterations."""
    done = bench("run", "eqbench-v1", "--limit", 4, "--iterations", 2, "--json")
    assert done.code == 0
    return str(done.json["run_id"])


def test_the_worst_items_stand_first(bench: Bench, run_id: str) -> None:
    """By what they add to the score, which is their mean."""
    found = bench("show", run_id, "--items", "--json").json
    values = [row["value"] for row in found["items"]]
    assert len(values) == 4 and values == sorted(values)
    assert all(len(row["samples"]) == 2 for row in found["items"])
    score = bench("show", run_id, "--json").json["metrics"]["score"]["value"]
    assert (found["value"], sum(values) / 4) == ("score", pytest.approx(score))


@pytest.mark.parametrize("sort", ["id", "spread"])
def test_items_have_other_orders(bench: Bench, run_id: str, sort: str) -> None:
    """Numbers as numbers, and the largest difference between iterations first."""
    rows = bench("show", run_id, "--items", "--sort", sort, "--json").json["items"]
    found = [int(row["item_id"]) if sort == "id" else -row["spread"] for row in rows]
    assert found == sorted(found)


def test_samples_can_be_had_as_csv(bench: Bench, run_id: str) -> None:
    """A row a sample, with all of its values."""
    rows = list(csv.DictReader(io.StringIO(bench("show", run_id, "--items", "--csv").out)))
    assert len(rows) == 8
    assert {"item_id", "iteration", "status", "first_pass", "revised"} <= rows[0].keys()


def test_smaller_distances_are_better(bench: Bench) -> None:
    """So the largest is the worst."""
    run = bench("run", "seceu", "--limit", 4, "--json").json["run_id"]
    values = [r["value"] for r in bench("show", run, "--items", "--json").json["items"]]
    assert values == sorted(values, reverse=True)


def test_csv_without_items_is_refused(bench: Bench, run_id: str) -> None:
    """And two things at once."""
    assert bench("show", run_id, "--csv").code == 2
    assert bench("show", run_id, "1", "--items").code == 2


def test_the_answer_stands_beside_the_reference(bench: Bench, run_id: str) -> None:
    """With the emotions above them."""
    shown = bench("show", run_id, "1").out
    assert "Answer and reference" in shown
    assert "│ reference " in shown and "│ revised " in shown


def test_comparisons_of_other_runs_are_shown(bench: Bench, demos: Demos) -> None:
    """The first model asked for none; each says opponent, order and winner."""
    first, *_ = demos(3)
    items = bench("show", first["run_id"], "--items", "--json").json["items"]
    shown = bench("show", first["run_id"], items[0]["item_id"], "--json").json["comparisons"]
    assert {row["opponent"] for row in shown} == {"demo/strong", "demo/medium"}
    assert {row["asked_by"] for row in shown}.isdisjoint({first["run_id"]})
    assert {row["first"] for row in shown} == {True, False}
    table = bench("show", first["run_id"], items[0]["item_id"]).out
    assert "│ demo/strong │ second │ demo/strong │" in table


def test_both_sides_decode_a_comparison_alike(bench: Bench, demos: Demos) -> None:
    """What one wins the other loses, by the same criteria."""
    documents = demos(2)
    item = bench("show", documents[0]["run_id"], "--items", "--json").json["items"][0]["item_id"]
    one, other = (bench("show", d["run_id"], item, "--json").json["comparisons"] for d in documents)
    for a in one:
        (b,) = [row for row in other if row["first"] != a["first"]]
        assert b["margins"] == {name: -margin for name, margin in a["margins"].items()}
