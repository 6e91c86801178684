"""What is said of simulated judges whose likings are known."""

import re
from typing import Any

import pytest

from eibench import Comparisons
from eibench.core.ratings.auditing.asking import Reply, unread_share
from eibench.core.ratings.auditing.conclusions import changed_order, conclude
from eibench.core.ratings.auditing.estimates import unknown
from eibench.core.types.result_document import ConclusionRow
from eibench.testing import Noise, Tournament

from .conftest import Table

EQUAL, APART = [0.0] * 8, [0.4 * i for i in range(8)]
FAIR: dict[str, float] = {"position": 0, "length": 0}
NOT_KNOWN = unknown("a file holds only what was read")


def message(
    n: int, abilities: list[float] = APART, orders: str = "both", **noise: float
) -> dict[str, ConclusionRow]:
    """The conclusions about a judge from so many random items."""
    played = Tournament(abilities, seed=3, noise=Noise(**{**FAIR, **noise}))
    made = played.judge(played.random_calls(n, orders=orders))  # type: ignore[arg-type]
    return by_subject(conclude(made, NOT_KNOWN))


def by_subject(found: list[ConclusionRow]) -> dict[str, ConclusionRow]:
    """By what they are about."""
    return {conclusion["about"]: conclusion for conclusion in found}


def test_of_a_fair_judge_400_items_show_nothing_and_leave_room_for_a_little() -> None:
    """Which is no proof of nothing; how much is possible is said."""
    found = message(400)
    shown = ["not shown", "not shown", "none", "not tested"]
    assert [f["verdict"] for f in found.values()] == shown
    words = "the judge picks the first text in 49 % of calls (47 … 51 %; fair: 50 %)"
    assert found["place"]["text"] == f"{words}; up to 3 points are possible"
    assert found["length"]["text"].startswith("a text twice as long gets")
    assert found["length"]["text"].endswith("standard errors of a rating difference are possible")


def test_of_a_fair_judge_enough_items_show_that_place_is_slight_at_most() -> None:
    """By the whole interval."""
    place = message(1200)["place"]
    assert place["verdict"] == "none"
    assert place["ci95"] is not None and 0.48 <= place["ci95"][0] <= place["ci95"][1] <= 0.52


@pytest.mark.parametrize(
    ("planted", "grade", "words"),
    [
        (0.25, "weak", "the judge picks the first text in 54 % of calls (52 … 56 %; fair: 50 %)"),
        (2, "strong", "the judge picks the first text in 84 % of calls (82 … 87 %; fair: 50 %)"),
        (-2, "strong", "the judge picks the second text in 8"),
    ],
)
def test_a_liking_for_a_place_is_told_with_its_size(planted: float, grade: str, words: str) -> None:
    """Whichever place it is."""
    place = message(400, position=planted)["place"]
    assert place["verdict"] == grade
    assert place["text"].startswith(words)
    assert place["value"] is not None and (place["value"] > 0.5) == (planted > 0)


@pytest.mark.parametrize(("planted", "grade"), [(0.0, "none"), (0.5, "weak"), (-1.5, "strong")])
def test_one_order_tells_of_place_by_likelihood(planted: float, grade: str) -> None:
    """In pluses between equals; of flips nothing is known, and that is said."""
    found = message(800, orders="one", position=planted)
    assert found["place"]["verdict"] == grade
    assert "between equals the first text gets" in found["place"]["text"]
    assert (" fewer pluses" in found["place"]["text"]) == (found["place"]["value"] < 0)  # type: ignore[operator]
    assert found["flips"]["verdict"] == "not tested"
    assert found["flips"]["text"].startswith("no pair was read in both orders")


@pytest.mark.parametrize(("planted", "grade"), [(0.5, "weak"), (2.0, "strong"), (-2.0, "strong")])
def test_a_liking_for_length_is_told_with_what_it_does_to_ratings(
    planted: float, grade: str
) -> None:
    """In pluses for a doubling, more or fewer; graded by standard errors of a difference."""
    length = message(400, length=planted)["length"]
    assert length["verdict"] == grade
    side = "more" if planted > 0 else "fewer"
    words = r"a text twice as long gets \d\.\d\d " + side + r" pluses per criterion .*: (\S+) "
    told = re.match(words + "standard errors of a rating difference", length["text"])
    assert told and float(told[1]) == pytest.approx(abs(length["value"] or 0), abs=0.05)


