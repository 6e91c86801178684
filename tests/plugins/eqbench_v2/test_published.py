"""The table of published scores: beside which results it is shown, and what it shows."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import eibench
from eibench.core.cli.app import app
from eibench.plugins.eqbench_v2.benchmark import MAY_STAND, PUBLISHED, standing
from eibench.testing import LoopbackServer, uniform_ratings

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
DATA = Path(OFFICIAL or ".").absolute() / "eqbench-v2"
needs_official = pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")


def document(score: float | None, line: str = f"eqbench-v2 v1; {MAY_STAND}") -> Any:
    """What the table is made from."""
    metrics = {"score": {"value": score}}
    return {"name": "openai/mine", "metrics": metrics, "comparability": line}


def test_published_scores_are_in_order() -> None:
    """86 models, the best first, each once."""
    scores = PUBLISHED.scores()
    assert [s for _, s in scores] == sorted((s for _, s in scores), reverse=True)
    assert len({name for name, _ in scores}) == len(scores) == 86


@pytest.mark.parametrize("score", [-20.0, 14.52, 50.0, 73.55, 86.05, 99.0])
def test_a_score_stands_between_its_neighbours(score: float) -> None:
    """At most three on each side, with their ranks; the title says how many there are."""
    table = standing(document(score))
    assert table is not None
    assert table.marked is not None
    assert "86" in table.title
    values = [float(row[2] or 0) for row in table.rows]
    assert values == sorted(values, reverse=True)
    assert table.rows[table.marked] == ("→", "openai/mine (this run)", score)
    above = sum(published > score for _, published in PUBLISHED.scores())
    assert table.marked == min(3, above)
    assert len(table.rows) - table.marked - 1 == min(3, 86 - above)
    if above:
        assert table.rows[table.marked - 1][0] == str(above)


@pytest.mark.parametrize(
    "made",
    [
        document(None),
        document(50.0, "not comparable with published scores: those are of the official pack"),
        document(50.0, f"{MAY_STAND}; or not"),
    ],
    ids=["no score", "other pack", "not the end"],
)
def test_only_the_comparability_line_allows_it(made: Any) -> None:
    """And there must be a score."""
    assert standing(made) is None


@needs_official
@pytest.mark.parametrize(
    ("options", "changes", "shown"),
    [
        ({}, {}, True),
        ({"revise": True}, {}, True),
        ({"parser": "reference"}, {}, True),
        ({"lang": "de"}, {}, False),
        ({}, {"temperature": 0.7}, False),
        ({}, {"system": "Be brief."}, False),
        ({}, {"limit": 5}, False),
        ({}, {"max_tokens": 20_000}, True),
        ({}, {"model": "demo/strong", "base_url": None}, False),
    ],
    ids=str,
)
def test_runs_that_may_stand_there(
    options: dict[str, Any], changes: dict[str, Any], shown: bool
) -> None:
    """Whole runs of the published protocol on the English official pack, by a real model."""
    with LoopbackServer(uniform_ratings()) as server:
        given = {"model": "openai/x", "base_url": server.base_url, **changes}
        result = eibench.run("eqbench-v2", dataset=DATA, options=options, **given)
    assert (standing(result.document) is not None) == shown


@needs_official
def test_the_table_is_printed_below_the_result() -> None:
    """By `bench score`, with where it comes from; and not in the JSON document."""
    raw = json.loads((DATA / "eq_bench_v2_questions_171.json").read_text(encoding="utf-8"))
    lines = []
    for item_id, question in raw.items():
        answer = question["reference_answer_fullscale"]
        text = "\n".join(
            f"{answer[f'emotion{i}']}: {answer[f'emotion{i}_score']}" for i in range(1, 5)
        )
        lines.append(json.dumps({"item_id": item_id, "response": text}))
    Path("answers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = CliRunner().invoke(app, ["score", "eqbench-v2", "answers.jsonl", "--dataset", str(DATA)])
    assert done.exit_code == 0
    assert "100.00" in done.stdout
    assert "Among the 86 published scores of EQ-Bench v2" in done.stdout
    assert "answers (this run)" in done.stdout
    assert "gpt-4-1106-preview" in done.stdout
