"""Whose transcripts can be compared: runs of one benchmark on one pack, and what they hold.

A transcript is made again from the journal's replies by the benchmark's own
coroutine, when a comparison first needs it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..benchmark import Benchmark, Pack
from ..errors import MissingCall, UsageError
from ..journal import Journal, RunRecord
from ..types import Item, digest
from .config import Endpoint, RunConfig, stored_sampling
from .handles import Handle, known_replies
from .pools import newest_whole


class Text(NamedTuple):
    """A finished transcript.

    Attributes:
        value: What the benchmark's `generate` returned.
        digest: Of the replies that it is made of.
    """

    value: Any
    digest: str


@dataclass
class Contestant:
    """A run whose transcripts can be compared.

    Attributes:
        name: What ratings call its model.
        samples: Items and iterations with a finished transcript.
    """

    name: str
    run: RunRecord
    samples: frozenset[tuple[str, int]]
    _texts: dict[tuple[str, int], Text | None] = field(default_factory=dict, repr=False)

    async def text(
        self, journal: Journal, item: Item, iteration: int, shelf: "Shelf"
    ) -> Text | None:
        """The transcript of a sample; ``None`` where it is unfinished or too little to compare."""
        key = (item.id, iteration)
        if key not in self._texts:
            self._texts[key] = await shelf.make(journal, self.run, item, iteration)
        return self._texts[key]


@dataclass(frozen=True, slots=True)
class Shelf:
    """How transcripts are made again."""

    benchmark: Benchmark
    options: Mapping[str, Any]

    async def make(
        self, journal: Journal, run: RunRecord, item: Item, iteration: int
    ) -> Text | None:
        """A transcript from a run's replies."""
        replies = journal.replies(run, item.id, iteration)
        own = {key: reply for key, reply in replies.items() if key.phase == "generate"}
        handle = Handle(
            known_replies(own),
            phase="generate",
            asked=_label(run),
            sampling=stored_sampling(run.settings),
            system=run.settings["system"],
            iteration=iteration,
        )
        try:
            made = await self.benchmark.generate(item, handle, self.options)
        except MissingCall:
            return None
        if not self.benchmark.is_comparable(item, made):
            return None
        return Text(made, digest(sorted(reply.text for reply in own.values())))


def _label(run: RunRecord) -> str:
    from ..clients.base import ModelSpec

    return Endpoint(ModelSpec.parse(run.model), run.settings["endpoint"]).label


def find_contestants(
    journal: Journal, config: RunConfig, pack: Pack, run: RunRecord
) -> tuple[Contestant, list[Contestant]]:
    """The run itself, and its opponents by name.

    Opponents are all models with finished transcripts of the same pack and protocol in the
    journal, or those that ``--opponents`` names; of several runs of a model, the newest
    whole one.

    Raises:
        UsageError: One is named that the journal does not have.
    """
    chosen = opponents_of(journal, config, pack, run.settings, run.name)
    found = [_contestant(journal, pack, config, other) for other in chosen.values()]
    opponents = sorted((c for c in found if c.samples), key=lambda c: c.name)
    return _contestant(journal, pack, config, run), opponents


def opponents_of(
    journal: Journal, config: RunConfig, pack: Pack, settings: Mapping[str, Any], but: str
) -> dict[str, RunRecord]:
    """The runs of the models to compare with, by name.

    Raises:
        UsageError: One is named that the journal does not have.
    """
    others = runs_alike(journal, pack, settings, but)
    refuse_strangers(config, others)
    wanted = named_opponents(config.options)
    return {name: others[name] for name in wanted} if wanted else others


def refuse_strangers(config: RunConfig, others: Mapping[str, RunRecord]) -> None:
    """Check that the opponents that are named are among others.

    Raises:
        UsageError: One is not.
    """
    if unknown := [name for name in named_opponents(config.options) if name not in others]:
        there = ", ".join(sorted(others)) or "none"
        raise UsageError(
            f"--opponents names {', '.join(unknown)}, of which the journal has no run with this "
            f"pack and protocol; there are: {there}"
        )


def runs_alike(
    journal: Journal, pack: Pack, settings: Mapping[str, Any], but: str
) -> dict[str, RunRecord]:
    """The run that counts of each other model that was asked the same: its newest whole one.

    Args:
        journal: Holds the runs.
        pack: Their data.
        settings: Of a run, or the identity that a run will have.
        but: The model that is left out.
    """
    by_name: dict[str, list[RunRecord]] = {}
    for run in journal.runs():
        if run.name != but and _alike(run.settings, settings):
            by_name.setdefault(run.name, []).append(run)
    return {name: newest_whole(journal, runs, pack) for name, runs in by_name.items()}


def named_opponents(options: Mapping[str, Any]) -> Sequence[str]:
    """The names that ``--opponents`` gives."""
    text = options.get("opponents") or ""
    return [name.strip() for name in text.split(",") if name.strip()]


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two runs were asked the same: benchmark, version, pack, prompts and options."""
    names = ("benchmark", "version", "pack", "prompts", "options")
    return all(one.get(name) == other.get(name) for name in names)


def _contestant(journal: Journal, pack: Pack, config: RunConfig, run: RunRecord) -> Contestant:
    return Contestant(run.name, run, finished(journal, pack, config, run))


def finished(
    journal: Journal, pack: Pack, config: RunConfig, run: RunRecord
) -> frozenset[tuple[str, int]]:
    """The samples of a run whose transcript is whole, by the number of its calls."""
    needed = {i.id: config.benchmark.calls_per_sample(i, config.options)[0] for i in pack.items}
    totals = (t for t in journal.call_totals(run) if t.phase == "generate")
    whole = (t for t in totals if t.calls >= needed.get(t.item_id, t.calls + 1))
    return frozenset((t.item_id, t.iteration) for t in whole)
