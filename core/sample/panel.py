"""The score of a sample by a panel: each judge that is due grades it, and is kept apart."""

import asyncio

from ..errors import JudgeError, MissingCall, ProviderError
from ..types import Score
from .context import RunContext, Sample
from .replay import CallReplayer


async def panel_score(
    context: RunContext, sample: Sample, calls: CallReplayer, transcript: object
) -> Score:
    """The panel's score of a transcript, once each of its judges has graded it.

    A judge that has graded the sample already is not asked again. One that could not be asked
    stands in the way of a score only where too few of the others could be read.

    Raises:
        BenchError: Too few verdicts are there, and one could not be had.
    """
    panel = context.panel
    assert panel is not None
    due = panel.due(sample.item.id, sample.iteration)
    members = [context.members[label] for label in due]
    made = await asyncio.gather(*(_verdict(m, sample, calls, transcript) for m in members))
    verdicts = [one for one in made if isinstance(one, Score)]
    benchmark = context.benchmark
    votes = [v.name for v in benchmark.values if v.judged and v.kind == "share"]
    score = panel.score(verdicts, len(due), benchmark.not_judged, votes)
    if score is None:
        raise next(one for one in made if not isinstance(one, Score))
    return score


async def _verdict(
    member: RunContext, sample: Sample, calls: CallReplayer, transcript: object
) -> Score | ProviderError | JudgeError | MissingCall:
    """A judge's score, from the journal if it is there; or why there is none."""
    if known := member.known_grade(sample):
        return known
    assert member.judge is not None
    judge = calls.handle(member.judge)
    try:
        score = await member.plugin.grade(sample.item, transcript, judge, member.options)
    except (ProviderError, JudgeError, MissingCall) as error:
        return error
    if calls.ended is None:
        member.keep_grade(sample, score)
    return score
