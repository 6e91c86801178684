"""`benchmarks.placement` in its quick mode: that it runs, and that its errors are errors."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.placement_error import Clones
from benchmarks.placement_reference import reference_of
from benchmarks.placement_ways import SMALL, Place, balanced_calls, usual_world
from benchmarks.simulated_logistic import LogisticTournament
from eibench.core.ratings import glicko2

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def place() -> Place:
    """A small world."""
    return Place("normal", 3, extent=SMALL)


def test_the_program_prints_its_tables() -> None:
    """Of one simulation, every way in a row or a column."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.placement", "--quick", "--kind", "normal"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("normal: 2 placements in 2 worlds")
    for way in ("adaptive / reference", "staged, both orders", "adaptive, 3 iterations", "ratio"):
        assert f"| {way}" in done.stdout


def test_clones_are_rated_as_the_engine_rates(place: Place) -> None:
    """A newcomer by itself, on the standing ladder, is within a few points of its own rating."""
    i = place.newcomers[0]
    model, played = place.played.models[i], place.played
    calls = balanced_calls(place, model, 90)
    known = place.ladder.with_calls(played, calls)
    rated = glicko2.rate(known, place.settings)
    ladder = [row.model for row in rated.rows if row.model != model]
    at = [place.ladder.strengths[played.models.index(name)] for name in ladder]
    slope, start = np.polyfit(at, [rated[name].rating for name in ladder], 1)
    clones = Clones(played, place.ladder, i, 1)
    (own,) = clones.rated(played, [model], calls)
    assert start + slope * own == pytest.approx(rated[model].rating, abs=15)


def test_more_calls_leave_less_error(place: Place) -> None:
    """And none less than the reference, but for chance."""
    i = place.newcomers[0]
    clones = Clones(place.played, place.ladder, i, 60)
    calls = balanced_calls(place, place.played.models[i], 180)
    few, many = ((clones.errors(calls[:n]) ** 2).mean() ** 0.5 for n in (20, 180))
    assert many < 0.8 * few


@pytest.mark.parametrize("kind", ["normal", "logistic"])
def test_the_bound_is_what_transcripts_and_judge_leave(kind: str) -> None:
    """In the normal simulation as its constants say, in ratios of one to the other."""
    reference = reference_of(partial(usual_world, kind), 600)
    assert reference.error(1e9) == pytest.approx(reference.floor, rel=1e-3)
    assert reference.error(64) > reference.error(128)
    if kind == "normal":
        luck = 0.5**2 / 45 + 0.35**2 * 97 / 45**2 + (0.5 * 0.25) ** 2 / 45
        judge = 0.5**2 + 0.25**2 + 0.4**2 + 0.8**2 / 8
        assert reference.per_call / reference.floor == pytest.approx(
            (judge / luck) ** 0.5, rel=0.15
        )


def test_the_other_simulation_is_of_another_kind() -> None:
    """Its luck has heavy tails, longer replies are better, and stronger models write more."""
    world = LogisticTournament([-1.5, 0.0, 1.5] * 200, seed=4)
    quality = world.appeal()
    luck = (quality - quality.mean(axis=1, keepdims=True)).ravel()
    tails = float((luck**4).mean() / (luck**2).mean() ** 2)
    assert tails > 3.3
    rows = list(world.rows(world.random_calls(500)))
    ability = dict(zip(world.models, world.abilities, strict=True))
    known = world.judge(world.random_calls(500))
    gaps = np.log(known.len_a / known.len_b)
    ahead = [ability[known.models[a]] - ability[known.models[b]]
             for a, b in zip(known.a, known.b, strict=True)]  # fmt: skip
    assert np.corrcoef(gaps, ahead)[0, 1] > 0.2
    full = [abs(margin) == 5 for row in rows for margin in row.margins.values()]
    assert 0.05 < np.mean(full) < 0.4
