"""What an engine gives back: ratings with their uncertainty, and how they came about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

from ..types.result_document import Facts, RatingRow
from .arrays import Bools, Floats
from .settings import Anchor

Interval = tuple[float | None, float | None]
"""Its ends; None for one that is open."""


class ModelRating(NamedTuple):
    """The rating of one model.

    Attributes:
        model: Its name.
        rating: Points.
        rd: The engine's own rating deviation, in points: what the engine believes if every
            comparison were independent. The interval is not made of it.
        ci95: 95 % interval; None where there is too little to make one, of an anchor, which is
            exact, or for an end that is open.
        rank: 1 is best; among the models it is connected to.
        rank_ci95: 95 % interval of this model's rank: from one more than the models surely
            better, to all but those surely worse, where all its differences together are wrong
            in 5 % at most.
        tied_with: Models that it cannot be told apart from where all pairs of the board together
            are wrong in 5 % at most, as `rank_ci95_board`; None without intervals.
        comparisons: How many comparisons the rating stands on.
        rank_ci95_board: As `rank_ci95`, but together with all other models': the intervals of
            the whole board hold all ranks in 95 %.
        rating_length_adjusted: The rating with a term for length; None where there is none.
        ci95_length_adjusted: Its 95 % interval.
        depends_on_length: Models that it would be told apart from with that term alone, or
            without it alone: they are in `tied_with`. None where there is no such term.
    """

    model: str
    rating: float
    rd: float | None
    ci95: Interval | None
    rank: int
    rank_ci95: tuple[int, int] | None
    tied_with: tuple[str, ...] | None
    comparisons: int
    rank_ci95_board: tuple[int, int] | None = None
    rating_length_adjusted: float | None = None
    ci95_length_adjusted: Interval | None = None
    depends_on_length: tuple[str, ...] | None = None

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval; None where there is none, or an end is open."""
        low, high = self.ci95 or (None, None)
        return None if low is None or high is None else (high - low) / 2

    def as_json(self) -> RatingRow:
        """The fields of `bench rate --json`."""
        fields = self._asdict()
        plain = {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}
        return cast("RatingRow", plain)


class RatingsDocument(TypedDict):
    """What `bench rate --json` prints; the last two are what the command knows."""

    engine: str
    ratings: Sequence[RatingRow]
    anchors: Sequence[Facts]
    diagnostics: Facts
    warnings: Sequence[str]
    engine_version: NotRequired[str | None]
    demo: NotRequired[bool]


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
        above: P(the row's model is better than the column's), see `probability_above`, shape
            (n_models, n_models), as `rows`; NaN where it is not known.
        tied_alone: Whether two models cannot be told apart where each pair is looked at by
            itself, at 5 %, the same shape; None where it is not known. `tied_with` of a row is
            of all pairs of the board at once.
        pair_half_width: Half the width of the 95 % interval of the difference of two ratings,
            points, the same shape; NaN where it is not known, None where the engine makes none.
        diagnostics: Plain values by name.
        warnings: One line each.
    """

    engine: str
    rows: tuple[ModelRating, ...]
    anchors: tuple[Anchor, ...] = ()
    replicates: Floats | None = None
    above: Floats | None = None
    tied_alone: Bools | None = None
    pair_half_width: Floats | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __getitem__(self, model: str) -> ModelRating:
        return self.rows[self._index(model)]

    def probability_above(self, model: str, other: str) -> float | None:
        """P(`model` is better than `other`), if models on such a board differ as these do.

        Ratings that noise has moved apart stand too far apart, those of the first and the last
        most. So distances count as far as they are more than noise would make of equals:
        T(sqrt(B) t), with B as `diagnostics["distances_kept"]` has it for each component.

        None where it is not known: too few families, fewer than eight models, or no connection
        between the two.
        """
        return self._of_pair(self.above, model, other)

    def half_width_between(self, model: str, other: str) -> float | None:
        """Half the width of the 95 % interval of the difference of two ratings, in points.

        None where it is not known: too few families, or no connection between the two.
        """
        return self._of_pair(self.pair_half_width, model, other)

    def _of_pair(self, table: Floats | None, model: str, other: str) -> float | None:
        if table is None:
            return None
        number = float(table[self._index(model), self._index(other)])
        return number if number == number else None

    def _index(self, model: str) -> int:
        for index, row in enumerate(self.rows):
            if row.model == model:
                return index
        raise KeyError(model)

    def groups(self) -> list[list[str]]:
        """Runs of neighbouring models of which no two can be told apart, the best first.

        Runs overlap: that A and B, and B and C, cannot be told apart does not say so of A and C. A
        model that differs from all others is a run of its own.
        """
        groups: list[list[str]] = []
        end = 0
        for start in range(len(self.rows)):
            stop = self._run(start)
            if stop > end:
                groups.append([row.model for row in self.rows[start:stop]])
                end = stop
        return groups

    def _run(self, start: int) -> int:
        """Where the run that begins at a row ends."""
        stop = start + 1
        while stop < len(self.rows) and all(self._tied(i, stop) for i in range(start, stop)):
            stop += 1
        return stop

    def _tied(self, index: int, other: int) -> bool:
        return self.rows[other].model in (self.rows[index].tied_with or ())

    def as_json(self) -> RatingsDocument:
        """The document of `bench rate --json`."""
        return {
            "engine": self.engine,
            "ratings": [row.as_json() for row in self.rows],
            "anchors": [anchor._asdict() for anchor in self.anchors],
            "diagnostics": {**self.diagnostics, "groups": self.groups()},
            "warnings": list(self.warnings),
        }
