"""The life of a sample, from top to bottom: ask, journal, read, grade, store.

The plugin's two coroutines, `generate` and `grade`, hold models whose calls are answered here:
from the journal where it has them, else by asking, and the reply is journalled before the
plugin sees it. Each call is a task of its own and outlives the plugin's interest in it: when
one of several at a time fails, the others have been sent and paid for, so their replies are
saved for the next command. What ends the run is remembered, as a plugin may catch what it likes.
"""

import asyncio
from dataclasses import replace
from hashlib import sha256

from .. import errors
from ..benchmark.model import is_generating, no_answer
from ..clients.caller import Caller
from ..clients.keys import redact
from ..clients.shapes import as_set
from ..guard import described
from ..journal import CallKey, RunRecord
from ..parties.party import Party
from ..parties.providers import CallContext
from ..reading.cut_prompts import PromptCount
from ..types import ChatRequest, ChatResponse, Score, canonical
from .bounds import CallBound
from .context import RunContext, Sample
from .judging import panel_score
from .model import Answer, ConnectedParty, RecordedModel, known_replies
from .progress import COMPARE, SampleProgress
from .refusals import is_judged_out, is_refusal, refused_score
from .room import Room, Shape


async def run_sample(context: RunContext, sample: Sample) -> None:
    """Bring one sample to a score or to a failure, and journal that.

    Raises:
        BenchError: The run cannot go on.
    """
    steps = SampleProgress(context.progress.phases, context.planned(*sample))
    calls = CallReplayer(context, sample, steps)
    try:
        score = context.known_refusal(sample)
        score = score or await _ask_and_grade(context, sample, calls, steps)
        if calls.ended is None:
            calls.count_unmarked(score.reason)
            context.keep_score(sample, score)
    except (errors.JournalError, errors.UsageError):
        raise
    except errors.BenchError as error:
        if calls.ended is None:
            _keep_error(context, sample, error)
    finally:
        context.progress.stages.pop((sample.item.id, sample.iteration), None)
    if calls.ended is not None:
        raise calls.ended
    steps.finish()


async def _ask_and_grade(
    context: RunContext, sample: Sample, calls: "CallReplayer", steps: SampleProgress
) -> Score:
    model = calls.handle(context.model)
    judge = calls.handle(context.judge) if context.judge else None
    transcript = await context.plugin.generate(sample.item, model, context.options)
    calls.bound.check("generate")
    steps.finish([context.model.phase, *(role.phase for role in context.roles.values())])
    if context.panel:
        score = await panel_score(context, sample, calls, transcript)
    else:
        score = await context.plugin.grade(sample.item, transcript, judge, context.options)
    calls.bound.check("grade")
    return score


def _keep_error(context: RunContext, sample: Sample, error: errors.BenchError) -> None:
    """Journal a sample without an answer: the next command tries it again."""
    if isinstance(error, errors.ProviderError) and is_refusal(error):
        _keep_refusal(context, sample, error)
        return
    kind, attempts = "plugin", 0
    if isinstance(error, errors.MissingCall):
        if not context.only_judges:  # else the model's part is left to the run's own command
            context.keep_score(sample, Score.unscored(str(error)))
        return
    if isinstance(error, errors.ProviderError):
        kind, reason, attempts = str(error.kind), str(error), error.attempts
    elif isinstance(error, errors.JudgeError):
        kind, reason = "judge", redact(str(error))
    elif isinstance(error, errors.PluginError):
        reason = redact(str(error))
    else:  # an error of ours that a benchmark raises of its own accord, and that ends no run
        reason = redact(f"{context.benchmark.name} raised {described(error)}")
    context.keep_failure(sample, kind, reason, attempts)


def _keep_refusal(context: RunContext, sample: Sample, error: errors.ProviderError) -> None:
    """Journal that a filter refused a request: the next command does not ask it again."""
    score = refused_score(error)
    if context.first_replies and not is_judged_out(error):
        context.first_replies.count(sample.item.id, None, score.reason)
    if context.panel and not is_judged_out(error):
        for judge in context.panel.assigned(sample.item.id, sample.iteration):
            context.members[judge].keep_grade(sample, score)
    context.keep_score(sample, score)


