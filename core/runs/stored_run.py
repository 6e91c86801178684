"""A stored run as one object, which commands, pages, exports, comparisons and Python share."""

from collections.abc import Iterator

from ..errors import BenchError, UsageError
from ..parties.panels import Judge
from ..reports.comparability import judge_in
from ..reports.document import build_document
from ..reports.evidence import kept_comparisons
from ..reports.hints import bench
from ..settings.run_config import grader, graders_of
from ..text import plural
from ..types.result_document import ResultDocument
from .transcripts import ReadRun
from .views import view_by


class StoredRun(ReadRun):
    """A run that a journal holds: how it was asked, its samples, and its results.

    What is read once is kept; a new object sees what was stored since.

    Args:
        journal: Holds the run.
        record: Its row.
        catalogue: Knows the benchmarks; by default those that are installed.
    """

    def result(self, judge: str | None = None) -> ResultDocument:
        """Its own result as it is stored; or one by a judge, made of all that the run holds.

        Args:
            judge: A judge's label or spec. Nothing is asked, and nothing stored.

        Returns:
            The document of docs/results.md.

        Raises:
            UsageError: It has no result yet; or that judge has not graded it, or more than one
                goes by that name.
            DataError: The run's data is not where it was.
        """
        if judge is not None:
            return self._result_by(judge)
        if self.document is None:
            raise UsageError(f"run {self.id} has no result yet; give its command again first")
        return self.document

    def _result_by(self, judge: str) -> ResultDocument:
        by, stored = self.by_judge(judge), self.settings["all_options"]
        changes = {k: v for k, v in by.options.items() if stored.get(k) != v}
        config = self.config(changes, judge=by.judge)
        pack = self.pack_of(config)
        selection, members = self.selection_of(pack), graders_of(config, offline=by.offline)
        evidence = self.evidence(by, selection, members=members)
        compared, view = kept_comparisons(config, self.document), view_by(self, config)
        return build_document(
            self.record, config, pack, selection, evidence, compared=compared, view=view
        )

    def left_out(self) -> Iterator[str]:
        """What its own result does not show, each with the command that shows it."""
        document = self.document
        if document is None:
            return

        def by(judge: Judge) -> str:
            return bench("show", self.id, "--judge", judge)

        held, shown = len(self.samples_done), document["items"]["total"]
        own = judge_in(document)
        if held > shown:
            more = by(own) if own else bench("rescore", self.id)
            of = f"{shown} of the {plural(held, 'sample')}"
            yield f"this is the result of {of} that the journal holds: {more}"
        if self.is_outdated():
            yield (
                "it was graded otherwise than it would be today (grading, judge prompts or judge "
                f"sampling): {bench('rescore', self.id)}, or its own command, grades it anew"
            )
        if views := len(self.views):
            kept = f"{plural(views, 'other result', 'of it is', 'of it are')} kept"
            yield f"{kept}: {bench('show', self.id, '--views')}"
        judges = {judge for g, _ in self.all_graders if (judge := g.judge)} - {own}
        for judge in sorted(judges, key=str):
            yield f"the judge {judge} has graded this run too: {by(judge)}"

    def is_outdated(self) -> bool:
        """Whether the grader of its own result is another one today; not where that is unknown."""
        document = self.document
        if document is None or document["grader"] is None:
            return False
        if self.record.benchmark_version != document["benchmark_version"]:
            return False
        try:
            today = self.config_of(document)
        except BenchError:
            return False
        return grader(today).digest != document["grader"]
