"""How many judge calls it takes to place a model on a ladder of 40, by schedule.

    python -m benchmarks.placement [--placements 40]

Simulated worlds of 50 models: 40 on the ladder, which is known from one random round, and 10
<<<<<<< HEAD
newcomers, each placed by itself. One order per item, rated by `fractional-logit`. The error of
a placement is measured twice: against the truth, which holds the luck of the newcomer's 45
transcripts and of the ladder, that no schedule can buy away; and against the rating that all
3,600 calls with all opponents give on the same transcripts, which is what a schedule is after.
=======
newcomers, each placed by itself and rated by `fractional-logit`. Errors are against the truth on
the ladder's own scale: the true abilities are mapped by a straight line through the ladder's
ratings, so that the luck of the two anchors, which no schedule can change, is not counted. What
is left of the error with all 3,600 calls is the luck of the newcomer's 45 transcripts.
>>>>>>> wt-ratings
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from eibench import Comparisons
from eibench.core.matchmaking.calls import FIRST, Call
<<<<<<< HEAD
=======
from eibench.core.matchmaking.goals import FLOOR, Orders
>>>>>>> wt-ratings
from eibench.core.matchmaking.matchmaker import Schedule
from eibench.core.ratings import fractional_logit
from eibench.core.testing.placements import Placed, place
from eibench.core.testing.rounds import World
from eibench.testing import Tournament

from .measuring import table

MODELS, NEWCOMERS = 50, 10
LADDER_CALLS = 6720
<<<<<<< HEAD
MOST = {"staged": None, "adaptive": 320, "all": 640}
GRID = tuple(range(8, 641, 8))
=======
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
>>>>>>> wt-ratings


class Course(NamedTuple):
    """Errors of one placement after so many calls, points.

    Attributes:
        calls: After each batch.
<<<<<<< HEAD
        truth: Distance to the truth.
        full: Distance to the rating by all calls.
        half_width: Of the interval; NaN where there is none.
    """

    calls: list[int]
    truth: list[float]
    full: list[float]
    half_width: list[float]

    def at(self, n: int, errors: Sequence[float]) -> float:
        """The error with at most `n` calls; the last one when it stopped before."""
        place = int(np.searchsorted(self.calls, n, side="right")) - 1
        return errors[place] if place >= 0 else float("nan")


def run_world(number: int, n_newcomers: int) -> dict[str, list[Course]]:
    """Some newcomers of one world by each schedule."""
    world = World.draw(100 + number, MODELS)
    played = world.tournament(500 + number)
    anchors = (world.high, world.low)
    others = [i for i in range(MODELS) if i not in anchors]
    newcomers = np.random.default_rng(number).choice(others, NEWCOMERS, replace=False)
    new = {played.models[i] for i in newcomers}
    ladder = _ladder(played, new)
    truth = played.truth(*anchors)
    found: dict[str, list[Course]] = {schedule: [] for schedule in MOST}
    for i in newcomers[:n_newcomers].tolist():
        model = played.models[i]
        full = _full_rating(played, world, model, ladder)
        for schedule in MOST:
            placed = _place(played, world, model, ladder, schedule)  # type: ignore[arg-type]
            found[schedule].append(_course(placed, float(truth[i]), full))
=======
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
>>>>>>> wt-ratings
    return found


def _ladder(played: Tournament, new: set[str]) -> list[Call]:
    """A random round of those who are not new."""
    share = (MODELS - NEWCOMERS) * (MODELS - NEWCOMERS - 1) / (MODELS * (MODELS - 1))
    calls = played.random_calls(round(LADDER_CALLS / share), orders="one")
    return [call for call in calls if not {call.a, call.b} & new]


<<<<<<< HEAD
def _place(
    played: Tournament, world: World, model: str, ladder: Sequence[Call], schedule: Schedule
) -> Placed:
    return place(
        played,
        model,
        ladder,
        schedule,
        rate=fractional_logit.rate,
        settings=world.settings(played),
        max_comparisons=MOST[schedule],
        steps=schedule != "staged",
    )


def _full_rating(played: Tournament, world: World, model: str, ladder: Sequence[Call]) -> float:
    """By all items with all opponents, in both orders."""
    opponents = sorted({name for call in ladder for name in (call.a, call.b)})
    calls = [
        Call(*slot, model, opponent, first)
        for opponent in opponents
        for slot in played.slots
        for first in FIRST
    ]
    known = Comparisons.of([*played.rows(ladder), *played.rows(calls)])
    return fractional_logit.rate(known, world.settings(played))[model].rating


def _course(placed: Placed, truth: float, full: float) -> Course:
    return Course(
        calls=[step.calls for step in placed.steps],
        truth=[step.rating - truth for step in placed.steps],
        full=[step.rating - full for step in placed.steps],
        half_width=[step.half_width or float("nan") for step in placed.steps],
    )


def rms(courses: Sequence[Course], n: int, which: str) -> float:
    """Over placements that have so many calls, or stopped before; NaN before all have."""
    errors = np.array([course.at(n, getattr(course, which)) for course in courses])
    return float(np.sqrt((errors**2).mean()))


def calls_for(courses: Sequence[Course], target: float, which: str) -> float:
    """Mean calls that were made when the error first stayed within a target; NaN if never.

    It has to be there at three points of the grid in a row, as one may be luck.
    """
    errors = np.array([rms(courses, n, which) for n in GRID])
    within = np.nan_to_num(errors, nan=np.inf) <= target
    for i in range(len(GRID) - 2):
        if within[i : i + 3].all():
            return float(np.mean([min(GRID[i], course.calls[-1]) for course in courses]))
    return float("nan")


def report(found: dict[str, list[Course]]) -> str:
    """Errors along the way, and the calls at the accuracy of `staged`."""
    staged = found["staged"]
    cost = float(np.mean([course.calls[-1] for course in staged]))
    ends = {which: rms(staged, 10**6, which) for which in ("truth", "full")}
    head = ["calls", "adaptive: truth", "all calls", "half-width", "all: truth", "all calls"]
    rows = []
    for n in (16, 32, 48, 64, 96, 128, 192, 256, 320, 480, 640):
        adaptive, everything = found["adaptive"], found["all"]
        width = np.nanmean([course.at(n, course.half_width) for course in adaptive])
        cells = [rms(adaptive, n, "truth"), rms(adaptive, n, "full"), width]
        cells += [rms(everything, n, "truth"), rms(everything, n, "full")]
        rows.append([str(n), *(f"{cell:.0f}" for cell in cells)])
    ended = np.mean([course.calls[-1] for course in found["adaptive"]])
    lines = [
        f"{len(staged)} placements; RMS errors in points against the truth and against all calls",
        "",
        table(head, rows),
        "",
        f"staged: {cost:.0f} calls, errors {ends['truth']:.0f} and {ends['full']:.0f}; "
        f"adaptive stops by itself after {ended:.0f}",
    ]
    for which, target in ends.items():
        for schedule in ("adaptive", "all"):
            calls = calls_for(found[schedule], target, which)
            reached = f"{calls:.0f} calls, {cost / calls:.1f} x fewer"
            ratio = reached if calls == calls else "not reached"
            lines.append(f"{schedule} at staged's error against {which}: {ratio}")
=======
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
>>>>>>> wt-ratings
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
<<<<<<< HEAD
    found = {schedule: [c for world in done for c in world[schedule]] for schedule in MOST}
=======
    found = {name: [course for world in done for course in world[name]] for name in done[0]}
>>>>>>> wt-ratings
    print(report(found))


if __name__ == "__main__":
    main()
