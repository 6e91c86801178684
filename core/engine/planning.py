"""The plan of a run: what is left to ask, how many tokens that is, what it may cost.

Requests are made for a few items as the run would make them, a demo model
giving the replies that later requests depend on; the others are taken to be
like them.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..benchmark import Pack
from ..clients.base import CallContext, ClientConfig, ModelSpec
from ..clients.demo import JUDGE, DemoClient
from ..errors import MissingCall
from ..journal import CallKey, Journal, RunRecord, StoredComparison
from ..journal.store import FILE
from ..making import DataMaker
from ..reports.evidence import Selection
from ..spending.estimate import CallPlan, Range, cost_range, plan_calls, total_tokens
from ..spending.prices import Price
from ..types import ChatRequest, ChatResponse, Item, Sampling, digest
from .config import Endpoint, RunConfig, grader, identity
from .contestants import finished, opponents_of, refuse_strangers
from .handles import Handle
from .parties import Money
from .placement import placement_of, seen_from, settled_by
from .pools import pool_of, read_pool
from .unmade import calls_left
from .workshop import COMPARE

LOOKED_AT = 5
"""Items whose requests are made to estimate the tokens of all."""


@dataclass(frozen=True, slots=True)
class PartyPlan:
    """What one model or judge will be asked.

    Attributes:
        calls: When nothing fails and every answer can be read; of comparisons, at most.
        price: ``None`` when unknown.
        tokens: Of one call, as far as it can be told; ``None`` when no request is known.
        phase: ``generate``, ``judge`` or ``compare``.
    """

    endpoint: Endpoint
    calls: int
    price: Price | None
    tokens: CallPlan | None
    phase: str = "generate"

    @property
    def cost(self) -> Range | None:
        """Dollars for all its calls; ``None`` when unknown."""
        if not self.calls or (self.price is not None and self.price.free):
            return Range(0.0, 0.0)
        if self.price is None or self.tokens is None:
            return None
        return cost_range([self.tokens], self.price)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do.

    Attributes:
        left: Samples that have no score yet, of `total`.
    """

    total: int
    left: int
    parties: tuple[PartyPlan, ...]

    @property
    def cost(self) -> Range | None:
        """Dollars in all; ``None`` when a price is unknown."""
        costs = [party.cost for party in self.parties]
        known = [cost for cost in costs if cost is not None]
        return sum(known, Range(0.0, 0.0)) if len(known) == len(costs) else None

    @property
    def tokens(self) -> tuple[Range, Range]:
        """Input and output tokens in all, as far as they can be told."""
        return total_tokens(p.tokens for p in self.parties if p.tokens is not None)

    @property
    def costs_money(self) -> bool:
        """Whether it will, or may, cost something."""
        return any(p.calls and not (p.price and p.price.free) for p in self.parties)


def make_plan(config: RunConfig, pack: Pack, items: Sequence[Item], money: Money) -> Plan:
    """The plan of a run; reads the journal if there is one, and changes nothing."""
    selection = Selection(items, config.iterations)
    left, calls = _left(config, selection, _known(config, pack, selection))
    if isinstance(config.benchmark, DataMaker):
        calls["generate"] = calls_left(config.benchmark, config, pack)
    asked: dict[str, list[ChatRequest]] = asyncio.run(_requests(config, items[:LOOKED_AT]))
    parties = [("generate", config.model)]
    if config.judge:
        parties += [("judge", config.judge)] if calls["judge"] or asked["judge"] else []
        if compares := config.benchmark.compares(config.options) and not config.run_id:
            calls[COMPARE] = comparisons_left(config, pack, selection)
        parties += [(COMPARE, config.judge)] if compares else []
    made = [
        PartyPlan(
            endpoint,
            calls[phase],
            money.price(endpoint, phase),
            plan_calls(asked[phase], calls[phase]) if asked[phase] else None,
            phase,
        )
        for phase, endpoint in parties
    ]
    return Plan(selection.total, left, tuple(made))


class _Known(NamedTuple):
    """What the journal holds of a run: graded samples, and calls by sample and phase."""

    graded: frozenset[tuple[str, int]] = frozenset()
    calls: Mapping[tuple[str, int, str], int] = {}


def _known(config: RunConfig, pack: Pack, selection: Selection) -> _Known:
    if config.fresh or not (config.runs_dir / FILE).exists():
        return _Known()
    with Journal(config.runs_dir, create=False) as journal:
        known_as = digest(identity(config, pack))
        run = journal.find_run(config.run_id) if config.run_id else journal.newest_run(known_as)
        if run is None:
            return _Known()
        grades = journal.grades(run, digest(grader(config)), selection.clusters)
        totals = journal.call_totals(run, config.judge.label if config.judge else None)
        return _Known(
            frozenset((g.item_id, g.iteration) for g in grades),
            {(t.item_id, t.iteration, t.phase): t.calls for t in totals},
        )


