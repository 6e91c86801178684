"""What `bench list --details` and `bench info` say of a benchmark."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..benchmark import Benchmark
from ..datasets import find_pack, manifest_of
from ..errors import BenchError
from ..guard import guard
from ..plugins import installed
from ..reading.bibtex import cited
from ..run.full_run import PRICED_BY, FullRun, full_run
from ..settings.rules import own_options
from ..spending.prices import format_range
from ..text import by_player
from ..types import Json, JsonObject


class PackFacts(NamedTuple):
    """A pack of a benchmark's data, and whether it is here."""

    name: str
    title: Json
    licence: Json
    state: str
    files: Sequence[JsonObject]
    items: Sequence[str]


class BenchmarkFacts(NamedTuple):
    """A benchmark, what it needs and whose work it is.

    Attributes:
        origin: The distribution that brings it, or the file that declares it.
        kind: Empty where it says none.
        languages: Codes; empty where it says none.
        parties: Who is asked: ``model``, roles, ``judge``.
        run: What a full run takes; ``None`` where its data is not here.
        cite: Keys of the entries that `bench cite` prints for it.
    """

    name: str
    version: str
    title: str
    origin: str
    kind: str
    languages: Sequence[str]
    parties: Sequence[str]
    packs: Sequence[PackFacts]
    run: FullRun | None
    cite: Sequence[str]

    @property
    def licences(self) -> str:
        """Those of its packs, each once."""
        return ", ".join(dict.fromkeys(str(pack.licence) for pack in self.packs))

    @property
    def calls(self) -> str:
        """Who is asked how often in a full run."""
        if self.run is None:
            return f"unknown: its data is not here; bench data fetch {self.name} gets it"
        calls = by_player(self.run.calls).items()
        counts = [f"{party} {n:,}" + " each" * (" " in party) for party, n in calls]
        return ", ".join(counts) + ", and comparisons" * self.run.compares

    @property
    def money(self) -> str:
        """What a full run costs."""
        if self.run is None or self.run.cost_usd is None:
            return "unknown"
        price = format_range(self.run.cost_usd)
        but = ", without comparisons" if self.run.compares else ""
        return f"free on a server of your own, {price} if {PRICED_BY} is asked for all{but}"

    @property
    def as_json(self) -> JsonObject:
        """The facts that `bench list --details --json` and `bench info --json` share."""
        return {
            "origin": self.origin,
            "kind": self.kind,
            "languages": self.languages,
            "parties": self.parties,
            "full_run": _run_as_json(self.run) if self.run else None,
            "cite": self.cite,
        }


def _run_as_json(run: FullRun) -> JsonObject:
    cost = run.cost_usd
    return {
        "pack": run.pack,
        "items": run.items,
        "iterations": run.iterations,
        "calls": run.calls,
        "compares": run.compares,
        "priced_by": str(PRICED_BY),
        "cost_usd": [cost.low, cost.high] if cost else None,
    }


def facts_of(benchmark: Benchmark) -> BenchmarkFacts:
    """The facts of a benchmark.

    Raises:
        DataError: Its manifest, or the file that it cites, is broken.
    """
    catalogue = installed()
    run = full_run(benchmark)
    judge = benchmark.judged or guard(benchmark).compares(own_options(benchmark, {}))
    choices = [o.choices for o in benchmark.options if o.name == "lang"]
    return BenchmarkFacts(
        benchmark.name,
        benchmark.version,
        benchmark.title,
        catalogue.distribution_of(benchmark) or next(iter(benchmark.files), ""),
        benchmark.kind,
        benchmark.languages or (choices[0] if choices else ()),
        ("model", *dict.fromkeys(r.group or r.name for r in benchmark.roles), *["judge"] * judge),
        tuple(_packs(benchmark)),
        run,
        tuple(entry.key for entry in cited(benchmark.cite)),
    )


def _packs(benchmark: Benchmark) -> Iterator[PackFacts]:
    for pack in manifest_of(benchmark).values():
        title, licence = pack.facts.get("title", ""), pack.facts.get("licence", "unknown")
        files = [{"path": f.path, "url": f.url, "sha256": f.sha256} for f in pack.files]
        yield PackFacts(pack.name, title, licence, *_state(benchmark, pack.name, files))


def _state(
    benchmark: Benchmark, pack: str, files: Sequence[JsonObject]
) -> tuple[str, Sequence[JsonObject], Sequence[str]]:
    """Whether a pack is here, and if not, how to have it used; its files, and its items."""
    defaults = own_options(benchmark, {})
    try:
        source = find_pack(benchmark, pack, defaults)
        items = [item.id for item in guard(benchmark).read_pack(source, defaults).items]
    except BenchError:
        return f"not here: bench data fetch {benchmark.in_commands} gets it", files, ()
    return f"here, sha256 {source.sha256[:12]}", files, items
