"""What a plugin's coroutine holds as its model, or a role: `chat`, answered from wherever.

A handle belongs to one sample and one phase. It completes the request with the
run's settings and numbers the calls, so that each has the key under which the
journal knows it, whatever order concurrent calls come in.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from random import Random
from typing import TYPE_CHECKING

from ..benchmark.model import MODEL, member
from ..errors import MissingCall
from ..journal.records import CallKey
from ..parties.party import Party
from ..parties.party_settings import PLAIN, PartySettings
from ..settings.run_config import RunConfig
from ..types import ChatRequest, ChatResponse, Item, Message, Sampling, canonical, digest

if TYPE_CHECKING:
    from ..clients.caller import Caller

ANEW = "anew "
"""How the proof of a party begins that is asked anew."""
_ROLES = ("system", "user", "assistant")
_SAMPLING = frozenset(field.name for field in fields(Sampling))

Answer = Callable[[ChatRequest, CallKey], Awaitable[ChatResponse]]


@dataclass(frozen=True, slots=True)
class ConnectedParty:
    """A model, a judge or who plays a role: how its replies are drawn and who sends the requests.

    Attributes:
        asked: It; in call keys, so that another judge's calls are others.
        caller: ``None`` offline: only what the journal holds can be answered.
        address: The URL that it is asked at; ``None`` for the provider's own host.
        proof: Stands in call keys beside it, where the answer holds for this address and key alone,
            or where it is asked anew what could not be read.
        settings: What of a request is changed when it is sent, and in no call key.
    """

    phase: str
    asked: Party
    sampling: Sampling
    system: str | None = None
    caller: "Caller | None" = None
    address: str | None = None
    proof: str | None = None
    settings: PartySettings = PLAIN


class RecordedModel:
    """A model, a judge or a role, for one sample. Implements `benchmark.Model`."""

    def __init__(
        self,
        answer: Answer,
        party: ConnectedParty,
        item_id: str,
        iteration: int = 1,
        *,
        roles: "Mapping[str, RecordedModel] | None" = None,
        marked: "Callable[[ChatResponse, str | None], None] | None" = None,
        holds: Callable[[CallKey], bool] = lambda key: False,
        staged: Callable[[str], None] = lambda text: None,
        asks_anew: bool = False,
        others: "Callable[[ConnectedParty], RecordedModel] | None" = None,
    ) -> None:
        seed = party.sampling.seed
        self.sampling = party.sampling
        if seed is not None:
            self.sampling = replace(self.sampling, seed=seed + iteration - 1)
        self.iteration, self._item_id = iteration, item_id
        self._answer, self._party, self._roles = answer, party, roles or {}
        self._marked, self._holds, self._staged = marked, holds, staged
        self.asks_anew, self._others = asks_anew, others or self._like
        self._anew: dict[int, RecordedModel] = {}
        self._seen: Counter[str] = Counter()
        self.noted: dict[str, object] = {}

    async def chat(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse:
        """The reply; see `benchmark.Model.chat`."""
        request = self._request(messages, cache_prefix, changes)
        key = self._key(request)
        self._seen[key.digest] += 1
        return await self._answer(request, key)

    async def kept(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse | None:
        """The reply in the journal; see `benchmark.Model.kept`."""
        request = self._request(messages, cache_prefix, changes)
        if not self._holds(self._key(request)):
            return None
        return await self.chat(messages, cache_prefix=cache_prefix, **changes)

    def anew(self, number: int) -> "RecordedModel":
        """The same model, asked anew; see `benchmark.AsksAnew`."""
        if number not in self._anew:
            party = replace(self._party, proof=f"{ANEW}{number}")
            self._anew[number] = self._others(party)
        return self._anew[number]

    def _like(self, party: ConnectedParty) -> "RecordedModel":
        """Another party that is answered from the same place."""
        holds = self._holds
        return RecordedModel(self._answer, party, self._item_id, self.iteration, holds=holds)

    def _key(self, request: ChatRequest) -> CallKey:
        """Under which the journal has the reply to a request that is made now."""
        request_digest = key_digest(self._party.asked, self._party.proof, request)
        return CallKey(self._party.phase, request_digest, self._seen[request_digest])

    def role(self, name: str, number: int = 0) -> "RecordedModel":
        """Who plays a role; see `benchmark.Model.role`."""
        name = member(name, number)
        if name not in self._roles:
            listed = ", ".join(self._roles) or "none"
            raise ValueError(f"role: there is no role {name!r} here; there are: {listed}")
        return self._roles[name]

    def mark(self, response: ChatResponse, problem: str | None = None) -> None:
        """Whether a reply could be read; see `benchmark.Model.mark`."""
        arguments: tuple[object, object] = (response, problem)
        if not (isinstance(arguments[0], ChatResponse) and isinstance(arguments[1], str | None)):
            raise TypeError("mark takes a ChatResponse and, if it could not be read, why")
        if self._marked is not None:
            self._marked(response, problem)

    def note(self, **facts: object) -> None:
        """What goes into the score's detail; see `benchmark.Model.note`."""
        self.noted |= facts

    def stage(self, text: str) -> None:
        """How far the sample is; see `benchmark.Model.stage`."""
        if not isinstance(text, str):
            raise TypeError(f"stage takes a text, not {text!r:.60}")
        self._staged(text)

    def draw(self, name: str) -> Random:
        """A generator of random numbers; see `benchmark.Model.draw`."""
        return drawn(self._item_id, self.iteration, name)

    def _request(
        self, messages: str | Sequence[Message], cache_prefix: int, changes: Mapping[str, object]
    ) -> ChatRequest:
        turns = [Message("user", messages)] if isinstance(messages, str) else _checked(messages)
        if (system := self._party.system) is not None:
            if turns[:1] and turns[0].role == "system":  # many chat templates take only one
                turns[0] = Message("system", f"{system}\n\n{turns[0].content}")
            else:
                turns.insert(0, Message("system", system))
                cache_prefix += bool(cache_prefix)
        if unknown := changes.keys() - _SAMPLING:
            raise TypeError(_unknown(min(unknown)))
        sampling = self.sampling
        if not all(_is_same(getattr(sampling, name), value) for name, value in changes.items()):
            sampling = replace(sampling, **changes)  # type: ignore[arg-type]
        return ChatRequest(tuple(turns), sampling, cache_prefix)


