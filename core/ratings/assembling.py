"""Ratings from an engine's estimate: what all engines do alike."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..statistics.few_families import FEWEST_FAMILIES, few_families, unequal_families
from ..statistics.joint import Apart, effective_clusters, tell_apart
from ..statistics.student import student_quantile
from ..text import listed
from ..types import JsonDict, JsonObject
from .arrays import Bools, Floats, Ints, present
from .comparisons import Comparisons
from .intervals import (
    Q,
    Scale,
    SolvedRatings,
    Uncertainty,
    apply_scale,
    choose_scale,
    measure_spread,
)
from .ordering import Order, differences, order_models
from .result import Interval, ModelRating, Ratings
from .saturation import Ends, find_ends, open_warnings
from .settings import RatingSettings
from .weighing import components

_NO_WIDTH = 1e-6  # points: what is narrower is rounding


def rate_by_normals(
    engine: str,
    comparisons: Comparisons,
    settings: RatingSettings,
    message: str,
    *,
    mean: Floats,
    deviation: Floats,
    centre: float,
) -> Ratings:
    """Points on an anchored scale, or the engine's own, with intervals of 1.96 deviations.

    The comparisons have all names; `message` says what is wrong with such intervals. `mean` and
    `deviation` are in points, shape (n_models,); models start at the centre.
    """
    n = len(comparisons.models)
    estimate = SolvedRatings(
        theta=(mean - centre) / Q,
        deviation=deviation / Q,
        families=comparisons.families_of_models(),
        effective=comparisons.effective_families_of_models(),
        component=components(n, comparisons.a, comparisons.b),
        replicates=np.empty((0, n)),
    )
    scale, why = choose_scale(comparisons.models, estimate, settings)
    if scale.first is None:
        scale = scale._replace(offset=centre)
    _, unit = apply_scale(estimate, scale)
    variance = estimate.deviation**2
    pair_error = np.sqrt(variance[:, None] + variance[None, :])
    half_width = 1.96 * np.abs(unit) * estimate.deviation
    spread = Uncertainty(half_width, pair_error, np.full((n, n), np.inf), None)
    warnings = (*comparisons.warnings, message, *scale_warnings(estimate, scale, why))
    order = order_models(estimate, spread, tell_apart(differences(estimate, spread)))
    return lay_out(engine, comparisons, RatingParts(estimate, scale, spread, order), {}, warnings)


def no_ratings(engine: str, comparisons: Comparisons) -> Ratings:
    """Of no comparisons: nothing, with a word on what to do."""
    message = "nothing is compared yet: a rating needs comparisons with another model"
    return Ratings(engine, (), warnings=(*comparisons.warnings, message))


class LengthAdjusted(NamedTuple):
    """A second analysis of the same comparisons, with a term for length.

    Its ratings on the scale of the first, shape (n_models,), NaN where that cannot be, their 95 %
    intervals, and what it tells apart.
    """

    ratings: Floats
    intervals: Sequence[Interval | None]
    apart: Apart


class RatingParts(NamedTuple):
    """What rows are made of, models in the order of the comparisons'.

    `adjusted` is the analysis with a term for length; `depends` whether one analysis alone tells
    two models apart, shape (n_models, n_models); `ends` which intervals are open, None where nobody
    looked.
    """

    estimate: SolvedRatings
    scale: Scale
    spread: Uncertainty
    order: Order
    adjusted: LengthAdjusted | None = None
    depends: Bools | None = None
    ends: Ends | None = None


def assemble(
    engine: str,
    comparisons: Comparisons,
    estimate: SolvedRatings,
    settings: RatingSettings,
    *,
    diagnostics: JsonObject,
    warnings: Sequence[str] = (),
    length_adjusted: SolvedRatings | None = None,
) -> Ratings:
    """The ratings that an estimate with families stands for.

    The engine's own diagnostics and warnings are added to those that all have. `length_adjusted` is
    the same estimate with a term for length: two models are told apart only if both say so.
    """
    scale, why = choose_scale(comparisons.models, estimate, settings)
    spread = measure_spread(estimate, scale)
    apart = tell_apart(differences(estimate, spread))
    messages = [*comparisons.warnings, *warnings, *scale_warnings(estimate, scale, why)]
    messages += family_warnings(comparisons, estimate)
    adjusted, depends, alone = None, None, {}
    if length_adjusted is not None:
        alone = _ranks_without_length(comparisons.models, order_models(estimate, spread, apart))
        adjusted, reason = _adjust_for_length(comparisons, length_adjusted, settings, scale)
        messages += [reason] if reason else []
        depends = np.asarray(apart.board != adjusted.apart.board)
        apart = apart.both(adjusted.apart)
    order = order_models(estimate, spread, apart)
    ends = find_ends(comparisons, estimate.theta, estimate.component, scale)
    messages += open_warnings(comparisons.models, ends, estimate.families >= FEWEST_FAMILIES)
    messages += _alike_warning(comparisons.models, spread, scale)
    parts = RatingParts(estimate, scale, spread, order, adjusted, depends, ends)
    return lay_out(engine, comparisons, parts, {**diagnostics, **alone}, tuple(messages))


def _alike_warning(models: Sequence[str], spread: Uncertainty, scale: Scale) -> list[str]:
    """Which models have no interval, as all their families say the same of them."""
    still = spread.half_width <= _NO_WIDTH
    names = [m for i, m in enumerate(models) if still[i] and i not in (scale.first, scale.second)]
    message = "every item says the same of them, which does not say what others would"
    return [f"no interval for {listed(names, 5)}: {message}"] if names else []


def _ranks_without_length(models: Sequence[str], order: Order) -> JsonDict:
    """The rank intervals that there would be without the analysis of length."""
    ends_of_models = zip(models, order.of_row, strict=True)
    intervals = {model: list(_ends(ends)) for model, ends in ends_of_models if ends.any()}
    return {"rank_ci95_without_length": intervals}


def _adjust_for_length(
    comparisons: Comparisons, estimate: SolvedRatings, settings: RatingSettings, scale: Scale
) -> tuple[LengthAdjusted, str]:
    """The second analysis, and why its ratings cannot stand on the first one's scale."""
    adjusted_scale, why = choose_scale(comparisons.models, estimate, settings)
    spread = measure_spread(estimate, adjusted_scale)
    apart = tell_apart(differences(estimate, spread))
    if (adjusted_scale.first, adjusted_scale.second) != (scale.first, scale.second):
        n = len(estimate.theta)
        message = f"no ratings with a term for length on this scale: {why or 'it has no anchors'}"
        return LengthAdjusted(np.full(n, np.nan), [None] * n, apart), message
    ends = find_ends(comparisons, estimate.theta, estimate.component, adjusted_scale)
    parts = RatingParts(
        estimate, adjusted_scale, spread, order_models(estimate, spread, apart), ends=ends
    )
    return LengthAdjusted(_points(estimate, adjusted_scale), _intervals(parts), apart), ""


