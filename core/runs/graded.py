"""What came of a stored run's samples, by whichever of its graders."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from ..benchmark.model import MODEL
from ..errors import BenchError, JournalError, UsageError
from ..journal import GradeCount
from ..parties.graders import Grader, Judge, Panel, is_meant
from ..parties.party import Party
from ..reports.alike import AlikeReplies, alike_among, told_repeats
from ..reports.choosing import chosen
from ..reports.cut_prompts import cut_in
from ..reports.evidence import Inside, RunData, Selection, add_up
from ..reports.graded import GradedSamples, Key
from ..reports.items import Items, MainValues, RunSample, first_values, items_of, valued
from ..reports.judge_replies import replies_of
from ..reports.judges import JudgedModel
from ..reports.pairing import main_values
from ..reports.replies import find_repeating
from ..reports.statements import sample_cost
from ..types import SampleScore
from ..types.result_document import ResultDocument, Status
from .recorded import RecordedRun


class ScoredRun(RecordedRun):
    """A run with its samples and their scores."""

    def graders(self, options: Mapping[str, str] = {}) -> list[Grader]:
        """How it was graded, the latest first.

        Of those that differ only in whether `bench rescore` graded, the one with more grades
        counts. Where a judge has graded, grades without one are left out: they have no verdicts.

        Args:
            options: Values of grading options that all of them have, as texts.

        Raises:
            JournalError: It has no grades.
            UsageError: None has these values.
        """
        counts: dict[Grader, GradeCount] = {}
        for count in self.all_graders:
            other = counts.get(count.grader.online)
            if other is None or _worth(count) > _worth(other):
                counts[count.grader.online] = count
        if not counts:
            raise JournalError(f"run {self.id} has no scored replies yet; run its command first")
        graders = [count.grader for count in counts.values()]
        judged = [grader for grader in graders if grader.judge] or graders
        return list(chosen(self.record, judged, options).graders)

    def by_judge(self, judge: Judge | str) -> Grader:
        """How a judge has graded it last.

        Args:
            judge: It, or its label or spec.

        Raises:
            UsageError: That judge has not, or more than one goes by that name.
        """
        judged = [g for g in self.graders() if g.judge]
        fitting = [g for g in judged if is_meant(g.judge, judge)]
        labels = sorted({str(g.judge) for g in fitting})
        if len(labels) > 1 and str(judge) not in labels:
            message = f"the judge {judge} could be {' or '.join(labels)}"
            raise UsageError(f"{message}; give the whole label")
        if not fitting:
            listed = ", ".join(sorted({str(g.judge) for g in judged})) or "none"
            raise UsageError(
                f"run {self.id} has no grades by the judge {judge}; there are: {listed}"
            )
        return next((g for g in fitting if str(g.judge) == str(judge)), fitting[0])

    def grades(self, grader: Grader, clusters: Mapping[str, str]) -> Iterator[SampleScore]:
        """Its scores without their detail, by a grader, of the items in `clusters`."""
        return self.journal.grades(self.record, grader, clusters)

    def graded(self, grader: Grader, clusters: Mapping[str, str]) -> GradedSamples:
        """Its samples as one grader left them.

        Args:
            grader: Whose grades.
            clusters: Each item's cluster, for all items of the pack.
        """
        scores = _by_key(self.grades(grader, clusters))
        failures = [f for f in self.failures if f.item_id in clusters]
        failed = frozenset((f.item_id, f.iteration) for f in failures) - scores.keys()
        result = self.document
        cost = sample_cost(result) if result and result["grader"] == grader.digest else None
        samples = GradedSamples(
            self.record, grader, scores, failed, len(clusters), sample_cost=cost
        )
        if not isinstance(panel := grader.judge, Panel):
            return samples
        like = replace(grader.online, judge=None)
        alone = {
            g.judge: _by_key(self.grades(g, clusters))
            for g in self.graders()
            if isinstance(g.judge, Party) and g.judge in panel.judges and g.but_for_judge == like
        }
        by_judge = {judge: list(alone.get(judge, {}).values()) for judge in panel.judges}
        replies = replies_of(panel, scores.values(), failures, by_judge)
        return samples._replace(replies=replies, by_judge=alone)

    def judged(
        self, clusters: Mapping[str, str] | None = None, judges: Collection[Party] = ()
    ) -> JudgedModel:
        """Its samples as judges graded them alone, each as it did last.

        Args:
            clusters: Each item's cluster; without it each item is its own.
            judges: Whose grades are wanted; all judges' where none is named.
        """
        by_judge: dict[Party, dict[Key, SampleScore]] = {}
        items = clusters or {item_id: item_id for item_id, _ in self.samples_done}
        for grader in self.graders() if self.all_graders else ():
            judge = grader.judge
            if isinstance(judge, Party) and judge not in by_judge and judge in (judges or (judge,)):
                scores = self.grades(grader, items)
                by_judge[judge] = {
                    (s.item_id, s.iteration): s for s in scores if s.score.reason is None
                }
        return JudgedModel(self.record, by_judge, self.journal.addresses())

    def evidence(
        self,
        grader: Grader,
        selection: Selection,
        *,
        members: Mapping[Party, Grader] | None = None,
        sent: int | None = None,
        stopped: Status | None = None,
    ) -> RunData:
        """What is known about some of its samples, by one grader.

        Args:
            grader: Whose grades count; other judges' calls do not.
            selection: Which samples.
            members: Of a panel, the graders of its judges; empty for the others that have graded
                the run alike, ``None`` for nobody's.
            sent: How many calls the command under way sent; ``None`` where none is.
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
        spent = add_up(t for t in journal.call_totals(run, grader.judge) if inside(t))
        spent.retries += sum(max(0, failure.attempts - 1) for failure in failures)
        spent.sent = journal.parameters_sent(run)
        spent.askings = journal.askings_of(run)
        spent.repeating = find_repeating(r for r in journal.cut_off(run) if inside(r))
        spent.sources = journal.reply_sources(run)
        spent.hosts = journal.other_providers(run, grader.judge)
        spent.openings = [one for one in journal.odd_openings(run, grader.judge) if inside(one)]
        spent.cut = cut_in(journal, run, grader.judge, inside.holds)
        spent.alike = self._alike(inside)
        by_judge = {
            judge: [s for s in self.grades(by, clusters) if inside(s)]
            for judge, by in (members or {}).items()
        }
        panel = grader.judge if isinstance(grader.judge, Panel) else None
        replies = replies_of(panel, scores, failures, by_judge) if panel else {}
        return RunData(scores, failures, spent, sent, stopped, by_judge=by_judge, replies=replies)

    @cached_property
    def repeats_note(self) -> str:
        """That all repeats of items are one text and measure nothing; empty where they differ."""
        counts = list(self.journal.long_replies(self.record))
        if all(one.drawn_in < 2 for one in counts):
            return ""
        alike = alike_among(self.journal.alike_replies(self.record), counts).get(MODEL)
        return told_repeats(alike) if alike and alike.is_one_text else ""

    def _alike(self, inside: Inside) -> dict[str, AlikeReplies]:
        """Replies that are word for word alike, by phase."""
        replies = [r for r in self.journal.alike_replies(self.record) if inside(r)]
        return alike_among(replies, self.journal.long_replies(self.record)) if replies else {}

    def _judges_beside(self, grader: Grader) -> dict[Party, Grader]:
        """The graders of all judges that have graded it as this one did; none of one judge."""
        graders = self.graders() if self.all_graders else []
        like = grader.but_for_judge
        alike = [one for one in graders if grader in graders and one.but_for_judge == like]
        by_judge = {one.judge: one for one in alike if isinstance(one.judge, Party)}
        return by_judge if len(by_judge) > 1 else {}

    def _grader_of(self, document: ResultDocument | None) -> Grader | None:
        """Whose grades are shown: a result's, else of who graded last."""
        graders = [count.grader for count in self.all_graders]
        shown = document and document["grader"]
        return next((one for one in graders if one.digest == shown), next(iter(graders), None))

    def samples(self, by: Grader | str | None = None) -> list[RunSample]:
        """What came of its samples: a row for each that was begun, by item and iteration.

        `pandas.DataFrame(run.samples())` and `polars.DataFrame(run.samples())` take it as it is.

        Args:
            by: Whose grades: one of `graders`, or a judge's label or spec; by default of who
                graded the run's own result, else of who graded it last.

        Raises:
            UsageError: That judge has not graded it, or more than one goes by that name.
            JournalError: A judge is named, and nobody has graded it.
        """
        named = self.by_judge(by) if isinstance(by, str) else by
        by = named or self._grader_of(self.document)
        samples = valued(self._samples(by), self._main(by))
        names = dict.fromkeys(name for s in samples for name in s.values)
        return [s._replace(values={name: s.values.get(name) for name in names}) for s in samples]

    def main_values(self, by: Grader | None = None) -> MainValues:
        """What its samples add to the metric that ranks, by a grader or that of its own result.

        Raises:
            DataError: Its data is not where it was.
            JournalError: It has no grades.
            UsageError: Its benchmark is not installed.
        """
        grader = by or self._grader_of(self.document) or self.graders()[0]
        pack, metrics = self.pack_by(grader), self.document["metrics"] if self.document else {}
        values = main_values(self.plugin, pack, self.graded(grader, pack.clusters))
        return MainValues(self.plugin.ranked_by or next(iter(metrics), None), values)

    def _main(self, by: Grader | None) -> MainValues:
        """The same; none where they cannot be had."""
        with suppress(BenchError):
            return self.main_values(by)
        return MainValues(None, {})

    def _samples(self, grader: Grader | None) -> list[RunSample]:
        samples = {key: RunSample(*key, "pending", None, None) for key in self.samples_begun}
        clusters = {item_id: "" for item_id, _ in samples}
        for failure in self.failures:
            key = (failure.item_id, failure.iteration)
            samples[key] = RunSample(*key, "failed", None, failure.reason)
        for item_id, _, n, score in self.grades(grader, clusters) if grader else ():
            status = "scored" if score.reason is None else "unscored"
            samples[item_id, n] = RunSample(
                item_id, n, status, None, score.reason, score.flags, score.values
            )
        return [samples[key] for key in sorted(samples)]

    def items(self, sort: str, document: ResultDocument | None = None) -> Items:
        """What came of its items.

        Args:
            sort: ``worst`` first, by ``id``, or the largest ``spread`` first, by what samples add
                to the metric that ranks; by their first value where that cannot be had.
            document: The grades are those of this result's grader; by default of its own
                result's, else of who graded it last.
        """
        document = document or self.document
        by = self._grader_of(document)
        samples, main = self._samples(by), self._main(by)
        main = main if main.name and main.values else first_values(document, samples)
        return items_of(self.record, valued(samples, main), main.name, document, sort)


def _worth(count: GradeCount) -> tuple[int, bool]:
    return count.grades, not count.grader.offline


def _by_key(scores: Iterable[SampleScore]) -> dict[Key, SampleScore]:
    by_key = {(s.item_id, s.iteration): s for s in scores}
    return {key: by_key[key] for key in sorted(by_key)}
