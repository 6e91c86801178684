"""A foreign conversation, held against what the benchmark would have asked.

The benchmark's own coroutines run with replies out of the file. Each request has to be what the
file says was asked; then the replies have the keys that our own would have, and whatever works
on our own runs works on them. Nothing is sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..benchmark.foreign import ForeignSample, ForeignTurn
from ..clients.replies import split_thinking
from ..errors import MissingCall, PluginError
from ..guard import Guarded, at_item, guard
from ..journal import CallKey
from ..journal.calls import storable
from ..parties.party import Party
from ..run.score_file import answers_of
from ..sample.context import Sample
from ..sample.model import Answer, RecordedModel, model_of
from ..settings.run_config import RunConfig
from ..types import ChatRequest, ChatResponse, Finish, Item, Message, Score

OTHERWISE = "it was asked otherwise than the pack says"
UNLIKE_SHOWN = "a reply in it is empty, and the model was shown something else in its place"
TOO_SHORT = "it ends before the pack's conversation does"
TOO_LONG = "it goes on after the pack's conversation has ended"
UNREAD = "the judge's reply could not be read, and another program's judge cannot be asked again"


class Unusable(MissingCall):
    """A conversation cannot be used, and why."""


class ReplayedCall(NamedTuple):
    """A call as our own run would have made it, with the file's reply."""

    key: CallKey
    asked: Party
    request: ChatRequest
    response: ChatResponse


class ReplayedConversation(NamedTuple):
    """What a conversation came to.

    Attributes:
        calls: Those to the model and, where its verdict counts, to the judge.
        score: By the judge, or without one where none is needed; ``None`` where it is missing.
        unasked: A verdict is there that the benchmark would not have asked for.
        thinking: The model was shown thinking of its own that our own runs keep from it.
    """

    calls: Sequence[ReplayedCall]
    score: Score | None
    unasked: bool
    thinking: bool


@dataclass(frozen=True, slots=True)
class ConversationReplay:
    """Leads conversations of one run through its benchmark.

    Attributes:
        config: What the run is taken to be.
    """

    config: RunConfig

    @property
    def _plugin(self) -> Guarded:
        return guard(self.config.benchmark)

    async def __call__(self, item: Item, sample: ForeignSample) -> ReplayedConversation:
        """What a conversation comes to.

        Raises:
            Unusable: It is not that of the item.
            PluginError: The benchmark failed.
        """
        model, judges = self.config.model.party, self.config.judges
        talk: _Conversation | _Replies = _Conversation(model, sample.turns)
        if sample.replies:
            asked = Sample(item, sample.iteration)
            talk = _Replies(model, await answers_of(self.config, asked, sample.replies))
        transcript = await self._generate(item, sample, talk)
        judge = _Judge(judges[0].party, sample.verdict) if judges else None
        score = await self._grade(item, sample, transcript, judge)
        said = judge.calls if judge else ()
        unasked = sample.verdict is not None and not said
        return ReplayedConversation((*talk.calls, *said), score, unasked, talk.showed_thinking)

    async def _generate(
        self, item: Item, sample: ForeignSample, talk: "_Conversation | _Replies"
    ) -> object:
        config = self.config
        model = model_of(config, talk.answer, item, sample.iteration)
        try:
            transcript = await self._plugin.generate(item, model, config.options)
        except Unusable:
            raise
        except MissingCall as error:
            raise Unusable(str(error)) from error
        except PluginError as error:
            raise at_item(error, item) from error
        talk.check_end()
        return transcript

    async def _grade(
        self, item: Item, sample: ForeignSample, transcript: object, judge: "_Judge | None"
    ) -> Score | None:
        """The score of a transcript; unscored where what the judge said cannot be read."""
        config = self.config
        judged = self._plugin.needs_judge(config.options)
        if judged if judge is None else judge.verdict is None:
            return None
        handle = self._judge_handle(judge.answer, item, sample) if judge else None
        try:
            return await self._plugin.grade(item, transcript, handle, config.options)
        except MissingCall:
            return Score.unscored(UNREAD, flags=("unread",))
        except PluginError as error:
            raise at_item(error, item) from error

    def _judge_handle(self, answer: Answer, item: Item, sample: ForeignSample) -> RecordedModel:
        config = self.config
        return RecordedModel(
            answer,
            phase="judge",
            asked=config.judges[0].party,
            sampling=config.benchmark.judge_sampling,
            item_id=item.id,
            iteration=sample.iteration,
        )


def _response(text: str) -> ChatResponse:
    """A reply of which nothing is known but its text; thinking before it is kept apart."""
    answer, thinking = split_thinking(text)
    return storable(ChatResponse(answer, thinking, Finish.OTHER))


class _Conversation:
    """Gives the replies of a file in their order, while what is asked is what was asked."""

    def __init__(self, asked: Party, turns: Sequence[ForeignTurn]) -> None:
        self.calls: list[ReplayedCall] = []
        self._asked = asked
        self._turns = turns

    async def answer(self, request: ChatRequest, key: CallKey) -> ChatResponse:
        """The next reply.

        Raises:
            Unusable: The file has none, or it was a reply to something else.
        """
        n = len(self.calls)
        if n == len(self._turns):
            raise Unusable(TOO_SHORT)
        self._check(request.messages, n)
        response = _response(self._turns[n].replied)
        self.calls.append(ReplayedCall(key, self._asked, request, response))
        return response

    def _check(self, messages: Sequence[Message], n: int) -> None:
        """Compare a request with what was said: to the letter, but for blanks around replies."""
        if [m.role for m in messages] != ["user", "assistant"] * n + ["user"]:
            raise Unusable(OTHERWISE)
        pairs = zip(messages[::2], self._turns, strict=False)
        if any(turn.asked not in (None, message.content) for message, turn in pairs):
            raise Unusable(OTHERWISE)
        shown = zip(messages[1::2], self.calls, strict=True)
        if any(message.content.strip() != call.response.text.strip() for message, call in shown):
            raise Unusable(UNLIKE_SHOWN)

    def check_end(self) -> None:
        """Refuse replies that nobody asked for."""
        if len(self.calls) < len(self._turns):
            raise Unusable(TOO_LONG)

    @property
    def showed_thinking(self) -> bool:
        """Whether there is thinking in a reply that another request came after."""
        return any(call.response.reasoning for call in self.calls[:-1])


class _Replies:
    """Gives the replies of a file to requests that depend on no reply."""

    showed_thinking = False

    def __init__(self, asked: Party, answer: Answer) -> None:
        self.calls: list[ReplayedCall] = []
        self._asked = asked
        self._answer = answer

    async def answer(self, request: ChatRequest, key: CallKey) -> ChatResponse:
        """The reply to a request; `MissingCall` where there is none."""
        response = replace(storable(await self._answer(request, key)), finish=Finish.OTHER)
        self.calls.append(ReplayedCall(key, self._asked, request, response))
        return response

    def check_end(self) -> None:
        """Nothing: all replies are to known requests."""


class _Judge:
    """Says what the judge said, once."""

    def __init__(self, asked: Party, verdict: str | None) -> None:
        self.calls: list[ReplayedCall] = []
        self.verdict = verdict
        self._asked = asked

    async def answer(self, request: ChatRequest, key: CallKey) -> ChatResponse:
        """The verdict; `MissingCall` for whatever is asked after it."""
        if self.calls or self.verdict is None:
            raise MissingCall("no further reply of the judge is there")
        response = _response(self.verdict)
        unknown = ChatRequest((), request.sampling)  # the file does not say what it was shown
        self.calls.append(ReplayedCall(key, self._asked, unknown, response))
        return response
