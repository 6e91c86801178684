"""How many judge calls it takes to place a model on a ladder of 40, by schedule.

    python -m benchmarks.placement [--placements 40] [--first-world 0] [--processes 1]

Simulated worlds of 50 models: 40 on the ladder, which is known from one random round, and 10
newcomers, each placed by itself. A schedule's calls do not depend on the engine, so the same calls
are rated by several. Errors are against the truth on the ladder's own scale: the true abilities are
mapped by a straight line through the ladder's ratings by the same engine, so that the luck of the
two anchors, which no schedule can change, is not counted. What is left of the error with all 3,600
calls is the luck of the newcomer's 45 transcripts.

The errors of some placements are shaky. `placement_parts` says what error the same calls are
expected to have, over all newcomers and judges that could have been; savings are told by both.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Literal, NamedTuple

import numpy as np

from eibench import Comparisons
from eibench.core.matchmaking.calls import FIRST, Call
from eibench.core.matchmaking.goals import FLOOR
from eibench.core.matchmaking.schedules import Schedule
from eibench.core.ratings import fractional_logit, glicko2, mixed, trueskill
from eibench.core.testing.placements import place
from eibench.core.testing.rounds import Rate, World
from eibench.testing import Tournament

from .measuring import table
from .placement_parts import Parts, Scale, parts_of

MODELS, NEWCOMERS = 50, 10
LADDER_CALLS = 6720
MOST = 400
GRID = (16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256, 288, 320, MOST)
"""Calls of `adaptive` after which it is rated."""
FL = "fractional-logit"
ENGINES: dict[str, Rate] = {
    FL: fractional_logit.rate,
    "mixed": mixed.rate,
    "glicko2": glicko2.rate,
    "trueskill": trueskill.rate,
}
ONE_ORDER = (FL, "mixed")
"""Engines that can do with one order; the ladder is known in one where they rate."""
BOTH_ORDERS = ("glicko2", "trueskill")


class Way(NamedTuple):
    """How a newcomer is placed, and who rates it."""

    schedule: Schedule
    orders: Literal["one", "both"]
    engines: tuple[str, ...] = ONE_ORDER
    floor: float = FLOOR
    most: int | None = None
    steps: bool = False


WAYS = {
    "staged, one order": Way("staged", "one"),
    "staged, both orders": Way("staged", "both"),
    "staged, both orders, ladder too": Way("staged", "both", BOTH_ORDERS),
    "adaptive, one order, as it stops": Way("adaptive", "one"),
    "adaptive, one order, going on": Way("adaptive", "one", floor=0.0, most=MOST, steps=True),
}
COURSE = "adaptive, one order, going on"
ALL = "all opponents, all items, both orders"


class Error(NamedTuple):
    """After some calls: distance to the truth, and half the interval's width, points."""

    calls: int
    error: float
    half_width: float


class Ladder(NamedTuple):
    """What is known before, by engine.

    Attributes:
        calls: Of the round.
        truth: By engine, of every model on its scale.
        scale: Of `fractional-logit`, natural units.
        ratings: By `fractional-logit`, natural units.
    """

    calls: list[Call]
    truth: Mapping[str, list[float]]
    scale: Scale
    ratings: Mapping[str, float]


class Placements(NamedTuple):
    """What was found, by way and engine; parts by way and number of calls."""

    errors: dict[tuple[str, str], list[list[Error]]]
    parts: dict[str, list[dict[int, Parts]]]


def run_world(number: int, n_newcomers: int) -> Placements:
    """Some newcomers of one world, each in every way and by every engine."""
    world = World.draw(100 + number, MODELS)
    played = world.tournament(500 + number)
    others = [i for i in range(MODELS) if i not in (world.high, world.low)]
    new = np.random.default_rng(number).choice(others, NEWCOMERS, replace=False).tolist()
    kinds: tuple[tuple[str, ...], ...] = (ONE_ORDER, BOTH_ORDERS)
    ladders = {engines: _ladder(world, played, new, engines) for engines in kinds}
    found = Placements(defaultdict(list), defaultdict(list))
    for i in new[:n_newcomers]:
        for name, way in WAYS.items():
            ladder = ladders[way.engines]
            batches = _batches(world, played, played.models[i], ladder, way)
            _measure(found, name, world, played, i, ladder, way.engines, batches)
        everything = [_all_calls(played, played.models[i], ladders[ONE_ORDER])]
        _measure(found, ALL, world, played, i, ladders[ONE_ORDER], ONE_ORDER, everything)
    return found