def test_flips_of_equal_models_are_noise_and_of_a_leaning_judge_strong() -> None:
    """However often a noisy judge changes its mind on equals; by place it does so more."""
    noisy = message(400, EQUAL, call=2)["flips"]
    assert noisy["verdict"] == "none"
    assert noisy["text"].startswith("the winner changes with the order in 45 % of pairs")
    assert "; by noise alone: 45 %)" in noisy["text"]
    assert message(400, EQUAL, position=2)["flips"]["verdict"] == "strong"


def test_too_few_families_are_not_tested(table: Table) -> None:
    """With the reason, and how many calls there are."""
    for item in range(7):
        table.both("x", "y", 2, item=item)
    found = by_subject(conclude(table.read(), NOT_KNOWN))
    assert {f["verdict"] for f in found.values()} == {"not tested"}
    assert found["place"]["text"].endswith("(7 pairs)")
    assert found["length"]["text"].endswith("(14 calls)")


def test_too_few_calls_are_not_tested_and_more_are_asked_for() -> None:
    """An interval from none to strong says nothing; with the calls that it asks for it does."""
    few = message(40, orders="one", call=4)["place"]
    assert few["verdict"] == "not tested"
    found = re.fullmatch(r"(\d+) calls are too few to tell; about (\d+) are needed", few["text"])
    assert found and int(found[1]) == few["n"]
    assert message(int(found[2]), orders="one", call=4)["place"]["verdict"] != "not tested"


def rated(model: str, rank: int, rating: float, adjusted: float | None) -> Any:
    """A row of ratings."""
    return {
        "model": model, "rank": rank, "rating": rating, "rating_length_adjusted": adjusted,
    }  # fmt: skip


def test_groups_that_never_met_change_no_places() -> None:
    """Each has ratings of its own, so nobody of the one is before anybody of the other."""
    one = [rated("w", 1, 1540, 1500), rated("x", 2, 1400, 1490)]
    other = [rated("y", 1, 1520, 1580), rated("z", 2, 1480, 1485)]
    assert changed_order([*one, *other]) == []


def test_the_order_without_length_is_told() -> None:
    """What changes places, the furthest apart first; each pair once."""
    rows = [
        rated("w", 1, 1540, 1500),
        rated("x", 2, 1520, 1510),
        rated("y", 3, 1500, 1560),
        rated("z", 4, 1400, 1400),
    ]
    assert changed_order(rows) == [("y", "w"), ("y", "x"), ("x", "w")]
    assert changed_order(rows[2:]) == []


@pytest.mark.parametrize(
    ("adjusted", "words"),
    [
        ((1520, 1500), "; the order of models stays when it is taken out"),
        ((1490, 1510), "; the order of models changes when it is taken out: y before x"),
        ((None, None), "standard errors of a rating difference"),
    ],
)
def test_a_liking_for_length_says_what_becomes_of_the_order(
    adjusted: tuple[float | None, ...], words: str
) -> None:
    """Or nothing, where no rating without it is known."""
    played = Tournament(APART, seed=3, noise=Noise(position=0, length=2))
    made = played.judge(played.random_calls(300))
    pairs = zip("xy", (1520, 1480), adjusted, strict=True)
    rows = [rated(m, rank, r, a) for rank, (m, r, a) in enumerate(pairs, start=1)]
    found = by_subject(conclude(made, NOT_KNOWN, rows))["length"]
    assert found["text"].endswith(words)


@pytest.mark.parametrize(("unread", "grade"), [(0, "none"), (2, "weak"), (10, "strong")])
def test_unread_replies_are_counted(unread: int, grade: str, table: Table) -> None:
    """Of 100; nothing is a sample here."""
    table.both("x", "y", 1)
    replies = [Reply(f"f{n % 9}", n >= unread) for n in range(100)]
    found = by_subject(conclude(table.read(), unread_share(replies)))["unread"]
    assert (found["verdict"], found["n"]) == (grade, 100)
    assert found["text"] == f"{unread} of 100 comparisons could not be read"


def test_a_judge_whose_every_reply_is_unread_is_told_of() -> None:
    """There is nothing else to say."""
    (found,) = conclude(Comparisons.of([]), unread_share([Reply("f", read=False)] * 9))
    assert (found["about"], found["verdict"]) == ("unread", "strong")


def test_a_document_has_plain_values() -> None:
    """As JSON takes them."""
    found = message(100)["place"]
    assert list(found) == ["about", "verdict", "text", "value", "ci95", "n"]
    assert isinstance(found["ci95"], list)
