"""What an engine gives back: ratings with their uncertainty, and how they came about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .comparisons import Floats
from .settings import Anchor


class ModelRating(NamedTuple):
    """The rating of one model.

    Attributes:
        model: Its name.
        rating: Points.
        rd: The engine's own rating deviation, in points: what the engine believes if every
            comparison were independent. The interval is not made of it.
        ci95: 95 % interval; None where there is too little to make one.
        rank: 1 is best; among the models it is connected to.
        rank_ci95: From one more than the models surely better, to those surely worse.
        tied_with: Models that it cannot be told apart from; None without intervals.
        comparisons: How many comparisons the rating stands on.
    """

    model: str
    rating: float
    rd: float | None
    ci95: tuple[float, float] | None
    rank: int
    rank_ci95: tuple[int, int] | None
    tied_with: tuple[str, ...] | None
    comparisons: int

    def as_json(self) -> dict[str, Any]:
        """The fields of `bench rate --json`."""
        lists = ("ci95", "rank_ci95", "tied_with")
        fields = self._asdict()
        return fields | {k: None if fields[k] is None else list(fields[k]) for k in lists}


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of all compared models, by component, the best first.

    Attributes:
        engine: The name of the engine.
        rows: One per model.
        anchors: The two that fix the scale, under the models' own names; none if it is not
            anchored.
        replicates: Ratings with one family left out each, shape (n_families, n_models),
            columns as `rows`; None where the engine makes none.
        above: P(the row's model is better than the column's), shape (n_models, n_models),
            as `rows`; NaN where it is not known.
        diagnostics: Plain values by name.
        warnings: One line each.
    """

    engine: str
    rows: tuple[ModelRating, ...]
    anchors: tuple[Anchor, ...] = ()
    replicates: Floats | None = None
    above: Floats | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __getitem__(self, model: str) -> ModelRating:
        return self.rows[self._place(model)]

    def probability_above(self, model: str, other: str) -> float | None:
        """P(`model` is better than `other`) in truth, given the comparisons.

        None where it is not known: too few families, or no connection between the two.
        """
        if self.above is None:
            return None
        found = float(self.above[self._place(model), self._place(other)])
        return found if found == found else None

    def _place(self, model: str) -> int:
        for place, row in enumerate(self.rows):
            if row.model == model:
                return place
        raise KeyError(model)

    def groups(self) -> list[list[str]]:
        """Runs of neighbouring models of which no two can be told apart, the best first.

        Runs overlap: that A and B, and B and C, cannot be told apart does not say so of A
        and C. A model that differs from all others is a run of its own.
        """
        found: list[list[str]] = []
        end = 0
        for start in range(len(self.rows)):
            stop = self._run(start)
            if stop > end:
                found.append([row.model for row in self.rows[start:stop]])
                end = stop
        return found

    def _run(self, start: int) -> int:
        """Where the run that begins at a row ends."""
        stop = start + 1
        while stop < len(self.rows) and self._tied(self.rows[start:stop], self.rows[stop]):
            stop += 1
        return stop

    @staticmethod
    def _tied(run: Sequence[ModelRating], other: ModelRating) -> bool:
        return all(other.model in (row.tied_with or ()) for row in run)

    def as_json(self) -> dict[str, Any]:
        """The document of `bench rate --json`."""
        return {
            "engine": self.engine,
            "ratings": [row.as_json() for row in self.rows],
            "anchors": [anchor._asdict() for anchor in self.anchors],
            "diagnostics": {**self.diagnostics, "groups": self.groups()},
            "warnings": list(self.warnings),
        }
