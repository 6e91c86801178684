"""The table of published scores: where it is shown, and a score's place in it."""

from typing import Any

import pytest

from eibench.plugins.eqbench_v1.benchmark import MAY_STAND, PUBLISHED, standing


def document(score: float | None = 50.0, **changes: Any) -> Any:
    """A complete result on the official pack, with changes."""
    made: dict[str, Any] = {
        "name": "openai/mine",
        "status": "complete",
        "demo": False,
        "iterations": 1,
        "metrics": {"score": {"value": score}},
        "dataset": {"name": "official", "n_items": 60},
        "items": {"total": 60},
        "options": {"revise": True, "parser": "strict"},
        "comparability": f"eqbench-v1 v1; pack official (9c52ae21deab); {MAY_STAND}",
    }
    return made | changes


def test_published_scores_are_in_order() -> None:
    """The best first, each model once."""
    scores = PUBLISHED.scores()
    assert [s for _, s in scores] == sorted((s for _, s in scores), reverse=True)
    assert len({name for name, _ in scores}) == len(scores) > 10


@pytest.mark.parametrize("score", [-20.0, 0.0, 40.0, 51.5, 62.5, 99.0])
def test_a_score_stands_between_its_neighbours(score: float) -> None:
    """Above it the better ones, below the worse, at most three each; it is marked."""
    table = standing(document(score))
    assert table is not None
    assert table.marked is not None
    values = [row[2] for row in table.rows]
    assert values == sorted(values, key=lambda v: -float(v or 0))
    assert table.rows[table.marked] == ("→", "openai/mine (this run)", score)
    assert table.marked <= 3
    assert len(table.rows) - table.marked - 1 <= 3
    above = sum(published > score for _, published in PUBLISHED.scores())
    if table.marked:
        assert table.rows[table.marked - 1][0] == str(above)


def test_table_says_that_the_protocol_is_historic() -> None:
    """No reader shall take it for a race of today."""
    table = standing(document())
    assert table is not None
    assert "historic protocol" in table.note


@pytest.mark.parametrize(
    "changes",
    [
        {"score": None},
        {"comparability": "eqbench-v1 v1; DEMO model: no result of a real model"},
        {
            "comparability": "eqbench-v1 v1; "
            "not comparable with published scores: not complete (fail)"
        },
        {"comparability": f"eqbench-v1 v1; {MAY_STAND}; only 10 of 60 items; beside none"},
    ],
    ids=str,
)
def test_what_may_not_stand_there_has_no_table(changes: dict[str, Any]) -> None:
    """What the comparability line keeps from published scores, and a result without a score."""
    assert standing(document(**changes)) is None
