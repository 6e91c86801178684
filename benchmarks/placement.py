"""How many judge calls it takes to place a model on a ladder of 40, by schedule.

    python -m benchmarks.placement [--placements 40]

Simulated worlds of 50 models: 40 on the ladder, which is known from one random round, and 10
newcomers, each placed by itself. A schedule's calls do not depend on the engine, so the same calls
are rated by `fractional-logit` and by `mixed`. Errors are against the truth on the ladder's own
scale: the true abilities are mapped by a straight line through the ladder's ratings by the same
engine, so that the luck of the two anchors, which no schedule can change, is not counted. What is
left of the error with all 3,600 calls is the luck of the newcomer's 45 transcripts.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from eibench import Comparisons
from eibench.core.matchmaking.calls import FIRST, Call
from eibench.core.matchmaking.goals import FLOOR, Orders
from eibench.core.matchmaking.matchmaker import Schedule
from eibench.core.ratings import fractional_logit, mixed
from eibench.core.testing.placements import Placed, place
from eibench.core.testing.rounds import Rate, World
from eibench.testing import Tournament

from .measuring import table

MODELS, NEWCOMERS = 50, 10
LADDER_CALLS = 6720
MOST = 400
GRID = tuple(range(8, MOST + 1, 8))
ENGINES: dict[str, Rate] = {"fractional-logit": fractional_logit.rate, "mixed": mixed.rate}


class Run(NamedTuple):
    """How a newcomer is placed."""

    schedule: Schedule
    orders: Orders
    floor: float = FLOOR
    most: int | None = None
    steps: bool = False


RUNS = {
    "staged, one order": Run("staged", "one"),
    "staged, both orders": Run("staged", "both"),
    "adaptive, one order, as it stops": Run("adaptive", "one"),
    "adaptive, one order, going on": Run("adaptive", "one", 0.0, MOST, True),
}
ALL = "all calls"
COURSE = "adaptive, one order, going on"


class Course(NamedTuple):
    """Errors of one placement after so many calls, points.

    Attributes:
        calls: After each batch.
        errors: Distance to the truth.
        half_widths: Of the interval; NaN where there is none.
    """

    calls: list[int]
    errors: list[float]
    half_widths: list[float]

    def at(self, n: int, values: Sequence[float]) -> float:
        """The value with at most `n` calls; NaN before the first batch."""
        place = int(np.searchsorted(self.calls, n, side="right")) - 1
        return values[place] if place >= 0 else float("nan")


class World50(NamedTuple):
    """What the placements of one world share; `truth` is by engine."""

    world: World
    played: Tournament
    ladder: list[Call]
    truth: dict[str, list[float]]
    newcomers: list[int]


Found = dict[tuple[str, str], list[Course]]
"""By engine and way."""


def make_world(number: int) -> World50:
    """Models, a ladder round, and true ratings on the ladder's scale."""
    world = World.draw(100 + number, MODELS)
    played = world.tournament(500 + number)
    others = [i for i in range(MODELS) if i not in (world.high, world.low)]
    newcomers = np.random.default_rng(number).choice(others, NEWCOMERS, replace=False).tolist()
    ladder = _ladder(played, {played.models[i] for i in newcomers})
    known, on_it = played.judge(ladder), [i for i in range(MODELS) if i not in newcomers]
    truth = {}
    for engine, rate in ENGINES.items():
        ratings = rate(known, world.settings(played))
        found = [ratings[played.models[i]].rating for i in on_it]
        slope, start = np.polyfit([world.abilities[i] for i in on_it], found, 1)
        truth[engine] = [float(start + slope * ability) for ability in world.abilities]
    return World50(world, played, ladder, truth, newcomers)


def run_world(number: int, n_newcomers: int) -> Found:
    """Some newcomers of one world, each in every way and by every engine."""
    made = make_world(number)
    found: Found = {(engine, way): [] for engine in ENGINES for way in (*RUNS, ALL)}
    for i in made.newcomers[:n_newcomers]:
        batches = {
            name: _batches(_place(made, made.played.models[i], run), run)
            for name, run in RUNS.items()
        }
        for name, calls in (batches | {ALL: [_all_calls(made, i)]}).items():
            for engine, course in _courses(made, i, calls).items():
                found[engine, name].append(course)
    return found


def _ladder(played: Tournament, new: set[str]) -> list[Call]:
    """A random round of those who are not new."""
    share = (MODELS - NEWCOMERS) * (MODELS - NEWCOMERS - 1) / (MODELS * (MODELS - 1))
    calls = played.random_calls(round(LADDER_CALLS / share), orders="one")
    return [call for call in calls if not {call.a, call.b} & new]


def _place(made: World50, model: str, run: Run) -> Placed:
    return place(
        made.played,
        model,
        made.ladder,
        run.schedule,
        rate=fractional_logit.rate,
        settings=made.world.settings(made.played),
        orders=run.orders,
        max_comparisons=run.most,
        floor=run.floor,
        steps=False,
    )


