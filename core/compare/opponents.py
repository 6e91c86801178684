"""Whose transcripts can be compared: runs of one benchmark on one pack, and what they hold.

A transcript is made again from the journal's replies by the benchmark's own
coroutine, when a comparison first needs it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..benchmark import Benchmark, Pack
from ..benchmark.roles import MODEL, is_generating
from ..errors import BenchError, MissingCall, UsageError
from ..guard import guard
from ..journal import Journal, RunRecord
from ..reading.names import check_without
from ..runs.finding import Company, is_asked_alike
from ..runs.replay import stored_model
from ..sample.model import known_replies
from ..settings.run_config import RunConfig
from ..types import Item, JsonObject, digest
from .comparison_pool import newest_of
from .placement import wanted_placement

Slot = tuple[str, int]
"""An item in one iteration: what a transcript is of."""


class Text(NamedTuple):
    """A finished transcript.

    Attributes:
        value: What the benchmark's `generate` returned.
        digest: Of the replies that it is made of.
    """

    value: object
    digest: str


class Gap(NamedTuple):
    """Why there is no transcript that can be compared."""

    reason: str


TOO_SHORT = Gap("too short to be compared")
UNFINISHED = Gap("not finished")


@dataclass
class Opponent:
    """A run whose transcripts can be compared.

    Attributes:
        name: What ratings call its model.
        samples: Items and iterations with a finished transcript.
    """

    name: str
    run: RunRecord
    samples: frozenset[Slot]
    _texts: dict[Slot, Text | Gap] = field(default_factory=dict, repr=False)

    async def text(self, slot: Slot, shelf: "TranscriptCache") -> Text | Gap:
        """The transcript of a sample, or why there is none."""
        if slot not in self._texts:
            self._texts[slot] = await shelf.make(self.run, *slot)
        return self._texts[slot]

    async def comparable(
        self, wanted: Collection[Slot], shelf: "TranscriptCache"
    ) -> frozenset[Slot]:
        """The samples, of those wanted, of which it has a transcript that says enough."""
        there = sorted(self.samples.intersection(wanted))
        return frozenset([s for s in there if isinstance(await self.text(s, shelf), Text)])

    def lacks(self, wanted: Collection[Slot]) -> str | None:
        """What keeps most samples, of those wanted and looked at, from being compared."""
        if not self.samples.intersection(wanted):
            return "no finished transcript of the same items"
        found = [self._texts.get(slot) for slot in sorted(wanted)]
        gaps = [text.reason for text in found if isinstance(text, Gap)]
        return max(gaps, key=gaps.count) if gaps else None


@dataclass(frozen=True, slots=True)
class TranscriptCache:
    """How transcripts are made again."""

    journal: Journal
    benchmark: Benchmark
    options: JsonObject
    items: Mapping[str, Item]

    @classmethod
    def of(cls, journal: Journal, config: RunConfig, pack: Pack) -> "TranscriptCache":
        """That of a run's transcripts."""
        items = {item.id: item for item in pack.items}
        return cls(journal, config.benchmark, config.options, items)

    async def make(self, run: RunRecord, item_id: str, iteration: int) -> Text | Gap:
        """A transcript from a run's replies, or why there is none."""
        try:
            return await self._make(run, self.items[item_id], iteration)
        except MissingCall:
            return UNFINISHED
        except BenchError as error:
            return Gap(f"cannot be read: {error}")

    async def _make(self, run: RunRecord, item: Item, iteration: int) -> Text | Gap:
        replies = self.journal.replies(run, item.id, iteration)
        own = {key: reply for key, reply in replies.items() if is_generating(key.phase)}
        handle = stored_model(run, self.benchmark, known_replies(own), item.id, iteration)
        made = await guard(self.benchmark).generate(item, handle, self.options)
        if not guard(self.benchmark).is_comparable(item, made):
            return TOO_SHORT
        return Text(made, digest(sorted(reply.text for reply in own.values())))


def find_contestants(
    journal: Journal, config: RunConfig, pack: Pack, run: RunRecord
) -> tuple[Opponent, list[Opponent]]:
    """The run itself, and its opponents sorted by name.

    Opponents are all models of its company that were asked the same, or those of them that
    ``--opponents`` names; of several runs of a model, the newest whole one.
    """
    chosen = opponents_of(journal, config, pack, run.settings, run.name)
    opponents = [contestant(journal, pack, config, chosen[name]) for name in sorted(chosen)]
    return contestant(journal, pack, config, run), opponents


def opponents_of(
    journal: Journal, config: RunConfig, pack: Pack, settings: JsonObject, but: str
) -> dict[str, RunRecord]:
    """The runs of the models to compare with that the journal has, by name."""
    others = runs_alike(journal, config, pack, settings, but)
    wanted = wanted_placement(config).names
    return {name: others[name] for name in wanted if name in others} if wanted else others


def check_opponents(
    journal: Journal, config: RunConfig, pack: Pack, settings: JsonObject, but: str
) -> None:
    """Check, before anything is sent, that the journal has the opponents that are named.

    Raises:
        UsageError: It does not have one, or one that is to be left out.
    """
    named = wanted_placement(config).names
    if both := set(named).intersection(config.without):
        raise UsageError(f"--opponents and --without both name {', '.join(sorted(both))}")
    if config.without:
        there = runs_alike(journal, replace(config, without=()), pack, settings, but)
        check_without(config.without, there)
    if named:
        refuse_strangers(config, runs_alike(journal, config, pack, settings, but))


def refuse_strangers(config: RunConfig, others: Mapping[str, RunRecord]) -> None:
    """Check that the opponents that are named are among others.

    Raises:
        UsageError: One is not.
    """
    if unknown := [name for name in wanted_placement(config).names if name not in others]:
        there = ", ".join(sorted(others)) or "none"
        raise UsageError(
            f"--opponents names {', '.join(unknown)}, of which the journal has no run with this "
            f"pack and protocol; there are: {there}"
        )


def runs_alike(
    journal: Journal, config: RunConfig, pack: Pack, settings: JsonObject, but: str
) -> dict[str, RunRecord]:
    """The run that counts of each other model that was asked the same: its newest whole one.

    Args:
        journal: Holds the runs.
        config: Says who may be one of them.
        pack: Their data.
        settings: Of a run, or the identity that a run will have.
        but: The model that is left out.
    """
    company = Company.of(config)
    by_name: dict[str, list[RunRecord]] = {}
    for run in journal.runs():
        if run.name == but or not company.admits(run.name, demo=run.demo):
            continue
        if is_asked_alike(run.settings, settings):
            by_name.setdefault(run.name, []).append(run)
    return newest_of(journal, by_name, pack)


def contestant(journal: Journal, pack: Pack, config: RunConfig, run: RunRecord) -> Opponent:
    """A run with the samples whose transcripts are whole."""
    return Opponent(run.name, run, finished(journal, pack, config, run))


def finished(journal: Journal, pack: Pack, config: RunConfig, run: RunRecord) -> frozenset[Slot]:
    """The samples of a run whose transcript is whole, by the number of its calls."""
    plugin = guard(config.benchmark)
    needed = {i.id: plugin.planned_calls(i, config.options)["model"] for i in pack.items}
    if config.benchmark.roles:  # a talk may end before its time, so calls do not tell
        graded = (journal.samples_graded(run, g.digest) for g in journal.graders(run))
        return frozenset(sample for samples in graded for sample in samples)
    totals = (t for t in journal.call_totals(run) if t.phase == MODEL)
    whole = (t for t in totals if t.calls >= needed.get(t.item_id, t.calls + 1))
    return frozenset((t.item_id, t.iteration) for t in whole)
