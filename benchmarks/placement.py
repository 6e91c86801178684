"""How far off a newcomer's rating is after n judge calls, by schedule.

    python -m benchmarks.placement [--worlds 20] [--newcomers 2] [--clones 100] [--processes 1]
    python -m benchmarks.placement --coverage
    python -m benchmarks.placement --quick

All ways are rated by `glicko2`, in the same worlds, on the same ladder, after the same number of
calls. Their expected errors (`placement_error`) stand beside a reference (`placement_reference`).
Intervals are 95 %, by drawing worlds with replacement. Two simulations that differ in kind tell the
same story, or it is none.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from eibench.core.matchmaking.calls import Call, Orders
from eibench.core.ratings.arrays import Floats

from .measuring import table
from .placement_coverage import report_coverage
from .placement_error import Clones
from .placement_reference import Reference, reference_of
from .placement_ways import (
    KINDS,
    SMALL,
    WHOLE,
    Extent,
    Place,
    balanced_calls,
    place_adaptively,
    place_by,
    usual_world,
)

GRID = (32, 64, 96, 128, 192, 256)
LATER = (320, 400)
"""Further calls of the schedule without choice, which takes more of them to the same error."""
ITERATIONS, THRICE = 3, (32, 64, 110, 192)
SLACK = 1.25
"""Times the floor that calls are counted to."""
DRAWS = 2000
NO_CHOICE, ADAPTIVE, SCORED = "balanced random", "adaptive", "adaptive, with rubric scores"
STOPS, LONGER = "adaptive, as it stops", "adaptive, 3 iterations"
STAGED: dict[str, Orders] = {"staged, one order": "one", "staged, both orders": "both"}


class Sizes(NamedTuple):
    """How much is measured."""

    worlds: range
    newcomers: int
    clones: int
    grid: tuple[int, ...] = GRID
    reference: int = 6000
    extent: Extent = WHOLE

    @property
    def later(self) -> tuple[int, ...]:
        """The grid, and what follows it where there is more to see."""
        return self.grid + LATER if self.grid == GRID else self.grid


Found = dict[tuple[str, int], list[tuple[float, int]]]
"""By way and calls (0: to its end), of each newcomer the squared error, points, and the calls."""


class Measured(NamedTuple):
    """What was found of one world; `unit` is its points in a natural unit."""

    found: Found
    unit: float


def run_world(kind: str, sizes: Sizes, number: int) -> Measured:
    """Some newcomers of one world, each placed in every way."""
    place, thrice = (Place(kind, number, n, extent=sizes.extent) for n in (1, ITERATIONS))
    found: Found = {}
    for i in place.newcomers[: sizes.newcomers]:
        for way, at, error, calls in (*_placed(place, i, sizes), *_longer(thrice, i, sizes)):
            found.setdefault((way, at), []).append((error, calls))
    return Measured(found, place.ladder.unit)


Row = tuple[str, int, float, int]


def _placed(place: Place, i: int, sizes: Sizes) -> Iterator[Row]:
    """One newcomer with one iteration, in every way."""
    model, most = place.played.models[i], max(sizes.grid)
    errors = _errors_of(place, i, sizes)
    calls, stopped = place_adaptively(place, model, most, scored=False)
    guided, _ = place_adaptively(place, model, most, scored=True)
    random = balanced_calls(place, model, max(sizes.later))
    for way, course in ((ADAPTIVE, calls), (SCORED, guided), (NO_CHOICE, random)):
        grid = sizes.later if way == NO_CHOICE else sizes.grid
        yield from ((way, n, errors(course[:n]), n) for n in grid)
    yield STOPS, 0, errors(calls[:stopped]), stopped
    for way, orders in STAGED.items():
        course = place_by(place, model, "staged", orders)
        yield way, 0, errors(course), len(course)


def _longer(place: Place, i: int, sizes: Sizes) -> Iterator[Row]:
    """One newcomer with three iterations of everybody."""
    grid = [n for n in THRICE if n <= max(sizes.grid)]
    calls, _ = place_adaptively(place, place.played.models[i], max(grid), scored=False)
    errors = _errors_of(place, i, sizes)
    yield from ((LONGER, n, errors(calls[:n]), n) for n in grid)


def _errors_of(place: Place, i: int, sizes: Sizes) -> Callable[[Sequence[Call]], float]:
    """The expected squared error of a newcomer after some calls."""
    clones = Clones(place.played, place.ladder, i, sizes.clones)
    return lambda calls: float((clones.errors(calls) ** 2).mean())


class Drawn(NamedTuple):
    """A figure and its 95 % interval over worlds."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Floats) -> "Drawn":
        """The first of some values, the others being those of drawn worlds."""
        low, high = np.quantile(values[1:], (0.025, 0.975), method="nearest")
        return cls(float(values[0]), float(low), float(high))

    def text(self, places: int) -> str:
        """As ``1.04 [1.02, 1.07]``; what the grid does not reach is infinite."""
        if not np.isfinite(self.value):
            return "not reached"
        return f"{self.value:.{places}f} [{self.low:.{places}f}, {self.high:.{places}f}]"


