"""Scales, intervals, ranks and ties: when there are any, and what they say."""

import math
from dataclasses import replace

import numpy as np
import pytest

from eibench import Anchor, AnchorSet, Comparison, Comparisons, Ratings, RatingSettings, UsageError
from eibench.core.ratings import fractional_logit
from eibench.core.ratings.glicko2 import rate
from eibench.core.ratings.intervals import (
    FoundAnchors,
    Scale,
    SolvedRatings,
    check_anchors,
    find_anchors,
    measure_spread,
)
from eibench.core.statistics.student import cdf, quantile

PLAIN = RatingSettings()
# Student's t, 97.5 %: any table of the distribution.
T = {1: 12.706205, 2: 4.302653, 7: 2.364624, 25: 2.059539, 44: 2.015368, math.inf: 1.959964}


@pytest.mark.parametrize(("df", "value"), T.items())
def test_quantiles_are_those_of_the_tables(df: float, value: float) -> None:
    """And the distribution there is 0.975."""
    assert quantile(0.975, df) == pytest.approx(value, abs=1e-6)
    assert quantile(0.025, df) == pytest.approx(-value, abs=1e-6)
    assert cdf(value, df) == pytest.approx(0.975, abs=1e-7)


def test_many_degrees_of_freedom_are_close_to_exact() -> None:
    """1.964720 at 500 (tables): where the approximation begins."""
    assert quantile(0.975, 500) == pytest.approx(1.964720, abs=1e-5)


def ladder(n_families: int, *, per_family: int = 2, models: str = "wxyz") -> Comparisons:
    """Models in falling order, each pair compared in each family, with a little noise."""
    rng = np.random.default_rng(1)
    rows = []
    for family in range(n_families):
        for i, a in enumerate(models):
            for j, b in enumerate(models[:i]):
                for item in range(per_family):
                    margin = int(np.clip(round(j - i + rng.normal(0, 1.5)), -5, 5)) or 1
                    rows += [
                        Comparison(
                            f"{family}-{item}", 1, a, b, first, {"c": margin}, family=f"f{family}"
                        )
                        for first in ("a", "b")
                    ]
    return Comparisons.of(rows)


def settings(*anchors: tuple[str, float]) -> RatingSettings:
    """Two anchors."""
    first, second = (Anchor(*anchor) for anchor in anchors)
    return RatingSettings((AnchorSet(first, second),))


def warned(ratings: Ratings, message: str) -> bool:
    """Whether a warning says so."""
    return any(message in warning for warning in ratings.warnings)


def test_seven_families_make_no_interval() -> None:
    """Neither of the rating nor of the rank; a warning says what is needed."""
    found = rate(ladder(7), PLAIN)
    assert {(row.ci95, row.rank_ci95, row.tied_with) for row in found.rows} == {(None,) * 3}
    assert [row.rank for row in found.rows] == [1, 2, 3, 4]
    assert warned(found, "an interval needs items with 8 different texts, here are 7")
    assert found.probability_above("w", "z") is None


@pytest.mark.parametrize(("n_families", "flagged"), [(8, True), (19, True), (20, False)])
def test_fewer_than_twenty_families_are_flagged(n_families: int, flagged: bool) -> None:
    """From eight on there is an interval."""
    found = rate(ladder(n_families), PLAIN)
    assert all(row.ci95 is not None for row in found.rows)
    assert warned(found, "they are approximate") is flagged


def test_terms_have_errors_from_as_many_families_as_ratings_have_intervals() -> None:
    """Eight."""
    few, enough = (fractional_logit.rate(ladder(n), PLAIN).diagnostics["position"] for n in (7, 8))
    assert few["standard_error"] is None
    assert enough["standard_error"] is not None


def test_a_difference_has_the_degrees_of_freedom_of_the_model_with_fewer_families() -> None:
    """Less one; families count as so many of equal size."""
    made = np.random.default_rng(0).normal(size=(26, 2))
    zero = np.zeros(2)
    families, effective = np.array([26, 9]), np.array([20.5, 9.0])
    estimate = SolvedRatings(zero, zero + 1, families, effective, zero.astype(np.int64), made)
    assert measure_spread(estimate, Scale()).pair_df.tolist() == [[19.5, 8], [8, 8]]


def test_items_of_one_family_are_one_cluster() -> None:
    """Twelve items in three families make no interval; by themselves they do."""
    rows = [
        Comparison(str(n), 1, "x", "y", first, {"c": 1 + n % 3}, family=f"f{n % 3}")
        for n in range(12)
        for first in ("a", "b")
    ]
    assert rate(Comparisons.of(rows), PLAIN)["x"].ci95 is None
    apart = [row._replace(family="") for row in rows]
    assert rate(Comparisons.of(apart), PLAIN)["x"].ci95 is not None