class CallReplayer:
    """Answers the calls of one sample.

    Attributes:
        ended: What one of the calls met that ends the run; the sample is then neither
            scored nor failed, whatever the plugin made of it.
        bound: Of the calls that the sample may make.
    """

    def __init__(
        self,
        context: RunContext,
        sample: Sample,
        steps: SampleProgress | None = None,
        alongside: RunRecord | None = None,
    ) -> None:
        self.ended: errors.BenchError | None = None
        self._comparing = [context.run, *([alongside] if alongside else [])]
        self.bound = CallBound(context.benchmark, sample.item.id, context.planned(*sample))
        self._marked = False
        self._last: ChatResponse | None = None
        self._question = ""
        self._talks: dict[tuple[str, Party], list[PromptCount]] = {}
        self._steps = steps or SampleProgress({}, {})
        self._context = context
        self._sample = sample
        replies, key = context.journal.replies, (sample.item.id, sample.iteration)
        self._known = replies(context.run, *key) if context.replays else {}

    def handle(self, party: ConnectedParty) -> RecordedModel:
        """What the plugin's coroutine holds as this party."""
        others = self._context.roles if party is self._context.model else {}
        return RecordedModel(
            self._asking(party, party.caller) if party.caller else self._recalling(party),
            party,
            self._sample.item.id,
            self._sample.iteration,
            roles={name: self.handle(role) for name, role in others.items()},
            marked=self._mark if party is self._context.model else None,
            holds=lambda key: self._find(key) is not None,
            staged=self._stage,
            asks_anew=self._context.asks_anew and not is_generating(party.phase),
            others=self.handle,
        )

    def _stage(self, text: str) -> None:
        """The benchmark says how far the sample is."""
        self._context.progress.stages[self._sample.item.id, self._sample.iteration] = text

    def _mark(self, response: ChatResponse, problem: str | None) -> None:
        """The benchmark has read a reply of the model, or could not."""
        self._marked = True
        if self._context.first_replies:
            item_id = self._sample.item.id
            self._context.first_replies.count(item_id, response, problem, self._question)

    def count_unmarked(self, reason: str | None) -> None:
        """Where the benchmark does not say which replies it could read, the sample tells."""
        if not self._marked and self._last is not None:
            self._mark(self._last, reason)

    def _look_at(self, party: ConnectedParty, request: ChatRequest, response: ChatResponse) -> None:
        """Count what came from the model; what a judge is to read can be read if it has words."""
        if party is not self._context.model:
            return
        self._last = response
        self._question = request.messages[-1].content if request.messages else ""
        if self._context.benchmark.judged:
            self._mark(response, no_answer(response))

    def _look_at_prompt(
        self, party: ConnectedParty, request: ChatRequest, response: ChatResponse
    ) -> None:
        """See whether the server cut a prompt; those of comparisons belong to no talk."""
        who = party.phase, party.asked
        talk = self._talks.setdefault(who, []) if party.phase != COMPARE else []
        self._context.prompts.look(self._sample, who, party.address, request, response, talk)

    def _asking(self, party: ConnectedParty, caller: Caller) -> Answer:
        async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
            self.bound.count(party.phase, (party.asked, party.proof))
            self._steps.begin(party.phase)
            if known := self._find(key):
                self._context.progress.replayed += 1
                self._steps.advance(party.phase, spared=True)
                self._look_at_prompt(party, request, known)
                self._look_at(party, request, known)
                return known
            shared_key = (self._sample.item.id, self._sample.iteration, key)
            if (call := self._context.shared.get(shared_key)) is None:
                call = asyncio.create_task(self._ask(party, caller, request, key))
                self._context.watch(call, caller, shared_key if key.phase == COMPARE else None)
            try:
                await _ended(call)
            finally:  # called back once the plugin has looked at the reply, if it does so at once
                if first := self._context.first_replies:
                    call.add_done_callback(first.leave)
            if isinstance(error := call.exception(), errors.BenchError):
                self._note(error)  # the call may be another sample's
            response: ChatResponse = call.result()
            self._steps.advance(party.phase, spared=False)
            self._look_at(party, request, response)
            return response

        return answer

    def _recalling(self, party: ConnectedParty) -> Answer:
        answer = known_replies(self._known)

        async def recalled(request: ChatRequest, key: CallKey) -> ChatResponse:
            response = await answer(request, key)
            self._context.recalled(self._sample, party, request, key)
            return response

        return recalled

    def _find(self, key: CallKey) -> ChatResponse | None:
        """The reply in the journal; those of comparisons are many, so each is looked up."""
        if key.phase != COMPARE:
            return self._known.get(key)
        item, iteration = self._sample
        replies = (self._context.journal.reply(r, item.id, iteration, key) for r in self._comparing)
        return next(filter(None, replies), None)

    async def _ask(
        self, party: ConnectedParty, caller: Caller, request: ChatRequest, key: CallKey
    ) -> ChatResponse:
        """Send a request, once the judges of the run are known to answer."""
        context = self._context
        try:
            if party is context.model:
                await self._try_judges()
                if first := context.first_replies:
                    await first.enter(asyncio.current_task())
            elif not is_generating(party.phase):
                context.absences.check(party.asked)
            with context.sending(party):
                return await self._send_and_keep(party, caller, request, key)
        except errors.BenchError as error:
            if isinstance(error, errors.ProviderError):
                error.phase = party.phase
                context.settle(error, party)
            self._note(error)
            raise

    async def _try_judges(self) -> None:
        """Return when the judges of the run have answered, or may well do so.

        Raises:
            BenchError: The judge never will; of a panel, none will.
        """
        trials = self._context.trials
        tried = (trial.passed(self.handle) for trial in trials)
        ended = await asyncio.gather(*tried, return_exceptions=True)
        for trial, error in zip(trials, ended, strict=True):
            if isinstance(error, errors.ProviderError):
                self._context.settle(error, trial.judge)
            if error is not None and not (
                isinstance(error, errors.ProviderError) and not error.fatal
            ):
                raise error

    async def _send_and_keep(
        self, party: ConnectedParty, caller: Caller, request: ChatRequest, key: CallKey
    ) -> ChatResponse:
        context, (item, iteration) = self._context, self._sample
        if context.journal.trouble:
            raise context.journal.trouble
        of_run = canonical([context.run.run_id, item.id, iteration, *key])
        of_run = sha256(of_run.encode()).hexdigest()
        call = CallContext(context.benchmark, item, iteration, party.phase, of_run)
        room = context.room if party is context.model else Room()

        shaped = [request]

        async def send(asked: ChatRequest, shape: Shape) -> ChatResponse:
            def keep(meant: ChatRequest) -> ChatRequest:
                shaped.append(as_set(shape(meant), party.settings))
                return shaped[-1]

            return await caller.send(asked, call, keep)

        response = await room.ask(send, request)
        address = caller.answered_by(call) or party.address
        # A comparison's prompt is made of two transcripts that are in the journal already.
        messages = () if party.phase == COMPARE else request.messages
        kept = replace(shaped[-1], messages=messages)
        response = await context.journal.add_call(
            context.run, item.id, iteration, key, party.asked, kept, response, address
        )
        context.progress.answered(party.phase, response)
        self._look_at_prompt(party, request, response)
        if context.journal.trouble:
            self._note(context.journal.trouble)  # this reply is saved; no other may be sent
        return response

    def _note(self, error: errors.BenchError) -> None:
        """Remember what ends the run."""
        is_fatal = isinstance(error, errors.ProviderError) and error.fatal
        if is_fatal or isinstance(
            error, errors.BudgetReached | errors.Interrupted | errors.JournalError
        ):
            self.ended = self.ended or error
            self._context.stop.ask(error)


async def _ended(call: "asyncio.Task[ChatResponse]") -> None:
    """Wait for the end of a call, which is not cancelled with whoever waits for it."""
    ended = asyncio.Event()
    call.add_done_callback(lambda _: ended.set())
    await ended.wait()