def key_digest(asked: Party, proof: str | None, request: ChatRequest) -> str:
    """The digest by which the journal knows a call: who is asked, and what."""
    who = asked.as_json() if proof is None else [asked.as_json(), proof]
    return digest([who, request.as_json()])


def drawn(item_id: str, iteration: int, name: str) -> Random:
    """The generator of a sample's choice, the same for every model."""
    return Random(canonical([item_id, iteration, name]))


def _is_same(one: object, other: object) -> bool:
    """Whether two are written alike, so that a request's digest is the same with either."""
    return one is other or (type(one) is type(other) is float and one == other != 0.0)


def _checked(messages: Sequence[object]) -> list[Message]:
    """The messages, if they are some.

    Raises:
        TypeError: One is no message.
        ValueError: One has a role that does not exist.
    """
    checked: list[Message] = []
    for message in messages:
        if not isinstance(message, Message) or not isinstance(message.content, str):
            raise TypeError(f"chat takes a text or a list of Message, not {message!r:.60}")
        if message.role not in _ROLES:
            raise ValueError(f"chat: unknown role {message.role!r}; roles are {', '.join(_ROLES)}")
        checked.append(message)
    return checked


def _unknown(name: str) -> str:
    near = get_close_matches(name, _SAMPLING, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(_SAMPLING))}"
    return f"chat has no option {name}; {hint}"


def given_replies(replies: Sequence[ChatResponse]) -> Answer:
    """Answers one call after the other; `MissingCall` when there are no more."""
    rest = iter(replies)

    async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
        reply = next(rest, None)
        if reply is None:
            raise MissingCall("no further reply was given for this item")
        return reply

    return answer


NOT_HELD = "the journal does not hold a reply that this needs"
"""How the reason of a sample begins that is unscored as nothing is asked offline."""


def known_replies(known: Mapping[CallKey, ChatResponse]) -> Answer:
    """Answers from the journal alone; `MissingCall` for what it does not hold."""

    async def answer(request: ChatRequest, key: CallKey) -> ChatResponse:
        if key not in known:
            raise MissingCall(f"{NOT_HELD}; the run's own command would ask for it")
        return known[key]

    return answer


def model_of(
    config: RunConfig,
    answer: Answer,
    item: Item,
    iteration: int = 1,
    roles: Mapping[str, Answer] | None = None,
) -> RecordedModel:
    """The model that a configuration asks about an item, and `roles`, answered from elsewhere."""
    party = ConnectedParty(MODEL, config.model.party, config.effective_sampling, config.system)
    players = {
        role.name: RecordedModel(
            answers,
            ConnectedParty(role.phase, config.roles[role.name].party, config.sampling_of(role)),
            item.id,
            iteration,
        )
        for role in config.benchmark.roles
        if (answers := (roles or {}).get(role.name))
    }
    return RecordedModel(answer, party, item.id, iteration, roles=players)