def test_a_model_compared_in_few_families_has_no_interval() -> None:
    """The others keep theirs, and it is named."""
    rows = [Comparison(f"{n}-0", 1, "new", "w", f, {"c": -2}) for n in range(3) for f in ("a", "b")]
    many = [
        Comparison(f"{n}-0", 1, "w", "x", f, {"c": 1 + n % 2})
        for n in range(12)
        for f in ("a", "b")
    ]
    found = rate(Comparisons.of(rows + many), PLAIN)
    assert found["new"].ci95 is None
    assert found["x"].ci95 is not None
    assert warned(found, "no interval for new: compared on fewer than 8 different texts")


def test_anchors_are_fixed_and_order_stays() -> None:
    """The two are exact, without an interval; the others keep order and proportion."""
    rows = ladder(24)
    plain, found = rate(rows, PLAIN), rate(rows, settings(("w", 1500), ("z", 200)))
    assert found.anchors == (Anchor("w", 1500), Anchor("z", 200))
    assert (found["w"].rating, found["w"].ci95) == (1500, None)
    assert (found["z"].rating, found["z"].ci95) == (200, None)
    share = (plain["x"].rating - plain["z"].rating) / (plain["w"].rating - plain["z"].rating)
    assert found["x"].rating == pytest.approx(200 + 1300 * share, abs=1e-9)
    assert [row.rank_ci95 for row in found.rows] == [row.rank_ci95 for row in plain.rows]
    assert not warned(found, "anchor")


@pytest.mark.parametrize(
    ("anchors", "message"),
    [
        ((("w", 1500), ("none", 200)), "the anchor 'none' was not compared"),
        ((("z", 1500), ("w", 200)), "(the wrong way round), under 3 standard errors"),
        ((("w", 1500), ("W", 200)), "both anchors are 'w'"),
    ],
)
def test_anchors_that_cannot_be_leave_the_scale_as_it_is(
    anchors: tuple[tuple[str, float], tuple[str, float]], message: str
) -> None:
    """Centre 1500, no error, and a warning that says why."""
    found = rate(ladder(24), settings(*anchors))
    assert found.anchors == ()
    assert np.mean([row.rating for row in found.rows]) == pytest.approx(1500, abs=1e-6)
    assert warned(found, "ratings are around 1500, on a scale of this board alone")
    assert warned(found, message)


def test_anchors_that_are_too_close_make_no_scale() -> None:
    """Two models of one strength: a gap within its noise."""
    rng = np.random.default_rng(4)
    rows = [
        Comparison(str(n), 1, "x", "y", first, {"c": int(rng.choice([-2, -1, 1, 2]))})
        for n in range(30)
        for first in ("a", "b")
    ]
    found = rate(Comparisons.of(rows), settings(("x", 1500), ("y", 200)))
    assert found.anchors == ()
    assert warned(found, "under 3 standard errors")


def test_anchors_in_different_components_make_no_scale() -> None:
    """Nothing connects them."""
    rows = [
        Comparison(str(n), 1, *pair, first, {"c": 3})
        for n in range(9)
        for pair in (("p", "q"), ("x", "y"))
        for first in ("a", "b")
    ]
    found = rate(Comparisons.of(rows), settings(("p", 1500), ("y", 200)))
    assert warned(found, "no chain of comparisons connects the anchors 'p' and 'y'")


def test_the_first_set_that_is_there_is_used() -> None:
    """By name, else by the last part of the spec in any case, if that is one model's."""
    rows = ladder(24)
    named = {"w": "openai/O3", "x": "p/mid", "y": "q/mid", "z": "meta/llama-1b"}
    renamed = Comparisons.of(
        Comparison(
            rows.items[rows.item[i]],
            1,
            named[rows.models[rows.a[i]]],
            named[rows.models[rows.b[i]]],
            "a" if rows.a_first[i] else "b",
            {"c": int(rows.margin[i])},
            family=rows.families[rows.family[i]],
        )
        for i in range(len(rows))
    )
    sets = (
        AnchorSet(Anchor("o3", 1500), Anchor("absent", 200)),
        AnchorSet(Anchor("mid", 1500), Anchor("llama-1b", 200)),
        AnchorSet(Anchor("o3", 1500), Anchor("llama-1b", 300)),
    )
    found = rate(renamed, RatingSettings(sets))
    assert found.anchors == (Anchor("openai/O3", 1500), Anchor("meta/llama-1b", 300))
    message = rate(renamed, RatingSettings(sets[:2])).warnings
    assert any("the anchor 'mid' could be 'p/mid' or 'q/mid'" in warning for warning in message)


