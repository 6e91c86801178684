"""What came of a stored run's samples, by whichever of its graders."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from ..errors import JournalError, UsageError
from ..parties.panels import rule_in
from ..reports.evidence import Evidence, Inside, Selection, add_up
from ..reports.graded import GradedSamples, Key, panel_in
from ..reports.gradings import Grading, grading_of, is_judge
from ..reports.items import Items, RunSample, items_of, valued
from ..reports.judge_replies import replies_of
from ..reports.judges import JudgedModel
from ..reports.replies import find_repeating
from ..settings.run_config import RunConfig
from ..types import SampleScore
from ..types.result_document import ResultDocument, Status
from .configured import ConfiguredRun


class ScoredRun(ConfiguredRun):
    """A run with its samples and their scores."""

    def graders(self) -> list[Grading]:
        """How it was graded, the latest first.

        Of those that differ only in whether `bench rescore` made them, the one with more grades
        counts. Where a judge has graded, grades without one are left out: they have no verdicts.

        Raises:
            JournalError: It has no grades.
        """
        found: dict[tuple[str | None, str], Grading] = {}
        for grading in map(grading_of, self.all_graders):
            key = (grading.judge, grading.reading)
            other = found.get(key)
            if other is None or _worth(grading) > _worth(other):
                found[key] = grading
        if not found:
            raise JournalError(f"run {self.id} has no scored replies yet; run its command first")
        return [g for g in found.values() if g.judge] or list(found.values())

    def by_judge(self, judge: str) -> Grading:
        """How a judge has graded it last.

        Args:
            judge: The judge's label or spec.

        Raises:
            UsageError: That judge has not, or more than one goes by that name.
        """
        there = [g for g in self.graders() if g.judge]
        fitting = [g for g in there if is_judge(g.judge, judge)]
        labels = sorted({str(g.judge) for g in fitting})
        if len(labels) > 1 and judge not in labels:
            message = f"the judge {judge} could be {' or '.join(labels)}"
            raise UsageError(f"{message}; give the whole label")
        if not fitting:
            listed = ", ".join(sorted({str(g.judge) for g in there})) or "none"
            raise UsageError(
                f"run {self.id} has no grades by the judge {judge}; there are: {listed}"
            )
        return next((g for g in fitting if g.judge == judge), fitting[0])

    def grades(self, grader: str, clusters: Mapping[str, str]) -> Iterator[SampleScore]:
        """Its scores without their detail, by a grader's digest, of the items in `clusters`."""
        return self.journal.grades(self.record, grader, clusters)

    def graded(self, grading: Grading, clusters: Mapping[str, str]) -> GradedSamples:
        """Its samples as one grading left them.

        Args:
            grading: Whose grades.
            clusters: Each item's cluster, for all items of the pack.
        """
        scores = _by_key(self.grades(grading.digest, clusters))
        failures = [f for f in self.failures if f.item_id in clusters]
        failed = frozenset((f.item_id, f.iteration) for f in failures) - scores.keys()
        found = GradedSamples(self.record, grading, scores, failed, len(clusters))
        if (panel := panel_in(grading)) is None:
            return found
        asked = {name: fact for name, fact in grading.asked.items() if name != "panel"}
        alone = {
            str(g.judge): _by_key(self.grades(g.digest, clusters))
            for g in self.graders()
            if g.judge in panel.judges and g.options == grading.options and dict(g.asked) == asked
        }
        given = {judge: list(alone.get(judge, {}).values()) for judge in panel.judges}
        replies = replies_of(panel, scores.values(), failures, given)
        return found._replace(replies=replies, by_judge=alone)

    def judged(
        self, clusters: Mapping[str, str] | None = None, judges: Collection[str] = ()
    ) -> JudgedModel:
        """Its samples as judges graded them alone, each as it did last.

        Args:
            clusters: Each item's cluster; without it each item is its own.
            judges: Whose grades are wanted; all judges' where none is named.
        """
        found: dict[str, dict[Key, SampleScore]] = {}
        items = clusters or {item_id: item_id for item_id, _ in self.samples_done}
        for grading in self.graders() if self.all_graders else ():
            judge = grading.judge
            if (
                judge
                and judge not in found
                and not rule_in(judge)
                and judge in (judges or (judge,))
            ):
                scores = self.grades(grading.digest, items)
                found[judge] = {
                    (s.item_id, s.iteration): s for s in scores if s.score.reason is None
                }
        return JudgedModel(self.record, found)

    def evidence(
        self,
        config: RunConfig,
        grader: str,
        selection: Selection,
        *,
        members: Mapping[str, str] | None = None,
        sent: int = 0,
        stopped: Status | None = None,
    ) -> Evidence:
        """What is known about some of its samples, by one grader.

        Args:
            config: Says whose calls count: its judge's; and whether that is a panel.
            grader: Digest of the one whose grades count.
            selection: Which samples.
            members: Of a panel, the graders of its judges by label; empty for the others that
                have graded the run alike, ``None`` for nobody's.
            sent: How many calls the command under way sent.
            stopped: What ended it early, if anything.
        """
        journal, run, clusters = self.journal, self.record, selection.clusters
        if members is not None and not members:
            members = self._judges_beside(grader)
        inside = Inside(clusters, selection.iterations)
        scores = [s for s in self.grades(grader, clusters) if inside(s)]
        graded = {(s.item_id, s.iteration) for s in scores}
        failures = [f for f in self.failures if inside(f)]
        failures = [f for f in failures if (f.item_id, f.iteration) not in graded]
        judge = config.judge.stored_label if config.judge else None
        spent = add_up(t for t in journal.call_totals(run, judge) if inside(t))
        spent.retries += sum(max(0, failure.attempts - 1) for failure in failures)
        spent.sent = journal.parameters_sent(run)
        spent.repeating = find_repeating(r for r in journal.cut_off(run) if inside(r))
        spent.sources = journal.reply_sources(run)
        by_judge = {
            label: [s for s in self.grades(own, clusters) if inside(s)]
            for label, own in (members or {}).items()
        }
        replies = replies_of(config.panel, scores, failures, by_judge) if config.panel else {}
        return Evidence(scores, failures, spent, sent, stopped, by_judge=by_judge, replies=replies)

    def _judges_beside(self, grader: str) -> dict[str, str]:
        """The graders of all judges that have graded it as this one did; none of one judge."""
        there = self.graders() if self.all_graders else []
        own = next((one for one in there if one.digest == grader), None)
        alike = [one for one in there if own and one.reading == own.reading]
        found = {one.judge: one.digest for one in alike if one.judge and not rule_in(one.judge)}
        return found if len(found) > 1 else {}

    def _grader_of(self, document: ResultDocument | None) -> str | None:
        """The digest of whose grades are shown: a result's, else of who graded last."""
        there = [grader.digest for grader in self.all_graders]
        own = document["grader"] if document else None
        return own if own in there else next(iter(there), None)

    def samples(self, by: Grading | str | None = None) -> list[RunSample]:
        """What came of its samples: a row for each that was begun, by item and iteration.

        `pandas.DataFrame(run.samples())` and `polars.DataFrame(run.samples())` take it as it is.

        Args:
            by: Whose grades: one of `graders`, or a judge's label or spec; by default of who
                graded the run's own result, else of who graded it last.

        Raises:
            UsageError: That judge has not graded it, or more than one goes by that name.
            JournalError: A judge is named, and nobody has graded it.
        """
        grading = self.by_judge(by) if isinstance(by, str) else by
        own = grading.digest if grading else self._grader_of(self.document)
        return valued(self.document, self._samples(own))

    def _samples(self, grader: str | None) -> list[RunSample]:
        found = {key: RunSample(*key, "pending", None, None) for key in self.samples_begun}
        clusters = {item_id: "" for item_id, _ in found}
        for failure in self.failures:
            key = (failure.item_id, failure.iteration)
            found[key] = RunSample(*key, "failed", None, failure.reason)
        for item_id, _, n, score in self.grades(grader, clusters) if grader else ():
            status = "scored" if score.reason is None else "unscored"
            given = (score.reason, score.flags, score.values)
            found[item_id, n] = RunSample(item_id, n, status, None, *given)
        return [found[key] for key in sorted(found)]

    def items(self, sort: str, document: ResultDocument | None = None) -> Items:
        """What came of its items.

        Args:
            sort: ``worst`` first, by ``id``, or the largest ``spread`` first.
            document: A result by whose grader; by default its own, else who graded it last.
        """
        document = document or self.document
        return items_of(self.record, self._samples(self._grader_of(document)), document, sort)


def _worth(grading: Grading) -> tuple[int, bool]:
    return grading.grades, not grading.offline


def _by_key(scores: Iterable[SampleScore]) -> dict[Key, SampleScore]:
    found = {(s.item_id, s.iteration): s for s in scores}
    return {key: found[key] for key in sorted(found)}
