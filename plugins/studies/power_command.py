"""`bench power`: what it takes to tell two models apart, before anything is asked."""

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from statistics import median
from typing import NamedTuple

import click

import eibench
from eibench import Benchmark, BoardSamples, JsonDict, Table, UsageError
from eibench.statistics import MOST_TIMES, Settling, settling, smallest_difference, spread_plan
from eibench.text import number

from .spread_power import (
    POWER_NOTE,
    KnownSpread,
    published_spread,
    ranked_metric,
    spread_document,
    spread_table,
)

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench power eqbench-v2 --difference 3\n"
    "  bench power eqbench3 --difference 5 --judge anthropic/NAME --json\n"
    "  bench power seceu --difference 0.5 --sd 1.5\n"
)


_SCALE = re.compile(r"\((-?[\d.]+)(?:-| to )(-?[\d.]+)\)$")
"""The scale that a metric's label ends with: (0-100), (-1 to 1)."""


class PairPlan(NamedTuple):
    """What it takes with the spread that two models show.

    Attributes:
        models: The two.
        plan: For the difference that is asked about.
        shows: The smallest difference that as many items and iterations as they have show in 80 %
            of runs; ``None`` where that is not known.
    """

    models: tuple[str, str]
    plan: Settling
    shows: float | None


@click.command("power", cls=eibench.AuditCommand, epilog=_EXAMPLES)
@eibench.benchmark_argument
@click.option("--difference", type=click.FloatRange(min=0, min_open=True), required=True,
              metavar="D", help="The true difference to find, in the main metric.")  # fmt: skip
@click.option("--sd", type=click.FloatRange(min=0, min_open=True), metavar="SD",
              help="By how much the difference of two models varies from item to item, as a "
              "standard deviation, in place of what runs say.")  # fmt: skip
@eibench.shared_options("board", "demo", "runs_dir")
@eibench.json_option
def power_command(
    benchmark: Benchmark,
    difference: float,
    sd: float | None,
    runs_dir: Path,
    json_output: bool,
    **protocol: str | None,
) -> None:
    """Say what it takes to tell two models apart, before anything is asked.

    How many items, or iterations, tell two models apart that differ by D, with a power of 80 %,
    what that costs, and the smallest difference that a run as large as those there are can show.
    By how much two models differ from item to item is taken from the pairs of the board that `bench
    leaderboard` would show, or stated by --sd.
    """
    board = None if sd else eibench.chosen_board(benchmark, runs_dir, **protocol)
    if board and len(board.values) > 1:
        screen, document = _by_runs(benchmark, board, difference)
    else:
        n = len(board.values) if board else 0
        spread = KnownSpread(sd, "as given") if sd else published_spread(benchmark.name, n)
        screen, document = _by_spread(benchmark, spread, difference)
    if json_output:
        eibench.show_json({"benchmark": benchmark.name, "difference": difference, **document})
    else:
        eibench.show(screen)


def _by_spread(
    benchmark: Benchmark, spread: KnownSpread, difference: float
) -> tuple[Table, JsonDict]:
    """Screen and document of a plan without runs."""
    metric = ranked_metric(benchmark)
    _refuse_too_far(metric.label, metric.ends, difference)
    plan = spread_plan(difference, spread.sd, len(metric.pack.items))
    return spread_table(benchmark.name, metric, difference, spread, plan), {
        "board": None, "pack": metric.pack.source.name, "metric": metric.name, "demo": False,
        "pairs": [], "spread": spread_document(metric, spread, plan), "cost_of_sample_usd": None,
    }  # fmt: skip


def _by_runs(
    benchmark: Benchmark, board: BoardSamples, difference: float
) -> tuple[Table, JsonDict]:
    """Screen and document of a plan by the pairs of a board."""
    _refuse_too_far(board.label, board.ends, difference)
    plans = [_plan_pair(board, pair, difference) for pair in board.pairs()]
    known = [one for one in plans if one.plan.error]
    if not known:
        raise UsageError(f"nothing can be planned: {plans[0].plan.reason}")
    cost = _cost_of_sample(board)
    pairs = [{"models": list(p.models), "shows": p.shows, **p.plan._asdict()} for p in known]
    return _table(benchmark, board, difference, known, cost), {
        "board": board.title, "pack": board.pack.source.name, "metric": board.metric,
        "demo": board.demo, "pairs": pairs, "spread": None, "cost_of_sample_usd": cost,
    }  # fmt: skip


