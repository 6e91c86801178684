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
from ..types import Item, Sampling, digest
from .config import Endpoint, RunConfig
from .handles import Handle, known_replies


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
            sampling=_sampling(run),
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


def _sampling(run: RunRecord) -> Sampling:
    sampling = dict(run.settings["sampling"])
    sampling["stop"] = tuple(sampling["stop"]) if sampling.get("stop") else None
    return Sampling(**sampling)


def find_contestants(
    journal: Journal, config: RunConfig, pack: Pack, run: RunRecord
) -> tuple[Contestant, list[Contestant]]:
    """The run itself, and its opponents by name.

    Opponents are all models with finished transcripts of the same pack and protocol in the
    journal, or those that ``--opponents`` names; of several runs of a model, the newest.

    Raises:
        UsageError: One is named that the journal does not have.
    """
    others: dict[str, RunRecord] = {}
    for other in journal.runs():
        if other.run_id != run.run_id and other.name != run.name and _alike(other, run):
            others[other.name] = other
    wanted = named_opponents(config.options)
    if unknown := [name for name in wanted if name not in others]:
        there = ", ".join(sorted(others)) or "none"
        raise UsageError(
            f"--opponents names {', '.join(unknown)}, of which the journal has no run with this "
            f"pack and protocol; there are: {there}"
        )
    chosen = {name: others[name] for name in wanted} if wanted else others
    found = [_contestant(journal, pack, config, other) for other in chosen.values()]
    opponents = sorted((c for c in found if c.samples), key=lambda c: c.name)
    return _contestant(journal, pack, config, run), opponents


def named_opponents(options: Mapping[str, Any]) -> Sequence[str]:
    """The names that ``--opponents`` gives."""
    text = options.get("opponents") or ""
    return [name.strip() for name in text.split(",") if name.strip()]


def _alike(one: RunRecord, other: RunRecord) -> bool:
    """Whether two runs asked the same: benchmark, version, pack, prompts and options."""
    names = ("benchmark", "version", "pack", "prompts", "options")
    return all(one.settings.get(name) == other.settings.get(name) for name in names)


def _contestant(journal: Journal, pack: Pack, config: RunConfig, run: RunRecord) -> Contestant:
    needed = {i.id: config.benchmark.calls_per_sample(i, config.options)[0] for i in pack.items}
    totals = (t for t in journal.call_totals(run) if t.phase == "generate")
    whole = {
        (t.item_id, t.iteration) for t in totals if t.calls >= needed.get(t.item_id, t.calls + 1)
    }
    return Contestant(run.name, run, frozenset(whole))