def _ladder(world: World, played: Tournament, new: Sequence[int], engines: Sequence[str]) -> Ladder:
    """A random round of those who are not new, and how engines rate it."""
    names = {played.models[i] for i in new}
    share = (MODELS - len(new)) * (MODELS - len(new) - 1) / (MODELS * (MODELS - 1))
    orders: Literal["one", "both"] = "both" if engines == BOTH_ORDERS else "one"
    n_items = round(LADDER_CALLS / share) // (2 if orders == "both" else 1)
    calls = played.random_calls(n_items, orders=orders)
    calls = [call for call in calls if not {call.a, call.b} & names]
    known, on_it = played.judge(calls), [i for i in range(MODELS) if i not in new]
    truth = {}
    for engine in engines:
        rated = ENGINES[engine](known, world.settings(played))
        slope, start = _line(world, on_it, [rated[played.models[i]].rating for i in on_it])
        truth[engine] = [float(start + slope * ability) for ability in world.abilities]
    fit = fractional_logit.maximise(fractional_logit.as_calls(known)[0])
    strengths = dict(zip(known.models, fit.theta.tolist(), strict=True))
    slope, start = _line(world, on_it, [strengths[played.models[i]] for i in on_it])
    gap = strengths[played.models[world.high]] - strengths[played.models[world.low]]
    return Ladder(calls, truth, Scale(start, slope, 1300 / gap), strengths)


def _line(world: World, models: Sequence[int], ratings: Sequence[float]) -> tuple[float, float]:
    """Slope and start of ratings on abilities."""
    slope, start = np.polyfit([world.abilities[i] for i in models], ratings, 1)
    return float(slope), float(start)