def _refuse_too_far(label: str, ends: tuple[float, float], difference: float) -> None:
    """Refuse, by `UsageError`, what no two models can differ by, as far as the scale is known.

    It is declared, or else the label ends with it.
    """
    if not all(map(isfinite, ends)):
        stated = _SCALE.search(label)
        if not stated:
            return
        ends = float(stated[1]), float(stated[2])
    low, high = ends
    if difference > high - low:
        raise UsageError(
            f"--difference {difference:g}: {_SCALE.sub('', label).rstrip()} is from {low:g} to "
            f"{high:g}, so no two models differ by more than {high - low:g}"
        )


def _plan_pair(board: BoardSamples, pair: tuple[str, str], difference: float) -> PairPlan:
    """The plan by two models of a board, and the smallest difference that their items show."""
    terms, clusters = board.terms(*pair), board.pack.clusters
    plan = settling(*terms, clusters, difference=difference)
    return PairPlan(pair, plan, smallest_difference(*terms, clusters))


def _cost_of_sample(board: BoardSamples) -> float | None:
    """Dollars, where they are known: the mean over models."""
    known = [cost for cost in board.costs.values() if cost is not None]
    return sum(known) / len(known) if known else None


def _middle(values: Sequence[float | None], if_none: str) -> str:
    """The median of those that are known, and of how many pairs these are."""
    known = [v for v in values if v is not None]
    share = f" ({len(known)} of {len(values)} pairs)" if len(known) < len(values) else ""
    return f"{median(known):,.0f}{share}" if known else if_none


def _rows(
    plans: Sequence[PairPlan], difference: float, cost: float | None
) -> list[tuple[str, str]]:
    """What it takes, by the medians over pairs."""
    now = plans[0].plan
    items = [None if p.plan.more_items is None else p.plan.items + p.plan.more_items for p in plans]
    shows = [p.shows for p in plans if p.shows is not None]
    too_many = f"more than {MOST_TIMES} times the {now.items} that there are"
    rows = [
        ("items, each asked as often as now", _middle(items, too_many)),
        *_rows_of_iterations(plans, difference),
        (f"smallest difference that {now.items} items show now", number(median(shows)) if shows
         else "not known: many items share a text"),
    ]  # fmt: skip
    planned = [n for n in items if n is not None]
    if cost is not None and planned:
        dollars = 2 * median(planned) * max(1, now.iterations_now) * cost
        rows.append(("cost for both models", f"${dollars:,.2f}" if dollars else "free"))
    return rows


def _rows_of_iterations(plans: Sequence[PairPlan], difference: float) -> Iterator[tuple[str, str]]:
    what = "iterations of the items that there are"
    if all(p.plan.rerun_error is None for p in plans):
        yield what, "not known: each item was asked once"
        return
    floors = [p.plan.floor for p in plans if p.plan.floor is not None]
    too_small = floors and difference <= median(floors)
    none = "no number is enough" if too_small else f"more than {MOST_TIMES}"
    yield what, _middle([p.plan.iterations for p in plans], none)
    if floors:
        yield "smallest difference that more iterations can show", number(median(floors))


def _table(
    benchmark: Benchmark,
    board: BoardSamples,
    difference: float,
    plans: Sequence[PairPlan],
    cost: float | None,
) -> Table:
    n, taken = len(board.values), len(board.pairs())
    of = f"{taken} of {n * (n - 1) // 2}" if taken < n * (n - 1) // 2 else f"{taken}"
    note = f"Medians over {of} pairs of {n} models; two models may be more or less alike."
    title = f"{benchmark.name}: to tell apart two models that differ by {difference:g}"
    title += f" in {board.label}; {board.title}" + "  DEMO" * board.demo
    notes = "\n".join((note, POWER_NOTE, *board.notes))
    return Table(title, ("what", "value"), _rows(plans, difference, cost), note=notes)
