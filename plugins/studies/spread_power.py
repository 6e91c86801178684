"""`bench power` where there are no runs: by a standard deviation that is given or published."""

from math import inf
from typing import NamedTuple

import eibench
from eibench import Benchmark, JsonDict, Metric, Pack, Table, UsageError, find_pack
from eibench.statistics import SpreadPlan, why_no_interval
from eibench.text import number, plural

POWER_NOTE = (
    "Power is about 80 % (two-sided test at 5 %), but 60 to 85 % where a few items differ far more "
    "than the rest."
)


class KnownSpread(NamedTuple):
    """The standard deviation from item to item of two models' difference, and where it is from."""

    sd: float
    source: str


PUBLISHED = {
    "eqbench-v2": KnownSpread(
        37, "the median of the 66 pairs of the 12 models of its official results, on the official "
        "questions"
    ),
    "creative-writing-v3": KnownSpread(
        7, "the median of 45 pairs of models of its published pages, on the official prompts, each "
        "asked three times"
    ),
}  # fmt: skip
"""Medians over pairs of real models, which stand in where there are no runs."""


def published_spread(benchmark: str, models: int) -> KnownSpread:
    """The standard deviation that published results have.

    Raises:
        UsageError: There are none.
    """
    if benchmark in PUBLISHED:
        return PUBLISHED[benchmark]
    raise UsageError(
        f"{benchmark} has {plural(models, 'model')} with a run on this board, and how much two "
        "models differ from item to item needs runs of at least two models: run two (--limit 20 "
        "will do), or give --sd"
    )


class Ranked(NamedTuple):
    """The metric that a benchmark ranks by, and its pack, before anything is asked."""

    name: str
    label: str
    ends: tuple[float, float]
    pack: Pack


def ranked_metric(benchmark: Benchmark) -> Ranked:
    """What a summary of no samples says of it.

    Raises:
        UsageError: The metric is no mean over samples.
    """
    options = {option.name: option.default for option in benchmark.options}
    pack = benchmark.read_pack(find_pack(benchmark, eibench.provided("dataset"), options), options)
    metrics = benchmark.summarise(pack, [], options).metrics
    name = benchmark.ranked_by or next(iter(metrics), "score")
    value = next((one for one in benchmark.values if one.name == name), None)
    label = metrics.get(name, Metric(None)).label or name.replace("_", " ")
    if benchmark.ranked_by and value is None:
        raise UsageError(
            f"{label} of {benchmark.name} is no mean over samples: nothing is known of what items "
            "add to it"
        )
    times, (low, high) = benchmark.value_scales.get(name, 1.0), value.ends if value else (-inf, inf)
    return Ranked(name, label, (times * low, times * high), pack)


def spread_document(metric: Ranked, known: KnownSpread, plan: SpreadPlan) -> JsonDict:
    """The plan for `--json`."""
    return {**known._asdict(), "items": len(metric.pack.items), **plan._asdict()}


def spread_table(
    benchmark: str, metric: Ranked, difference: float, known: KnownSpread, plan: SpreadPlan
) -> Table:
    """The plan as a screen."""
    here, shows = len(metric.pack.items), number(plan.shows)
    needed = "more than 1,000,000,000" if plan.needed is None else f"{plan.needed:,}"
    enough = plan.needed is not None and plan.needed <= here
    has = f"the {here} of the pack suffice" if enough else f"the pack has {here}"
    rows = [
        ("items", f"{needed}; {has}"),
        (f"smallest difference that the {plural(here, 'item')} of the pack can show",
         f"not known: {why_no_interval(here)}" if plan.shows is None else shows),
    ]  # fmt: skip
    pack = metric.pack.source.name
    title = (
        f"{benchmark}: to tell apart two models that differ by {difference:g} in {metric.label}; "
        f"pack {pack}"
    )
    note = (
        f"The standard deviation from item to item is {known.sd:g}, {known.source}.\n"
        f"The plan takes it as exact, and assumes that it holds for the {pack} pack and that every "
        f"item has its own text.\n{POWER_NOTE}"
    )
    return Table(title, ("what", "value"), rows, note=note)
