"""Whether equals are told apart, and ranks of whole boards hold: boards drawn again and again.

Models come in pairs of equals. What a judge sees of two transcripts is the difference of their
qualities, plus what it likes of a place and of length, plus noise, on eight criteria. The quality
of a transcript is the model's ability, plus how the family suits it, plus luck. Lengths are drawn
anew for each repetition, so that a liking for them falls on another model each time.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from benchmarks.simulated_rounds import Rate
from eibench import Comparisons, Ratings, RatingSettings
from eibench.core.ratings import fractional_logit, glicko2
from eibench.core.ratings.arrays import Floats
from eibench.plugins.kit.simulator import FAMILY_SIZES

from .measuring import table

ENGINES: dict[str, Rate] = {
    "glicko2": glicko2.rate,
    "fractional-logit": fractional_logit.rate,
}


class Liking(NamedTuple):
    """What the judge likes, and how often it is asked.

    Attributes:
        length: What a transcript e times as long gains, in units of ability.
        place: What being read first gains.
        orders: In how many each pair is judged.
        uneven: Share of comparisons in which the first half of the models are read first, where
            one order is judged.
        items: How many items each pair is compared on, of 45.
        noise: Standard deviation between two calls on the same transcripts.
    """

    length: float = 0.0
    place: float = 0.0
    orders: Literal["both", "one"] = "both"
    uneven: float = 0.5
    items: int = 45
    noise: float = 0.4


# With these noises a place of 0.33 has the first one win 65 % between equals: 15 points too many.
WORLDS = {
    "both orders": Liking(),
    "both orders, length .5": Liking(length=0.5),
    "both orders, place 15 %": Liking(place=0.33),
    "one order, place 15 %": Liking(place=0.33, orders="one"),
    "one order, place 15 %, half the models first in 80 %": Liking(
        place=0.33, orders="one", uneven=0.8
    ),
    "one order, place 15 %, length .5": Liking(place=0.33, orders="one", length=0.5),
}


def pairs_of_equals(n_models: int) -> Floats:
    """Abilities from 1.2 down, two of each."""
    return np.repeat(np.linspace(1.2, -1.2, n_models // 2), 2)


def draw(
    ability: Floats, liking: Liking, seed: int, sizes: Sequence[int] = FAMILY_SIZES
) -> Comparisons:
    """One repetition: everything drawn but the abilities, on items in families of these sizes."""
    rng = np.random.default_rng([seed, len(ability)])
    of_items = np.repeat(np.arange(len(sizes)), sizes)
    n, n_items = len(ability), len(of_items)
    quality = ability[:, None] + 0.35 * rng.normal(size=(n, len(sizes)))[:, of_items]
    quality = quality + 0.5 * rng.normal(size=(n, n_items))
    log_length = 8 + 0.3 * rng.normal(size=(n, 1)) + 0.25 * rng.normal(size=(n, n_items))
    pairs = np.array(list(combinations(range(n), 2)))
    kept = rng.random((len(pairs), n_items)).argsort(axis=1)[:, : liking.items]
    kept.sort(axis=1)
    a, b = (np.repeat(pairs[:, end], liking.items) for end in (0, 1))
    item = kept.ravel()
    between = 0.5 * rng.normal(size=len(item))
    if liking.orders == "both":
        a, b, item, between = (np.repeat(column, 2) for column in (a, b, item, between))
        a_first = np.arange(len(item)) % 2 == 1
    else:
        half = np.arange(n) < n // 2
        share = np.where(half[a] & ~half[b], liking.uneven, 0.5)
        a_first = rng.random(len(item)) < share
    seen = quality[a, item] - quality[b, item] + between + liking.noise * rng.normal(size=len(item))
    seen += np.where(a_first, liking.place, -liking.place)
    seen += liking.length * (log_length[a, item] - log_length[b, item])
    felt = seen[:, None] + 0.8 * rng.normal(size=(len(item), 8))
    pluses = np.sign(felt) * np.clip(np.ceil(np.abs(felt)), 1, 5)
    digits = len(str(n))
    return Comparisons(
        models=tuple(f"model-{i:0{digits}}" for i in range(n)),
        items=tuple(f"item-{i:02}" for i in range(n_items)),
        families=tuple(f"family-{i:02}" for i in range(len(sizes))),
        judge="simulated",
        a=a,
        b=b,
        item=item,
        iteration=np.ones(len(item), dtype=np.int64),
        family=of_items[item],
        a_first=a_first,
        margin=pluses.sum(axis=1).astype(np.int64),
        criteria=np.full(len(item), 8),
        len_a=np.exp(log_length[a, item]).round(),
        len_b=np.exp(log_length[b, item]).round(),
    )


class Tally(NamedTuple):
    """What an engine said of each repetition.

    Attributes:
        ratings: Shape (n_repetitions, n_models).
        half_widths: The same shape.
        adjusted: Ratings with a term for length beside them; NaN where there are none.
        adjusted_half_widths: The same shape.
        apart: Share of the pairs of equals that are told apart, each by itself, shape
            (n_repetitions,).
        own: Share of the models whose rank their own interval holds, the same shape.
        board: Whether the intervals of the board hold all ranks, the same shape.
    """

    ratings: Floats
    half_widths: Floats
    adjusted: Floats
    adjusted_half_widths: Floats
    apart: Floats
    own: Floats
    board: Floats


def play(
    rate: Rate,
    ability: Floats,
    liking: Liking,
    repetitions: int,
    sizes: Sequence[int] = FAMILY_SIZES,
) -> Tally:
    """The same board, drawn and rated again and again."""
    found = [
        _one(rate(draw(ability, liking, seed, sizes), RatingSettings()), ability)
        for seed in range(repetitions)
    ]
    return Tally(*(np.array(column, dtype=np.float64) for column in zip(*found, strict=True)))


def _one(ratings: Ratings, ability: Floats) -> tuple[object, ...]:
    assert ratings.tied_alone is not None
    place = sorted(range(len(ratings.rows)), key=lambda n: ratings.rows[n].model)
    tied = ratings.tied_alone[np.ix_(place, place)]
    rows = [ratings.rows[n] for n in place]
    better = (ability[None, :] > ability[:, None]).sum(axis=1)
    equal = (ability[None, :] == ability[:, None]).sum(axis=1)
    ranks = np.stack([better + 1, better + equal], axis=1)
    equals = np.triu(ability[None, :] == ability[:, None], 1)
    own, board = (
        [low <= rank[0] and rank[1] <= high for (low, high), rank in zip(ends, ranks, strict=True)]
        for ends in ([r.rank_ci95 or (0, 0) for r in rows],
                     [r.rank_ci95_board or (0, 0) for r in rows])
    )  # fmt: skip
    widths = [row.ci95_length_adjusted or (None, None) for row in rows]
    return (
        [row.rating for row in rows],
        [row.half_width for row in rows],
        [row.rating_length_adjusted for row in rows],
        [None if None in ends else (ends[1] - ends[0]) / 2 for ends in widths],  # type: ignore[operator]
        np.mean(~tied[equals]),
        np.mean(own),
        all(board),
    )


def _holds(ratings: Floats, half_widths: Floats) -> str:
    """Percent of intervals that hold the mean of the repetitions, distances stretched back."""
    if np.isnan(ratings).all():
        return "-"
    n = len(ratings)
    distance = np.abs(ratings - ratings.mean(axis=0)) * (n / (n - 1)) ** 0.5
    return f"{100 * (distance <= half_widths).mean():.1f}"


def _share(values: Floats) -> str:
    """A mean in percent, with its standard error over repetitions."""
    error = values.std(ddof=1) / len(values) ** 0.5
    return f"{100 * values.mean():.1f} ± {100 * error:.1f}"


def measure_equals(repetitions: int, only: str = "") -> str:
    """Ten models in five pairs of equals, all on all 45 items in 26 families."""
    head = ["world", "engine", "equals told apart %", "interval holds its mean %"]
    head += ["length-adjusted holds %", "own rank interval %", "board's ranks %"]
    rows = []
    for world, liking in WORLDS.items():
        for name, rate in ENGINES.items():
            if name.startswith(only):
                found = play(rate, pairs_of_equals(10), liking, repetitions)
                rows.append([
                    world, name, _share(found.apart),
                    _holds(found.ratings, found.half_widths),
                    _holds(found.adjusted, found.adjusted_half_widths),
                    _share(found.own), _share(found.board),
                ])  # fmt: skip
    message = f"10 models in 5 pairs of equals, 26 families, {repetitions} repetitions"
    return f"{message}\n\n{table(head, rows)}"


def measure_boards(repetitions: Sequence[int]) -> str:
    """Boards of 10, 46 and 100 models: whether the intervals of all ranks hold."""
    head = ["models", "repetitions", "own rank interval %", "all ranks of the board %"]
    rows = []
    for n, times, items in zip((10, 46, 100), repetitions, (45, 45, 15), strict=True):
        found = play(glicko2.rate, pairs_of_equals(n), Liking(orders="one", items=items), times)
        rows.append([str(n), str(times), _share(found.own), _share(found.board)])
    return f"glicko2, one order, pairs of equals\n\n{table(head, rows)}"


def measure_invariance() -> str:
    """What changes when lines, places or names do."""
    made = draw(pairs_of_equals(10), WORLDS["one order, place 15 %, length .5"], 0)
    rows = [
        [name, *(f"{_moved(rate, made, change):.0e}" for change in (_shuffled, _swapped, _renamed))]
        for name, rate in ENGINES.items()
    ]
    head = ["engine", "lines shuffled", "a and b swapped", "models renamed"]
    return f"largest change of a rating or an end of its interval, points\n\n{table(head, rows)}"


Lines = list[dict[str, object]]


def _moved(rate: Rate, made: Comparisons, change: Callable[[Lines], Lines]) -> float:
    lines = _as_lines(made)
    before = {row.model: row for row in rate(_of(lines), RatingSettings()).rows}
    after = {row.model: row for row in rate(_of(change(lines)), RatingSettings()).rows}
    named = change is _renamed
    pairs = [(row, after[_other(name) if named else name]) for name, row in before.items()]
    ends = [(a.rating - b.rating, (a.half_width or 0) - (b.half_width or 0)) for a, b in pairs]
    return float(np.abs(ends).max())


def _of(lines: Lines) -> Comparisons:
    from eibench import Comparison

    return Comparisons.of(Comparison(**line) for line in lines)  # type: ignore[arg-type]


def _as_lines(made: Comparisons) -> Lines:
    return [
        {
            "item": made.items[made.item[i]],
            "iteration": 1,
            "a": made.models[made.a[i]],
            "b": made.models[made.b[i]],
            "first": "a" if made.a_first[i] else "b",
            "margins": _spread(int(made.margin[i])),
            "len_a": float(made.len_a[i]),
            "len_b": float(made.len_b[i]),
            "family": made.families[made.family[i]],
        }
        for i in range(len(made))
    ]


def _spread(margin: int) -> dict[str, int]:
    """A sum of pluses as one criterion's margin of its sign."""
    return {"c": int(np.clip(round(margin / 8), -5, 5)) or 1}


def _shuffled(lines: Lines) -> Lines:
    order = np.random.default_rng(1).permutation(len(lines))
    return [lines[i] for i in order]


def _swapped(lines: Lines) -> Lines:
    return [
        {
            **line,
            "a": line["b"],
            "b": line["a"],
            "first": "b" if line["first"] == "a" else "a",
            "margins": {"c": -line["margins"]["c"]},  # type: ignore[index]
            "len_a": line["len_b"],
            "len_b": line["len_a"],
        }
        for line in lines
    ]


def _other(name: str) -> str:
    """The name of the model as far from the other end: sorting is turned round."""
    return f"model-{99 - int(name.removeprefix('model-')):02}"


def _renamed(lines: Lines) -> Lines:
    return [{**line, "a": _other(str(line["a"])), "b": _other(str(line["b"]))} for line in lines]
