"""Ratings from an engine's estimate: what all engines do alike."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .anchors import Scale
from .comparisons import Comparisons, present
from .intervals import (
    FEW_FAMILIES,
    FEWEST_FAMILIES,
    Estimate,
    Order,
    Spread,
    apply_scale,
    choose_scale,
    measure_spread,
    order_models,
)
from .result import ModelRating, Ratings
from .settings import RatingSettings


def no_ratings(engine: str, comparisons: Comparisons) -> Ratings:
    """Of no comparisons: nothing, with a word on what to do."""
    told = "nothing is compared yet: a rating needs comparisons with another model"
    return Ratings(engine, (), warnings=(*comparisons.warnings, told))


def assemble(
    engine: str,
    comparisons: Comparisons,
    estimate: Estimate,
    settings: RatingSettings,
    *,
    diagnostics: Mapping[str, Any],
    warnings: Sequence[str] = (),
) -> Ratings:
    """The ratings that an estimate with families stands for.

    Args:
        engine: The engine's name.
        comparisons: Those that the estimate was made from, with all names.
        estimate: For the models of `comparisons`, in their order.
        settings: Anchors.
        diagnostics: The engine's own, added to those that all have.
        warnings: The engine's own.
    """
    scale, why = choose_scale(comparisons.models, estimate, settings)
    spread = measure_spread(estimate, scale)
    order = order_models(estimate, spread)
    told = [*comparisons.warnings, *warnings, *scale_warnings(estimate, scale, why)]
    told += family_warnings(comparisons, estimate)
    return lay_out(engine, comparisons, estimate, scale, spread, order, diagnostics, tuple(told))


def lay_out(
    engine: str,
    comparisons: Comparisons,
    estimate: Estimate,
    scale: Scale,
    spread: Spread,
    order: Order,
    diagnostics: Mapping[str, Any],
    warnings: tuple[str, ...],
) -> Ratings:
    """The result, its models by component, then rank, then name."""
    models, counts = comparisons.models, comparisons.counts()
    place, unit = apply_scale(estimate, scale)
    ratings = place + unit * estimate.theta
    if scale.first is not None and scale.second is not None:
        ratings[[scale.first, scale.second]] = [anchor.rating for anchor in scale.used]
    chosen = np.lexsort((np.arange(len(models)), order.rank, estimate.component))

    def row(i: int) -> ModelRating:
        half, there = spread.half_width[i], order.best[i] > 0
        tied = tuple(models[j] for j in chosen if order.tied[i, j])
        return ModelRating(
            model=models[i],
            rating=float(ratings[i]),
            rd=float(abs(unit[i]) * estimate.deviation[i]),
            ci95=(float(ratings[i] - half), float(ratings[i] + half)) if there else None,
            rank=int(order.rank[i]),
            rank_ci95=(int(order.best[i]), int(order.worst[i])) if there else None,
            tied_with=tied if there else None,
            comparisons=int(counts[i]),
        )

    return Ratings(
        engine=engine,
        rows=tuple(row(i) for i in chosen),
        anchors=scale.used,
        replicates=None if spread.ratings is None else spread.ratings[:, chosen],
        above=order.above[np.ix_(chosen, chosen)],
        diagnostics={**general_diagnostics(comparisons, estimate), **diagnostics},
        warnings=warnings,
    )


def general_diagnostics(comparisons: Comparisons, estimate: Estimate) -> dict[str, Any]:
    """What every engine says."""
    return {
        "comparisons": len(comparisons),
        "items": len(present(comparisons.item, len(comparisons.items))),
        "families": len(present(comparisons.family, len(comparisons.families))),
        "components": _members(comparisons.models, estimate),
    }


def _members(models: Sequence[str], estimate: Estimate) -> list[list[str]]:
    found: list[list[str]] = [[] for _ in range(int(estimate.component.max(initial=-1)) + 1)]
    for model, component in zip(models, estimate.component, strict=True):
        found[component].append(model)
    return found


def scale_warnings(estimate: Estimate, scale: Scale, unanchored: str) -> list[str]:
    """What ratings may not be compared, and why the scale is not anchored, if it is not."""
    told = []
    n_components = int(estimate.component.max(initial=-1)) + 1
    if n_components > 1:
        told.append(
            f"the models fall into {n_components} groups that no comparison connects: each is "
            "rated and ranked by itself, and ratings of different groups say nothing together"
        )
    if unanchored:
        told.append(f"the scale is not anchored (centre {scale.place:g}): {unanchored}")
    return told


def family_warnings(comparisons: Comparisons, estimate: Estimate) -> list[str]:
    """What intervals are missing or rough, as they stand on families."""
    n_families = len(present(comparisons.family, len(comparisons.families)))
    without = [
        model
        for model, n in zip(comparisons.models, estimate.families, strict=True)
        if n < FEWEST_FAMILIES
    ]
    if n_families < FEWEST_FAMILIES:
        return [
            f"no intervals: they need {FEWEST_FAMILIES} families of items, here are {n_families}"
        ]
    told = []
    if without:
        named = ", ".join(without[:5]) + (f" and {len(without) - 5} more" if without[5:] else "")
        told.append(f"no interval for {named}: compared on fewer than {FEWEST_FAMILIES} families")
    if n_families < FEW_FAMILIES:
        told.append(
            f"the intervals stand on {n_families} families of items; with fewer than "
            f"{FEW_FAMILIES} they are rough"
        )
    return told
