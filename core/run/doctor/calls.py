"""What comes of the few requests that a party is asked as a benchmark would ask it.

A server is asked without what it refuses, as in a run (`clients.terms`), and what that is stands on
the line of the check. Each request is asked once.
"""

import json
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field, replace
from itertools import starmap

from ...benchmark import Benchmark
from ...benchmark.model import JUDGE, MODEL
from ...clients.caller import TOKEN_LIMITS, Caller
from ...clients.limits import Limits, RetryPolicy
from ...clients.terms import FLOOR, FLOOR_OF_JUDGE
from ...errors import BenchError, ErrorKind, ProviderError
from ...parties.party import is_local
from ...parties.providers import AskedParty, CallContext, Client
from ...reading.base_models import ASK_BASE_MODEL, base_model_sign
from ...reading.cut_prompts import CutPrompts
from ...reading.prompt_tokens import about_tokens, is_cut, least_tokens
from ...reports.alike import CAUSES
from ...reports.otherwise import Departure
from ...sample.prompts import told_cut
from ...spending.budget import Meter
from ...text import is_blank, line
from ...types import ChatRequest, ChatResponse, Finish, Item, Message, Sampling
from ...types.otherwise import ROOM, asked_otherwise
from .checks import Check, CheckVerdict, fail, ok, warn
from .probe import Probe

TOKENS = 8
"""What the answer to the tiny call may have at most."""
QUESTION = "Say OK."
VERDICT_QUESTION = (
    'How kind is the reply "I am glad that you came"? Give a score from 0 to 10. Answer with a '
    'JSON object alone, in the form {"score": N}.'
)
CALL_S, FULL_S = 60.0, 180.0
MAY_WORK = "the server answers; a run may work all the same"
_SHORT = "it may be that it takes no limit as small as that"
_OTHER = "a base model? name another one"
_NO_WORDS = "its own log may say why"
_NO_CHAT = f"its own log may say why; is it {ASK_BASE_MODEL}"
_DRAWN = Sampling(temperature=1.0, max_tokens=48)
_DRAW_QUESTION = "Tell a story of three sentences about an animal that you choose."
_DRAWS_FROM = 0.3
"""A benchmark that is asked at a lower temperature hardly draws."""
_WORDS_ALIKE = 8
"""Two answers of fewer words may well be the same by chance."""
_PACED = 16
"""Tokens of an answer from which on its speed says something."""
_SHOWN = 80

BUSY = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.REFUSED})
"""The server is there and may well answer what a run asks."""
UNLESS_REFUSED = frozenset(ErrorKind) - {ErrorKind.INVALID_REQUEST, ErrorKind.CONTEXT_TOO_LONG}
"""What a server that has answered before may do without it being said that no run works."""


async def outcome(
    name: str,
    ask: Callable[[], Awaitable[Check]],
    mild: Collection[ErrorKind],
    too_long: str = "",
) -> Check:
    """What came of a request; errors of the `mild` kinds are no failure.

    `too_long` says what to do where the prompt does not fit.
    """
    try:
        return await ask()
    except ProviderError as error:
        if error.kind not in mild:
            is_long = error.kind is ErrorKind.CONTEXT_TOO_LONG
            return fail(name, error, too_long if is_long else "")
        return warn(name, str(error), MAY_WORK if error.kind in BUSY else "")
    except BenchError as error:
        return fail(name, error)
    except Exception as error:  # noqa: BLE001 - a plugin's client may raise anything
        todo = "are its packages up to date?"
        return fail(name, f"{type(error).__name__}: {error}", todo, 4)


