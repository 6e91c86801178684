"""Comparisons as the items that `adaptive` learns from.

What the judge likes of place and length, as `fractional-logit` sees it on the ladder, is taken off.
"""

from collections.abc import Collection

import numpy as np

from ..ratings import fractional_logit
from ..ratings.arrays import Floats
from ..ratings.comparisons import Comparisons
from ..ratings.mixed_model import Observations, logit_margins
from ..ratings.weighing import ItemCalls
from .goals import Slot


class Observer:
    """Numbers models and slots, and reads comparisons by these numbers.

    The new model has the last number, opponents those by name from 0. Who and what is in the
    ladder's comparisons is numbered too.
    """

    def __init__(
        self,
        model: str,
        opponents: Collection[str],
        slots: Collection[Slot],
        ladder: Comparisons,
    ) -> None:
        names = sorted({*opponents, *ladder.models})
        self.models = {name: i for i, name in enumerate([*names, model])}
        self.slots = {slot: i for i, slot in enumerate(sorted({*slots, *_slots(ladder)}))}
        self._leanings = _leanings(ladder)

    def observe(self, comparisons: Comparisons) -> tuple[Observations, Floats]:
        """Items on the logit scale, and half the difference between orders of those with both."""
        items = ItemCalls.of(comparisons)
        rows, z = items.rows, self._margins(comparisons)
        named = np.array([self.models[model] for model in comparisons.models], dtype=np.int64)
        slots = [
            self.slots[comparisons.items[item], iteration]
            for item, iteration in zip(
                comparisons.item[rows].tolist(), comparisons.iteration[rows].tolist(), strict=True
            )
        ]
        seen = Observations(
            i=named[comparisons.a[rows]],
            j=named[comparisons.b[rows]],
            slot=np.array(slots, dtype=np.int64),
            z=items.mean(z),
            both=items.both,
        )
        return seen, items.half(z)

    def _margins(self, comparisons: Comparisons) -> Floats:
        """Z of each call for `a`, less what the judge likes of place and length."""
        z = logit_margins(comparisons)
        z = z - self._leanings.get("position", 0.0) * np.where(comparisons.a_first, 1.0, -1.0)
        if "length" in self._leanings and comparisons.has_lengths:
            a, b = (np.log(np.maximum(x, 1)) for x in (comparisons.len_a, comparisons.len_b))
            z = z - self._leanings["length"] * (a - b)
        return np.asarray(z)


def _slots(ladder: Comparisons) -> set[Slot]:
    pairs = zip(ladder.item.tolist(), ladder.iteration.tolist(), strict=True)
    return {(ladder.items[item], iteration) for item, iteration in pairs}


def _leanings(ladder: Comparisons) -> dict[str, float]:
    """What place and length are worth to the judge, as `fractional-logit` sees it."""
    if not len(ladder):
        return {}
    calls, _ = fractional_logit.as_calls(ladder)
    fit = fractional_logit.maximise(calls)
    return dict(zip(calls.names, fit.beta.tolist(), strict=True))
