"""What a server takes of what one party is to be asked: all of it, until it refuses something.

A request that is refused is sent again without some part that it could do without. What the
refusal names comes first; where it names nothing, from what does least harm to a result to what
does most. One request walks this way, and the others of the party wait for what it learns. A part
is left out for good if the same request was refused with it and taken without it; else it goes back
in, and the error stands.

Steps that leave no field out:

- ``system``: the system text stands before the first user message;
- ``turns``: messages of one role in a row are joined, and the user's turn is first;
- ``warm``: a temperature of 0 becomes `WARM_TEMPERATURE`;
- ``room:N``: a reply has at most N tokens.

A refusal that says in numbers how much room there is is followed at once: see `fitting`.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil
from typing import NamedTuple

from ..errors import ErrorKind, ProviderError
from ..parties.providers import AskedParty, ClientConfig
from ..types import ChatRequest, ChatResponse, Json, JsonDict, JsonObject
from .error_bodies import HttpFailure
from .fitting import FreeRoom, read_room, speaks_of_room
from .model_list import read_context
from .patience import off_the_clock
from .refusals import (
    HARM,
    LIMITS,
    ROOM,
    SYSTEM,
    TURNS,
    WARM,
    RefusedRequest,
    named_steps,
    speaks_of_another_name,
    speaks_of_typed,
)
from .shapes import alternating, system_into_user

WARM_TEMPERATURE = 0.01
FLOOR, FLOOR_OF_JUDGE = 256, 1000
"""Tokens of a reply below which no request is made smaller; a verdict has about 700."""
_ROOMS = (8192, 4096, 2048, 1024, 512, 256)
_MOST_FITS = 4
"""How often one request is made smaller by the server's numbers."""
_MOST_IN_VAIN = 3
"""Walks that led nowhere, before only what a refusal names is still tried."""
_SLACK = 16
_CHARACTERS_PER_TOKEN = 3
_REMEMBERED = 16

Send = Callable[[ChatRequest], Awaitable[ChatResponse]]
Fields = Callable[[ChatRequest], JsonObject]


class _Fit(NamedTuple):
    """What a server has said of room.

    Attributes:
        room: That of a request.
        measured: Characters of that request.
        most: Tokens of the longest reply.
    """

    room: FreeRoom | None = None
    measured: int = 0
    most: int | None = None


