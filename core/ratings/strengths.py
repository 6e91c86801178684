"""How strong models are, and how strong without one family of items or one model."""

from collections.abc import Iterator
from typing import NamedTuple

from .arrays import Floats, Ints
from .comparisons import Comparisons
from .fractional_logit import Calls, grouped, maximise
from .glicko2 import FixedPoint, weights_of
from .settings import RatingSettings


class Strengths(NamedTuple):
    """Strengths of models by the default engine, and with something left out. Made by `of`.

    Only models of one component, which comparisons connect, share a scale; components are numbers
    from 0 by their smallest member.

    Attributes:
        comparisons: What they are made of.
        calls: The likelihood's, a row for each comparison.
        theta: Natural units, shape (n_models,).
        replicates: Without one family each, shape (n_families, n_models).
    """

    comparisons: Comparisons
    calls: Calls
    theta: Floats
    replicates: Floats

    @classmethod
    def of(cls, comparisons: Comparisons) -> "Strengths":
        """Those of comparisons whose models are each in one."""
        solved = FixedPoint(comparisons, weights_of(comparisons, RatingSettings()))
        n = solved.calls.n_models
        return cls(comparisons, solved.calls, solved.fit.theta, solved.replicates[:, :n])

    @property
    def component(self) -> Ints:
        """That of each model, shape (n_models,)."""
        return self.calls.component

    def without_families(self) -> Iterator[tuple[Floats, Ints]]:
        """Strengths without one family each, and the components of what is left."""
        for family, theta in enumerate(self.replicates):
            yield theta, self.calls.only(self.comparisons.family != family).component

    def without_models(self) -> Iterator[tuple[Floats, Ints]]:
        """The same without one model each, found anew: a solution for each."""
        calls = grouped(self.calls)
        for model in range(calls.n_models):
            left = calls.only((calls.first != model) & (calls.second != model))
            yield maximise(left).theta, left.component
