"""What an import may bring: nothing that a page could not show."""

import copy
import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.checksums import bundle
from tests.conftest import enter_empty_place, run_here

from .conftest import ITEMS

Bench = Callable[..., Any]
WRONG: tuple[Any, ...] = (True, 3, "x", None, [], {}, ["x"], {"x": 3}, -1.5)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The lines of a bundle of two judged runs of three scenarios that were compared."""
    run = ("run", "eqbench3", "--dataset", "bundled", "--items", ",".join(ITEMS.split(",")[:3]))
    with pytest.MonkeyPatch.context() as patch:
        enter_empty_place(tmp_path_factory.mktemp("bundle"), patch)
        for model in ("demo/weak", "demo/strong"):
            assert run_here(*run, "--model", model).code == 0
        assert run_here("export", "--benchmark", "eqbench3", "-o", "bundle.jsonl").code == 0
        return [json.loads(line) for line in Path("bundle.jsonl").read_text().splitlines()]


def imported(bench: Bench, lines: list[Any]) -> Any:
    """What importing these lines came to."""
    Path("made.jsonl").write_text(bundle(lines))
    return bench("import", "made.jsonl", "--runs-dir", "there")


def changed(lines: list[Any], kind: str, place: tuple[Any, ...], value: Any) -> list[Any]:
    """The lines with another value in the first line of a kind."""
    made = copy.deepcopy(lines)
    inner = next(line for line in made if line.get("kind") == kind)
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = value
    return made


@pytest.mark.parametrize(
    ("kind", "place", "value", "message"),
    [
        ("grade", ("graded_by", "judge"), True, '"graded_by" "judge" must be an object'),
        ("grade", ("graded_by", "options"), [], '"graded_by" "options" must be an object'),
        ("grade", ("graded_by", "judge"), {"rule": "mean"}, '"judge" needs "judges"'),
        ("grade", ("graded_by", "offline"), "no", '"offline" must be true or false'),
        ("grade", ("grader",), "0" * 32, '"grader" is not the digest of "graded_by"'),
        ("run", ("settings", "sampling"), 3, '"settings" "sampling" must be an object'),
        ("run", ("settings", "sampling", "heat"), 3, 'has an unknown field "heat"'),
        ("run", ("settings", "roles"), {"user": 3}, '"user" must be an object'),
        ("run", ("settings", "options"), {"lang": []}, '"lang" must be a text, a number'),
        ("run", ("model",), "strong", '"model" must be PROVIDER/NAME'),
        ("run", ("document", "dataset"), 3, '"document" "dataset" must be an object'),
        ("run", ("document", "ratings"), {}, '"document" "ratings" must be a list'),
        ("run", ("document", "notes", "rating"), 3, '"rating" must be an object'),
    ],
)
def test_the_inside_of_a_field_is_looked_at(
    bench: Bench, lines: list[Any], kind: str, place: tuple[Any, ...], value: Any, message: str
) -> None:
    """It has the type that the program itself writes; one line, and nothing is imported."""
    done = imported(bench, changed(lines, kind, place, value))
    assert done.code == 3 and message in done.err and "nothing was imported" in done.err
    assert not bench("runs", "--runs-dir", "there", "--json").json["runs"]


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there is something in a value, of lists in the first of them."""
    yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*at, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*at, 0))


def test_whatever_is_taken_can_be_shown(bench: Bench, lines: list[Any]) -> None:
    """A wrong value in any of eighty fields is refused, or does no harm."""
    rng, kinds = random.Random(26), ("run", "call", "grade", "comparison", "party")
    firsts = {kind: next(one for one in lines if one.get("kind") == kind) for kind in kinds}
    there = [(k, at) for k, line in firsts.items() for at in places(line) if at and at[0] != "kind"]
    taken = 0
    for n, (kind, place) in enumerate(rng.sample(there, 80)):
        folder = f"there{n}"
        made = changed(lines, kind, place, rng.choice(WRONG))
        Path("made.jsonl").write_text(bundle(made))
        done = bench("import", "made.jsonl", "--runs-dir", folder)
        assert "unexpected" not in done.err, (kind, place)
        if done.code == 0:
            taken += 1
            shown = bench("site", "-o", "site", "--runs-dir", folder)
            assert shown.code == 0, (kind, place, shown.err)
            assert bench("leaderboard", "eqbench3", "--runs-dir", folder).code in (0, 2)
            ran = bench("runs", "--runs-dir", folder, "--json").json["runs"]
            for run in ran:
                assert bench("show", run["run_id"], "--runs-dir", folder).code == 0, (kind, place)
    assert 0 < taken < 40


def rating_of(bench: Bench, document: dict[str, Any]) -> Any:
    """A run's rating where it was imported."""
    return bench("show", document["run_id"], "--json", "--runs-dir", "there").json["ratings"]


def with_ratings(lines: list[Any], more: float) -> tuple[list[Any], dict[str, Any]]:
    """The lines with other ratings in the result of the run that has some, and that result."""
    made = copy.deepcopy(lines)
    (document,) = [
        r["document"] for r in made if r.get("kind") == "run" and r["document"]["ratings"]
    ]
    for row in document["ratings"]:
        row["rating"] += more
    return made, document


def test_ratings_follow_from_the_comparisons(bench: Bench, lines: list[Any]) -> None:
    """Those of the file stay where they do; others are made anew, with a warning."""
    made, document = with_ratings(lines, 0)
    done = imported(bench, made)
    assert "warning" not in done.err
    assert rating_of(bench, document) == document["ratings"]
    forged, _ = with_ratings(lines, 300)
    shutil.rmtree("there")
    done = imported(bench, forged)
    assert "of its grades and comparisons: rating" in done.err
    assert rating_of(bench, document) == document["ratings"]


def test_ratings_without_comparisons_are_left_out(bench: Bench, lines: list[Any]) -> None:
    """Nothing is left that they could be made of."""
    made, document = with_ratings([r for r in lines if r.get("kind") != "comparison"], 0)
    done = imported(bench, made)
    assert done.code == 0, done.err
    assert rating_of(bench, document) == []


def test_ratings_that_cannot_be_made_here_are_left_out(bench: Bench, lines: list[Any]) -> None:
    """As of an engine that is not installed; the warning says so."""
    made, document = with_ratings(lines, 0)
    document["notes"]["rating"]["engine"] = "elsewhere"
    done = imported(bench, made)
    assert "and its ratings are left out" in done.err
    assert rating_of(bench, document) == []
