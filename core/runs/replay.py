"""A sample done again from the journal alone: what its replies answer, nothing is sent."""

from typing import NamedTuple

from ..benchmark import Benchmark
from ..benchmark.model import JUDGE, MODEL
from ..errors import BenchError, JournalError
from ..guard import guard
from ..journal import CallKey, Journal, RunRecord
from ..sample.model import Answer, ConnectedParty, RecordedModel, known_replies
from ..settings.run_config import (
    RunConfig,
    judge_sampling,
    stored_role_sampling,
    stored_roles,
    stored_sampling,
)
from ..types import ChatRequest, ChatResponse, Item, Score


def stored_model(
    run: RunRecord, benchmark: Benchmark, answer: Answer, item_id: str, iteration: int
) -> RecordedModel:
    """The model of one sample of a run; `answer` replies for it and for its roles."""
    settings, parties = run.settings, dict[str, ConnectedParty]()
    players, drawn = stored_roles(settings), stored_role_sampling(settings)
    for role in benchmark.roles:
        if role.name in players:
            sampling = drawn.get(role.name, role.sampling)
            parties[role.name] = ConnectedParty(role.phase, players[role.name].party, sampling)
    model = ConnectedParty(MODEL, run.party, stored_sampling(settings), settings["system"])
    roles = {n: RecordedModel(answer, one, item_id, iteration) for n, one in parties.items()}
    return RecordedModel(answer, model, item_id, iteration, roles=roles)


class ReplayedSample(NamedTuple):
    """What came of a sample.

    Attributes:
        replies_used: How many of the judge's replies its requests were answered with.
        score: ``None`` where a reply is missing, or the plugin failed.
        unread: How many questions to the judge have no reply that can be read.
    """

    replies_used: int
    score: Score | None
    unread: int = 0


async def replay_sample(
    journal: Journal, run: RunRecord, config: RunConfig, item: Item, iteration: int
) -> ReplayedSample:
    """What comes of a sample from the journal alone, as a configuration asked and judged it.

    Raises:
        JournalError: The journal cannot be read.
    """
    known = journal.replies(run, item.id, iteration)
    answer, replies_used, unread = known_replies(known), 0, 0

    async def counted(request: ChatRequest, key: CallKey) -> ChatResponse:
        nonlocal replies_used
        reply = await answer(request, key)
        replies_used += 1
        return reply

    def anew(party: ConnectedParty) -> RecordedModel:
        return RecordedModel(counted, party, item.id, iteration, holds=holds)

    def holds(key: CallKey) -> bool:  # asked of a question whose replies so far cannot be read
        nonlocal unread
        unread += key not in known
        return key in known

    benchmark, options, plugin = config.benchmark, config.options, guard(config.benchmark)
    (judge,) = config.judges
    model = stored_model(run, benchmark, answer, item.id, iteration)
    sampling = judge_sampling(benchmark, judge.party)
    party = ConnectedParty(JUDGE, judge.party, sampling)
    judge_handle = RecordedModel(
        counted, party, item.id, iteration, holds=known.__contains__, others=anew
    )
    try:
        transcript = await plugin.generate(item, model, options)
        score = await plugin.grade(item, transcript, judge_handle, options)
    except JournalError:
        raise
    except BenchError:  # a reply is missing, or the plugin failed
        return ReplayedSample(replies_used, None, unread)
    return ReplayedSample(replies_used, score, unread)
