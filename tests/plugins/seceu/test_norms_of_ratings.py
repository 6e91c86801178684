"""`bench norm` of EQ-Bench v1 and v2: people's mean is 100, and a model has a place among them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eibench

Bench = Callable[..., Any]
OFFSETS = {"ann": 0, "bob": 1, "cy": 3, "dee": 2}
"""How far each person is off on every emotion."""


def references(name: str) -> dict[str, tuple[tuple[str, ...], tuple[float, ...]]]:
    """Emotions and reference of each question of the bundled pack."""
    path = next((eibench.folder(name.replace("-", "_")) / "bundled").glob("*.json"))
    key = "reference_answer_fullscale" if name == "eqbench-v2" else "reference_answer"
    rows = json.loads(path.read_text())
    return {
        item_id: (
            tuple(row[key][f"emotion{n}"] for n in range(1, 5)),
            tuple(float(row[key][f"emotion{n}_score"]) for n in range(1, 5)),
        )
        for item_id, row in rows.items()
    }


def table(name: str, questions: int = 10, people: Mapping[str, int] = OFFSETS) -> dict[str, Any]:
    """Write humans.csv; by person the ratings of each question."""
    of = list(references(name).items())[:questions]
    ratings: dict[str, Any] = {}
    lines = ["person,item,option,points"]
    for person, off in people.items():
        for item_id, (emotions, reference) in of:
            numbers = [min(10.0, max(0.0, r + off)) for r in reference]
            ratings.setdefault(person, {})[item_id] = numbers
            lines += [
                f"{person},{item_id},{e},{n:g}" for e, n in zip(emotions, numbers, strict=True)
            ]
    Path("humans.csv").write_text("\n".join(lines) + "\n")
    return ratings


def scored(name: str, ratings: list[float], reference: tuple[float, ...]) -> float:
    """A question's score by the formulas of the papers."""
    if name == "eqbench-v1":
        total = sum(ratings)
        return 10 - sum(abs(10 * r / total - t) for r, t in zip(ratings, reference, strict=True))
    costs = [abs(r - t) for r, t in zip(ratings, reference, strict=True)]
    each = [6.5 / (1 + np.exp(-1.2 * (d - 4))) if 0 < d <= 5 else d for d in costs]
    return float(10 - 0.7477 * sum(each))


@pytest.mark.parametrize("name", ["eqbench-v1", "eqbench-v2"])
def test_people_have_a_mean_of_100_and_a_model_a_place_among_them(invoke: Bench, name: str) -> None:
    """Both by the formulas, on the questions that people answered."""
    ratings = table(name)
    done = invoke("run", name, "--dataset", "bundled", "--model", "demo/medium", "--json")
    run_id = done.json["run_id"]
    made = invoke("norm", name, "humans.csv", "--dataset", "bundled", "--run", run_id,
                  "-o", "norm.json", "--json")  # fmt: skip
    assert made.code == 0, made.err
    of = references(name)
    people = sorted(
        10 * np.mean([scored(name, row, of[n][1]) for n, row in rows.items()])
        for rows in ratings.values()
    )
    norm = made.json
    assert norm["scores"] == pytest.approx(people)
    assert (norm["people"], len(norm["questions"])) == (4, 10)
    (model,) = norm["models"]
    with eibench.runs("runs") as runs:
        rows = [s.value for s in runs[run_id].samples() if s.item_id in norm["questions"]]
    score = np.mean([value for value in rows if value is not None])
    assert model["score"] == pytest.approx(score)
    assert model["eq"] == pytest.approx(
        100 + 15 * (score - np.mean(people)) / np.std(people, ddof=1)
    )
    assert model["percentile"] == 25 * sum(p < score for p in people)
    assert model["eq_ci95"][0] < model["eq"] < model["eq_ci95"][1]
    assert json.loads(Path("norm.json").read_text())["scores"] == norm["scores"]
    assert "4 people make a rough norm" in made.err


def test_what_makes_no_norm_is_refused(invoke: Bench) -> None:
    """Missing answers, other benchmarks, equal people, a run of other questions."""
    table("eqbench-v2", people={"ann": 1, "bob": 1})
    norm = ("norm", "eqbench-v2", "humans.csv", "--dataset", "bundled")
    done = invoke(*norm)
    assert done.code == 3 and "all people have the same score" in done.err
    table("eqbench-v2")
    run = invoke("run", "eqbench-v2", "--dataset", "bundled", "--limit", "8", "--json").json
    done = invoke(*norm, "--run", run["run_id"])
    assert done.code == 2 and "has no score on 2 of the 10 questions" in done.err
    path = Path("humans.csv")
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    done = invoke(*norm)
    assert done.code == 3 and 'person "dee"' in done.err and "--leave-out" in done.err
    assert invoke(*norm, "--leave-out", "--json").json["people"] == 3
    done = invoke("norm", "eqbench3", "humans.csv")
    assert done.code == 2 and "there is no norm of eqbench3" in done.err


def test_somebody_who_rated_all_0_in_v1_is_left_out_or_refused(invoke: Bench) -> None:
    """Four zeros have no proportions."""
    table("eqbench-v1", people={**OFFSETS, "zoe": -10})
    norm = ("norm", "eqbench-v1", "humans.csv", "--dataset", "bundled")
    done = invoke(*norm)
    assert done.code == 3 and "0, which has no proportions; --leave-out goes on" in done.err
    made = invoke(*norm, "--leave-out", "--json").json
    assert (made["people"], len(made["left_out"])) == (4, 1)
