"""The plan of a run: what is left to ask, what that may cost, and whether a limit covers it."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ..benchmark.generators import DataMaker
from ..benchmark.model import JUDGE, MODEL, is_generating, role_in
from ..clients.shapes import as_set
from ..compare.board_samples import newest_samples
from ..compare.boards import Boards
from ..compare.coming import Coming
from ..compare.contest import Contest
from ..compare.expectation import NOTHING_LEFT, Left, look_ahead
from ..errors import UsageError
from ..guard import guard
from ..journal import Journal, RunRecord
from ..journal.file import has_journal
from ..parties.party import Party
from ..plugins import catalogue_of
from ..runs.replay import replay_sample
from ..sample.judging import trial_digest, trial_request
from ..sample.progress import COMPARE, TRIAL
from ..settings.run_config import Endpoint, judge_sampling
from ..spending.prices import CallPlan, Price, Range, cost_range, dollars, plan_calls, total_tokens
from .connect import untried
from .plan_requests import calls_left, first_requests
from .session import Session
from .task import Task, TaskParty
from .unread import UnreadVerdicts, WholeGrades, read_graded, unread_verdicts


@dataclass(frozen=True, slots=True)
class PartyPlan:
    """What one model, judge or player of a role will be asked.

    Attributes:
        calls: When nothing fails and every answer can be read; of comparisons, at most.
        tokens: Of one call, as far as it can be told; ``None`` when no request is known.
        phase: ``generate``, ``role:NAME``, ``judge``, ``compare`` or ``trial``.
        least: The calls if fewer may do; ``None`` where all of them are made.
        most: The calls where each question is asked as often as it may be; ``None`` where none is
            asked again.
    """

    endpoint: Endpoint
    calls: int
    price: Price | None
    tokens: CallPlan | None
    phase: str = "generate"
    least: int | None = None
    most: int | None = None

    @property
    def fewest(self) -> int:
        """The calls that are made at least."""
        return self.calls if self.least is None else self.least

    @property
    def cost(self) -> Range | None:
        """Dollars for all its calls; ``None`` when unknown."""
        if not self.calls or (self.price is not None and self.price.free):
            return Range(0.0, 0.0)
        if self.price is None or self.tokens is None:
            return None
        most = cost_range([self.tokens], self.price)
        return Range(most.low * self.fewest / self.calls, most.high)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do.

    Attributes:
        left: Samples that have no score yet, of `total`.
        comparisons: What a placement is expected to come to.
        iterations: How often each item is asked.
        begun: Whether the journal has replies of the run.
        shows: The smallest true difference from a model like those of the journal that it shows in
            80 % of runs, the median over their pairs; ``None`` where that is not known.
    """

    total: int
    left: int
    parties: tuple[PartyPlan, ...]
    comparisons: Left = NOTHING_LEFT
    iterations: int = 1
    begun: bool = False
    shows: float | None = None

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
    def calls(self) -> int:
        """All that are planned, of comparisons the most."""
        return sum(party.calls for party in self.parties)

    @property
    def talks(self) -> bool:
        """Whether somebody plays a role, so that a sample may end early."""
        return any(role_in(party.phase) for party in self.parties)

    @property
    def costs_money(self) -> bool:
        """Whether it will, or may, cost something."""
        return any(p.calls and not (p.price and p.price.free) for p in self.parties)


class Total(NamedTuple):
    """Several plans together.

    Attributes:
        models: Calls to models and to who plays roles, with questions that are asked again.
        verdicts: Calls to judges but for comparisons.
        expected: The comparisons that are likely, where that is fewer than all.
        tokens: Input and output.
        cost: Dollars of the plans whose price is known, which are so many: `priced`.
        costly: How many of the plans cost something.
    """

    runs: int
    models: Range
    verdicts: Range
    comparisons: Range
    expected: int
    tokens: tuple[Range, Range]
    cost: Range
    priced: int
    costly: int

    @property
    def judges(self) -> Range:
        """All calls to judges."""
        return self.verdicts + self.comparisons

    @classmethod
    def of(cls, plans: Sequence[Plan]) -> "Total":
        """The sums of the least and of the most of each."""
        none = Range(0, 0)
        calls = dict.fromkeys(("models", "verdicts", "comparisons"), none)
        for party in (party for plan in plans for party in plan.parties):
            kind = "comparisons" if party.phase == COMPARE else "verdicts"
            kind = "models" if is_generating(party.phase) else kind
            calls[kind] += Range(party.fewest, party.calls if party.most is None else party.most)
        each = [plan.comparisons for plan in plans]
        expected = sum(one.most if one.about is None else one.about for one in each)
        costs = [plan.cost for plan in plans if plan.costs_money]
        known = [cost for cost in costs if cost is not None]
        inputs, outputs = zip(*(plan.tokens for plan in plans), strict=True) if plans else ((), ())
        return cls(
            len(plans),
            **calls,
            expected=expected * any(one.about is not None for one in each),
            tokens=(sum(inputs, none), sum(outputs, none)),
            cost=sum(known, Range(0.0, 0.0)),
            priced=len(known),
            costly=len(costs),
        )