@dataclass
class ServerTerms:
    """What is left out or changed of the requests to one party at one server.

    Attributes:
        name: What messages call who is asked.
        typed: Fields that a person has set, and those of ``--extra-body``.
        floor: The fewest tokens that a reply is given room for.
        say: Tells what is left out from now on.
        listed: Asks how many tokens prompt and reply may have together.
        without: The steps that were taken.
    """

    name: str = "the endpoint"
    typed: frozenset[str] = frozenset()
    floor: int = FLOOR
    say: Callable[[str], None] = lambda text: None
    listed: Callable[[], Awaitable[int | None]] | None = None
    without: set[str] = field(default_factory=set)
    _fit: _Fit = field(default_factory=_Fit)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _version: int = 0
    _in_vain: set[str] = field(default_factory=set)
    _taken: deque[ChatRequest] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))

    @classmethod
    def of(
        cls, config: ClientConfig, asked: AskedParty, unknown: Collection[str] = ()
    ) -> "ServerTerms":
        """Those of a client's party, which begin without what the server is known not to take."""
        is_judge = not (asked.options.sampling or asked.options.role)
        floor, typed = FLOOR_OF_JUDGE if is_judge else FLOOR, config.typed
        listed = partial(read_context, config) if config.base_url else None
        return cls(asked.name, typed, floor, config.say, listed, set(unknown))

    def shaped(self, request: ChatRequest) -> tuple[ChatRequest, JsonDict]:
        """The request as the server takes it, and notes on its messages for what was sent."""
        notes: JsonDict = {}
        for step, shape, words in _SHAPES:
            if step in self.without and (changed := shape(request)) is not request:
                request, notes[step] = changed, words
        sampling = request.sampling
        if WARM in self.without and sampling.temperature == 0:
            sampling = replace(sampling, temperature=WARM_TEMPERATURE)
        if (limit := self._limit(request)) != sampling.max_tokens:
            sampling = replace(sampling, max_tokens=limit)
        if sampling is not request.sampling:
            request = replace(request, sampling=sampling)
        return request, notes

    def _limit(self, request: ChatRequest) -> int | None:
        """The room that a reply gets, as far as the server has it."""
        limit, room = request.sampling.max_tokens, self._fit.room
        rooms = [int(step.removeprefix(ROOM)) for step in self.without if step.startswith(ROOM)]
        if limit is None:
            return None
        characters = _characters(request)
        if room and characters == self._fit.measured:
            rooms.append(room.fits)
        elif room:
            text = ceil(characters * room.prompt / self._fit.measured * 1.05) + _SLACK
            rooms.append(max(room.together - text, self.floor))
        return min(limit, *rooms, self._fit.most or limit)

    async def ask(self, request: ChatRequest, send: Send, fields: Fields) -> ChatResponse:
        """The reply to a request, sent until it is taken, or cannot be made so.

        Args:
            request: As it was meant.
            send: Sends it once, made by these terms; raises `ProviderError`, whose `answer` is
                what the server said.
            fields: Its optional fields as they would be sent now.

        Raises:
            ProviderError: It was refused as it was meant and otherwise too, or there was another
                failure.
        """
        while True:
            await self._others_walk()
            version = self._version
            try:
                return self._took(request, await self._fitted(request, send))
            except ProviderError as error:
                refusal = RefusedRequest.of(error)
                if refusal is None or self._is_final(refusal):
                    raise
            async with off_the_clock():
                await self._lock.acquire()
            try:
                if self._version != version:
                    continue
                if self._is_final(refusal):
                    raise refusal.error
                return self._took(request, await self._walk(request, refusal, send, fields))
            finally:
                self._lock.release()

    async def _others_walk(self) -> None:
        if self._lock.locked():
            async with off_the_clock(), self._lock:
                pass

    def _is_final(self, refusal: RefusedRequest) -> bool:
        return refusal.same in self._in_vain

    def _took(self, request: ChatRequest, response: ChatResponse) -> ChatResponse:
        """Remember what was taken, so that a refusal without words is not put down to it."""
        self._taken.append(request)
        return response

    # Room

    async def _fitted(self, request: ChatRequest, send: Send) -> ChatResponse:
        """The reply to a request, sent with less room while the server says how much it has."""
        known, heard = self._fit, set[str]()
        while True:
            asked = self.shaped(request)[0].sampling.max_tokens
            try:
                return await send(request)
            except ProviderError as error:
                room = self._room_said(request, asked, error)
                # Words that are the same whatever was asked for are about the prompt alone.
                if room is None or str(error) in heard or len(heard) == _MOST_FITS:
                    if error.kind is ErrorKind.CONTEXT_TOO_LONG:
                        self._fit = known
                    raise
                heard.add(str(error))
                self._learn_room(request, room)

    def _room_said(
        self, request: ChatRequest, asked: int | None, error: ProviderError
    ) -> FreeRoom | None:
        """The room that a refusal leaves for a reply, where that is enough."""
        if not asked or not isinstance(error.answer, HttpFailure):
            return None
        room = read_room(error.answer, asked, _characters(request))
        return room if room and room.fits >= self.floor else None

    def _learn_room(self, request: ChatRequest, room: FreeRoom) -> None:
        if room.together and room.prompt and (characters := _characters(request)):
            self._fit = self._fit._replace(room=room, measured=characters)
            news = f"has room for {room.together:,} tokens of prompt and reply"
        else:
            self._fit = self._fit._replace(most=room.fits)
            news = f"takes at most {room.fits:,} tokens for a reply"
        self.say(f"{self.name} {news}: replies get what fits")

    # Walking

    async def _walk(
        self, request: ChatRequest, first: RefusedRequest, send: Send, fields: Fields
    ) -> ChatResponse:
        """The reply to a refused request, without what the server does not take.

        Raises:
            ProviderError: The first refusal, where nothing helps; or another failure on the way.
        """
        before, known = frozenset(self.without), self._fit
        walk = _Walk(self, request, send, fields, before)
        try:
            response = await walk.go(first)
        except BaseException:
            self.without = set(before)
            raise
        if response is None:
            self.without, self._fit = set(before), known
            self._in_vain.add(first.same)
            if walk.tried:
                first.error.args = (f"{first.error}; {_in_words(walk.tried)}",)
            raise first.error
        self._version += 1
        has_limit = not self.without.issuperset(LIMITS)  # else the caller says that it has none
        for step in sorted(self.without - before, key=_harm):
            if has_limit or step not in LIMITS:
                self.say(f"{self.name} {_news_of(step)}")
        return response

    @property
    def is_weary(self) -> bool:
        """Whether so many walks led nowhere that only what is named is still tried."""
        return len(self._in_vain) >= _MOST_IN_VAIN

    def has_taken(self, step: str, request: ChatRequest, value: Json, fields: Fields) -> bool:
        """Whether the server took before what a step is about: a field with this very value."""
        return any(_holds(step, one, request, value, fields) for one in self._taken)


