"""Comparisons by a panel: those of its judges, put together question by question."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..clients.families import are_kin
from ..endpoints.providers import ModelSpec
from ..journal import RunRecord, StoredComparison
from ..panels import Panel

Question = tuple[str, str, str, int, str]
"""The two runs, sorted, the item, the iteration, and the run that is shown first."""


class PanelJudges(NamedTuple):
    """The judges of a panel, and whose kin they are.

    Attributes:
        panel: How they make one comparison.
        runs: By id; only where kin are left out.
    """

    panel: Panel
    runs: Mapping[str, RunRecord]

    def due(self, row: StoredComparison) -> tuple[str, ...]:
        """The judges of a comparison; none where all are kin of one of the two models.

        With ``rotate`` the judge that is drawn gives way to the next that is no kin: one judge
        reads both texts, so neither model meets a kinder one.
        """
        drawn = self.panel.due(row.item_id, row.iteration)
        if not self.panel.exclude_kin:
            return drawn
        judges = self.panel.judges
        start = judges.index(drawn[0])
        able = [j for j in (*judges[start:], *judges[:start]) if not self._is_kin(j, row)]
        return tuple(able[: len(drawn)])

    def _is_kin(self, judge: str, row: StoredComparison) -> bool:
        own = ModelSpec.parse(judge.partition(" at ")[0])
        sides = (self.runs.get(run_id) for run_id in (row.run_a, row.run_b))
        return any(are_kin(own, ModelSpec.parse(run.model)) for run in sides if run)

    def merged(
        self, planned: Iterable[StoredComparison], answered: Iterable[StoredComparison]
    ) -> list[StoredComparison]:
        """What a panel planned, with what came of it, and what else its judges have compared.

        Args:
            planned: By the panel.
            answered: By its judges.
        """
        found: dict[Question, dict[str, StoredComparison]] = {}
        for row in answered:
            if row.status in ("read", "unread"):
                found.setdefault(question_of(row), {}).setdefault(row.judge, row)
        made = []
        for row in planned:
            verdicts = found.pop(question_of(row), {})
            made.append(self._together(row, verdicts) or row)
        rest = (self._together(next(iter(each.values())), each) for each in found.values())
        return made + [row for row in rest if row]

    def _together(
        self, row: StoredComparison, verdicts: Mapping[str, StoredComparison]
    ) -> StoredComparison | None:
        """One comparison of several judges'; ``None`` while verdicts are missing that matter."""
        due = self.due(row)
        if not due:
            return row._replace(status="known", judge=self.panel.label)
        there = [verdicts[judge] for judge in due if judge in verdicts]
        read = [one for one in there if one.status == "read"]
        if len(read) < self.panel.needed(len(due)):
            return self._unread(row, there) if len(there) == len(due) else None
        margins = {
            f"{name} ({one.judge})": sign(row, one) * margin
            for one in read
            for name, margin in one.margins.items()
        }
        lengths = (read[0].len_a, read[0].len_b)[:: sign(row, read[0])]
        return row._replace(
            status="read",
            judge=self.panel.label,
            margins=margins,
            len_a=lengths[0],
            len_b=lengths[1],
            reason=None,
        )

    def _unread(self, row: StoredComparison, there: list[StoredComparison]) -> StoredComparison:
        reasons = dict.fromkeys(str(one.reason) for one in there if one.reason)
        return row._replace(
            status="unread", judge=self.panel.label, margins={}, reason="; ".join(reasons)
        )


@dataclass(frozen=True, slots=True)
class AskedPanel:
    """Which judges of a panel have compared what.

    Attributes:
        judges: The panel.
        answered: Judges, with the questions that they have answered.
        tried: Questions that this command has taken up.
    """

    judges: PanelJudges
    answered: set[tuple[str, Question]]
    tried: set[Question] = field(default_factory=set)

    @classmethod
    def of(cls, judges: PanelJudges, rows: Iterable[StoredComparison]) -> "AskedPanel":
        """A panel with what its judges have compared before."""
        done = (row for row in rows if row.status in ("read", "unread"))
        return cls(judges, {(row.judge, question_of(row)) for row in done})

    def is_lacking(self, row: StoredComparison) -> bool:
        """Whether a judge has not compared this, and was not tried in this command."""
        return question_of(row) not in self.tried and bool(self._lacking(row))

    def take(self, row: StoredComparison) -> list[str]:
        """The judges that have not compared this, which are tried now."""
        self.tried.add(question_of(row))
        return self._lacking(row)

    def note(self, row: StoredComparison) -> None:
        """One of them has compared this."""
        self.answered.add((row.judge, question_of(row)))

    def _lacking(self, row: StoredComparison) -> list[str]:
        asked = question_of(row)
        return [judge for judge in self.judges.due(row) if (judge, asked) not in self.answered]


def question_of(row: StoredComparison) -> Question:
    """What a comparison asks, whichever of the two runs has asked for it."""
    first, second = sorted((row.run_a, row.run_b))
    return first, second, row.item_id, row.iteration, row.run_a if row.first == "a" else row.run_b


def sign(row: StoredComparison, other: StoredComparison) -> int:
    """1 where two comparisons of one question name the same run as a, else -1."""
    return 1 if row.run_a == other.run_a else -1
