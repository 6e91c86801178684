"""`bench power`: what it takes to tell two models apart, before anything is asked."""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import NamedTuple

import click

import eibench
from eibench import Benchmark, StoredRun, Table, UsageError, run_selector, scaled_values
from eibench.statistics import Settling, settling
from eibench.text import number, plural

_MOST_PAIRS = 45
_STEPS = 30
_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench power eqbench-v2 --difference 3\n"
    "  bench power eqbench3 --difference 5 --judge anthropic/NAME --json\n"
)


class PairPlan(NamedTuple):
    """What it takes with the spread that two models of the journal show.

    Attributes:
        models: The two.
        plan: For the difference that is asked about.
        shows: The smallest difference that as many items and iterations as they have show in 80 %
            of runs; ``None`` where that is not known.
    """

    models: tuple[str, str]
    plan: Settling
    shows: float | None


@click.command("power", cls=eibench.Command, epilog=_EXAMPLES)
@eibench.benchmark_argument
@click.option("--difference", type=click.FloatRange(min=0, min_open=True), required=True,
              metavar="D", help="The true difference to find, in the main metric.")  # fmt: skip
@eibench.run_options("judge", "dataset")
@eibench.shared_options("demo", "runs_dir")
@eibench.json_option
def power_command(
    benchmark: Benchmark,
    difference: float,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Say what it takes to tell two models apart, before anything is asked.

    From the journal's own pairs of models: how many items, or iterations, tell two apart that
    differ by D, with a power of 80 %, what that costs, and the smallest difference that a run as
    large as theirs can show. How much two models differ by item is taken from pairs that were run.
    """
    with eibench.open_runs(runs_dir) as stored:
        chosen = stored.chosen(run_selector()._replace(benchmark=benchmark.name))
        whole = [r for r in chosen if r.document and r.document["status"] == "complete"]
        packs = [run.record.pack_sha256 for run in whole]
        whole = [run for run in whole if run.record.pack_sha256 == packs[-1]]
        runs = stored.of(whole).newest_of_each()
        if len(runs) < 2:
            raise UsageError(
                f"{benchmark.name} has {plural(len(runs), 'model')} with a whole run on one pack; "
                "how much two models differ by item is known from two"
            )
        values = {name: scaled_values(run) for name, run in runs.items()}
        families = _families(next(iter(runs.values())))
        pairs = list(combinations(runs, 2))[:_MOST_PAIRS]
        plans = [plan_pair((a, b), values[a], values[b], families, difference) for a, b in pairs]
        demo, cost = any(run.demo for run in runs.values()), _cost_of_sample(list(runs.values()))
    known = [one for one in plans if one.plan.error]
    if not known:
        raise UsageError(f"nothing can be planned: {plans[0].plan.reason}")
    if json_output:
        eibench.show_json({
            "benchmark": benchmark.name, "difference": difference, "demo": demo,
            "pairs": [{"models": list(p.models), "shows": p.shows, **p.plan._asdict()}
                      for p in known],
            "cost_of_sample_usd": cost,
        })  # fmt: skip
        return
    eibench.show(_table(benchmark.name, difference, known, cost, demo=demo))


Values = Mapping[tuple[str, int], float]


def plan_pair(
    models: tuple[str, str],
    first: Values,
    second: Values,
    families: Mapping[str, str],
    difference: float,
) -> PairPlan:
    """The plan by one pair, and the smallest difference that its items show."""
    plan = settling(first, second, families, difference=difference)
    if not plan.error:
        return PairPlan(models, plan, None)
    low, high = 0.0, 20 * plan.error
    for _ in range(_STEPS):
        middle = (low + high) / 2
        enough = settling(first, second, families, difference=middle).more_items == 0
        low, high = (low, middle) if enough else (middle, high)
    return PairPlan(models, plan, high if high < 20 * plan.error else None)


def _families(run: StoredRun) -> dict[str, str]:
    """The family of each item, as its pack has it; of itself where that is not to be had."""
    try:
        items = run.pack_of(run.config()).items
    except eibench.BenchError:
        return {row.item_id: row.item_id for row in run.samples()}
    return {item.id: item.cluster for item in items}


def _cost_of_sample(runs: list[StoredRun]) -> float | None:
    """Dollars, where they are known: the mean over runs."""
    known = [d for run in runs if (d := run.document) and d["cost_usd"] is not None]
    costs = [(d["cost_usd"] or 0.0) / d["items"]["total"] for d in known if d["items"]["total"]]
    return sum(costs) / len(costs) if costs else None


def _table(
    benchmark: str, difference: float, plans: list[PairPlan], cost: float | None, *, demo: bool
) -> Table:
    def middle(values: list[float | int | None]) -> str:
        known = [float(v) for v in values if v is not None]
        share = f" ({len(known)} of {len(values)} pairs)" if len(known) < len(values) else ""
        return f"{median(known):,.0f}{share}" if known else "no usual number"

    items = [None if p.plan.more_items is None else p.plan.items + p.plan.more_items for p in plans]
    iterations = [p.plan.iterations for p in plans]
    shows = [p.shows for p in plans if p.shows is not None]
    floors = [p.plan.floor for p in plans if p.plan.floor is not None]
    now = plans[0].plan
    rows = [
        ("items, each asked as often as now", middle(list(items))),
        ("iterations of the items that there are", middle(list(iterations))),
        ("difference that no number of iterations goes below", number(median(floors)) if floors
         else "not known: each item was asked once"),
        (f"smallest difference that {now.items} items show now",
         number(median(shows)) if shows else "–"),
    ]  # fmt: skip
    planned_items = [n for n in items if n is not None]
    if cost is not None and planned_items:
        dollars = 2 * median(planned_items) * max(1, now.iterations_now) * cost
        rows.append(("dollars for both models", f"{dollars:,.2f}"))
    note = (
        f"Medians over {plural(len(plans), 'pair')} of models in the journal. Power 80 %, "
        "two-sided 5 %; two models may be more or less alike than these."
    )
    title = f"{benchmark}: to tell apart two models that differ by {difference:g}"
    return Table(title + "  DEMO" * demo, ("what", "how many"), rows, note=note)
