"""How many judge calls it takes to place a model on a ladder of 40, by schedule.

    python -m benchmarks.placement [--placements 40]

Simulated worlds of 50 models: 40 on the ladder, which is known from one random round, and 10
newcomers, each placed by itself and rated by `fractional-logit`. Errors are against the truth on
the ladder's own scale: the true abilities are mapped by a straight line through the ladder's
ratings, so that the luck of the two anchors, which no schedule can change, is not counted. What
is left of the error with all 3,600 calls is the luck of the newcomer's 45 transcripts.
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
from eibench.core.ratings import fractional_logit
from eibench.core.testing.placements import Placed, place
from eibench.core.testing.rounds import World
from eibench.testing import Tournament

from .measuring import table

MODELS, NEWCOMERS = 50, 10
LADDER_CALLS = 6720
MOST = 400
GRID = tuple(range(8, MOST + 1, 8))


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
    """What the placements of one world share."""

    world: World
    played: Tournament
    ladder: list[Call]
    truth: list[float]
    newcomers: list[int]


def make_world(number: int) -> World50:
    """Models, a ladder round, and true ratings on the ladder's scale."""
    world = World.draw(100 + number, MODELS)
    played = world.tournament(500 + number)
    others = [i for i in range(MODELS) if i not in (world.high, world.low)]
    newcomers = np.random.default_rng(number).choice(others, NEWCOMERS, replace=False).tolist()
    ladder = _ladder(played, {played.models[i] for i in newcomers})
    ratings = fractional_logit.rate(played.judge(ladder), world.settings(played))
    on_it = [i for i in range(MODELS) if i not in newcomers]
    found = [ratings[played.models[i]].rating for i in on_it]
    slope, start = np.polyfit([world.abilities[i] for i in on_it], found, 1)
    truth = [float(start + slope * ability) for ability in world.abilities]
    return World50(world, played, ladder, truth, newcomers)


def run_world(number: int, n_newcomers: int) -> dict[str, list[Course]]:
    """Some newcomers of one world, each in every way."""
    made = make_world(number)
    found: dict[str, list[Course]] = {name: [] for name in (*RUNS, "all calls")}
    for i in made.newcomers[:n_newcomers]:
        for name, run in RUNS.items():
            found[name].append(_course(_place(made, made.played.models[i], run), made.truth[i]))
        found["all calls"].append(_all_calls(made, i))
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
        steps=run.steps,
    )


def _all_calls(made: World50, i: int) -> Course:
    """All items with all opponents, in both orders."""
    played = made.played
    calls = [
        Call(*slot, played.models[i], opponent, first)
        for opponent in sorted({name for call in made.ladder for name in (call.a, call.b)})
        for slot in played.slots
        for first in FIRST
    ]
    known = Comparisons.of([*played.rows(made.ladder), *played.rows(calls)])
    row = fractional_logit.rate(known, made.world.settings(played))[played.models[i]]
    return Course([len(calls)], [row.rating - made.truth[i]], [float("nan")])


def _course(placed: Placed, truth: float) -> Course:
    return Course(
        calls=[step.calls for step in placed.steps],
        errors=[step.rating - truth for step in placed.steps],
        half_widths=[step.half_width or float("nan") for step in placed.steps],
    )


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


def report(found: dict[str, list[Course]]) -> str:
    """Ends of all, the course of `adaptive`, and its calls at the others' accuracy."""
    ends = {
        name: (float(np.mean([c.calls[-1] for c in courses])), rms(courses, 10**6))
        for name, courses in found.items()
    }
    course = found[COURSE]
    rows = [[name, f"{calls:.0f}", f"{error:.1f}"] for name, (calls, error) in ends.items()]
    grid = [
        [
            str(n),
            f"{rms(course, n):.1f}",
            f"{np.nanmean([c.at(n, c.half_widths) for c in course]):.0f}",
        ]
        for n in (16, 32, 48, 64, 96, 128, 160, 192, 256, 320, MOST)
    ]
    lines = [f"{len(course)} placements", "", table(["way", "calls", "RMS error"], rows), ""]
    lines += [table(["adaptive calls", "RMS error", "mean half-width"], grid), ""]
    for name in ("staged, one order", "staged, both orders"):
        calls, error = ends[name]
        for slack in (1.0, 1.1):
            reached = calls_for(course, slack * error)
            told = f"{reached} calls, {calls / reached:.1f} x fewer" if reached else "not reached"
            lines.append(f"adaptive within {slack:.1f} x the error of {name}: {told}")
    return "\n".join(lines)


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
    found = {name: [course for world in done for course in world[name]] for name in done[0]}
    print(report(found))


if __name__ == "__main__":
    main()
