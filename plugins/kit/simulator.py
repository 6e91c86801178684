"""A simulated tournament: models of known ability, and a judge with known faults.

What a judge sees of two transcripts is the difference of their qualities, plus what it likes
of a place and of length, plus noise. A transcript's quality is the model's ability, plus how
the family of scenarios suits the model, plus luck; it is the same in every comparison that the
transcript is in. Every random number is a function of the seed and of what it is for, so a call
has the same outcome whenever it is made, whatever else is asked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from eibench import Comparison, Comparisons
from eibench.checking import Call

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]

FAMILY_SIZES = (4, 4, 3, *[2] * 11, *[1] * 12)
"""How many of the 45 scenarios of EQ-Bench 3 share a text: 26 families."""


class Noise(NamedTuple):
    """Standard deviations, and the judge's leanings, in units of ability.

    Attributes:
        family: How a family suits a model.
        transcript: Luck of one transcript.
        pair: What one judge makes of two transcripts beside their quality.
        call: Between two calls on the same two transcripts.
        criterion: Between the criteria of one call.
        position: What being read first is worth.
        position_item: Standard deviation of that between items.
        length: What a length e times as long is worth.
        unread: Share of calls whose reply cannot be read.
    """

    family: float = 0.35
    transcript: float = 0.5
    pair: float = 0.5
    call: float = 0.4
    criterion: float = 0.8
    position: float = 0.25
    position_item: float = 0.25
    length: float = 0.5
    unread: float = 0.02


NOISE = Noise()


@dataclass(frozen=True)
class Tournament:
    """Models and items of which comparisons can be bought.

    Args:
        abilities: Of each model; a unit is about one plus per criterion.
        seed: Of all that is random.
        family_sizes: How many items each family has.
        iterations: Transcripts of each model and item.
        noise: What disturbs the judge.
        criteria: How many criteria a reply has.
        log_length: Mean logarithm of each model's lengths; drawn if not given.
    """

    abilities: Sequence[float]
    seed: int = 0
    family_sizes: Sequence[int] = FAMILY_SIZES
    iterations: int = 1
    noise: Noise = NOISE
    criteria: int = 8
    log_length: Sequence[float] = field(default=())

    @property
    def models(self) -> tuple[str, ...]:
        """Names, sorted as the abilities are given."""
        digits = len(str(len(self.abilities) - 1))
        return tuple(f"model-{i:0{digits}}" for i in range(len(self.abilities)))

    @property
    def families(self) -> dict[str, str]:
        """The family of each item."""
        named = ((f"family-{i:02}", size) for i, size in enumerate(self.family_sizes))
        of = chain.from_iterable([family] * size for family, size in named)
        return {f"item-{i:02}": family for i, family in enumerate(of)}

    @property
    def slots(self) -> tuple[tuple[str, int], ...]:
        """Each item in each iteration."""
        iterations = range(1, self.iterations + 1)
        return tuple((item, n) for item in self.families for n in iterations)

    def truth(self, first: int, second: int, high: float = 1500, low: float = 200) -> Floats:
        """Each model's true rating on the scale of two of them, shape (n_models,)."""
        ability = np.asarray(self.abilities, dtype=np.float64)
        ratio = (ability - ability[first]) / (ability[first] - ability[second])
        return np.asarray(high + (high - low) * ratio)

    def appeal(self) -> Floats:
        """How good each transcript is to the judge, shape (n_models, n_slots).

        Its quality, and what is liked of its length beside one of 3,000 characters (e to the 8th).
        """
        families = self.families
        number = {name: i for i, name in enumerate(dict.fromkeys(families.values()))}
        family = np.array([number[families[item]] for item, _ in self.slots])
        model, slot = np.indices((len(self.abilities), len(self.slots)))
        liked = self._length_bias(self._length(model, slot) - 8)
        return np.asarray(self._quality(model, family[slot], slot) + liked)

    def margins(self, calls: Sequence[Call]) -> Ints:
        """What the judge says to calls, whether it could be read or not.

        Args:
            calls: At least one.

        Returns:
            The margins, positive where `a` wins, shape (n_calls, n_criteria).
        """
        return self._draw(calls).margins

    def judge(self, calls: Sequence[Call]) -> Comparisons:
        """The comparisons of those calls whose replies could be read."""
        return Comparisons.of(self.rows(calls))

    def rows(self, calls: Sequence[Call]) -> Iterator[Comparison]:
        """The same as lines of a file."""
        if not calls:
            return
        drawn, families = self._draw(calls), self.families
        for n, call in enumerate(calls):
            if drawn.read[n]:
                named = enumerate(drawn.margins[n].tolist())
                yield Comparison(
                    *call,
                    margins={f"criterion-{c}": margin for c, margin in named},
                    judge="simulated",
                    len_a=float(drawn.len_a[n]),
                    len_b=float(drawn.len_b[n]),
                    family=families[call.item],
                )

    def random_calls(self, n_items: int, *, orders: Literal["one", "both"] = "both") -> list[Call]:
        """Calls on so many random items (pair, scenario, iteration), each at most once.

        With one order, which model is first is random.
        """
        rng = np.random.default_rng([self.seed, 77])
        models, slots = self.models, self.slots
        pairs = list(combinations(range(len(models)), 2))
        chosen = rng.choice(len(pairs) * len(slots), n_items, replace=False)
        calls: list[Call] = []
        for number, first_is_a in zip(chosen.tolist(), rng.random(n_items) < 0.5, strict=True):
            i, j = pairs[number % len(pairs)]
            a, b, (item, iteration) = models[i], models[j], slots[number // len(pairs)]
            forward, back = (Call(item, iteration, a, b, first) for first in ("a", "b"))
            calls += [forward, back] if orders == "both" else [forward if first_is_a else back]
        return calls

    def _draw(self, calls: Sequence[Call]) -> "_Drawn":
        """What the judge says to each call."""
        index = {name: i for i, name in enumerate(self.models)}
        slot = {key: i for i, key in enumerate(self.slots)}
        families = self.families
        family_of = {f: i for i, f in enumerate(dict.fromkeys(families.values()))}
        a = np.array([index[call.a] for call in calls])
        b = np.array([index[call.b] for call in calls])
        s = np.array([slot[call.item, call.iteration] for call in calls])
        family = np.array([family_of[families[call.item]] for call in calls])
        a_first = np.array([call.first == "a" for call in calls])
        low, high, sign = np.minimum(a, b), np.maximum(a, b), np.where(a < b, 1.0, -1.0)
        length_a, length_b = self._length(a, s), self._length(b, s)
        noise = self.noise
        seen = self._quality(a, family, s) - self._quality(b, family, s)
        seen += sign * noise.pair * self._normal("pair", low, high, s)
        lean = noise.position + noise.position_item * self._normal("lean", low, high, s)
        seen += np.where(a_first, lean, -lean) + self._length_bias(length_a - length_b)
        read_low_first = a_first == (a < b)
        seen += sign * noise.call * self._normal("call", low, high, s, read_low_first)
        columns = tuple(x[:, None] for x in (low, high, s, read_low_first))
        felt = self._felt(seen[:, None], sign[:, None], columns)
        unread = self._uniform("unread", low, high, s, read_low_first) < noise.unread
        return _Drawn(_pluses(felt), ~unread, np.exp(length_a).round(), np.exp(length_b).round())

    def _length_bias(self, longer: Floats) -> Floats:
        """What the judge likes of a length that is so much larger, as a logarithm."""
        return self.noise.length * longer

    def _felt(self, seen: Floats, sign: Floats, call: tuple[Ints | Bools, ...]) -> Floats:
        """What the judge feels criterion by criterion, shape (n_calls, n_criteria).

        `seen` is the call's mean, positive where `a` is ahead, `sign` 1 where `a` has the lower
        index, else -1; both have the shape (n_calls, 1), and so have the columns of `call`.
        """
        criterion = np.arange(self.criteria)[None, :]
        felt = self._normal("criterion", *call, criterion)
        return np.asarray(seen + sign * self.noise.criterion * felt)

    def _quality(self, model: Ints, family: Ints, slot: Ints) -> Floats:
        suits = self.noise.family * self._normal("family", model, family)
        luck = self.noise.transcript * self._normal("transcript", model, slot)
        return np.asarray(np.asarray(self.abilities)[model] + suits + luck)

    def _length(self, model: Ints, slot: Ints) -> Floats:
        """Logarithm of the characters of a transcript."""
        usual = 8 + 0.3 * self._normal("length of a model", model)
        if self.log_length:
            usual = np.asarray(self.log_length, dtype=np.float64)[model]
        return np.asarray(usual + 0.25 * self._normal("length of a transcript", model, slot))

    def _uniform(self, what: str, *index: Ints | Bools) -> Floats:
        """Numbers in (0, 1) that depend on the seed, on what they are for, and on the index."""
        purpose = int.from_bytes(what.encode()[:8], "little")
        mixed = _mix(np.uint64(self.seed % 2**63), np.asarray(purpose, dtype=np.uint64))
        for part in (np.asarray(len(what)), *index):
            mixed = _mix(mixed, np.asarray(part).astype(np.uint64))
        return np.asarray(((mixed >> np.uint64(11)).astype(np.float64) + 0.5) / 2**53)

    def _normal(self, what: str, *index: Ints | Bools) -> Floats:
        """Standard normal numbers: Box and Muller (1958)."""
        radius = np.sqrt(-2 * np.log(self._uniform(f"r {what}", *index)))
        return np.asarray(radius * np.cos(2 * np.pi * self._uniform(f"a {what}", *index)))


class _Drawn(NamedTuple):
    margins: Ints
    read: Bools
    len_a: Floats
    len_b: Floats


def _pluses(felt: Floats) -> Ints:
    """Margins -5 to 5 without 0."""
    size = np.clip(np.ceil(np.abs(felt)), 1, 5).astype(np.int64)
    return np.where(felt < 0, -size, size)


def _mix(state: Words | np.uint64, value: Words) -> Words:
    """splitmix64 (Steele, Lea and Flood 2014) with a value stirred in."""
    with np.errstate(over="ignore"):
        mixed = np.asarray(state + value * np.uint64(0xD1342543DE82EF95))
        mixed = mixed + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(mixed ^ (mixed >> np.uint64(31)))