@dataclass
class _Walk:
    """One request's way to being taken; `tried` are the steps without which it was refused too."""

    terms: ServerTerms
    request: ChatRequest
    send: Send
    fields: Fields
    before: frozenset[str]
    tried: list[str] = field(default_factory=list)
    rooms: Sequence[int] = _ROOMS

    async def go(self, refusal: RefusedRequest) -> ChatResponse | None:
        """The reply; ``None`` where the request is refused whatever is left out."""
        out: list[str] = []
        if speaks_of_room(refusal.failure) and self.terms.listed:
            context = await self.terms.listed()
            if context:
                most = context - _characters(self.request) // _CHARACTERS_PER_TOKEN
                self.rooms = [most, *(room for room in _ROOMS if room < most)]
        while True:
            came, out, refusal = await self._by_name(refusal, out)
            if came is not None:
                return came
            insisted_on = {*self.terms.typed, *(self.request.sampling.extra_body or ())}
            if self.terms.is_weary or speaks_of_typed(refusal.failure, insisted_on):
                return None
            if not (out or self.tried) and self._optional(out):  # nothing is named; it may pass
                again = await self._try([])
                if isinstance(again, ChatResponse):
                    return again
            came, further = await self._one_by_one(refusal, out)
            if came is not None:
                return came
            if further is None:
                return await self._together(out)
            refusal, out = further

    async def _by_name(
        self, refusal: RefusedRequest, out: list[str]
    ) -> tuple[ChatResponse | None, list[str], RefusedRequest]:
        """Leave out what the refusals name, as the server goes from one to the next."""
        while step := self._named(refusal, out):
            came = await self._try([*out, step])
            if isinstance(came, ChatResponse):
                return came, out, refusal
            if came.same == refusal.same:
                self.tried.append(step)  # it is not that
            else:
                out, refusal = [*out, step], came
        return None, out, refusal

    async def _one_by_one(
        self, refusal: RefusedRequest, out: list[str]
    ) -> tuple[ChatResponse | None, tuple[RefusedRequest, list[str]] | None]:
        """Leave out each part alone; a refusal that then names another part leads on there."""
        for step in self._optional(out):
            came = await self._try([*out, step])
            if isinstance(came, ChatResponse):
                return came, None
            self.tried.append(step)
            if came.same != refusal.same and self._named(came, [*out, step]):
                return None, (came, [*out, step])
        return None, None

    async def _together(self, out: list[str]) -> ChatResponse | None:
        """Leave out more and more at a time; what turns out not to matter goes back in."""
        steps = [step for step in self._all(out) if not step.startswith(ROOM)]
        for power in range(1, max(0, len(steps) - 1).bit_length() + 1):
            some = steps[: 2**power]
            came = await self._try([*out, *some])
            if isinstance(came, ChatResponse):
                return await self._put_back(came, out, some)
        return None

    async def _put_back(
        self, came: ChatResponse, out: list[str], steps: Sequence[str]
    ) -> ChatResponse:
        """The reply to the request without no more than it needs; with what others took."""
        left = [*out, *steps]
        for step in reversed(steps):  # what did most harm first
            again = await self._try([one for one in left if one != step])
            if isinstance(again, ChatResponse):
                left.remove(step)
                came = replace(again, usage=came.usage + again.usage)
        self.terms.without = {*self.before, *left}
        return came

    async def _try(self, out: Collection[str]) -> ChatResponse | RefusedRequest:
        """The reply to the request without these parts, or how it was refused again."""
        self.terms.without = {*self.before, *out}
        try:
            return await self.terms._fitted(self.request, self.send)
        except ProviderError as error:
            refusal = RefusedRequest.of(error)
            if refusal is None:
                raise
            return refusal

    def _named(self, refusal: RefusedRequest, out: Collection[str]) -> str | None:
        """The next step that a refusal names, and that was not tried in vain."""
        steps = [s for s in self._present(out) if not s.startswith(ROOM)]
        named = named_steps(refusal.failure, steps, self.terms.typed)
        if speaks_of_room(refusal.failure):
            named += self._other_name(out) if speaks_of_another_name(refusal.failure) else ()
            named += [step for step in self._present(out) if step.startswith(ROOM)]
        return next((s for s in named if s not in self.tried), None)

    def _optional(self, out: Collection[str]) -> list[str]:
        """What the request could go without, though nothing names it, and was not tried."""
        return [step for step in self._all(out) if step not in self.tried]

    def _all(self, out: Collection[str]) -> list[str]:
        steps, terms = self._present(out), self.terms
        values, typed = self.fields(self.request), {*terms.typed, *LIMITS}
        steps = [*(step for step in steps if step not in typed), *self._other_name(out)]
        return [
            step
            for step in steps
            if not terms.has_taken(step, self.request, values.get(step), self.fields)
        ]

    def _other_name(self, out: Collection[str]) -> list[str]:
        """The token limit's name, without which it is sent under its other one."""
        if any(limit in (*self.before, *out) for limit in LIMITS):
            return []
        return [step for step in self._present(out) if step in LIMITS]

    def _present(self, out: Collection[str]) -> list[str]:
        """The steps that are still to be taken, from the least harm to the most."""
        self.terms.without = {*self.before, *out}
        request, _ = self.terms.shaped(self.request)
        steps = set(self.fields(request))
        steps |= {step for step, shape, _ in _SHAPES if shape(request) is not request}
        if request.sampling.temperature == 0 and "temperature" in steps - self.terms.typed:
            steps.add(WARM)
        if limit := request.sampling.max_tokens:
            steps |= {f"{ROOM}{n}" for n in self.rooms if self.terms.floor <= n < limit}
        return sorted(steps, key=_harm)