class Findings:
    """The figures of one simulation, each with those of drawn worlds behind it."""

    def __init__(self, worlds: Sequence[Measured], reference: Reference, sizes: Sizes) -> None:
        n = len(worlds)
        drawn = np.random.default_rng(1).integers(n, size=(DRAWS, n))
        self._drawn = np.vstack([np.arange(n), drawn])
        self._worlds, self._reference, self._sizes = worlds, reference, sizes

    def error(self, way: str, at: int) -> Floats:
        """Root of the mean squared error, points, shape (1 + DRAWS,)."""
        return self._mean([[e for e, _ in world.found[way, at]] for world in self._worlds]) ** 0.5

    def calls(self, way: str, at: int = 0) -> Floats:
        """The mean number of calls, the same shape."""
        return self._mean([[n for _, n in world.found[way, at]] for world in self._worlds])

    def reference(self, calls: float) -> Floats:
        """What no schedule can beat, points, the same shape."""
        squares = [[(world.unit * self._reference.error(calls)) ** 2] for world in self._worlds]
        return self._mean(squares) ** 0.5

    def _mean(self, rows: Sequence[Sequence[float]]) -> Floats:
        return np.asarray(np.array([np.mean(row) for row in rows])[self._drawn].mean(axis=1))

    def calls_to(self, way: str, grid: Sequence[int], target: Floats) -> Floats:
        """Calls at which a way's error is down to a target, the same shape.

        Between two points of the grid the squared error falls as 1 / calls does. Before the first
        it is taken to, and after the last calls are infinite.
        """
        errors = np.array([self.error(way, n) for n in grid]) ** 2
        inverse = 1 / np.array(grid, dtype=np.float64)
        squares = np.minimum.accumulate(errors)  # it does not rise but by chance
        found = [
            1 / np.interp(aim, squares[::-1, k], inverse[::-1], left=0.0)
            if aim >= squares[-1, k]
            else np.inf
            for k, aim in enumerate(target**2)
        ]
        return np.array(found)

    def report(self) -> str:
        """Tables of errors at equal calls, of ends, and of calls at equal errors."""
        return "\n\n".join([self._equal(), self._ends(), self._needed()])

    def _equal(self) -> str:
        rows = []
        for n in self._sizes.grid:
            reference = self.reference(n)
            cells = [f"{self.error(way, n)[0]:.1f}" for way in (ADAPTIVE, SCORED, NO_CHOICE)]
            ratios = [
                Drawn.of(self.error(way, n) / reference).text(3) for way in (ADAPTIVE, NO_CHOICE)
            ]
            rows.append([str(n), f"{reference[0]:.1f}", *cells, *ratios])
        head = ["calls", "reference", ADAPTIVE, SCORED, NO_CHOICE]
        return table([*head, f"{ADAPTIVE} / reference", f"{NO_CHOICE} / reference"], rows)

    def _ends(self) -> str:
        floor = self.reference(np.inf)
        rows = []
        for way, at in ((STOPS, 0), *((way, 0) for way in STAGED), *self._thrice):
            error, calls = self.error(way, at), self.calls(way, at)
            rows.append([way, f"{calls[0]:.0f}", Drawn.of(error).text(1),
                         Drawn.of(error / floor).text(2)])  # fmt: skip
        return table(["way", "calls", "error", "error / floor of one iteration"], rows)

    @property
    def _thrice(self) -> list[tuple[str, int]]:
        return [(LONGER, n) for n in THRICE if n <= max(self._sizes.grid)]

    def _needed(self) -> str:
        grid, target = self._sizes.grid, SLACK * self.reference(np.inf)
        ours = self.calls_to(ADAPTIVE, grid, target)
        theirs = self.calls_to(NO_CHOICE, self._sizes.later, target)
        both = "staged, both orders"
        longer = self.calls_to(LONGER, [n for _, n in self._thrice], self.error(both, 0))
        rows = [
            [f"calls to {SLACK:g} x the floor, {ADAPTIVE}", Drawn.of(ours).text(0)],
            [f"the same, {NO_CHOICE}", Drawn.of(theirs).text(0)],
            ["ratio", Drawn.of(_ratio(ours, theirs)).text(2)],
            [f"calls of {both}", Drawn.of(self.calls(both)).text(0)],
            [f"calls of {LONGER}, to the error of that", Drawn.of(longer).text(0)],
        ]
        return table(["figure", "value"], rows)


def _ratio(some: Floats, others: Floats) -> Floats:
    """Infinite where `some` are, 0 where `others` alone are."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(some), some / others, np.inf)


def measure(kind: str, sizes: Sizes, processes: int) -> str:
    """All figures of one simulation."""
    work = partial(run_world, kind, sizes)
    if processes == 1:
        worlds = [work(number) for number in sizes.worlds]
    else:
        with ProcessPoolExecutor(processes) as pool:
            worlds = list(pool.map(work, sizes.worlds))
    found = Findings(worlds, reference_of(partial(usual_world, kind), sizes.reference), sizes)
    n = len(sizes.worlds) * sizes.newcomers
    return f"{kind}: {n} placements in {len(sizes.worlds)} worlds\n\n{found.report()}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("benchmarks.placement", description=__doc__)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--first-world", type=int, default=0, help="others give fresh placements")
    parser.add_argument("--newcomers", type=int, default=2, help="of each world, at most 10")
    parser.add_argument("--clones", type=int, default=100, help="newcomers that errors are of")
    parser.add_argument("--kind", choices=KINDS, action="append", help="default: all")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--coverage", action="store_true", help="of intervals under --target-ci")
    parser.add_argument("--quick", action="store_true", help="two worlds, to see that it works")
    given = parser.parse_args()
    worlds = range(given.first_world, given.first_world + given.worlds)
    if given.coverage:
        print(report_coverage(worlds, given.newcomers, given.processes))
        return
    sizes = Sizes(worlds, given.newcomers, given.clones)
    if given.quick:
        sizes = Sizes(worlds[:2], 1, 10, grid=(32, 64), reference=200, extent=SMALL)
    for kind in given.kind or KINDS:
        print(measure(kind, sizes, given.processes), flush=True)


if __name__ == "__main__":
    main()
