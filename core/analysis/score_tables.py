"""A table of scores: models in rows, benchmarks in columns.

What cannot stand in the table is left out, and `left_out` says so with the reason.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import DataError
from .csv_tables import CsvTable


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores of models.

    Attributes:
        source: Where they come from, for people.
        models: A name per row.
        columns: By name, a score per row; None where there is none.
        flags: By row, what a reader must know, such as ``DEMO``.
        left_out: What could not stand here, and why.
        warnings: What a reader must know of the whole, one line each.
        judges: By column, who judged; ``None`` where nobody did.
    """

    source: str
    models: tuple[str, ...]
    columns: Mapping[str, Sequence[float | None]]
    flags: tuple[tuple[str, ...], ...]
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    judges: Mapping[str, str | None] = field(default_factory=dict)

    def without(self, models: Iterable[str]) -> "ScoreTable":
        """The table without some models."""
        gone = set(models)
        keep = [i for i, model in enumerate(self.models) if model not in gone]
        return ScoreTable(
            self.source,
            tuple(self.models[i] for i in keep),
            {name: [values[i] for i in keep] for name, values in self.columns.items()},
            tuple(self.flags[i] for i in keep),
            self.left_out,
            self.warnings,
            self.judges,
        )


def table_of_csv(file: CsvTable, wanted: Sequence[str]) -> ScoreTable:
    """The scores of a file.

    Args:
        file: What was read.
        wanted: Columns that have to be numbers. Of the others, those that are not are left out.

    Raises:
        DataError: A model has two rows, or a wanted column holds what is no number.
    """
    _refuse_repeats(file)
    columns, left_out = file.numeric(wanted)
    models = tuple(row.model for row in file.rows)
    return ScoreTable(str(file.path), models, columns, ((),) * len(models), tuple(left_out))


def _refuse_repeats(file: CsvTable) -> None:
    lines: dict[str, int] = {}
    for row in file.rows:
        if row.model in lines:
            message = f"{row.model!r} stands on line {lines[row.model]} already"
            raise DataError(file.path, f"{message}; a model has one row", f"line {row.line}")
        lines[row.model] = row.line
