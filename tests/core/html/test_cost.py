"""The page of cost: whole runs alone are set against each other."""

from typing import Any

from eibench.core.html.cost_page import cost_page
from eibench.core.html.rendering import rendered

from .browsing import document, row


def scored(name: str, score: float, **more: Any) -> Any:
    """A row of a board without ratings."""
    return row(name, 0.0, None, score=score) | {"rating": None} | more


def board(*rows: Any, **more: Any) -> Any:
    """A board on which less is better."""
    metric = {"name": "distance", "label": "distance", "group": "", "higher_is_better": False,
              "low": None, "high": None}  # fmt: skip
    return document(rows, rated=False, metric=metric, **more)


def found(*documents: Any) -> Any:
    """What the page shows of the first board."""
    return cost_page(documents).context["parts"][0]


def test_a_partial_run_is_marked_and_set_against_nothing() -> None:
    """It was cheaper because it did less: the best of the whole ones is on the frontier."""
    part = scored("part", 4.28, partial=True, completeness="partial: 5 of 16 items", cost_usd=0.1)
    given = board(part, scored("a", 3.54), scored("b", 3.59))
    lines = {line.model: line for line in found(given).lines}
    assert [lines[name].remark for name in ("a", "b")] == ["on it", ""]
    assert lines["part"].partial == "partial: 5 of 16 items"
    assert lines["part"].remark == "not drawn: asked less"
    assert "part:" not in found(given).plot.svg


def test_what_costs_about_the_same_is_not_cheaper() -> None:
    """A hundredth of a cent does not put the worse of two on the frontier."""
    given = board(scored("a", 3.59, cost_usd=0.03884), scored("b", 3.54, cost_usd=0.03885))
    assert [line.remark for line in found(given).lines] == ["on it", ""]
    assert found(given).lines[0].model == "b"


def test_where_nothing_costs_money_tokens_or_seconds_count() -> None:
    """The first of them that is known."""
    free = [scored(name, 3.0, cost_usd=0.0, seconds=9.0) for name in "ab"]
    written = [given | {"output_tokens": 70} for given in free]
    assert found(board(*free)).spending.column == "time"
    assert found(board(*written)).spending.column == "output tokens"
    assert found(board(*free, *written)).lines[0].took == "70"


def test_points_have_their_names_and_kinds_their_shapes() -> None:
    """So neither colour nor a title that opens under a pointer is needed."""
    given = board(scored("ash", 3.0), scored("elm", 2.0, cost_usd=9.0), scored("fir", 4.0))
    svg = found(given).plot.svg
    assert all(f">{name}</text>" in svg for name in ("ash", "elm", "fir"))
    assert svg.count("<circle") == 2
    assert svg.count("<rect") == 1


def test_less_is_better_is_said() -> None:
    """In the caption and over the column."""
    text = rendered(cost_page([board(scored("a", 3.0), scored("b", 2.0))])).content.decode()
    assert text.count("distance (less is better)") == 3  # the drawing says its caption too


def test_demo_models_are_set_against_nothing() -> None:
    """They take nothing that anybody would take again."""
    given = board(scored("a", 3.0), scored("b", 2.0), demo=True)
    assert cost_page([given]).context["parts"] == []