@dataclass
class PartyQuestions:
    """The questions to one party.

    Attributes:
        anything: A benchmark, which calls need and which is no part of them.
    """

    one: Probe
    client: Client
    asked: AskedParty
    anything: Benchmark
    _known: set[Departure] = field(default_factory=set)

    def caller(self, seconds: float) -> Caller:
        """What sends a request, once."""
        limits = Limits(1, timeout_s=seconds, retry=RetryPolicy(attempts=1))
        return Caller(self.client, limits, meter=Meter(self.one.price, None), asked=self.asked)

    async def _send(self, request: ChatRequest, seconds: float = FULL_S) -> ChatResponse:
        # Of no run; a client that makes up its own answers looks at it, one of a server does not.
        call = CallContext(self.anything, Item("doctor"), 1, MODEL)
        return await self.caller(seconds).send(request, call)

    # Each check

    async def check_call(self) -> Check:
        """Whether the model answers something tiny, in a form like the benchmark's."""
        name = f"{self.one.label} call"

        async def ask() -> Check:
            request = self.one.form.tiny(QUESTION, TOKENS)
            reply = await self._send(request, CALL_S)
            check = self.look(name, request, reply)
            # Some count the end as one.
            ignores = reply.usage.output - reply.usage.reasoning > TOKENS + 1
            if not ignores or check.verdict is not CheckVerdict.OK:
                return check
            todo = (
                "replies may be as long as the context, so that time and --max-cost have no bound"
            )
            return warn(name, f"{check.message}, though at most {TOKENS} were asked for", todo)

        check = await outcome(name, ask, BUSY | {ErrorKind.INVALID_REQUEST})
        is_refused = check.verdict is CheckVerdict.WARN and not check.todo
        return check._replace(todo=_SHORT) if is_refused else check

    async def check_words(self) -> Check:
        """Whether who plays a role answers, asked as a benchmark would."""
        name = f"{self.one.label} call"

        async def ask() -> Check:
            request = self.one.form.short(QUESTION)
            return self.look(name, request, await self._send(request))

        return await outcome(name, ask, BUSY)

    async def check_verdict(self) -> Check:
        """Whether a judge gives a verdict that can be read."""
        name = f"{self.one.label} verdict"

        async def ask() -> Check:
            request = self.one.form.short(VERDICT_QUESTION)
            reply = await self._send(request)
            check, question = self.look(name, request, reply), request.messages[-1].content
            if reads_score(reply.text) and not base_model_sign(question, reply.text):
                return check
            return self._unread(name, request, reply, check)

        return await outcome(name, ask, BUSY)

    def _unread(self, name: str, request: ChatRequest, reply: ChatResponse, check: Check) -> Check:
        begins = line(" ".join(reply.text.split()))[:_SHOWN]
        message = f"{check.message}; a tiny verdict cannot be read"
        message += f": it begins {begins!r}" if begins else ""
        todo = "name another with --judge"
        if base_model_sign(request.messages[-1].content, reply.text):
            todo = f"a base model, which cannot judge? {todo}"
        elif reply.finish == Finish.LENGTH or (reply.reasoning and is_blank(reply.text)):
            todo = f"if it thinks, give it more room, as by --judge-set {ROOM}=N, or {todo}"
        return fail(name, message, todo, 4)

    async def check_room(self) -> Check:
        """Whether the benchmark's room is there, where that is free beside its longest prompt."""
        name, form = f"{self.one.label} room", self.one.form
        if no_room := self._no_room(name):
            return no_room

        async def ask() -> Check:
            request = form.long() if self.one.asks_long else form.short(QUESTION)
            reply = await self._send(request)
            room = request.sampling.max_tokens
            summary = f"asked for {room:,} tokens at most: {self._summary(reply)}" if room else ""
            check = self._cut(name, request, reply) or self.look(name, request, reply, summary)
            return check._replace(verdict=CheckVerdict.FAIL, code=4) if is_base(check) else check

        return await outcome(name, ask, UNLESS_REFUSED, self._longer)

    @property
    def _longer(self) -> str:
        """What to do where a context is too small."""
        tokens = about_tokens(self.one.form.longest)
        return (
            f"a longer context: prompts of {self.one.whose} have about {tokens:,} tokens and more, "
            f"and {self._floor:,} are needed for a reply"
        )

    @property
    def _floor(self) -> int:
        return FLOOR_OF_JUDGE if self.one.party.judge else FLOOR

    def _no_room(self, name: str) -> Check | None:
        """That the server's list says that no prompt of the benchmark fits."""
        context = self.one.context
        if not context or least_tokens(self.one.form.longest) + self._floor <= context:
            return None
        message = f"the server has room for {context:,} tokens of prompt and reply"
        return fail(name, message, self._longer, 4)

    def _cut(self, name: str, request: ChatRequest, reply: ChatResponse) -> Check | None:
        """That a prompt was cut in silence."""
        text = "\n\n".join(message.content for message in request.messages)
        if not is_cut(text, reply.usage.input):
            return None
        address = self.one.endpoint.base_url or ""
        cut = CutPrompts(frozenset(), 1, reply.usage.input, about_tokens(text), address)
        party = self.one.party
        phase = JUDGE if party.judge else f"role:{party.role}" if party.role else MODEL
        message, _, todo = told_cut(phase, self.one.endpoint.party, cut).partition("; ")
        return warn(name, message, todo)

    async def check_draws(self) -> Check:
        """Whether two answers at a temperature of 1 differ."""
        name = f"{self.one.label} draws"
        sampling = self.one.form.request.sampling
        drawn = replace(_DRAWN, extra_body=sampling.extra_body)
        request = ChatRequest((Message("user", _DRAW_QUESTION),), drawn)

        async def ask() -> Check:
            texts = [(await self._send(request)).text.split() for _ in range(2)]
            if texts[0] != texts[1]:
                return ok(name, "two answers at temperature 1 differ")
            if len(texts[0]) < _WORDS_ALIKE:
                return ok(name, "two answers at temperature 1 are too short to tell")
            return warn(name, "two answers at temperature 1 are the same, word for word", CAUSES)

        return await outcome(name, ask, UNLESS_REFUSED)

    @property
    def may_draw(self) -> bool:
        """Whether it is free to see if the server draws, and matters to the benchmark."""
        temperature = self.one.form.request.sampling.temperature
        draws = temperature is None or temperature >= _DRAWS_FROM
        is_meant = self.one.is_model and self.one.config is not None
        return is_meant and draws and is_local(self.one.endpoint.base_url)

    # What replies say

    def look(
        self, name: str, request: ChatRequest, reply: ChatResponse, summary: str = ""
    ) -> Check:
        """What a reply says of its server, behind a summary of it."""
        changes = self._changes(request, reply)
        summary = "; ".join([summary or self._summary(reply), *_in_words(changes, reply)])
        question = request.messages[-1].content
        sign = None if self.one.template else base_model_sign(question, reply.text)
        if sign and not self.one.party.judge:
            return warn(
                name,
                f"{summary}; the answer {sign}",
                ASK_BASE_MODEL if self.one.is_model else _OTHER,
            )
        if is_blank(reply.text) and not (reply.reasoning or reply.usage.reasoning):
            todo = _NO_CHAT if self.one.is_model and not self.one.template else _NO_WORDS
            if reply.finish == Finish.LENGTH and request.sampling.max_tokens == TOKENS:
                todo = "it may be thinking, which the next check has more room for"
            return warn(name, f"{summary}; the answer is empty", todo)
        if any(change.counts for change in changes):
            whose = "verdicts" if self.one.party.judge else "replies"
            return warn(name, summary, f"a run works, and says that {whose} were drawn so")
        return ok(name, summary)

    def _changes(self, request: ChatRequest, reply: ChatResponse) -> list[Departure]:
        """What was sent otherwise than meant, as far as no line has it yet."""
        differing = asked_otherwise(request.sampling, reply.sent).items()
        changes = [one for one in starmap(Departure, differing) if one not in self._known]
        self._known.update(one for one in changes if one.field != ROOM)
        return changes

    def _summary(self, reply: ChatResponse) -> str:
        model, usage = reply.model or self.one.endpoint.spec.name, reply.usage
        message = f"{model} answered in {pace(reply)}"
        message += f", {usage.input} tokens in and {usage.output} out"
        return message + (f", ${reply.cost_usd:.6f}" if reply.cost_usd else "")