@pytest.mark.parametrize(
    ("models", "place"),
    [
        (["p/x", "o3 (imported)"], 1),
        (["maker/O3 (imported)", "p/x"], 0),
        (["o3 (imported)", "openai/o3"], 1),
        (["o3 (imported)", "openai/o3", "o3"], 2),
    ],
)
def test_an_imported_model_is_an_anchor_where_no_other_is(models: list[str], place: int) -> None:
    """By what it is called without its mark."""
    found = find_anchors([*models, "z"], [AnchorSet(Anchor("o3", 1500), Anchor("z", 200))])
    assert found == FoundAnchors((place, 1500), (len(models), 200))


@pytest.mark.parametrize(
    ("anchors", "message"),
    [
        ([("x", 1.0)], "not 1"),
        ([("x", 1.0), ("y", 2.0), ("z", 3.0)], "not 3"),
        ([("x", 1.0), ("x", 2.0)], "both anchors are 'x'"),
        ([("x", 1.0), ("y", 1.0)], "both anchors are fixed to 1"),
    ],
)
def test_anchors_that_make_no_scale_are_refused(
    anchors: list[tuple[str, float]], message: str
) -> None:
    """Before anything is rated."""
    with pytest.raises(UsageError, match=message):
        check_anchors([Anchor(*anchor) for anchor in anchors])


def test_ranks_ties_and_probabilities_say_the_same(round_of: Comparisons) -> None:
    """Alone a pair is tied when its P lies within 2.5 and 97.5 %; all at once more are."""
    unknown = np.full(len(round_of), np.nan)
    found = rate(replace(round_of, len_a=unknown, len_b=unknown), PLAIN)
    assert found.tied_alone is not None
    kept = found.diagnostics["distances_kept"][0]
    for row, alone in zip(found.rows, found.tied_alone, strict=True):
        assert row.tied_with is not None
        surely = {}
        for other, is_tied in zip(found.rows, alone, strict=True):
            if other.model != row.model:
                p = found.probability_above(row.model, other.model)
                q = found.probability_above(other.model, row.model)
                assert p is not None
                assert q is not None
                assert p + q == pytest.approx(1, abs=1e-9)
                if kept == 1:
                    assert bool(is_tied) is (0.025 <= p <= 0.975)
                assert not is_tied or other.model in row.tied_with
                surely[other.model] = 0.5 if is_tied else p
        better = sum(p < 0.5 for p in surely.values())
        worse = sum(p > 0.5 for p in surely.values())
        # A rank stands on all differences of its model: its interval is wider, that of the board
        # wider still.
        assert row.rank_ci95 is not None
        assert row.rank_ci95_board is not None
        one_by_one = (1 + better, 12 - worse)
        for inner, outer in ((one_by_one, row.rank_ci95), (row.rank_ci95, row.rank_ci95_board)):
            assert outer[0] <= inner[0] <= row.rank <= inner[1] <= outer[1]


def test_groups_stand_on_all_pairs_of_the_board_at_once(round_of: Comparisons) -> None:
    """Ten of twelve models can be told from somebody; runs are made of the wider ties."""
    found = rate(round_of, PLAIN)
    assert found.tied_alone is not None
    pairwise = {(found.rows[a].model, found.rows[b].model)
                for a, b in np.argwhere(found.tied_alone)}  # fmt: skip
    joint = {(r.model, o) for r in found.rows for o in r.tied_with or ()}
    assert pairwise < joint
    for group in found.groups():
        assert all((a, b) in joint for a in group for b in group if a != b)


def test_groups_are_runs_of_ties() -> None:
    """Of four models with neighbours tied: three overlapping runs; a chain is no group."""
    found = rate(ladder(24), PLAIN)
    tied = {"w": ("x",), "x": ("w", "y"), "y": ("x",), "z": ()}
    rows = [row._replace(tied_with=tied[row.model]) for row in found.rows]
    by_name = sorted(rows, key=lambda row: row.model)
    assert Ratings("e", tuple(by_name)).groups() == [["w", "x"], ["x", "y"], ["z"]]


def test_the_document_has_null_for_what_is_not_there() -> None:
    """Never NaN, in any of its numbers."""
    import json

    document = json.loads(json.dumps(rate(ladder(7), PLAIN).as_json(), allow_nan=False))
    assert document["ratings"][0]["ci95"] is None
    assert set(document) == {"engine", "ratings", "anchors", "diagnostics", "warnings"}
    assert list(document["ratings"][0]) == [
        "model", "rating", "rd", "ci95", "rank", "rank_ci95", "tied_with", "comparisons",
        "rank_ci95_board", "rating_length_adjusted", "ci95_length_adjusted", "depends_on_length",
    ]  # fmt: skip
