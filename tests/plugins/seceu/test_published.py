"""The tables beside a result: where they are shown, and a result's place in them."""

from typing import Any

import pytest

from eibench.plugins.seceu.published import (
    failed_models,
    furthest,
    published_scores,
    standing,
)
from eibench.plugins.seceu.reading import MAY


def document(eq: float | None = 103.0, score: float | None = 2.62, **changes: Any) -> Any:
    """A complete result on the official pack, with changes."""
    metrics = {"eq_unread_null": eq, "seceu_score_unread_null": score, "pattern_r": 0.1}
    made: dict[str, Any] = {
        "name": "openai/mine",
        "run_id": "abc",
        "metrics": {name: {"value": value} for name, value in metrics.items()},
        "options": {"prompting": "direct"},
        "comparability": f"seceu v1; pack official (92e0); {MAY} (the prompt is eibench's)",
        "notes": {"items": {}},
    }
    return made | changes


def test_published_scores_are_those_of_table_one() -> None:
    """15 models with scores, the best first; three that failed."""
    scores = published_scores()
    assert len(scores) == 15
    assert [s["model"] for s in scores[:2]] == ["GPT-4", "text-davinci-003"]
    assert scores[-1]["model"] == "Koala"
    assert [s["prompting"] for s in scores].count("prompted") == 6
    assert failed_models() == ["LLaMA", "FastChat-T5", "RWKV-v4"]


@pytest.mark.parametrize("score", [0.5, 1.89, 2.0, 2.62, 3.6, 9.0])
def test_a_result_stands_between_its_neighbours(score: float) -> None:
    """Above it the nearer ones, below the further, at most three each; it is marked."""
    table = standing(document(score=score))
    assert table is not None
    assert table.marked is not None
    distances = [float(row[3] or 0) for row in table.rows]
    assert distances == sorted(distances)
    assert table.rows[table.marked][:2] == ("→", "openai/mine (this run)")
    assert table.marked <= 3
    assert len(table.rows) - table.marked - 1 <= 3
    if table.marked:
        above = sum(published["seceu_score"] < score for published in published_scores())
        assert table.rows[table.marked - 1][0] == str(above)


def test_the_best_of_several_promptings_is_marked_as_selected() -> None:
    """A selected score flatters; the note says so, and names the models that failed."""
    table = standing(document(score=2.05))
    assert table is not None
    cells = {row[1]: row[5] for row in table.rows}
    assert cells["text-davinci-003"] == "best of several, selected"
    assert cells["GPT-4"] == "asked directly"
    assert "it flatters" in table.note
    assert "LLaMA, FastChat-T5, RWKV-v4" in table.note


@pytest.mark.parametrize(
    "changes",
    [
        {
            "comparability": "seceu v1; "
            "not comparable with published scores: those are of the official pack"
        },
        {"comparability": "seceu v1; DEMO model: no result of a real model"},
        {"comparability": f"my model named {MAY}"},
        {"metrics": {"seceu_score": {"value": 2.0}}},
        {"score": None},
    ],
    ids=["other pack", "demo", "no line of ours", "no norm", "no score"],
)
def test_what_may_not_stand_there_has_no_table(changes: dict[str, Any]) -> None:
    """The comparability line decides."""
    assert standing(document(**changes)) is None


def rows(*distances: float, human: float | None = 2.0) -> dict[str, Any]:
    """Stories with these distances."""
    row = {"answer": [2.5, 2.5, 2.5, 2.5], "reference": [4, 3, 2, 1], "human_distance": human}
    return {"items": {str(n): row | {"distance": d} for n, d in enumerate(distances)}}


def test_the_stories_furthest_off_are_shown() -> None:
    """Five of them, the furthest first, with people's own distance."""
    table = furthest(document(notes=rows(1, 5, 2, 4, 3, 6, 0.5)))
    assert table is not None
    assert [row[0] for row in table.rows] == ["5", "1", "3", "4", "2"]
    assert table.columns == ("story", "distance", "people's", "answer", "reference")
    assert table.rows[0][3:] == ("2.5  2.5  2.5  2.5", "4  3  2  1")
    assert "bench show abc STORY" in table.note


def test_without_a_norm_there_is_no_column_of_people() -> None:
    """Rather than a column of dashes."""
    table = furthest(document(notes=rows(1, 2, human=None)))
    assert table is not None
    assert "people's" not in table.columns
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_a_perfect_result_has_nothing_to_show() -> None:
    """No story is off."""
    assert furthest(document(notes=rows(0, 0))) is None
    assert furthest(document()) is None
