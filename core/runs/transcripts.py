"""All that was said about an item of a stored run, with its scores and its comparisons."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ..errors import BenchError, PluginError, UsageError
from ..guard import Guarded, guard
from ..hooks.sections import RecordedCall, Table, TranscriptView
from ..journal import StoredCall
from ..parties.graders import Grader
from ..parties.imported import origin_of
from ..reports.decoded import decoded
from ..reports.transcripts import ItemDocument, ItemScore, IterationRow, item_call
from ..sample.progress import TRIAL
from ..types import Item, Score
from .graded import ScoredRun


class ReadRun(ScoredRun):
    """A run with its transcripts."""

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
        """The same of all iterations of an item, with the comparisons of its transcripts.

        Raises:
            UsageError: The run holds nothing about it.
        """
        (document,) = self.item_documents([item_id])
        return document

    def item_documents(
        self, ids: Iterable[str], grader: object = None, *, public: bool = False
    ) -> Iterator[ItemDocument]:
        """The same of several items, in their order.

        Args:
            ids: Theirs.
            grader: Digest of the one whose scores count; without one that has any, the latest.
            public: Name nobody's host.

        Raises:
            UsageError: The run holds nothing about one.
        """
        there = [count.grader for count in self.all_graders]
        graders = [one for one in there if one.digest == grader] or there
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
        about = self.journal.comparisons_about(self.id, item_id)
        return {
            "run_id": self.id,
            "benchmark": self.benchmark,
            "model": self.model,
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
                for row in about
                if row.status in ("read", "unread")
            ],
        }

    def _latest_score(
        self, graders: Sequence[Grader], item_id: str, iteration: int, *, public: bool
    ) -> ItemScore | None:
        """A sample's score by the latest grader that has one, with that grader's judge."""
        for grader in graders:
            if score := self.journal.score_of(self.record, grader, item_id, iteration):
                judge = grader.judge and (grader.judge.public if public else grader.judge)
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
    found = row["score"]
    score = found and Score(
        found["values"], found["reason"], tuple(found["flags"]), found["detail"]
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
        beside = plugin.beside_reference(item, score) if score else None
        view = plugin.transcript_view(item, calls, score) or TranscriptView()
    except PluginError as error:
        why = Table("The benchmark's own view cannot be shown", ("why",), [(str(error),)])
        return TranscriptView((), [why])
    return view._replace(beside=[*filter(None, [beside]), *view.beside])
