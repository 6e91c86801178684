"""How much a maker of data has still to ask for: its work so far, done again from the journal."""

import asyncio

from ..benchmark import Pack
from ..errors import BenchError
from ..guard import guard
from ..journal import CallKey, Journal, RunRecord
from ..journal.file import has_journal
from ..lookup.runs import find_run
from ..making import DataMaker
from ..sample.model import JournaledModel
from ..settings.run_config import RunConfig, grader
from ..types import ChatRequest, ChatResponse, Score, digest


def calls_left(maker: DataMaker, config: RunConfig, pack: Pack) -> int:
    """The fewest calls that can make what is still missing: one for each item.

    How many calls were made tells nothing about it, as some replies are refused.
    """
    (item,) = pack.items
    wanted: int = config.options["count"]
    if config.fresh or not has_journal(config.runs_dir):
        return wanted
    with Journal(config.runs_dir, create=False) as journal:
        config, run = find_run(journal, config, pack)
        if run is None:
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
