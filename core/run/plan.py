"""The plan of a run: what is left to ask, how many tokens that is, what it may cost.

Requests are made for a few items as the run would make them, a demo model
giving the replies that later requests depend on; the others are taken to be
like them.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from ..benchmark import Pack
from ..clients.demo import JUDGE, DemoClient
from ..compare.expectation import NOTHING_LEFT, Left, look_ahead
from ..compare.opponents import refuse_strangers
from ..endpoints.providers import OF_MODEL, CallContext, ClientConfig, ModelSpec, of_role
from ..errors import BenchError, MissingCall
from ..guard import guard, no_exit
from ..guard.calls import watched
from ..journal import CallKey, Journal, RunRecord
from ..journal.file import has_journal
from ..lookup.refile import SampleReplay
from ..lookup.runs import find_run
from ..making import DataMaker
from ..reports.evidence import Selection
from ..roles import MODEL, is_generating, role_in
from ..sample.judging import trial_request
from ..sample.model import JournaledModel
from ..sample.progress import COMPARE, TRIAL
from ..settings.run_config import Endpoint, RunConfig, by_each_judge, grader, judges_of
from ..spending.estimate import CallPlan, Range, cost_range, plan_calls, total_tokens
from ..spending.prices import Price
from ..types import ChatRequest, ChatResponse, Item, Sampling, digest
from .parties import Pricing
from .unmade_data import calls_left

LOOKED_AT = 5
"""Items whose requests are made to estimate the tokens of all."""


@dataclass(frozen=True, slots=True)
class PartyPlan:
    """What one model, judge or player of a role will be asked.

    Attributes:
        calls: When nothing fails and every answer can be read; of comparisons, at most.
        price: ``None`` when unknown.
        tokens: Of one call, as far as it can be told; ``None`` when no request is known.
        phase: ``generate``, ``role:NAME``, ``judge``, ``compare`` or ``trial``.
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
        comparisons: What a placement is expected to come to.
    """

    total: int
    left: int
    parties: tuple[PartyPlan, ...]
    comparisons: Left = NOTHING_LEFT

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


def make_plan(
    config: RunConfig,
    pack: Pack,
    items: Sequence[Item],
    money: Pricing,
    say: Callable[[str], None] = lambda line: None,
    *,
    trials: Sequence[Endpoint] = (),
) -> Plan:
    """The plan of a run; reads the journal if there is one, and changes nothing.

    Args:
        config: What is asked for.
        pack: Its data.
        items: Those of it that are asked for.
        money: Prices and limits.
        say: Tells the user something.
        trials: Judges that are first asked if they answer, unless they have in this run.
    """
    selection = Selection(items, config.iterations)
    known = _known(config, pack, selection)
    left, calls = _left(config, selection, known)
    comparisons = Left(0)
    if isinstance(config.benchmark, DataMaker):
        calls["generate"] = calls_left(config.benchmark, config, pack)
    looked_at = [_copied(item) for item in items[:LOOKED_AT]]
    with no_exit():
        asked: dict[str, list[ChatRequest]] = asyncio.run(_requests(config, looked_at, say))
    parties = [(MODEL, config.model)]
    roles = {role.phase: config.roles[role.name] for role in config.benchmark.roles}
    parties += [] if config.run_id else roles.items()
    if compares := guard(config.benchmark).compares(config.options) and not config.run_id:
        comparisons = asyncio.run(_comparisons_left(config, pack, selection))
        calls[COMPARE] = comparisons.most
    due = calls[MODEL] and (calls["judge"] or calls[COMPARE])
    made = [_party_plan(money, phase, who, calls[phase], asked[phase]) for phase, who in parties]
    for judge in judges_of(config):
        label, share = judge.stored_label, _share_of(config)
        if calls["judge"] or asked["judge"]:
            verdicts = known.left_by(label, config, selection)
            own = calls["judge"] if verdicts is None else verdicts
            made.append(_party_plan(money, "judge", judge, own, asked["judge"]))
        if compares:
            most = ceil(share * calls[COMPARE])
            made.append(_party_plan(money, COMPARE, judge, most, asked[COMPARE]))
        if due and judge in trials and label not in known.judges:
            request = trial_request(config.benchmark.judge_sampling)
            made.append(_party_plan(money, TRIAL, judge, 1, [request]))
    return Plan(selection.total, left, tuple(made), comparisons)


def _share_of(config: RunConfig) -> float:
    """The share of comparisons that each judge makes."""
    panel = config.panel
    if panel is None or panel.rule != "rotate":
        return 1.0
    return panel.overlap + (1 - panel.overlap) / len(panel.judges)


def _party_plan(
    money: Pricing, phase: str, endpoint: Endpoint, calls: int, asked: Sequence[ChatRequest]
) -> PartyPlan:
    tokens = plan_calls(asked, calls) if asked else None
    return PartyPlan(endpoint, calls, money.price(endpoint, phase), tokens, phase)


class _Known(NamedTuple):
    """What the journal holds of a run.

    Attributes:
        graded: Samples with a grade by today's grader.
        calls: By sample and phase.
        verdicts: Of samples that were judged and have no such grade, the calls to the judge that
            today's requests do not find.
        judges: The labels of the judges that have answered anything.
        graded_by: Of a panel, the samples that each judge has graded.
    """

    graded: frozenset[tuple[str, int]] = frozenset()
    calls: Mapping[tuple[str, int, str], int] = {}
    verdicts: Mapping[tuple[str, int], int] = {}
    judges: frozenset[str] = frozenset()
    graded_by: Mapping[str, frozenset[tuple[str, int]]] = {}

    def left_by(self, label: str, config: RunConfig, selection: Selection) -> int | None:
        """The calls that a judge of a panel still needs; ``None`` where there is no panel."""
        if config.panel is None:
            return None
        graded = self.graded_by.get(label, frozenset())
        planned = {i.id: _verdicts_of(config, i) for i in selection.items}
        return sum(
            planned[item_id]
            for item_id, n in selection.samples - graded
            if label in config.due_judges(item_id, n)
        )


def _known(config: RunConfig, pack: Pack, selection: Selection) -> _Known:
    if config.fresh or not has_journal(config.runs_dir):
        return _Known()
    with Journal(config.runs_dir, create=False) as journal:
        config, run = find_run(journal, config, pack)
        if run is None:
            return _Known()
        labels = [judge.stored_label for judge in judges_of(config)]
        judges = frozenset(label for label in labels if _has_replied(journal, run, label))
        totals = list(journal.call_totals(run, config.judge.stored_label if config.judge else None))
        graded_by = {
            one.judge.stored_label if one.judge else "": _graded(journal, run, one, selection)
            for one in by_each_judge(config)
        }
        graded = _graded(journal, run, config, selection)
        if config.panel:
            whole = (s for s in graded if all(s in graded_by[j] for j in config.due_judges(*s)))
            graded = frozenset(whole)
            calls = {(t.item_id, t.iteration, t.phase): t.calls for t in totals}
            return _Known(graded, calls, {}, judges, graded_by)
        calls = {(t.item_id, t.iteration, t.phase): t.calls for t in totals}
        judged = {(item_id, n) for item_id, n, phase in calls if phase == "judge"} - graded
        replay, wanted = SampleReplay.of(journal, run, config), judged & selection.samples
        verdicts = asyncio.run(_verdicts(replay, selection.items, wanted)) if wanted else {}
        return _Known(graded, calls, verdicts, judges)


def _has_replied(journal: Journal, run: RunRecord, judge: str) -> bool:
    return any(not is_generating(total.phase) for total in journal.call_totals(run, judge))


def _graded(
    journal: Journal, run: RunRecord, config: RunConfig, selection: Selection
) -> frozenset[tuple[str, int]]:
    """The samples that today's grader has graded."""
    grades = journal.grades(run, digest(grader(config)), selection.clusters)
    return frozenset((g.item_id, g.iteration) for g in grades)


