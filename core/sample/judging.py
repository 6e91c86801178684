"""Judges: whether they answer at all, and the score of a sample by a panel of them.

A judge is asked one tiny thing before anything of the model is paid for.

With a wrong address, key or name of the judge every reply of the model would else be asked for
in vain. Only what says that nobody will ever answer there ends the run: a server that is busy,
or that does not like this request, may well give verdicts. The answer is journalled under the
sample that waited for it first, in a phase of its own: its cost counts, and it is no verdict.
A judge that answered once is not tried again, by no run of the journal, at this address with this
key.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..clients.caller import Caller
from ..errors import ErrorKind, JudgeError, MissingCall, ProviderError
from ..parties.party import Party
from ..types import ChatRequest, Message, Sampling, Score
from .context import RunContext, Sample
from .model import ConnectedParty, RecordedModel, key_digest
from .progress import TRIAL, TRIAL_QUESTION
from .refusals import is_judged_out, refused_score

if TYPE_CHECKING:
    from .life import CallReplayer


_PATIENCE = {ErrorKind.SERVER: 1, ErrorKind.RATE_LIMIT: 1, ErrorKind.MALFORMED: 3}
"""Attempts after such an error; a server that cannot be reached is tried as long as ever."""
_THERE = frozenset(
    {
        ErrorKind.SERVER,
        ErrorKind.RATE_LIMIT,
        ErrorKind.INVALID_REQUEST,
        ErrorKind.CONTEXT_TOO_LONG,
        ErrorKind.REFUSED,
    }
)
"""Errors of a server that is the right one, as far as can be told."""


def trial_digest(judge: Party, sampling: Sampling, proof: str) -> str:
    """The digest of the key under which the answer to a trial of a judge is journalled."""
    return key_digest(judge, proof, trial_request(sampling))


def trial_request(sampling: Sampling) -> ChatRequest:
    """What a judge is asked, with the sampling of its verdicts, as it may not take that."""
    return ChatRequest((Message("user", TRIAL_QUESTION),), sampling)


class HealthCheck:
    """Whether the judge of a run answers; asked once, for all samples.

    Args:
        judge: Of the run.
        caller: The one that asks it.
        answered: Judges that have answered in this command; this one is added.
        proof: Names its address and key: with another one it is tried again.
    """

    def __init__(
        self, judge: ConnectedParty, caller: Caller, answered: set[Party], proof: str
    ) -> None:
        tried = caller.trying(_PATIENCE)
        self.judge = replace(judge, phase=TRIAL, caller=tried, proof=proof)
        self._answered = answered
        self._asking: asyncio.Task[None] | None = None

    async def passed(self, handle: Callable[[ConnectedParty], RecordedModel]) -> None:
        """Return when the judge has answered, or may well do so; `handle` gives one to ask it.

        Raises:
            BenchError: It never will, which ends the run.
        """
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask(handle(self.judge)))
            self._asking.add_done_callback(lambda task: task.cancelled() or task.exception())
        await asyncio.wait([self._asking])  # which goes on when this sample ends
        self._asking.result()

    async def _ask(self, judge: RecordedModel) -> None:
        try:
            await judge.chat(TRIAL_QUESTION)
        except ProviderError as error:
            if error.kind not in _THERE:
                error.fatal = True
                raise
        self._answered.add(self.judge.asked)


async def panel_score(
    context: RunContext, sample: Sample, calls: "CallReplayer", transcript: object
) -> Score:
    """The panel's score of a transcript, once each of its judges has graded it, or failed to.

    A judge that has graded the sample already is not asked again. One that gave no reply leaves
    the run incomplete, and stands in the way of a score only where too few others could be read.

    Raises:
        JudgeError: Too few verdicts are there, and one could not be had.
        MissingCall: Likewise, offline.
    """
    panel = context.panel
    assert panel is not None
    assigned = panel.assigned(sample.item.id, sample.iteration)
    members = [context.members[judge] for judge in assigned]
    results = await asyncio.gather(*(_verdict(m, sample, calls, transcript) for m in members))
    verdicts = [one for one in results if isinstance(one, Score)]
    benchmark = context.benchmark
    votes = [v.name for v in benchmark.values if v.judged and v.kind == "share"]
    score = panel.score(verdicts, len(assigned), benchmark.not_judged, votes)
    if score is None:
        missing = next(one for one in results if not isinstance(one, Score))
        raise JudgeError(str(missing)) if isinstance(missing, ProviderError) else missing
    return score


async def _verdict(
    member: RunContext, sample: Sample, calls: "CallReplayer", transcript: object
) -> Score | ProviderError | JudgeError | MissingCall:
    """A judge's score, from the journal if it is there; or why there is none."""
    if known := member.known_grade(sample):
        return known
    assert member.judge is not None
    judge = calls.handle(member.judge)
    try:
        score = await member.plugin.grade(sample.item, transcript, judge, member.options)
    except (ProviderError, JudgeError, MissingCall) as error:
        if not (isinstance(error, ProviderError) and is_judged_out(error)):
            return error
        score = refused_score(error)
    if calls.ended is None:
        member.keep_grade(sample, score)
    return score
