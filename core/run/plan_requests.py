"""The requests that a plan is made of.

They are made for a few items as the run would make them, a demo model giving the replies that
later requests depend on; the others are taken to be like them. What a maker of data has still
to ask for is found by doing its work so far again, from the journal.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy

from ..benchmark import Pack
from ..clients.demo import JUDGE, DemoClient
from ..endpoints.providers import OF_MODEL, CallContext, ClientConfig, ModelSpec, of_role
from ..errors import BenchError, MissingCall
from ..guard import guard, no_exit
from ..guard.calls import watched
from ..journal import CallKey, Journal, RunRecord
from ..lookup.runs import FoundRun
from ..making import DataMaker
from ..roles import MODEL, role_in
from ..sample.model import JournaledModel
from ..sample.progress import COMPARE
from ..settings.run_config import RunConfig, grader
from ..types import ChatRequest, ChatResponse, Item, Sampling, Score, digest

LOOKED_AT = 5
"""Items whose requests are made to estimate the tokens of all."""


def first_requests(
    config: RunConfig, items: Sequence[Item], say: Callable[[str], None]
) -> dict[str, list[ChatRequest]]:
    """The requests of the first items, by phase.

    Args:
        config: What is asked for.
        items: All of the run.
        say: Tells the user which plugin keeps the rest waiting.
    """
    looked_at = [_copied(item) for item in items[:LOOKED_AT]]
    with no_exit():
        return asyncio.run(_requests(config, looked_at, say))


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


def calls_left(maker: DataMaker, pack: Pack, journal: Journal | None, found: FoundRun) -> int:
    """The fewest calls that can make what a maker of data still misses: one for each item.

    How many calls were made tells nothing about it, as some replies are refused.
    """
    config, run = found
    (item,) = pack.items
    wanted: int = config.options["count"]
    if journal is None or run is None:
        return wanted
    if journal.score_of(run, digest(grader(config)), item.id, 1) is not None:
        return 0
    return max(0, wanted - _made_so_far(maker, config, pack, journal, run))


def _made_so_far(
    maker: DataMaker, config: RunConfig, pack: Pack, journal: Journal, run: RunRecord
) -> int:
    (item,) = pack.items
    known = journal.replies(run, item.id, 1)

    async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
        return known.get(key) or ChatResponse("")  # which fits nowhere, as a refused one

    model = JournaledModel(
        answer,
        phase="generate",
        asked=config.model.stored_label,
        item_id=pack.items[0].id,
        sampling=config.effective_sampling,
        system=config.system,
    )
    try:
        return len(guard(maker).made(asyncio.run(_score(maker, config, pack, model)), "").lines)
    except BenchError:  # a plan is an estimate, the run will tell
        return 0


async def _score(maker: DataMaker, config: RunConfig, pack: Pack, model: JournaledModel) -> Score:
    (item,) = pack.items
    plugin = guard(maker)
    transcript = await plugin.generate(item, model, config.options)
    return await plugin.grade(item, transcript, None, config.options)