def _characters(request: ChatRequest) -> int:
    return sum(len(message.content) for message in request.messages)


def _holds(
    step: str, taken: ChatRequest, request: ChatRequest, value: Json, fields: Fields
) -> bool:
    """Whether a request that was taken holds what a step would take away from another."""
    if step.startswith(ROOM):
        longer = _characters(taken) >= _characters(request)
        return longer and (taken.sampling.max_tokens or 0) >= (request.sampling.max_tokens or 0)
    if step == WARM:
        return taken.sampling.temperature == 0
    for name, shape, _ in _SHAPES:
        if name == step:
            return shape(taken) is not taken
    sent = fields(taken)
    return step in sent and sent[step] == value


def _harm(step: str) -> tuple[int, int]:
    """Where a step stands from the least harm to the most; less room does more than more."""
    if step.startswith(ROOM):
        return len(HARM), -int(step.removeprefix(ROOM))
    return (HARM.index(step) if step in HARM else len(HARM) + 1), 0


_SHAPES = (
    (TURNS, alternating, "joined"),
    (SYSTEM, system_into_user, "in the first user message"),
)
_NEWS = {
    SYSTEM: "takes no system message: its text goes before the first user message from now on",
    TURNS: "wants turns of user and assistant: messages are joined from now on",
    WARM: f"takes no temperature of 0: it is asked with {WARM_TEMPERATURE} from now on",
}


def _news_of(step: str) -> str:
    """What is said of a step once it is taken."""
    if step.startswith(ROOM):
        room = int(step.removeprefix(ROOM))
        return f"takes no longer replies: each gets room for {room:,} tokens from now on"
    if step in LIMITS:
        (other,) = {*LIMITS} - {step}
        return f"does not take {step}: the limit is sent as {other} from now on"
    return _NEWS.get(step) or f"does not take {_plain(step)}: it is asked without from now on"


def _plain(step: str) -> str:
    names = {SYSTEM: "a system message", TURNS: "turns as they are", WARM: "a temperature of 0"}
    names |= {"format": "output_config.format"}
    names |= {limit: f"the name {limit}" for limit in LIMITS}
    if step.startswith(ROOM):
        return "so much room"
    return names.get(step, step)


def _in_words(tried: Sequence[str]) -> str:
    """What an error says of a walk that led nowhere."""
    *others, last = dict.fromkeys(map(_plain, tried))
    return f"without {' or '.join([*filter(None, [', '.join(others)]), last])} it is refused too"
