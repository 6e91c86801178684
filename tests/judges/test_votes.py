"""Choices that are asked for in several orders, and put to a vote."""

from itertools import product

import pytest

from eibench import Score
from eibench.judges import VOTES, chance, shuffled, vote
from eibench.testing import ScriptedModel

A, B, C, UNREAD = {"what": "a"}, {"what": "b"}, {"what": "c"}, "no letter"


@pytest.mark.parametrize(
    ("answers", "rule", "value", "flags"),
    [
        ((A, A, B), "majority", 1.0, ()),
        ((B, B, A), "majority", 0.0, ()),
        ((A, A, B, B), "majority", 0.0, ("tie",)),
        ((A, A, B, B, UNREAD), "majority", 0.0, ("unread answers", "tie")),
        ((A, B, B, C, C, A, A), "majority", 1.0, ()),
        ((A, UNREAD, A), "majority", 1.0, ("unread answers",)),
        ((A, A, A, B), "each", 0.75, ()),
        ((A, B, UNREAD), "each", 0.5, ("unread answers",)),
        ((A, A), "all", 1.0, ()),
        ((A, A, B), "all", 0.0, ()),
    ],
)
def test_answers_become_a_value(
    answers: tuple[dict[str, str] | str, ...], rule: str, value: float, flags: tuple[str, ...]
) -> None:
    """A tie is no choice and an unread answer is left out; both are flagged."""
    score = vote(answers, A, rule)
    assert (score.values, score.flags) == ({"what": value}, flags)


@pytest.mark.parametrize(
    ("answers", "rule", "reason"),
    [
        ((UNREAD,), "each", "no letter"),
        ((A, UNREAD), "majority", "no letter (1 of 2 answers)"),
        ((A, A, UNREAD), "all", "no letter (1 of 3 answers)"),
    ],
)
def test_too_few_answers_are_no_score(
    answers: tuple[dict[str, str] | str, ...], rule: str, reason: str
) -> None:
    """More than half must be read, by ``all`` each."""
    assert vote(answers, A, rule).reason == reason


def test_parts_are_right_together_within_an_answer() -> None:
    """By ``each`` two answers with one right part each are never right as a whole."""
    answers = [{"what": "a", "why": "x"}, {"what": "b", "why": "y"}]
    right = {"what": "a", "why": "y"}
    each: Score = vote(answers, right, "each", whole="both")
    assert each.values == {"what": 0.5, "why": 0.5, "both": 0.0}
    assert each.detail["votes"] == {"what": {"a": 1, "b": 1}, "why": {"x": 1, "y": 1}}
    assert vote([A, B], A, "each", whole="right").values == {"right": 0.5}
    most = vote([*answers, right], right, "majority", whole="both")
    assert most.values == {"what": 1.0, "why": 1.0, "both": 1.0}


def test_no_rule_is_made_up() -> None:
    """An unknown rule, or nothing to count, is the author's mistake."""
    for answers, rule in (((A,), "most"), ((), "each")):
        with pytest.raises(ValueError, match="a rule of majority, each, all"):
            vote(answers, A, rule)


def test_orders_are_the_same_for_every_model() -> None:
    """They depend on item, iteration, name and number alone."""
    one, other = ScriptedModel(), ScriptedModel()
    orders = shuffled("abcd", one, 6)
    assert orders == shuffled("abcd", other, 6)
    assert {tuple(sorted(order)) for order in orders} == {tuple("abcd")}
    assert len(set(orders)) > 1
    assert shuffled("abcd", ScriptedModel(item_id="2"), 6) != orders
    assert shuffled("abcd", ScriptedModel(iteration=2), 6) != orders
    assert shuffled("abcd", one, 6, "reasons") != orders


@pytest.mark.parametrize("rule", VOTES)
@pytest.mark.parametrize(("choices", "orders"), [(1, 3), (2, 2), (4, 1), (4, 4), (3, 5)])
def test_chance_is_what_all_answers_get_on_average(rule: str, choices: int, orders: int) -> None:
    """Each possible list of answers once, put to the vote."""
    answers = product([{"what": n} for n in range(choices)], repeat=orders)
    values = [float(vote(one, {"what": 0}, rule).values["what"] or 0) for one in answers]
    assert chance(choices, orders, rule) == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_chance_of_nothing_is_refused() -> None:
    """No choice, no order and no rule have none."""
    for wrong in ((0, 1, "each"), (4, 0, "each"), (4, 1, "most")):
        with pytest.raises(ValueError, match="a rule of majority, each, all"):
            chance(*wrong)