def is_base(check: Check) -> bool:
    """Whether a check shows what looks like a base model, or no words at all."""
    return check.todo in (ASK_BASE_MODEL, _OTHER, _NO_CHAT, _NO_WORDS)


def _in_words(changes: list[Departure], reply: ChatResponse) -> list[str]:
    """What was left out or changed; of the room, how much there is."""
    words = [str(change) for change in changes if change.field != ROOM]
    if len(words) < len(changes):
        limits = [reply.sent.get(name) for name in sorted(TOKEN_LIMITS)]
        fits = next((limit for limit in limits if isinstance(limit, int)), 0)
        words.append(f"replies get what fits: {fits:,} tokens here" if fits else "no token limit")
    return words


def pace(reply: ChatResponse) -> str:
    """How long an answer took, and how fast it came."""
    seconds, out = reply.latency_s, reply.usage.output
    rate = f" at {out / seconds:,.0f} tokens a second" if out >= _PACED and seconds else ""
    return f"{seconds:.2f} s{rate}"


def reads_score(text: str) -> bool:
    """Whether a text holds a verdict as it was asked for, whatever stands around it."""
    start = -1
    while (start := text.find("{", start + 1)) >= 0:
        try:
            value, _ = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if _has_number(value):
            return True
    return False


def _has_number(value: object) -> bool:
    """Whether a score stands in a JSON object, be it as text or among others."""
    if not isinstance(value, dict):
        return False
    numbers = [one for name, one in value.items() if str(name).strip().lower() == "score"]
    try:
        return any(float(one) >= 0 for one in numbers)
    except (TypeError, ValueError):
        return False
