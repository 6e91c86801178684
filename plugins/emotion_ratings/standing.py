"""Where a score would stand among published ones."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eibench import ResultDocument, Table, read_rows

NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class PublishedScores:
    """A list of published scores.

    Attributes:
        file: CSV with the columns ``model`` and ``score``, and others as may be.
        called: What they are, such as "scores of table 1 in Paech (2023)".
        note: What a reader must know to read them rightly.
    """

    file: Path
    called: str
    note: str

    def scores(self) -> list[tuple[str, float]]:
        """Models and their scores, the best first."""
        rows: list[dict[str, Any]] = read_rows(self.file, {"model": str, "score": float})
        return sorted(((row["model"], row["score"]) for row in rows), key=lambda row: -row[1])

    def board(self) -> Table:
        """All of them, the best first, as a table of its own."""
        rows = [(n, model, score) for n, (model, score) in enumerate(self.scores(), start=1)]
        title = f"The {len(rows)} {self.called}"
        return Table(title, columns=("rank", "model", "score there"), rows=rows, note=self.note)

    def around(self, document: ResultDocument) -> Table | None:
        """The published scores next to a result's; ``None`` for a result without a score."""
        score = document["metrics"]["score"]["value"]
        if score is None:
            return None
        table = self.scores()
        position = sum(published > score for _, published in table)
        ranked = [(str(n), model, value) for n, (model, value) in enumerate(table, start=1)]
        above = ranked[max(0, position - NEIGHBOURS) : position]
        below = ranked[position : position + NEIGHBOURS]
        return Table(
            title=f"Among the {len(table)} {self.called}",
            columns=("rank", "model", "score"),
            rows=[*above, ("→", f"{document['name']} (this run)", score), *below],
            marked=len(above),
            note=self.note,
        )
