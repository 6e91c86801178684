"""The requests that a plan is made of.

They are made for a few items as the run would make them, a demo model giving the replies that
later requests depend on; the others are taken to be like them. What a maker of data has still
to ask for is found by doing its work so far again, from the journal.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from copy import deepcopy

from ..benchmark.generators import DataMaker
from ..benchmark.model import MODEL, role_in
from ..clients.demo import JUDGE, DemoClient
from ..errors import BenchError, MissingCall, PluginError, UsageError
from ..guard import PluginCall, guard, no_exit
from ..guard.calls import watched
from ..journal import CallKey, Journal
from ..parties.party import Party
from ..parties.providers import OF_MODEL, CallContext, ClientConfig, ModelSpec, of_role
from ..sample.bounds import CallBound, method_of
from ..sample.model import ConnectedParty, RecordedModel, model_of
from ..sample.progress import COMPARE
from ..settings.run_config import RunConfig, grader
from ..types import ChatRequest, ChatResponse, Item, SampleScore, Score, digest
from .task import Task

LOOKED_AT = 5
"""Items whose requests are made to estimate the tokens of all."""
PATIENCE_S = 10.0
"""How long a plugin may take for one item with the demo model's replies, which come at once."""


Requests = dict[str, list[ChatRequest]]
"""By phase."""


def first_requests(task: Task, say: Callable[[str], None]) -> Requests:
    """The requests of the first items, by phase.

    They are made twice: a benchmark that asks something else the second time would ask, and pay,
    anew after a stop. Each method has `PATIENCE_S` and the calls that a sample may make; the user
    is told of one that needs more.
    """
    if task.known_requests:
        none: Requests = {phase: [] for phase in _phases(task.config)}
        return {**none, JUDGE: [*task.known_requests]}
    with no_exit():
        return asyncio.run(_requests(task, say))


def _copied(item: Item) -> Item:
    """An item for the plan alone: a benchmark that changes it is found out by the run."""
    try:
        return deepcopy(item)
    except Exception:  # noqa: BLE001 - a plugin's content may not be made for that
        return item


async def _requests(task: Task, say: Callable[[str], None]) -> Requests:
    config, scores = task.config, list[SampleScore]()
    asked: Requests = {phase: [] for phase in _phases(config)}
    warn = Once(say)
    with watched(say):
        for item in task.selection.items[:LOOKED_AT]:
            first = await _requests_of(task, _copied(item), warn, scores)
            for phase, requests in first.items():
                asked[phase] += requests
            if warn.is_told:
                return asked
            second = await _requests_of(task, _copied(item), warn, [])
            if differing := _differing(first, second):
                plugin_call = PluginCall(config.benchmark, method_of(differing))
                warn(
                    f"{plugin_call} asks something else each time for item {item.id!r}, so a run "
                    "that was stopped asks, and pays, again: draw what is random by model.draw"
                )
        if scores:  # so that a fault in summing up is not found after all is paid for
            try:
                guard(config.benchmark).summarise(task.pack, scores, config.options)
            except PluginError as error:
                warn(f"{error} (of the demo model's first replies, before anything is asked)")
    return asked