def _batches(placed: Placed, run: Run) -> list[list[Call]]:
    """The calls, cut where the model is rated: after each batch, or at the end alone."""
    batches = [list(batch.calls) for batch in placed.batches]
    return batches if run.steps else [[call for batch in batches for call in batch]]


def _all_calls(made: World50, i: int) -> list[Call]:
    """All items with all opponents, in both orders."""
    played = made.played
    return [
        Call(*slot, played.models[i], opponent, first)
        for opponent in sorted({name for call in made.ladder for name in (call.a, call.b)})
        for slot in played.slots
        for first in FIRST
    ]


def _courses(made: World50, i: int, batches: Sequence[Sequence[Call]]) -> dict[str, Course]:
    """The course by each engine."""
    played, settings = made.played, made.world.settings(made.played)
    rows = list(played.rows(made.ladder))
    found = {engine: Course([], [], []) for engine in ENGINES}
    spent = 0
    for calls in batches:
        rows += played.rows(calls)
        spent += len(calls)
        known = Comparisons.of(rows)
        for engine, rate in ENGINES.items():
            row = rate(known, settings)[played.models[i]]
            half = float("nan") if row.ci95 is None else (row.ci95[1] - row.ci95[0]) / 2
            found[engine].calls.append(spent)
            found[engine].errors.append(row.rating - made.truth[engine][i])
            found[engine].half_widths.append(half)
    return found


def rms(courses: Sequence[Course], n: int) -> float:
    """Over placements; NaN before all have so many calls."""
    errors = np.array([course.at(n, course.errors) for course in courses])
    return float(np.sqrt((errors**2).mean()))


def calls_for(courses: Sequence[Course], target: float) -> int | None:
    """The calls after which the error stays within a target for three points of the grid.

    One alone may be luck. None if that is never so.
    """
    errors = np.array([rms(courses, n) for n in GRID])
    within = np.nan_to_num(errors, nan=np.inf) <= target
    for i in range(len(GRID) - 2):
        if within[i : i + 3].all():
            return GRID[i]
    return None


def report(found: Found) -> str:
    """Ends of all, the course of `adaptive`, and its calls at the others' accuracy."""
    n = len(next(iter(found.values())))
    lines = [f"{n} placements", "", _ends(found), "", _grid(found)]
    for engine in ENGINES:
        for name in ("staged, one order", "staged, both orders"):
            lines += ["", *_savings(found, engine, name)]
    return "\n".join(lines)


def _calls(courses: Sequence[Course]) -> float:
    return float(np.mean([course.calls[-1] for course in courses]))


def _ends(found: Found) -> str:
    rows = [
        [way, f"{_calls(found['mixed', way]):.0f}"]
        + [f"{rms(found[engine, way], 10**6):.1f}" for engine in ENGINES]
        for way in (*RUNS, ALL)
    ]
    return table(["way", "calls", *(f"RMS error, {engine}" for engine in ENGINES)], rows)


def _grid(found: Found) -> str:
    rows = []
    for n in (16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 320, MOST):
        row = [str(n)]
        for engine in ENGINES:
            courses = found[engine, COURSE]
            widths = [course.at(n, course.half_widths) for course in courses]
            row += [f"{rms(courses, n):.1f}", f"{np.nanmean(widths):.0f}"]
        rows.append(row)
    head = [text for e in ENGINES for text in (f"RMS error, {e}", f"mean half-width, {e}")]
    return table(["adaptive calls", *head], rows)


def _savings(found: Found, engine: str, name: str) -> list[str]:
    """Calls of `adaptive`, by each engine, at the error of another way by one engine."""
    calls, error = _calls(found[engine, name]), rms(found[engine, name], 10**6)
    lines = [f"at the error of {name}, by {engine} ({calls:.0f} calls, {error:.1f}):"]
    for own in ENGINES:
        for slack in (1.0, 1.1):
            reached = calls_for(found[own, COURSE], slack * error)
            told = f"{reached} calls, {calls / reached:.1f} x fewer" if reached else "not reached"
            lines.append(f"  adaptive by {own}, within {slack:.1f} x: {told}")
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("benchmarks.placement", description=__doc__)
    parser.add_argument("--placements", type=int, default=40, help="in worlds of 10")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    n_worlds = -(-options.placements // NEWCOMERS)
    sizes = [min(NEWCOMERS, options.placements - NEWCOMERS * i) for i in range(n_worlds)]
    with ProcessPoolExecutor(options.processes) as pool:
        done = list(pool.map(run_world, range(n_worlds), sizes))
    found = {key: [course for world in done for course in world[key]] for key in done[0]}
    print(report(found))


if __name__ == "__main__":
    main()
