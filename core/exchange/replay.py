"""A foreign conversation, held against what the benchmark would have asked.

The benchmark's own coroutines run with replies out of the file. Each request has to be what the
file says was asked; then the replies have the keys that our own would have, and whatever works
on our own runs works on them. Nothing is sent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..benchmark.foreign import ForeignSample, ForeignTurn
from ..clients.thinking import split_thinking
from ..errors import MissingCall, PluginError
from ..guard import at_item, guard
from ..journal import CallKey
from ..journal.calls import storable
from ..parties.party import Party
from ..run.score_file import answers_of
from ..sample.context import Sample
from ..sample.model import Answer, ConnectedParty, RecordedModel, model_of
from ..settings.run_config import RunConfig
from ..text import plural
from ..types import ChatRequest, ChatResponse, Finish, Item, Message, Score

OTHERWISE = "it was asked otherwise than the pack says"
UNLIKE_SHOWN = "a reply in it is empty, and the model was shown something else in its place"
TOO_SHORT = "it ends before the pack's conversation does"
TOO_LONG = "it goes on after the pack's conversation has ended"
UNREAD = "the judge's reply could not be read, and another program's judge cannot be asked again"
TOO_FEW = "the file has {}, and the judge would be asked for more"
TOO_MANY = "the file has {}, and the judge would be asked for only {}"
PLAYED_ON = "the role {} says more in it than it would be asked for"


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


async def replay(config: RunConfig, item: Item, sample: ForeignSample) -> ReplayedConversation:
    """What a conversation comes to, led through the benchmark of the run that `config` is.

    Raises `Unusable` where it is not that of the item.
    """
    talk: _Conversation | _Replies = _Conversation(config.model.party, sample.turns)
    if sample.replies:
        answers = await answers_of(config, Sample(item, sample.iteration), sample.replies)
        talk = _Replies(config.model.party, answers)
    judge = _Judge(config, sample) if config.judges else None
    players = {name: _RoleReplies(config, name, texts) for name, texts in sample.roles.items()}
    try:
        transcript = await _generate(config, item, sample.iteration, talk, players)
        score = await _grade(config, item, transcript, judge)
    except PluginError as error:
        raise at_item(error, item) from error
    verdicts = judge.calls if judge else ()
    unasked = bool(sample.verdicts) and not verdicts
    played = [call for player in players.values() for call in player.calls]
    calls = (*talk.calls, *played, *verdicts)
    return ReplayedConversation(calls, score, unasked, talk.showed_thinking)


async def _generate(
    config: RunConfig,
    item: Item,
    iteration: int,
    talk: "_Conversation | _Replies",
    players: "Mapping[str, _RoleReplies]",
) -> object:
    roles = {name: player.answer for name, player in players.items()}
    model = model_of(config, talk.answer, item, iteration, roles)
    try:
        transcript = await guard(config.benchmark).generate(item, model, config.options)
    except Unusable:
        raise
    except MissingCall as error:
        raise Unusable(str(error)) from error
    talk.check_end()
    for player in players.values():
        player.check_end()
    return transcript


async def _grade(
    config: RunConfig, item: Item, transcript: object, judge: "_Judge | None"
) -> Score | None:
    """The score of a transcript; unscored where what the judge said cannot be read."""
    plugin = guard(config.benchmark)
    needs_judge = plugin.needs_judge(config.options)
    if needs_judge if judge is None else not judge.verdicts:
        return None
    model = judge.model(item) if judge else None
    try:
        score = await plugin.grade(item, transcript, model, config.options)
    except MissingCall:
        return Score.unscored(judge.missing if judge else UNREAD, flags=("unread",))
    if judge and (surplus := judge.surplus):
        return Score.unscored(surplus, flags=("unread",))
    return score


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
        """The next reply; `Unusable` where there is none, or it was one to something else."""
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
        reply = storable(await self._answer(request, key))
        response = replace(reply, finish=reply.finish if reply.finish_raw else Finish.OTHER)
        self.calls.append(ReplayedCall(key, self._asked, request, response))
        return response

    def check_end(self) -> None:
        """Nothing: all replies are to known requests."""


class _RoleReplies:
    """Says what who played a role said, in order."""

    def __init__(self, config: RunConfig, role: str, texts: Sequence[str]) -> None:
        if role not in config.roles:
            raise Unusable(f"the run does not say who plays the role {role!r:.40}")
        self.calls: list[ReplayedCall] = []
        self._role, self._texts, self._asked = role, texts, config.roles[role].party

    async def answer(self, request: ChatRequest, key: CallKey) -> ChatResponse:
        """The next reply; `Unusable` where there is none."""
        if len(self.calls) == len(self._texts):
            raise Unusable(TOO_SHORT)
        response = _response(self._texts[len(self.calls)])
        self.calls.append(ReplayedCall(key, self._asked, request, response))
        return response

    def check_end(self) -> None:
        """Refuse replies that nobody asked for."""
        if len(self.calls) < len(self._texts):
            raise Unusable(PLAYED_ON.format(self._role))


class _Judge:
    """Says what the judge said, in order; nothing more once a reply could not be read.

    What it is asked next may be the same again, and the file's next reply is to something else.
    """

    def __init__(self, config: RunConfig, sample: ForeignSample) -> None:
        self.calls: list[ReplayedCall] = []
        self.verdicts = sample.verdicts
        self._config, self._iteration = config, sample.iteration
        self._asked = config.judges[0].party
        self._unread = False

    def model(self, item: Item) -> RecordedModel:
        """What the benchmark asks as its judge."""
        judge = ConnectedParty("judge", self._asked, self._config.benchmark.judge_sampling)
        return RecordedModel(self.answer, judge, item.id, self._iteration, marked=self._mark)

    def _mark(self, response: ChatResponse, problem: str | None) -> None:
        self._unread = self._unread or problem is not None

    async def answer(self, request: ChatRequest, key: CallKey) -> ChatResponse:
        """The next verdict; `MissingCall` where there is none, or one before could not be read."""
        if self._unread or len(self.calls) == len(self.verdicts):
            raise MissingCall("no further reply of the judge is there")
        response = _response(self.verdicts[len(self.calls)])
        unknown = ChatRequest((), request.sampling)  # the file does not say what it was shown
        self.calls.append(ReplayedCall(key, self._asked, unknown, response))
        return response

    @property
    def missing(self) -> str:
        """Why there was no reply when it was asked."""
        few = not self._unread and len(self.verdicts) > 1
        return TOO_FEW.format(plural(len(self.verdicts), "verdict")) if few else UNREAD

    @property
    def surplus(self) -> str | None:
        """What is wrong where it was not asked for all its verdicts; it may be asked for none."""
        if not self.calls or len(self.calls) == len(self.verdicts):
            return None
        return TOO_MANY.format(plural(len(self.verdicts), "verdict"), len(self.calls))