def _points(estimate: SolvedRatings, scale: Scale) -> Floats:
    """Ratings, shape (n_models,); those of anchors to the last bit."""
    offset, unit = apply_scale(estimate, scale)
    ratings = offset + unit * estimate.theta
    if scale.first is not None and scale.second is not None:
        ratings[[scale.first, scale.second]] = [anchor.rating for anchor in scale.used]
    return np.asarray(ratings)


def lay_out(
    engine: str,
    comparisons: Comparisons,
    parts: RatingParts,
    diagnostics: JsonObject,
    warnings: tuple[str, ...],
) -> Ratings:
    """The result, its models by component, then rank, then name."""
    estimate, order = parts.estimate, parts.order
    chosen = np.lexsort((np.arange(len(order.rank)), order.rank, estimate.component))
    replicates = parts.spread.ratings
    return Ratings(
        engine=engine,
        rows=_rows(comparisons, parts, chosen),
        anchors=parts.scale.used,
        replicates=None if replicates is None else replicates[:, chosen],
        above=order.above[np.ix_(chosen, chosen)],
        tied_alone=order.tied_alone[np.ix_(chosen, chosen)],
        pair_half_width=_pair_half_widths(parts)[np.ix_(chosen, chosen)],
        diagnostics={**general_diagnostics(comparisons, estimate), **_kept(parts), **diagnostics},
        warnings=warnings,
    )


def _kept(parts: RatingParts) -> JsonDict:
    """Of each component what is kept of distances, and how far too high its first is expected."""
    component, kept = parts.estimate.component, parts.order.kept
    points = _points(parts.estimate, parts.scale)
    members = [component == n for n in range(int(component.max(initial=-1)) + 1)]
    highest = [(points[c].max() - points[c].mean()) * (1 - kept[c][0]) for c in members]
    return {
        "distances_kept": [_number(kept[c][0]) for c in members],
        "first_too_high": [_number(points) for points in highest],
    }


def _pair_half_widths(parts: RatingParts) -> Floats:
    """Of the 95 % interval of each difference, by which pairs are told apart, in points."""
    estimate, df = parts.estimate, parts.spread.pair_df
    same = estimate.component[:, None] == estimate.component[None, :]
    known = same & ~np.isnan(df)
    _, unit = apply_scale(estimate, parts.scale)
    width = student_quantile(0.975, np.where(known, df, 1.0)) * parts.spread.pair_error
    return np.where(known, width * unit[:, None], np.nan)


