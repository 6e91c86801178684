"""Comparisons by a panel: those of its judges, put together question by question."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..clients.families import are_kin
from ..journal import RunRecord, StoredComparison
from ..parties.graders import Judge, Panel, Replies
from ..parties.party import Party
from ..parties.providers import ModelSpec

Question = tuple[str, str, str, int, str]
"""The two runs, sorted, the item, the iteration, and the run that is shown first."""


class PanelJudges(NamedTuple):
    """The judges of a panel, and whose kin they are: runs by id, only where kin are left out."""

    panel: Panel
    runs: Mapping[str, RunRecord]

    def assigned(self, row: StoredComparison) -> tuple[Party, ...]:
        """The judges of a comparison."""
        sides = (self.runs.get(run_id) for run_id in (row.run_a, row.run_b))
        models = [run.party.spec for run in sides if run]
        return judges_of(self.panel, row.item_id, row.iteration, models)

    def merged(
        self,
        planned: Iterable[StoredComparison],
        answered: Iterable[StoredComparison],
        *,
        by_quorum: bool = False,
    ) -> list[StoredComparison]:
        """What a panel planned, with what came of it, and what else its judges have compared.

        By quorum, what a quorum has read is taken, to plan what comes next; what counts has a reply
        of each judge, as models would meet by fewer judges than others else.
        """
        by_question: dict[Question, dict[Judge, StoredComparison]] = {}
        for row in answered:
            if row.status in ("read", "unread"):
                by_question.setdefault(question_of(row), {}).setdefault(row.judge, row)
        merged = []
        for row in planned:
            verdicts = by_question.pop(question_of(row), {})
            merged.append(self._together(row, verdicts, by_quorum=by_quorum) or row)
        rest = (
            self._together(next(iter(each.values())), each, by_quorum=by_quorum)
            for each in by_question.values()
        )
        return merged + [row for row in rest if row]

    def _together(
        self, row: StoredComparison, verdicts: Mapping[Judge, StoredComparison], *, by_quorum: bool
    ) -> StoredComparison | None:
        """One comparison of several judges'; ``None`` while too few of them are there."""
        judges = self.assigned(row)
        if not judges:
            return row._replace(status="known", judge=self.panel)
        replies = [verdicts[judge] for judge in judges if judge in verdicts]
        read = [one for one in replies if one.status == "read"]
        is_whole, is_enough = (
            len(replies) == len(judges),
            len(read) >= self.panel.needed(len(judges)),
        )
        if not is_enough:
            return self._without(row, "unread", replies) if is_whole else None
        if not (is_whole or by_quorum):
            return self._without(row, "planned")
        margins = {
            of_judge(name, self.panel.judges.index(judge)): sign(row, one) * margin
            for judge in judges
            if (one := verdicts.get(judge)) is not None and one in read
            for name, margin in one.margins.items()
        }
        lengths = (read[0].len_a, read[0].len_b)[:: sign(row, read[0])]
        return row._replace(
            status="read",
            judge=self.panel,
            margins=margins,
            len_a=lengths[0],
            len_b=lengths[1],
            reason=None,
        )

    def _without(
        self, row: StoredComparison, status: str, replies: Iterable[StoredComparison] = ()
    ) -> StoredComparison:
        """A comparison of which no margins count."""
        reasons = "; ".join(dict.fromkeys(str(one.reason) for one in replies if one.reason))
        return row._replace(status=status, judge=self.panel, margins={}, reason=reasons or None)


def judges_of(
    panel: Panel, item_id: str, iteration: int, models: Collection[ModelSpec]
) -> tuple[Party, ...]:
    """The judges of a comparison of models; none where all are kin of one of them.

    With ``rotate`` the judge that is drawn gives way to the next that is no kin: one judge reads
    both texts, so neither model meets a kinder one.
    """
    drawn = panel.assigned(item_id, iteration)
    if not panel.exclude_kin:
        return drawn
    judges, start = panel.judges, panel.judges.index(drawn[0])
    able = [
        judge
        for judge in (*judges[start:], *judges[:start])
        if not any(are_kin(judge.spec, model) for model in models)
    ]
    return tuple(able[: len(drawn)])


def of_judge(name: str, n: int) -> str:
    """What a panel calls the margin that its n-th judge gives by a criterion."""
    return f"{name} ({n})"


@dataclass(frozen=True, slots=True)
class AskedPanel:
    """Which judges of a panel have compared what, and whether it could be read.

    `tried` are questions that this command has taken up.
    """

    judges: PanelJudges
    answered: dict[tuple[Judge, Question], bool]
    tried: set[Question] = field(default_factory=set)

    @classmethod
    def of(cls, judges: PanelJudges, rows: Iterable[StoredComparison]) -> "AskedPanel":
        """A panel with what its judges have compared before."""
        panel = cls(judges, {})
        for row in rows:
            if row.status in ("read", "unread"):
                panel.note(row)
        return panel

    def note(self, row: StoredComparison) -> None:
        """One of them has compared this."""
        key = (row.judge, question_of(row))
        self.answered[key] = self.answered.get(key, False) or row.status == "read"

    def is_lacking(self, row: StoredComparison) -> bool:
        """Whether a judge has not compared this, and was not tried in this command."""
        return question_of(row) not in self.tried and bool(self._lacking(row))

    def take(self, row: StoredComparison) -> list[Party]:
        """The judges that have not compared this, which are tried now."""
        self.tried.add(question_of(row))
        return self._lacking(row)

    def _lacking(self, row: StoredComparison) -> list[Party]:
        asked = question_of(row)
        return [judge for judge in self.judges.assigned(row) if (judge, asked) not in self.answered]

    def replies(self, rows: Iterable[StoredComparison]) -> dict[Party, Replies]:
        """Of some comparisons, how many each judge was to make, made, and could not be read."""
        readable: dict[Party, list[bool | None]] = {judge: [] for judge in self.judges.panel.judges}
        for row in rows:
            for judge in self.judges.assigned(row):
                readable[judge].append(self.answered.get((judge, question_of(row))))
        return {
            judge: Replies(len(each), len(each) - each.count(None), each.count(False))
            for judge, each in readable.items()
        }


def question_of(row: StoredComparison) -> Question:
    """What a comparison asks, whichever of the two runs has asked for it."""
    first, second = sorted((row.run_a, row.run_b))
    return first, second, row.item_id, row.iteration, row.run_a if row.first == "a" else row.run_b


def sign(row: StoredComparison, other: StoredComparison) -> int:
    """1 where two comparisons of one question name the same run as a, else -1."""
    return 1 if row.run_a == other.run_a else -1
