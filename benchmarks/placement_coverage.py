"""How often the interval of a placement that stopped at a target holds the truth.

Each newcomer is placed until its interval is within the target, with new transcripts of everybody:
each in a world of its own. The truth is the rating that all transcripts would give. Anchors have
luck too, and the truth has none, so the interval has to hold that as well.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from eibench.core.matchmaking.goals import Batch, Goal, NoMoreCalls
from eibench.core.matchmaking.matchmaker import Matchmaker
from eibench.core.ratings import glicko2
from eibench.plugins.kit.simulator import NOISE

from .measuring import table
from .placement_ways import Place

TARGETS = (220.0, 180.0, 160.0, 140.0)
MOST = 400
"""Calls after which a target is given up."""


class Held(NamedTuple):
    """One placement at one target."""

    target: float
    calls: int
    half_width: float
    held: bool


def report_coverage(worlds: range, newcomers: int, processes: int) -> str:
    """A row for each target."""
    with ProcessPoolExecutor(processes) as pool:
        found = [row for rows in pool.map(partial(_world, newcomers), worlds) for row in rows]
    rows = []
    for target in TARGETS:
        met = [row for row in found if row.target == target]
        n = len(met)
        share = sum(row.held for row in met) / n if n else float("nan")
        error = (share * (1 - share) / n) ** 0.5 if n else float("nan")
        calls = sum(row.calls for row in met) / n if n else float("nan")
        rows.append([f"{target:g}", str(n), f"{calls:.0f}", f"{100 * share:.1f}",
                     f"{100 * error:.1f}"])  # fmt: skip
    return table(["target", "met by", "calls", "held, %", "standard error"], rows)


def _world(newcomers: int, number: int) -> list[Held]:
    """Some newcomers of one world, by a judge that does not care for length."""
    place = Place("normal", number, noise=NOISE._replace(length=0.0))
    return [row for i in place.newcomers[:newcomers] for row in _placed(place, i)]


def _placed(place: Place, i: int) -> Iterator[Held]:
    """One newcomer at each target in turn: its calls do not depend on the target."""
    model, played = place.played.models[i], place.played
    truth = float(played.truth(place.world.high, place.world.low)[i])
    goal = Goal(
        model, place.pool(model), glicko2.rate, place.settings, "mixed", max_comparisons=MOST
    )
    history: list[Batch] = []
    for target in TARGETS:
        maker = Matchmaker(replace(goal, target_ci=target), place.ladder.known, "adaptive")
        while True:
            calls = [call for batch in history for call in batch.calls]
            known = place.ladder.with_calls(played, calls)
            batch = maker.next_batch(known, history)
            if isinstance(batch, NoMoreCalls):
                break
            history.append(batch)
        if batch.kind != "precise":
            return
        row = glicko2.rate(known, place.settings)[model]
        assert row.half_width is not None
        yield Held(target, len(calls), row.half_width, abs(row.rating - truth) <= row.half_width)
