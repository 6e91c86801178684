"""Whose transcripts can be compared: runs of one benchmark on one pack, and what they hold.

A transcript is made again from the journal's replies by the benchmark's own
coroutine, when a comparison first needs it.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from ..benchmark import PlacementOptions
from ..benchmark.model import MODEL, is_generating
from ..errors import BenchError, MissingCall, UsageError
from ..guard import guard
from ..journal import RunRecord
from ..reading.names import check_name
from ..runs.replay import stored_model
from ..sample.model import known_replies
from ..settings.run_config import RunConfig
from ..types import Item, digest
from .contest import Contest

Slot = tuple[str, int]
"""An item in one iteration: what a transcript is of."""


class Text(NamedTuple):
    """A finished transcript, what `generate` returned, and a digest of the replies it is of."""

    value: object
    digest: str


class Gap(NamedTuple):
    """Why there is no transcript that can be compared."""

    reason: str


TOO_SHORT = Gap("too short to be compared")
UNFINISHED = Gap("not finished")


@dataclass
class Opponent:
    """A run whose transcripts, of items and iterations that are finished, can be compared."""

    contest: Contest
    run: RunRecord
    samples: frozenset[Slot]
    _texts: dict[Slot, Text | Gap] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """What ratings call its model."""
        return self.run.name

    async def text(self, slot: Slot) -> Text | Gap:
        """The transcript of a sample, or why there is none."""
        if slot not in self._texts:
            self._texts[slot] = await self._read(*slot)
        return self._texts[slot]

    async def _read(self, item_id: str, iteration: int) -> Text | Gap:
        try:
            return await self._make(self.contest.items[item_id], iteration)
        except MissingCall:
            return UNFINISHED
        except BenchError as error:
            return Gap(f"cannot be read: {error}")

    async def _make(self, item: Item, iteration: int) -> Text | Gap:
        config, replies = self.contest.config, self.contest.journal.replies
        stored = replies(self.run, item.id, iteration).items()
        replies_of_model = {key: reply for key, reply in stored if is_generating(key.phase)}
        answer = known_replies(replies_of_model)
        handle = stored_model(self.run, config.benchmark, answer, item.id, iteration)
        transcript = await guard(config.benchmark).generate(item, handle, config.options)
        if not guard(config.benchmark).is_comparable(item, transcript):
            return TOO_SHORT
        return Text(transcript, digest(sorted(reply.text for reply in replies_of_model.values())))

    async def comparable(self, slots: Collection[Slot]) -> frozenset[Slot]:
        """The samples, of those wanted, of which it has a transcript that says enough."""
        held = sorted(self.samples.intersection(slots))
        return frozenset([s for s in held if isinstance(await self.text(s), Text)])

    def lacks(self, slots: Collection[Slot]) -> str | None:
        """What keeps most samples, of those wanted and looked at, from being compared."""
        if not self.samples.intersection(slots):
            return "no finished transcript of the same items"
        texts = [self._texts.get(slot) for slot in sorted(slots)]
        gaps = [text.reason for text in texts if isinstance(text, Gap)]
        return max(gaps, key=gaps.count) if gaps else None


def wanted_placement(config: RunConfig) -> PlacementOptions:
    """How a run's options want its model to be placed."""
    return guard(config.benchmark).placement(config.options)


def opponents_in(contest: Contest) -> list[Opponent]:
    """Those that a model is compared with, sorted by name.

    They are all eligible models that were asked the same, or those of them that
    ``--opponents`` names; of several runs of a model, the newest whole one.
    """
    others, named = contest.others(), wanted_placement(contest.config).names
    names = others.keys() & set(named) if named else others
    return [contestant(contest, others[name]) for name in sorted(names)]


def check_opponents(contest: Contest) -> None:
    """Refuse, before anything is sent, opponents that the journal does not have.

    So too one that is to be left out.
    """
    config, without = contest.config, contest.config.without
    named = wanted_placement(config).names
    if both := set(named).intersection(without):
        raise UsageError(f"--opponents and --without both name {', '.join(sorted(both))}")
    if without:
        others = Contest(contest.journal, config, contest.pack, without=()).others()
        for name in without:
            check_name(name, others, f"--without {name}: no such model", "there are")
    if named:
        _refuse_strangers(config, contest.others())


def _refuse_strangers(config: RunConfig, others: Collection[str]) -> None:
    """Refuse opponents that are named and not among others."""
    if unknown := [name for name in wanted_placement(config).names if name not in others]:
        known = ", ".join(sorted(others)) or "none"
        raise UsageError(
            f"--opponents names {', '.join(unknown)}, of which the journal has no run with this "
            f"pack and protocol; there are: {known}"
        )


def contestant(contest: Contest, run: RunRecord) -> Opponent:
    """A run with the samples whose transcripts are whole."""
    return Opponent(contest, run, finished(contest, run))


def finished(contest: Contest, run: RunRecord) -> frozenset[Slot]:
    """The samples of a run whose transcript is whole, by the number of its calls."""
    config, journal = contest.config, contest.journal
    if config.benchmark.roles:  # a talk may end before its time, so calls do not tell
        graded = (journal.samples_graded(run, g) for g, _ in journal.graders(run))
        return frozenset(sample for samples in graded for sample in samples)
    calls = guard(config.benchmark).planned_calls
    needed = {i.id: calls(i, config.options)["model"] for i in contest.pack.items}
    totals = (t for t in journal.call_totals(run) if t.phase == MODEL)
    whole = (t for t in totals if t.calls >= needed.get(t.item_id, t.calls + 1))
    return frozenset((t.item_id, t.iteration) for t in whole)