def _verdicts_of(config: RunConfig, item: Item) -> int:
    """The calls to each judge of a sample."""
    return guard(config.benchmark).planned_calls(item, config.options)["judge"]


async def _verdicts(
    replay: SampleReplay, items: Sequence[Item], samples: Collection[tuple[str, int]]
) -> dict[tuple[str, int], int]:
    """The calls to the judge that samples still need, by what their requests are today."""
    needed, by_id = {}, {item.id: item for item in items}
    for item_id, iteration in samples:
        item = by_id[item_id]
        replayed = await replay(item, iteration)
        planned = replay.config.planned_calls(item)["judge"]
        least = 0 if replayed.score or not planned else 1
        needed[item_id, iteration] = max(least, least * planned - replayed.found)
    return needed


def _left(config: RunConfig, selection: Selection, known: _Known) -> tuple[int, Counter[str]]:
    """Samples without a score, and the calls they still need by phase."""
    left, calls = 0, Counter[str]()
    for item in selection.items:
        for iteration in range(1, selection.iterations + 1):
            needed = config.planned_calls(item, iteration)
            if (item.id, iteration) in known.graded:
                continue
            left += 1
            sample = (item.id, iteration)
            for phase, n in needed.items():
                if phase == "judge" and sample in known.verdicts:
                    calls[phase] += known.verdicts[sample]
                else:
                    calls[phase] += max(0, n - known.calls.get((*sample, phase), 0))
    return left, calls


