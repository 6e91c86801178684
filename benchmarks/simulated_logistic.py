"""A simulated tournament of another kind than `Tournament`'s: what holds in both is no accident.

The luck of transcripts has heavy tails (Student's t with 5 degrees of freedom), longer replies are
better, and stronger models write longer ones. The judge's liking for length has an end, and so has
what it makes of a difference; its doubt is logistic; some of its verdicts are the wrong way round;
and its margins often reach the largest there is.
"""

from dataclasses import dataclass

import numpy as np

from eibench.core.ratings.arrays import Bools, Floats, Ints
from eibench.plugins.kit.simulator import Tournament

_DEGREES = 5


@dataclass(frozen=True)
class LogisticTournament(Tournament):
    """Models and items of which comparisons can be bought; arguments beside `Tournament`'s.

    Args:
        helps: What a length e times as long adds to a transcript's quality.
        longer: How much longer, as a logarithm, a model writes for each unit of ability.
        largest: The largest difference that the judge makes of any two transcripts.
        doubt: Scale of the logistic noise of a criterion.
        stretch: Pluses for a unit of what is felt.
        flips: Share of criteria that are told the wrong way round.
    """

    helps: float = 0.3
    longer: float = 0.1
    largest: float = 2.5
    doubt: float = 0.5
    stretch: float = 1.5
    flips: float = 0.04

    def _length_bias(self, longer: Floats) -> Floats:
        return np.asarray(self.noise.length * np.tanh(longer))

    def _felt(self, seen: Floats, sign: Floats, call: tuple[Ints | Bools, ...]) -> Floats:
        criterion = np.arange(self.criteria)[None, :]
        share = self._uniform("doubt", *call, criterion)
        doubt = self.doubt * np.log(share / (1 - share))
        felt = self.largest * np.tanh(seen / self.largest) + sign * doubt
        flipped = self._uniform("flip", *call, criterion) < self.flips
        return np.asarray(self.stretch * np.where(flipped, -felt, felt))

    def _quality(self, model: Ints, family: Ints, slot: Ints) -> Floats:
        suits = self.noise.family * self._normal("family", model, family)
        luck = self.noise.transcript * self._student("transcript", model, slot)
        length = self.helps * (self._length(model, slot) - 8)
        return np.asarray(np.asarray(self.abilities)[model] + suits + luck + length)

    def _length(self, model: Ints, slot: Ints) -> Floats:
        more = self.longer * np.asarray(self.abilities, dtype=np.float64)[model]
        return np.asarray(super()._length(model, slot) + more)

    def _student(self, what: str, *index: Ints | Bools) -> Floats:
        """Numbers by Student's t, of variance 1."""
        chi2 = sum(self._normal(f"{n} of {what}", *index) ** 2 for n in range(_DEGREES))
        spread = ((_DEGREES - 2) / np.maximum(chi2, 1e-9)) ** 0.5
        return np.asarray(self._normal(what, *index) * spread)
