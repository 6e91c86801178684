"""All parts together: what does not matter, and that the document is JSON."""

import json
from typing import Any

import pytest

from eibench import Comparison, Comparisons
from eibench.core.ratings.auditing.audit import audit
from eibench.core.text import as_text
from eibench.plugins.studies.judge_report.document import JudgeReport
from eibench.testing import Tournament

from .conftest import Table


@pytest.fixture(scope="module")
def rows() -> list[Comparison]:
    """Six models, 200 items; some replies unread, so that some items have one order."""
    played = Tournament([i / 4 for i in range(6)], seed=8)
    return list(played.rows(played.random_calls(200)))


def document(rows: list[Comparison]) -> dict[str, Any]:
    """The audit as JSON gives it back."""
    made = as_text(JudgeReport.of(audit(Comparisons.of(rows, by_criterion=True))).as_json())
    found: dict[str, Any] = json.loads(made)
    return found


def close(one: Any, other: Any) -> bool:
    """Whether two documents are the same to 1e-9."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-9
    return bool(one == other)


def test_the_order_of_lines_does_not_matter(rows: list[Comparison]) -> None:
    """To the last digit."""
    assert document(rows[::-1]) == document(rows)


def test_who_is_called_a_does_not_matter(rows: list[Comparison]) -> None:
    """Each comparison with its models changed round."""
    turned = [
        row._replace(
            a=row.b,
            b=row.a,
            first="b" if row.first == "a" else "a",
            margins={name: -margin for name, margin in row.margins.items()},
            len_a=row.len_b,
            len_b=row.len_a,
        )
        for row in rows
    ]
    assert document(turned) == document(rows)


def test_the_models_names_do_not_matter(rows: list[Comparison]) -> None:
    """Backwards names sort the other way round; what says no name is the same to 1e-9."""
    backwards = {f"model-{i}": f"model-{5 - i}" for i in range(6)}
    other = document([r._replace(a=backwards[r.a], b=backwards[r.b]) for r in rows])
    plain = document(rows)
    for part in ("counts", "orders", "terms", "criteria", "scenarios"):
        assert close(other[part], plain[part]), part
    for kind in ("families", "opponents"):
        moved = [
            sorted((w["moved"], w["largest"]) for w in d["stability"][kind]) for d in (other, plain)
        ]
        assert moved[0] == moved[1]
    named = [backwards[m["model"]] for m in other["stability"]["models"]]
    assert named == [m["model"] for m in plain["stability"]["models"]]


def test_a_judge_that_favours_a_place_is_told_from_one_that_does_not(
    rows: list[Comparison],
) -> None:
    """The same judge with and without the order of its calls turned."""
    found = document(rows)
    turned = document([r._replace(first="b" if r.first == "a" else "a") for r in rows])
    assert found["orders"]["margin"]["value"] > 0.1
    assert turned["orders"]["margin"]["value"] == pytest.approx(-found["orders"]["margin"]["value"])
    assert turned["orders"]["flips"] == found["orders"]["flips"]


def test_one_comparison_is_audited(table: Table) -> None:
    """There is a reason wherever nothing is known."""
    table.add("x", "y", 1)
    found = document(table.rows)
    assert found["warnings"] == ["an interval needs items with 8 different texts, here is 1"]
    for name in ("flips", "margin", "first_wins"):
        assert found["orders"][name]["reason"] == "no pair was read in both orders"
    assert found["cycles"]["reason"] == "no two models met in 8 families of items"
    assert found["asking"]["reason"] == "a file of comparisons holds only what was read"