def _batches(
    world: World, played: Tournament, model: str, ladder: Ladder, way: Way
) -> list[list[Call]]:
    """The calls, cut where the model is rated: at the grid, or at the end alone."""
    placed = place(
        played,
        model,
        ladder.calls,
        way.schedule,
        rate=ENGINES[way.engines[0]],
        settings=world.settings(played),
        orders=way.orders,
        max_comparisons=way.most,
        floor=way.floor,
        enough=1.2 if way.floor else 0.0,
        steps=False,
    )
    calls = [call for batch in placed.batches for call in batch.calls]
    ends = [n for n in GRID if n <= len(calls)] if way.steps else [len(calls)]
    return [calls[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _all_calls(played: Tournament, model: str, ladder: Ladder) -> list[Call]:
    """All items with all opponents, in both orders."""
    opponents = sorted({name for call in ladder.calls for name in (call.a, call.b)})
    return [
        Call(*slot, model, opponent, first)
        for opponent in opponents
        for slot in played.slots
        for first in FIRST
    ]


def _measure(
    found: Placements,
    name: str,
    world: World,
    played: Tournament,
    i: int,
    ladder: Ladder,
    engines: Sequence[str],
    batches: Sequence[Sequence[Call]],
) -> None:
    """Rate a newcomer after each batch, and take the error of its calls apart."""
    rows, made = list(played.rows(ladder.calls)), list[Call]()
    errors: dict[str, list[Error]] = {engine: [] for engine in engines}
    parts = {}
    for calls in batches:
        rows += played.rows(calls)
        made += calls
        parts[len(made)] = parts_of(played, made, ladder.ratings, ladder.scale)
        known = Comparisons.of(rows)
        for engine in engines:
            row = ENGINES[engine](known, world.settings(played))[played.models[i]]
            half = float("nan") if row.half_width is None else row.half_width
            errors[engine].append(Error(len(made), row.rating - ladder.truth[engine][i], half))
    for engine in engines:
        found.errors[name, engine].append(errors[engine])
    found.parts[name].append(parts)


def report(found: Placements) -> str:
    """Ends of all ways, the course of `adaptive`, and its calls at the others' accuracy."""
    n = len(found.parts[ALL])
    return "\n\n".join([f"{n} placements", _ends(found), _course(found), _savings(found)])


def rms(errors: Sequence[Sequence[Error]], point: int = -1) -> float:
    """Root of the mean squared error over placements, points."""
    return float(np.sqrt(np.mean([each[point].error ** 2 for each in errors])))


def _mean_calls(found: Placements, way: str) -> float:
    return float(np.mean([max(parts) for parts in found.parts[way]]))


def expected(found: Placements, way: str, n: int | None = None) -> dict[str, float]:
    """Roots of the mean parts over placements after `n` calls, or in the end."""
    at = [parts[max(parts) if n is None else n] for parts in found.parts[way]]
    named = {name: [getattr(parts, name) for parts in at] for name in (*Parts._fields, "total")}
    return {name: float(np.mean(values)) ** 0.5 for name, values in named.items()}


def _ends(found: Placements) -> str:
    rows = []
    for way in (*WAYS, ALL):
        cells = [found.errors.get((way, engine)) for engine in ENGINES]
        parts = expected(found, way)
        shown = [f"{rms(errors):.1f}" if errors else "" for errors in cells]
        told = [f"{parts[name]:.1f}" for name in ("total", "own", "opponents", "judge")]
        rows.append([way, f"{_mean_calls(found, way):.0f}", *shown, *told])
    head = ["expected by FL", "own luck", "opponents", "judge"]
    return table(["way", "calls", *(f"RMS error, {engine}" for engine in ENGINES), *head], rows)


def _course(found: Placements) -> str:
    rows = []
    for point, n in enumerate(GRID):
        row = [str(n)]
        for engine in ONE_ORDER:
            errors = found.errors[COURSE, engine]
            widths = [each[point].half_width for each in errors]
            row += [f"{rms(errors, point):.1f}", f"{np.nanmean(widths):.0f}"]
        parts = expected(found, COURSE, n)
        rows.append([*row, *(f"{parts[name]:.1f}" for name in ("total", *Parts._fields[:3]))])
    head = [text for e in ONE_ORDER for text in (f"RMS error, {e}", "half-width")]
    tail = ["expected by FL", "own luck", "opponents", "judge"]
    return table(["adaptive calls", *head, *tail], rows)


def calls_for(errors: Sequence[float], target: float) -> float:
    """Calls after which an error at the points of the grid stays within a target.

    Between two points the squared error is taken to fall in a straight line; infinite if the
    last is above the target.
    """
    above = [point for point, error in enumerate(errors) if error > target]
    if not above:
        return float(GRID[0])
    last = above[-1]
    if last == len(GRID) - 1:
        return float("inf")
    high, low = errors[last] ** 2, errors[last + 1] ** 2
    share = (high - target**2) / (high - low)
    return GRID[last] + share * (GRID[last + 1] - GRID[last])


def _savings(found: Placements) -> str:
    """Calls of `adaptive`, rated by `fractional-logit`, at the error of others."""
    course = found.errors[COURSE, FL]
    seen = [rms(course, point) for point in range(len(GRID))]
    expect = [expected(found, COURSE, n)["total"] for n in GRID]
    rows = []
    for way, engine in found.errors:
        if not way.startswith("staged"):
            continue
        calls, error = _mean_calls(found, way), rms(found.errors[way, engine])
        rows.append([way, engine, f"{calls:.0f}", *_cells(calls, seen, error)])
        if engine == FL:
            parts = expected(found, way)
            row = [way, f"{FL}, expected", f"{calls:.0f}", *_cells(calls, expect, parts["total"])]
            rows.append([*row, _most(calls, parts)])
    head = ["staged", "rated by", "calls", "error", "equal", "within 5 %", "within 10 %"]
    rows = [[*row, *[""] * (len(head) + 1 - len(row))] for row in rows]
    return table([*head, "most that any schedule could save"], rows)


def _cells(calls: float, errors: Sequence[float], error: float) -> list[str]:
    reached = [calls_for(errors, slack * error) for slack in (1.0, 1.05, 1.1)]
    told = (f"{n:.0f}, {calls / n:.1f} x" if np.isfinite(n) else f"not by {MOST}" for n in reached)
    return [f"{error:.1f}", *told]


def _most(calls: float, parts: Mapping[str, float]) -> str:
    """With the best weights, opponents whose ratings say all, and equals alone."""
    room = parts["total"] ** 2 - parts["smallest_own"] ** 2
    fewest = parts["judge_per_call"] ** 2 / room
    return f"{calls / fewest:.1f} x ({fewest:.0f} calls)"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("benchmarks.placement", description=__doc__)
    parser.add_argument("--placements", type=int, default=40, help="in worlds of 10")
    parser.add_argument("--first-world", type=int, default=0, help="others give fresh placements")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    n_worlds = -(-options.placements // NEWCOMERS)
    sizes = [min(NEWCOMERS, options.placements - NEWCOMERS * i) for i in range(n_worlds)]
    worlds = range(options.first_world, options.first_world + n_worlds)
    with ProcessPoolExecutor(options.processes) as pool:
        done = list(pool.map(run_world, worlds, sizes))
    print(report(_joined(done)))


def _joined(done: Sequence[Placements]) -> Placements:
    errors = {key: [e for world in done for e in world.errors[key]] for key in done[0].errors}
    parts = {key: [p for world in done for p in world.parts[key]] for key in done[0].parts}
    return Placements(errors, parts)


if __name__ == "__main__":
    main()