def _left(config: RunConfig, selection: Selection, known: _Known) -> tuple[int, Counter[str]]:
    """Samples without a score, and the calls they still need by phase."""
    left, calls = 0, Counter[str]()
    for item in selection.items:
        needed = config.planned_calls(item)
        for iteration in range(1, selection.iterations + 1):
            if (item.id, iteration) in known.graded:
                continue
            left += 1
            for phase, n in needed.items():
                calls[phase] += max(0, n - known.calls.get((item.id, iteration, phase), 0))
    return left, calls


def comparisons_left(config: RunConfig, pack: Pack, selection: Selection) -> int:
    """The most comparisons that a run may still buy.

    Raises:
        UsageError: An opponent is named that the journal does not have.
    """
    if not (config.runs_dir / FILE).exists():
        refuse_strangers(config, {})
        return 0
    with Journal(config.runs_dir, create=False) as journal:
        meant = identity(config, pack)
        run = None if config.fresh else journal.newest_run(digest(meant))
        others = opponents_of(journal, config, pack, meant, config.display_name)
        whole = {name: finished(journal, pack, config, other) for name, other in others.items()}
        pool = pool_of(config, pack)
        own = finished(journal, pack, config, run) if run else frozenset()
        of = placement_of(pool, config.options, own & selection.samples)
        if run and selection.samples <= own and settled_by(journal, run, of):
            return 0
        rows = read_pool(journal, pool, pack, run) if run else []
    alike = {name: samples & selection.samples for name, samples in whole.items()}
    return _left_of(config, alike, {other.run_id for other in others.values()}, run, rows)


def _left_of(
    config: RunConfig,
    alike: Mapping[str, frozenset[tuple[str, int]]],
    runs: Collection[str],
    run: RunRecord | None,
    rows: Sequence[StoredComparison],
) -> int:
    """What is left of comparisons with each model on the samples that both will have."""
    both = config.options.get("orders", "both") == "both"
    made = [row for row in rows if run and row.status in ("read", "unread")]
    seen = {seen_from(row, config.display_name) for row in made if run and _is_of(row, run, runs)}
    done = {key if both else key[:3] for key in seen}
    left = (1 + both) * sum(map(len, alike.values()))
    left -= sum((item_id, n) in alike.get(name, ()) for name, item_id, n, *_ in done)
    limit = int(config.options.get("max_comparisons") or 0)
    # No half of a pair of orders is bought.
    most = limit - limit % (1 + both) if limit else left + len(done)
    return int(max(0, min(left, most - len(done))))


def _is_of(row: StoredComparison, run: RunRecord, others: Collection[str]) -> bool:
    """Whether a comparison is between a run and one of others."""
    return (row.run_a == run.run_id and row.run_b in others) or (
        row.run_b == run.run_id and row.run_a in others
    )


async def _requests(config: RunConfig, items: Sequence[Item]) -> dict[str, list[ChatRequest]]:
    asked: dict[str, list[ChatRequest]] = {"generate": [], "judge": [], COMPARE: []}
    for item in items:
        model = _recorder(config, item, "generate", "medium", config.effective_sampling, asked)
        judges = config.benchmark.judge_sampling
        judge = _recorder(config, item, "judge", JUDGE, judges, asked)
        pairs = _recorder(config, item, COMPARE, JUDGE, judges, asked)
        with contextlib.suppress(Exception):  # a plugin's; a plan is an estimate, the run will tell
            transcript = await config.benchmark.generate(item, model, config.options)
            if config.judge:
                await config.benchmark.grade(item, transcript, judge, config.options)
                if config.benchmark.compares(config.options):
                    both = (transcript, transcript)
                    await config.benchmark.compare(item, *both, pairs, config.options)
    return asked


def _recorder(
    config: RunConfig,
    item: Item,
    phase: str,
    demo: str,
    sampling: Sampling,
    asked: dict[str, list[ChatRequest]],
) -> Any:
    client = DemoClient(ClientConfig(ModelSpec("demo", demo)))
    context = CallContext(config.benchmark, item, 1, phase)

    async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
        asked[phase].append(request)
        if not config.benchmark.has_demo:
            raise MissingCall("a plan has no words to go on with")
        return await client.complete(request, context)

    system = config.system if phase == "generate" else None
    return Handle(answer, phase=phase, asked=demo, sampling=sampling, system=system)