def make_plan(task: Task, session: Session) -> Plan:
    """The plan of a run, which follows those that the session has planned before.

    It reads the journal if there is one, and changes nothing there.
    """
    known = _known(task, session)
    asked = first_requests(task, session.say_once)

    batched = task.config.batching.phases if task.config.batching else ()

    def _price(endpoint: Endpoint, phase: str) -> Price | None:
        price = session.pricing.price(endpoint, phase)
        return price.halved if price and phase in batched else price

    def plan(party: TaskParty, calls: int, fewest: int | None = None) -> PartyPlan:
        is_trial = party.phase == TRIAL
        meant = [trial_request(party.sampling)] if is_trial else asked[party.phase]
        requests = [as_set(request, party.endpoint.settings) for request in meant]
        return PartyPlan(
            party.endpoint,
            calls,
            _price(party.endpoint, party.phase),
            plan_calls(requests, calls) if requests else None,
            party.phase,
            fewest,
            calls * task.config.benchmark.most_attempts if party.phase == MODEL else None,
        )

    talks = any(party.options.role for party in task.asked)  # which may end early
    plans = list[PartyPlan]()
    for party in task.parties:
        if party.options.role and not task.asks(party.phase):
            continue
        calls = known.left[party.phase]
        if party.phase != JUDGE:
            plans.append(plan(party, calls, min(known.samples_left, calls) if talks else None))
            continue
        if calls or asked[JUDGE]:
            plans.append(plan(party, known.left_by(party.endpoint.party, task)))
        if known.anew.comparisons:
            again = len(known.anew.comparisons)
            plans.append(plan(party._replace(phase=COMPARE), again, again))
        if task.compares:
            least, most = known.comparisons.by_judge[party.endpoint.party]
            plans.append(plan(party._replace(phase=COMPARE), most, least))
        tries = known.left[MODEL] and (calls or known.left[COMPARE])
        if tries and party.endpoint.party in known.untried:
            session.tried.add(party.endpoint.party)
            plans.append(plan(party._replace(phase=TRIAL), 1))
    return Plan(
        task.selection.total,
        known.samples_left,
        tuple(plans),
        known.comparisons,
        task.config.iterations,
        any(task.asks(phase) for _, _, phase in known.calls),
        _shows(task),
    )


def _shows(task: Task) -> float | None:
    """The smallest difference that a run of a real model can show: the median over pairs."""
    config = task.config
    if config.demo or not has_journal(config.runs_dir):
        return None
    with Journal(config.runs_dir, create=False) as journal:
        boards = Boards(journal, catalogue_of(journal), config.benchmark)
        newest = newest_samples(boards, config, task.pack)
    shown = newest.smallest_differences(len(task.selection.items), config.iterations)
    return median(known) if (known := [one for one in shown if one is not None]) else None


@contextlib.contextmanager
def _stored(task: Task) -> Iterator[tuple[Journal | None, Task]]:
    """The journal, if there is one that has to be looked at, and the task with the run in it.

    What is compared is looked up in an empty one where there is none.
    """
    config, is_there = task.config, has_journal(task.config.runs_dir)
    if is_there and (task.compares or not config.fresh):
        with Journal(config.runs_dir, create=False) as journal:
            yield journal, task.find(journal)
    elif task.compares:
        with TemporaryDirectory() as empty, Journal(Path(empty)) as journal:
            yield journal, task
    else:
        yield None, task


def _untried(journal: Journal | None, task: Task, session: Session) -> frozenset[Party]:
    """The judges of which the journal does not know that they answer."""
    benchmark = task.config.benchmark
    digests = {
        judge: trial_digest(judge, judge_sampling(benchmark, judge), proof)
        for judge, proof in untried(task, session).items()
        if judge not in session.tried
    }
    return frozenset(
        judge for judge, key in digests.items() if not (journal and journal.has_passed(key))
    )


class _Known(NamedTuple):
    """What the journal holds of a run, and what is left.

    Attributes:
        calls: By sample and phase.
        verdicts: Of samples that were judged and have no grade by today's grader, the calls to the
            judge that today's requests do not find.
        untried: The judges that are first asked if they answer.
        left: The calls that samples without a grade still need, by phase, and those that compare.
    """

    graded: WholeGrades = WholeGrades()
    calls: Mapping[tuple[str, int, str], int] = {}
    verdicts: Mapping[tuple[str, int], int] = {}
    untried: frozenset[Party] = frozenset()
    samples_left: int = 0
    left: Mapping[str, int] = {}
    comparisons: Left = Left(0)
    anew: UnreadVerdicts = UnreadVerdicts()

    def left_by(self, judge: Party, task: Task) -> int:
        """The calls that a judge still needs."""
        config, selection = task.config, task.selection
        if config.panel is None:
            return self.left[JUDGE]
        graded = self.graded.by_judge.get(judge, frozenset())
        plugin = guard(config.benchmark)
        planned = {i.id: plugin.planned_calls(i, config.options)[JUDGE] for i in selection.items}
        return sum(
            planned[item_id]
            for item_id, n in selection.samples - graded
            if judge in config.assigned_judges(item_id, n)
        )