class Once:
    """Tells the user the first thing that is wrong, and no more."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.is_told = False

    def __call__(self, message: str) -> None:
        """Tell it."""
        if not self.is_told:
            self.is_told = True
            self._say(message)


def _phases(config: RunConfig) -> tuple[str, ...]:
    return (MODEL, "judge", COMPARE, *(role.phase for role in config.benchmark.roles))


def _differing(first: Requests, second: Requests) -> str | None:
    """The first phase whose requests are not the same, in whatever order; ``None`` if all are."""
    for phase in first:
        one, other = (
            Counter(digest(r.as_json()) for r in requests[phase]) for requests in (first, second)
        )
        if one != other:
            return phase
    return None


async def _requests_of(task: Task, item: Item, warn: Once, scores: list[SampleScore]) -> Requests:
    """The requests of one item; those up to a fault of its plugin, which the run will tell."""
    config = task.config
    asked: Requests = {phase: [] for phase in _phases(config)}
    bound = CallBound(config.benchmark, item.id, config.planned_calls(item))
    plugin = guard(config.benchmark)

    def recorder(phase: str) -> RecordedModel:
        return _recorder(config, item, phase, asked, bound)

    model = recorder(MODEL)
    method = "generate"
    patience = asyncio.timeout(PATIENCE_S)
    try:
        async with patience:
            transcript = await plugin.generate(item, model, config.options)
            if config.judge is None and plugin.needs_judge(config.options):
                return asked
            method = "grade"
            judge = recorder("judge") if config.judge else None
            score = await plugin.grade(item, transcript, judge, config.options)
            scores.append(SampleScore(item.id, item.family or item.id, 1, score))
            if judge and plugin.compares(config.options):
                method = "compare"
                pairs = recorder(COMPARE)
                await plugin.compare(item, transcript, transcript, pairs, config.options)
    except TimeoutError:
        if not patience.expired():
            raise
        warn(
            f"{PluginCall(config.benchmark, method)} has not ended after {PATIENCE_S:g} s with "
            f"item {item.id!r} and demo replies: it waits for something that is no call of its "
            "model"
        )
    except UsageError:  # what a person has to mend first, such as a package that is missing
        raise
    except BenchError as error:  # a plan is an estimate, the run will tell
        if bound.is_over:
            warn(str(error))
    return asked


def _recorder(
    config: RunConfig, item: Item, phase: str, asked: Requests, bound: CallBound
) -> RecordedModel:
    """A demo model that plays a party, with what it is asked put into `asked`."""
    benchmark, role = config.benchmark, role_in(phase)
    spec = ModelSpec("demo", role or ("medium" if phase == MODEL else JUDGE))
    client = DemoClient(ClientConfig(spec, party=of_role(role) if role else OF_MODEL))
    has_words = benchmark.has_demo_roles if role else benchmark.has_demo
    context = CallContext(benchmark, item, 1, phase)

    async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
        bound.count(phase, spec.name)
        asked[phase].append(request)
        if not has_words:
            raise MissingCall("a plan has no words to go on with")
        return await client.complete(request, context)

    roles = benchmark.roles if phase == MODEL else ()
    system = config.system if phase == MODEL else None
    return RecordedModel(
        answer,
        ConnectedParty(phase, Party(spec), config.sampling_in(phase), system),
        item.id,
        roles={r.name: _recorder(config, item, r.phase, asked, bound) for r in roles},
    )


def calls_left(benchmark: DataMaker, journal: Journal | None, task: Task) -> int:
    """The fewest calls that can make what a maker of data still misses: one for each item.

    How many calls were made tells nothing about it, as some replies are refused.
    """
    config, run = task.config, task.run
    (item,) = task.pack.items
    if journal is None or run is None:
        return int(config.options["count"])
    if journal.score_of(run, grader(config), item.id, 1) is not None:
        return 0
    count = _made_so_far(benchmark, task, journal.replies(run, item.id, 1))
    return max(0, int(config.options["count"]) - count)


def _made_so_far(benchmark: DataMaker, task: Task, replies: Mapping[CallKey, ChatResponse]) -> int:
    config, (item,) = task.config, task.pack.items

    async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
        return replies.get(key) or ChatResponse("")  # which fits nowhere, as a refused one

    model = model_of(config, answer, item)
    try:
        return len(
            guard(benchmark).generated(asyncio.run(_score(benchmark, task, model)), "").lines
        )
    except BenchError:  # a plan is an estimate, the run will tell
        return 0


async def _score(benchmark: DataMaker, task: Task, model: RecordedModel) -> Score:
    plugin, options, (item,) = guard(benchmark), task.config.options, task.pack.items
    transcript = await plugin.generate(item, model, options)
    return await plugin.grade(item, transcript, None, options)
