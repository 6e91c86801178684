"""A stored run as one object, which commands, pages, exports, comparisons and Python share."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from ..benchmark import Pack
from ..clients.families import stated
from ..errors import BenchError, DataError, PluginError, UsageError
from ..guard import Guarded, guard
from ..hooks.sections import RecordedCall, Table, TranscriptView
from ..journal import CachedResult, StoredCall
from ..parties.graders import Grader, Judge
from ..parties.party import origin_of
from ..plugins.code_digest import code_digest
from ..reports.comparability import judge_in
from ..reports.document import build_document
from ..reports.evidence import ModelComparisons, kept_comparisons
from ..reports.suggestions import bench
from ..reports.transcripts import ItemDocument, ItemScore, IterationRow, decoded, item_call
from ..sample.progress import TRIAL
from ..settings.run_config import RunConfig, grader, graders_of
from ..text import plain, plural
from ..types import Item, Score, Summary, canonical, digest
from ..types.result_document import ResultDocument
from .graded import ScoredRun
from .results import is_graded_alike
from .steadiness import steadiness

if TYPE_CHECKING:
    from ..statistics.steadiness import SteadinessRow


class Iterations(NamedTuple):
    """The iterations of a run, each scored by itself, from the first to the last that holds any.

    Attributes:
        items: The ids of all that were graded, or failed, in any of them.
        summaries: Of each in turn its metrics, and why its benchmark's rule of validity is not met.
            One in which nothing is graded has the summary of no scores.
        graded: Of each in turn, how many of the items have a grade.
    """

    items: frozenset[str]
    summaries: Sequence[Summary]
    graded: Sequence[int]


class StoredRun(ScoredRun):
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
        document = self.document
        main = document is None or is_graded_alike(document, config)
        key = self._key(by, config, pack)
        if key and (known := self.journal.cached(self.record, key)):
            return cast(ResultDocument, known)
        with self.journal.caching("judge") as results:
            compared = kept_comparisons(config, document)
            result = self._result_of(by, config, pack, compared, main=main)
            if key:
                results[self.record.n] = CachedResult(key, result)
        return result

    def _key(self, by: Grader, config: RunConfig, pack: Pack) -> str | None:
        """A digest of what its result by a grader depends on beside its rows; ``None``: unknown."""
        if (code := code_digest(config.benchmark)) is None:
            return None
        source, options = pack.source, dict(config.options)
        read = [source.name, source.sha256, options, dict(stated.get()), self.document]
        return digest([code, self.id, by.as_json(), *read])

    def computed(
        self,
        document: ResultDocument,
        rate: Callable[[RunConfig, Pack, ModelComparisons], ModelComparisons],
    ) -> ResultDocument:
        """Its own result, made anew of the grades of that result's grader.

        `rate` makes its ratings anew, if it has any.

        Raises:
            BenchError: Its benchmark or its data is not here, or it has no grades.
        """
        config, graders = self.config_of(document), [count.grader for count in self.all_graders]
        graded = [one for one in graders if one.online.digest == document["grader"]]
        by = next(iter(graded or graders), grader(config))
        pack, kept = self.pack_of(config), kept_comparisons(config, document)
        compared = rate(config, pack, kept) if kept and kept.ratings else kept
        return self._result_of(by, config, pack, compared, main=True)

    def _result_of(
        self,
        by: Grader,
        config: RunConfig,
        pack: Pack,
        compared: ModelComparisons | None,
        *,
        main: bool,
    ) -> ResultDocument:
        selection, members = self.selection_of(pack), graders_of(config, offline=by.offline)
        evidence = self.evidence(by, selection, members=members)
        document = build_document(
            self.record, config, pack, selection, evidence, compared=compared, main=main
        )
        return {**document, "grader": by.online.digest}

    def iterations(
        self, document: ResultDocument | None = None, *, dataset: str | None = None
    ) -> Iterations:
        """Its iterations, each scored by itself (a result's ``iterations`` is their number).

        Args:
            document: The result whose grader's scores count; by default its own.
            dataset: Where its data is now, if it was moved.

        Raises:
            UsageError: It has no result, or nothing is graded.
            DataError: The data are not there, or the grades are no longer those of that result.
        """
        config = self.config_of(document or self.result(), dataset)
        pack, by = self.pack_of(config), self._same_grader(config)
        scores = list(self.grades(by, pack.clusters))
        keys = [(s.item_id, s.iteration) for s in scores]
        keys += [(f.item_id, f.iteration) for f in self.failures if f.item_id in pack.clusters]
        numbers = range(1, max((n for _, n in keys), default=0) + 1)
        parts = [[score for score in scores if score.iteration == n] for n in numbers]
        summarise = guard(config.benchmark).summarise
        return Iterations(
            frozenset(item_id for item_id, _ in keys),
            [summarise(pack, part, config.options) for part in parts],
            [len(part) for part in parts],
        )

    def _same_grader(self, config: RunConfig) -> Grader:
        """The grader that a configuration means: in `bench run`, else in `bench rescore`.

        Raises:
            UsageError: Nothing is graded.
            DataError: Neither of the two has graded.
        """
        graders = {count.grader for count in self.all_graders}
        for by in (grader(config), grader(config, offline=True)):
            if by in graders:
                return by
        if not graders:
            raise UsageError(f"run {self.id} has no graded replies yet; run its command first")
        message = "its grades are by another judge than its last result, or by another version"
        raise DataError(f"run {self.id}", f"{message}; {bench('rescore', self.id)} grades anew")

    def steadiness(
        self, dataset: str | None = None, judge: Judge | None = None
    ) -> "list[SteadinessRow]":
        """How steady its main metric and its values are from one iteration to the next.

        Empty with one iteration.

        Args:
            dataset: Where its data is now, if it was moved.
            judge: Whose grades count; by default those of its own result.

        Raises:
            DataError: Its data is not there.
        """
        grader = self.by_judge(judge) if judge else self._grader_of(self.document)
        return steadiness(self, grader, dataset)

    def left_out(self) -> Iterator[str]:
        """What its own result does not show, each with the command that shows it.

        Nothing where it has no result.
        """
        document = self.document
        if document is None:
            return

        def by(judge: Judge) -> str:
            return bench("show", self.id, "--judge", judge)

        held, shown = len(self.samples_done), document["items"]["total"]
        shown_judge = judge_in(document)
        if held > shown:
            more = by(shown_judge) if shown_judge else bench("rescore", self.id)
            of = f"{shown} of the {plural(held, 'sample')}"
            yield f"this is the result of {of} that the journal holds: {more}"
        if self.is_outdated():
            yield (
                "it was graded otherwise than it would be today (grading, judge prompts or judge "
                f"sampling): {bench('rescore', self.id)}, or its own command, grades it anew"
            )
        judges = {judge for g, _ in self.all_graders if (judge := g.judge)} - {shown_judge}
        for judge in sorted(judges, key=str):
            yield f"the judge {judge} has graded this run too: {by(judge)}"
        mine = document["options"].items()
        for options in {canonical(g.options): g.options for g, _ in self.all_graders}.values():
            if sets := [f"{n}={plain(options[n])}" for n, v in mine if options.get(n, v) != v]:
                anew = bench("rescore", self.id, *(word for one in sets for word in ("--set", one)))
                yield f"it was graded with {' '.join(sets)} too: {anew}"

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

    def transcript(self, item_id: str, iteration: int = 1) -> IterationRow:
        """The calls of one sample in the order they came, and its score, with all its detail.

        Raises:
            UsageError: The run holds nothing about it.
        """
        for row in self.item(item_id)["iterations"]:
            if row["iteration"] == iteration:
                return row
        raise UsageError(f"run {self.id} holds nothing about iteration {iteration} of {item_id!r}")

    def item(self, item_id: str) -> ItemDocument:
        """All iterations of an item as `transcript` has one, and comparisons of its transcripts.

        Raises:
            UsageError: The run holds nothing about it.
        """
        (document,) = self.item_documents([item_id])
        return document

    def item_documents(
        self, ids: Iterable[str], grader_digest: str | None = None, *, public: bool = False
    ) -> Iterator[ItemDocument]:
        """Several items as `item` has one, in their order.

        Args:
            ids: Theirs.
            grader_digest: Of the grader whose scores count; where it is ``None`` or of none of the
                run's, a score is that of the latest grader that has one.
            public: Name nobody's host.

        Raises:
            UsageError: The run holds nothing about one; only when its turn comes.
        """
        all_graders = [count.grader for count in self.all_graders]
        graders = [one for one in all_graders if one.digest == grader_digest] or all_graders
        for item_id in ids:
            failed = {f.iteration: f.reason for f in self.failures if f.item_id == item_id}
            yield self._item(item_id, graders, failed, public=public)

    def transcript_views(self, document: ItemDocument) -> dict[int, TranscriptView]:
        """How an item's benchmark shows it, by iteration: its own turns, tables beside them.

        There are none where the item's data is not here.
        """
        item = self._pack_items.get(document["item_id"])
        if item is None:
            return {}
        plugin = guard(self.plugin)
        return {row["iteration"]: _view(plugin, item, row) for row in document["iterations"]}

    @cached_property
    def _pack_items(self) -> dict[str, Item]:
        with contextlib.suppress(BenchError):
            return {item.id: item for item in self.pack.items}
        return {}

    def _item(
        self, item_id: str, graders: Sequence[Grader], failed: Mapping[int, str], *, public: bool
    ) -> ItemDocument:
        calls: dict[int, list[StoredCall]] = {}
        for call in self.journal.calls(self.record, item_id):
            calls.setdefault(call.iteration, []).append(call)
        if not calls and not failed:
            raise UsageError(f"run {self.id} holds nothing about item {item_id!r}")
        comparisons = self.journal.comparisons_about(self.id, item_id)
        return {
            "run_id": self.id,
            "benchmark": self.benchmark,
            "model": self.model,
            "name": self.name,
            "demo": self.demo,
            "imported": origin_of(self.model, self.settings),
            "item_id": item_id,
            "iterations": [
                {
                    "iteration": n,
                    # A trial was not about this item.
                    "calls": [
                        item_call(c, public=public)
                        for c in calls.get(n, ())
                        if c.key.phase != TRIAL
                    ],
                    "score": self._latest_score(graders, item_id, n, public=public),
                    "failed": failed.get(n),
                }
                for n in sorted(calls.keys() | failed.keys())
            ],
            "comparisons": [
                decoded(row, self.id, public=public)
                for row in comparisons
                if row.status in ("read", "unread")
            ],
        }

    def _latest_score(
        self, graders: Sequence[Grader], item_id: str, iteration: int, *, public: bool
    ) -> ItemScore | None:
        """A sample's score by the latest grader that has one, with that grader's judge."""
        for by in graders:
            if score := self.journal.score_of(self.record, by, item_id, iteration):
                judge = by.judge and (by.judge.public if public else by.judge)
                return {
                    "values": score.values,
                    "reason": score.reason,
                    "flags": list(score.flags),
                    "detail": score.detail,
                    "judge": judge.label if judge else None,
                    "judges": list(map(str, judge.judges)) if judge else [],
                }
        return None


def _view(plugin: Guarded, item: Item, row: IterationRow) -> TranscriptView:
    """A sample as its benchmark shows it, or why it cannot: a grade may be an import's."""
    row_score = row["score"]
    score = row_score and Score(
        row_score["values"], row_score["reason"], tuple(row_score["flags"]), row_score["detail"]
    )
    calls = [
        RecordedCall(
            call["phase"],
            [(role, text) for role, text in call["messages"] or () if role != "system"],
            call["text"],
            call["reasoning"],
        )
        for call in row["calls"]
    ]
    try:
        reference = plugin.beside_reference(item, score) if score else None
        view = plugin.transcript_view(item, calls, score) or TranscriptView()
    except PluginError as error:
        why = Table("The benchmark's own view cannot be shown", ("why",), [(str(error),)])
        return TranscriptView((), [why])
    return view._replace(alongside=[*filter(None, [reference]), *view.alongside])