def _known(task: Task, session: Session) -> _Known:
    with _stored(task) as (journal, task):
        known, comparisons = _held(journal, task), Left(0)
        samples_left, left = _left(task, known)
        if isinstance(task.config.benchmark, DataMaker):
            left[MODEL] = calls_left(task.config.benchmark, journal, task)
        if again := len(known.anew.comparisons):
            left[COMPARE], comparisons = again, Left(again)
        if task.compares:
            assert journal is not None
            comparisons = asyncio.run(_comparisons_left(journal, task, session.coming))
            left[COMPARE] = comparisons.most
        return known._replace(
            untried=_untried(journal, task, session),
            samples_left=samples_left,
            left=left,
            comparisons=comparisons,
        )


def _held(journal: Journal | None, task: Task) -> _Known:
    config, run, selection = task.config, task.run, task.selection
    if journal is None or run is None:
        return _Known()
    totals = journal.call_totals(run, config.judge)
    calls = {(t.item_id, t.iteration, t.phase): t.calls for t in totals}
    graded = read_graded(journal, run, config, selection)
    judged = {(item_id, n) for item_id, n, phase in calls if phase == "judge"}
    ungraded = (judged - graded.scored.keys()) & selection.samples
    known = _Known(graded, calls, anew=asyncio.run(unread_verdicts(journal, run, task)))
    if config.panel or not ungraded:
        return known
    return known._replace(verdicts=asyncio.run(_verdicts(task, journal, run, ungraded)))


async def _verdicts(
    task: Task, journal: Journal, run: RunRecord, samples: Collection[tuple[str, int]]
) -> dict[tuple[str, int], int]:
    """The calls to the judge that samples still need, by what their requests are today."""
    needed, by_id = {}, {item.id: item for item in task.selection.items}
    for item_id, iteration in samples:
        item = by_id[item_id]
        replayed = await replay_sample(journal, run, task.config, item, iteration)
        planned = task.planned_calls(item)["judge"]
        least = 0 if replayed.score or not planned else 1
        needed[item_id, iteration] = max(least, least * planned - replayed.replies_used)
    return needed


def _left(task: Task, known: _Known) -> tuple[int, Counter[str]]:
    """Samples without a score, and the calls they still need by phase."""
    left, calls, selection = 0, Counter[str](), task.selection
    for item in selection.items:
        for iteration in range(1, selection.iterations + 1):
            needed = task.planned_calls(item, iteration)
            sample = (item.id, iteration)
            is_anew = sample in known.anew.samples
            is_done = sample in known.graded.scored and not is_anew
            if is_done or not task.may_do(*sample):
                continue
            left += 1
            if is_anew:
                calls[JUDGE] += known.anew.samples[sample]
                continue
            for phase, n in needed.items():
                if phase == "judge" and sample in known.verdicts:
                    calls[phase] += known.verdicts[sample]
                else:
                    calls[phase] += max(0, n - known.calls.get((*sample, phase), 0))
    return left, calls


async def _comparisons_left(journal: Journal, task: Task, coming: list[Coming]) -> Left:
    """Those of a run, which is one of the coming runs from now on."""
    contest = Contest(journal, task.config, task.pack, run=task.run)
    prospect = await look_ahead(contest, task.run, task.selection, coming)
    sure = prospect.makes_all and prospect.unmade.most == prospect.unmade.all
    samples = task.selection.samples
    coming.append(Coming(task.config, task.pack, task.run, samples, prospect.alike, sure))
    return prospect.left()


def refuse_too_little(plans: Sequence[Plan], limit: float | None) -> None:
    """Refuse, before anything is sent, dollars that end the command before its result.

    Runs that go on are not refused: they may be paid for in instalments.

    Raises:
        UsageError: It does not cover the least; the message says what would fit.
    """
    costs = [plan.cost for plan in plans]
    least = sum((cost.low for cost in costs if cost is not None), 0.0)
    goes_on = any(plan.begun for plan in plans)
    if limit is None or limit >= least or goes_on:
        return
    message = f"--max-cost {dollars(limit)} does not cover the least, {dollars(least)}"
    raise UsageError(f"{message}; {_fitting(plans, limit)}")


def _fitting(plans: Sequence[Plan], limit: float) -> str:
    """How many items of each run fit; room stays for the most that one call may cost."""
    parties = [party for plan in plans for party in plan.parties if party.calls]
    room = limit - max((p.cost.high / p.calls for p in parties if p.cost is not None), default=0.0)
    each = sum(plan.cost.low * plan.iterations / plan.total for plan in plans if plan.cost)
    fits = max(0, floor(room / each))
    return f"--limit {fits} fits" if fits else "no item fits: raise it, or lower --max-tokens"
