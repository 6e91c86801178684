"""How steady a run is from one iteration to the next: the worst of k, flips, and pass^k."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .bootstrap import Interval, mean_interval
from .shares import share_interval

YES_NO = frozenset((0.0, 1.0))


class SteadinessRow(NamedTuple):
    """A number over items that were asked k times.

    Attributes:
        model: Its name.
        metric: The value, as scores hold it.
        what: ``worst of k``: the mean over items of the worst iteration. Of a value that is yes or
            no ``flips``: the share of items whose verdict is not the same in all iterations,
            and ``pass^k``: the share that is yes in all of them (Yao et al. 2024, tau-bench),
            which is its worst of k where yes is better.
        k: Iterations.
        items: With k iterations that have a number.
        ci95: Over families of items.
        note: Why it says nothing of the model, as where all iterations have one text.
    """

    model: str
    metric: str
    what: str
    k: int
    items: int
    value: float
    ci95: Interval | None
    note: str = ""


def steadiness_of(
    model: str,
    metric: str,
    by_item: Mapping[str, Sequence[float]],
    families: Mapping[str, str],
    *,
    less_is_better: bool = False,
) -> list[SteadinessRow]:
    """The rows of a value from its numbers by item; none where no item has two.

    Items with fewer iterations than the most are left out.
    """
    k = max(map(len, by_item.values()), default=0)
    whole = {item: values for item, values in by_item.items() if len(values) == k}
    if k < 2:
        return []
    clusters = [families.get(item, item) for item in whole]
    yes_no = all(YES_NO.issuperset(values) for values in whole.values())
    numbers = {"worst of k": [(max if less_is_better else min)(v) for v in whole.values()]}
    if yes_no:
        numbers["flips"] = [float(len(set(values)) > 1) for values in whole.values()]
        numbers["pass^k"] = [float(min(values)) for values in whole.values()]
        if not less_is_better:  # then it is pass^k
            del numbers["worst of k"]
    rows = []
    for what, of_items in numbers.items():
        mean, rng = sum(of_items) / len(of_items), np.random.default_rng(0)
        ends = (
            share_interval(of_items, clusters)
            if yes_no
            else mean_interval(of_items, clusters, rng=rng)
        )
        rows.append(SteadinessRow(model, metric, what, k, len(whole), mean, ends))
    return rows