async def _comparisons_left(config: RunConfig, pack: Pack, selection: Selection) -> Left:
    if not has_journal(config.runs_dir):
        refuse_strangers(config, {})
        return Left(0)
    with Journal(config.runs_dir, create=False) as journal:
        config, run = find_run(journal, config, pack)
        return (await look_ahead(journal, run, config, pack, selection)).left()


def _copied(item: Item) -> Item:
    """An item for the plan alone: a benchmark that changes it is found out by the run."""
    try:
        return deepcopy(item)
    except Exception:  # noqa: BLE001 - a plugin's content may not be made for that
        return item


async def _requests(
    config: RunConfig, items: Sequence[Item], say: Callable[[str], None]
) -> dict[str, list[ChatRequest]]:
    with watched(say):
        return await _made_requests(config, items)


async def _made_requests(config: RunConfig, items: Sequence[Item]) -> dict[str, list[ChatRequest]]:
    roles = config.benchmark.roles
    phases = (MODEL, "judge", COMPARE, *(role.phase for role in roles))
    asked: dict[str, list[ChatRequest]] = {phase: [] for phase in phases}
    plugin = guard(config.benchmark)
    for item in items:
        players = {
            r.name: _recorder(config, item, r.phase, r.name, r.sampling, asked) for r in roles
        }
        model = _recorder(
            config, item, MODEL, "medium", config.effective_sampling, asked, roles=players
        )
        judges = config.benchmark.judge_sampling
        judge = _recorder(config, item, "judge", JUDGE, judges, asked)
        pairs = _recorder(config, item, COMPARE, JUDGE, judges, asked)
        with contextlib.suppress(BenchError):  # a plan is an estimate, the run will tell
            transcript = await plugin.generate(item, model, config.options)
            if config.judge is not None:
                await plugin.grade(item, transcript, judge, config.options)
                if plugin.compares(config.options):
                    both = (transcript, transcript)
                    await plugin.compare(item, *both, pairs, config.options)
    return asked


def _recorder(
    config: RunConfig,
    item: Item,
    phase: str,
    demo: str,
    sampling: Sampling,
    asked: dict[str, list[ChatRequest]],
    roles: Mapping[str, JournaledModel] | None = None,
) -> JournaledModel:
    role, benchmark = role_in(phase), config.benchmark
    party = of_role(role) if role else OF_MODEL
    client = DemoClient(ClientConfig(ModelSpec("demo", demo), party=party))
    has_words = benchmark.has_demo_roles if role else benchmark.has_demo
    context = CallContext(config.benchmark, item, 1, phase)

    async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
        asked[phase].append(request)
        if not has_words:
            raise MissingCall("a plan has no words to go on with")
        return await client.complete(request, context)

    system = config.system if phase == MODEL else None
    return JournaledModel(
        answer,
        phase=phase,
        asked=demo,
        sampling=sampling,
        item_id=item.id,
        system=system,
        roles=roles,
    )