def _rows(comparisons: Comparisons, parts: RatingParts, chosen: Ints) -> tuple[ModelRating, ...]:
    """A row per model, in the chosen order."""
    models, counts = comparisons.models, comparisons.counts()
    estimate, order, adjusted = parts.estimate, parts.order, parts.adjusted
    _, unit = apply_scale(estimate, parts.scale)
    ratings, intervals = _points(estimate, parts.scale), _intervals(parts)

    def named(which: Bools) -> tuple[str, ...]:
        return tuple(models[j] for j in chosen if which[j])

    def row(i: int) -> ModelRating:
        has_interval = bool(np.isfinite(parts.spread.half_width[i]))
        return ModelRating(
            model=models[i],
            rating=float(ratings[i]),
            rd=float(abs(unit[i]) * estimate.deviation[i]),
            ci95=intervals[i],
            rank=int(order.rank[i]),
            rank_ci95=_ends(order.of_row[i]) if has_interval else None,
            tied_with=named(order.tied[i]) if has_interval else None,
            comparisons=int(counts[i]),
            rank_ci95_board=_ends(order.board[i]) if has_interval else None,
            rating_length_adjusted=_number(adjusted.ratings[i]) if adjusted else None,
            ci95_length_adjusted=adjusted.intervals[i] if adjusted else None,
            depends_on_length=None if parts.depends is None else named(parts.depends[i]),
        )

    return tuple(row(i) for i in chosen)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _intervals(parts: RatingParts) -> list[Interval | None]:
    """Of each model, with None for an end that is open; none without width, as of an anchor."""
    ratings, half = _points(parts.estimate, parts.scale), parts.spread.half_width
    low, high = (ratings + sign * half for sign in (-1, 1))
    if parts.ends is not None:
        _, unit = apply_scale(parts.estimate, parts.scale)
        low = np.where(parts.ends.no_low, np.nan, low - np.abs(unit) * parts.ends.below)
        high = np.where(parts.ends.no_high, np.nan, high + np.abs(unit) * parts.ends.above)
    return [
        None
        if np.isnan(half[i]) or high[i] - low[i] <= _NO_WIDTH
        else (_number(low[i]), _number(high[i]))
        for i in range(len(ratings))
    ]


def _ends(ranks: Ints) -> tuple[int, int]:
    return int(ranks[0]), int(ranks[1])


def general_diagnostics(comparisons: Comparisons, estimate: SolvedRatings) -> JsonDict:
    """What every engine says."""
    return {
        "comparisons": len(comparisons),
        "items": len(present(comparisons.item, len(comparisons.items))),
        "families": len(present(comparisons.family, len(comparisons.families))),
        "components": _members(comparisons.models, estimate),
    }


def _members(models: Sequence[str], estimate: SolvedRatings) -> list[list[str]]:
    members: list[list[str]] = [[] for _ in range(int(estimate.component.max(initial=-1)) + 1)]
    for model, component in zip(models, estimate.component, strict=True):
        members[component].append(model)
    return members


def scale_warnings(estimate: SolvedRatings, scale: Scale, unanchored: str) -> list[str]:
    """What ratings may not be compared, and why the scale is not anchored, if it is not."""
    messages = []
    n_components = int(estimate.component.max(initial=-1)) + 1
    if n_components > 1:
        messages.append(
            f"the models fall into {n_components} groups that no comparison connects: each is "
            "rated and ranked by itself, and ratings of different groups say nothing together"
        )
    if unanchored:
        here = f"ratings are around {scale.offset:g}, on a scale of this board alone"
        messages.append(f"{here}: {unanchored}")
    return messages


def _effective(comparisons: Comparisons) -> float:
    """How many families of equal size would say as much as those of the items."""
    cells = np.unique(np.stack([comparisons.item, comparisons.family]), axis=1)
    return float(effective_clusters(np.bincount(cells[1])))


def family_warnings(comparisons: Comparisons, estimate: SolvedRatings) -> list[str]:
    """What intervals are missing or rough, as they stand on families."""
    n_families = len(present(comparisons.family, len(comparisons.families)))
    without = [
        model
        for model, n in zip(comparisons.models, estimate.families, strict=True)
        if n < FEWEST_FAMILIES
    ]
    messages = few_families(n_families)
    if n_families >= FEWEST_FAMILIES:
        messages += unequal_families(n_families, _effective(comparisons))
    if without and n_families >= FEWEST_FAMILIES:
        fewer = f"compared on fewer than {FEWEST_FAMILIES} different texts"
        messages.append(f"no interval for {listed(without, 5)}: {fewer}")
    return messages
