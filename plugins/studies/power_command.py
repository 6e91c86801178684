"""`bench power`: what it takes to tell two models apart, before anything is asked."""

from pathlib import Path
from statistics import NormalDist, median, stdev
from typing import NamedTuple

import click

import eibench
from eibench import Benchmark, BoardSamples, JsonDict, Table, UsageError, find_pack
from eibench.statistics import Settling, settling, smallest_difference
from eibench.text import number, plural

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench power eqbench-v2 --difference 3\n"
    "  bench power eqbench3 --difference 5 --judge anthropic/NAME --json\n"
    "  bench power seceu --difference 5 --sd 15\n"
)


_POWER = (
    "Power about 80 %, two-sided 5 %: 60 to 85 % where a few items differ far more than the rest."
)


class KnownSpread(NamedTuple):
    """The standard deviation from item to item of two models' difference, and of which models."""

    sd: float
    of: str


PUBLISHED = {
    "eqbench-v2": KnownSpread(37, "the 66 pairs of the 12 models of its official results"),
    "creative-writing-v3": KnownSpread(7, "45 pairs of models of its published pages"),
}
"""Medians over pairs of real models, which stand in where there are no runs."""


class PairPlan(NamedTuple):
    """What it takes with the spread that two models show.

    Attributes:
        models: The two; none where the spread was stated.
        plan: For the difference that is asked about.
        shows: The smallest difference that as many items and iterations as they have show in 80 %
            of runs; ``None`` where that is not known.
    """

    models: tuple[str, ...]
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
        _refuse_too_far(board, difference)
        plans = [_plan_pair(board, pair, difference) for pair in board.pairs()]
    else:
        n = len(board.values) if board else 0
        board, sd = None, sd or _published(benchmark.name, n)
        plans = [_stated(benchmark, sd, difference)]
    known = [one for one in plans if one.plan.error]
    if not known:
        raise UsageError(f"nothing can be planned: {plans[0].plan.reason}")
    cost = _cost_of_sample(board)
    if not json_output:
        eibench.show(_table(benchmark, board, difference, known, cost, sd))
        return
    pairs = [{"models": list(p.models), "shows": p.shows, **p.plan._asdict()} for p in known]
    document: JsonDict = {
        "benchmark": benchmark.name, "board": board.title if board else None,
        "metric": board.metric if board else None, "difference": difference,
        "demo": bool(board and board.demo), "pairs": pairs, "cost_of_sample_usd": cost,
    }  # fmt: skip
    eibench.show_json(document)


def _refuse_too_far(board: BoardSamples, difference: float) -> None:
    """Refuse, by `UsageError`, what no two models can differ by."""
    low, high = board.ends
    if difference > high - low:
        raise UsageError(
            f"--difference {difference:g}: {board.label} is from {low:g} to {high:g}, so no two "
            f"models differ by more than {high - low:g}"
        )


def _plan_pair(board: BoardSamples, pair: tuple[str, str], difference: float) -> PairPlan:
    """The plan by two models of a board, and the smallest difference that their items show."""
    terms, clusters = board.terms(*pair), board.pack.clusters
    plan = settling(*terms, clusters, difference=difference)
    return PairPlan(pair, plan, smallest_difference(*terms, clusters))


def _stated(benchmark: Benchmark, sd: float, difference: float) -> PairPlan:
    """The plan by a standard deviation: that of two runs on a pack which differ by so much."""
    defaults = {option.name: option.default for option in benchmark.options}
    source = find_pack(benchmark, eibench.provided("dataset"), defaults)
    items = [item.id for item in benchmark.read_pack(source, defaults).items]
    even = [NormalDist().inv_cdf((n + 0.5) / len(items)) for n in range(len(items))]
    times = sd / stdev(even)
    gaps = {(item, 1): times * gap for item, gap in zip(items, even, strict=True)}
    pair = gaps, dict.fromkeys(gaps, 0.0), dict(zip(items, items, strict=True))
    plan = settling(*pair, difference=difference)
    return PairPlan((), plan, smallest_difference(*pair))


def _published(benchmark: str, models: int) -> float:
    """The standard deviation that published results have.

    Raises:
        UsageError: There are none.
    """
    if benchmark in PUBLISHED:
        return PUBLISHED[benchmark].sd
    raise UsageError(
        f"{benchmark} has {plural(models, 'model')} with a run on this board, and how much two "
        f"models differ from item to item is known from two: run two, if only with --limit 20, or "
        "state it with --sd"
    )


def _cost_of_sample(board: BoardSamples | None) -> float | None:
    """Dollars, where they are known: the mean over models."""
    known = [cost for cost in board.costs.values() if cost is not None] if board else []
    return sum(known) / len(known) if known else None


def _table(
    benchmark: Benchmark,
    board: BoardSamples | None,
    difference: float,
    plans: list[PairPlan],
    cost: float | None,
    sd: float | None,
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
        ("iterations of the items that there are", middle(list(iterations)) if floors
         else "not known: each item was asked once"),
        ("difference that no number of iterations goes below", number(median(floors)) if floors
         else "not known: each item was asked once"),
        (f"smallest difference that {now.items} items show now", number(median(shows)) if shows
         else "not known: many items share a text"),
    ]  # fmt: skip
    planned_items = [n for n in items if n is not None]
    if cost is not None and planned_items:
        dollars = 2 * median(planned_items) * max(1, now.iterations_now) * cost
        rows.append(("dollars for both models", f"{dollars:,.2f}"))
    title = f"{benchmark.name}: to tell apart two models that differ by {difference:g}"
    if board is None:
        return Table(title, ("what", "how many"), rows, note=_where_from(benchmark.name, sd))
    n, taken = len(board.values), len(board.pairs())
    of = f"{taken} of {n * (n - 1) // 2}" if taken < n * (n - 1) // 2 else f"{taken}"
    note = f"Medians over {of} pairs of {n} models; two models may be more or less alike."
    title += f" in {board.label}; {board.title}" + "  DEMO" * board.demo
    return Table(title, ("what", "how many"), rows, note="\n".join((note, _POWER, *board.notes)))


def _where_from(benchmark: str, sd: float | None) -> str:
    known = PUBLISHED.get(benchmark)
    whose = f"that of {known.of}" if known and known.sd == sd else "as stated"
    return (
        f"By a standard deviation of {sd:g} from item to item, {whose}; each item with a text.\n"
        f"{_POWER}"
    )
