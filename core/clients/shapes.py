"""Other shapes of a conversation, for servers whose chat templates take not every one.

Each function gives a request back as it is where there is nothing to change. Messages are joined
with a blank line; none is left out. The prefix that requests share is then the messages that are
made of it alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise
from typing import Any

from ..parties.party_settings import PLAIN, ROOM, PartySettings
from ..types import ChatRequest, Message

FIRST_WORD = "Hello."
"""What a user says before a first message of an assistant, where there is no system text."""


def as_set(request: ChatRequest, settings: PartySettings) -> ChatRequest:
    """What a party is sent of a request, by its settings.

    The request's sampling has those of them that a call is known by already. Room, schema and
    system text are changed here alone, at the moment when it is sent.
    """
    if settings == PLAIN:
        return request
    fields: dict[str, Any] = dict.fromkeys(settings.changes.unset)
    if room := settings.changes.values.max_tokens:
        fields[ROOM] = room
    if not settings.schema:
        fields["json_schema"] = None
    request = replace(request, sampling=replace(request.sampling, **fields))
    return request if settings.system else system_into_user(request)


def system_into_user(request: ChatRequest) -> ChatRequest:
    """The request without system messages: their text stands before the first user message.

    Where the conversation does not begin with a user message, the text is one. A system message
    further on becomes a user message in its place.
    """
    roles = [message.role for message in request.messages]
    if "system" not in roles:
        return request
    lead = _leading_system(roles)
    first = lead + (roles[lead : lead + 1] == ["user"]) if lead else 0
    turns = [0 if n < first else n + 1 for n in range(len(roles))]
    return _joined(request, ["user" if role == "system" else role for role in roles], turns)


def alternating(request: ChatRequest) -> ChatRequest:
    """The request with strict turns, user and assistant, after a system message if it has one.

    Consecutive messages of one role become one. A conversation that an assistant begins gets a
    user message before it: the system text, or else `FIRST_WORD`. A system message further on
    counts as the user's.
    """
    roles = [message.role for message in request.messages]
    lead = _leading_system(roles)
    roles[lead:] = ["user" if role == "system" else role for role in roles[lead:]]
    if roles[lead : lead + 1] == ["assistant"]:
        if not lead:
            return alternating(_greeted(request))
        roles[:lead] = ["user"] * lead
    changes = (a != b for a, b in pairwise(roles))
    return _joined(request, roles, list(accumulate(changes, initial=0)))


def _leading_system(roles: Sequence[str]) -> int:
    """How many system messages a conversation begins with."""
    return next((n for n, role in enumerate(roles) if role != "system"), len(roles))


def _greeted(request: ChatRequest) -> ChatRequest:
    messages = (Message("user", FIRST_WORD), *request.messages)
    prefix = request.cache_prefix
    return replace(request, messages=messages, cache_prefix=prefix and prefix + 1)


def _joined(request: ChatRequest, roles: Sequence[str], turns: Sequence[int]) -> ChatRequest:
    """The request with one message for each turn, of messages with these roles."""
    messages, prefix = [], 0
    for _, group in groupby(range(len(roles)), key=turns.__getitem__):
        indices = list(group)
        texts = (request.messages[index].content for index in indices)
        messages.append(Message(roles[indices[0]], "\n\n".join(filter(None, texts))))
        prefix += indices[-1] < request.cache_prefix
    if tuple(messages) == request.messages:
        return request
    return replace(request, messages=tuple(messages), cache_prefix=prefix)
