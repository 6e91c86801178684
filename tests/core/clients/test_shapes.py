"""Other shapes of a conversation: the system text before the first user message, strict turns."""

import pytest

from eibench.core.clients.shapes import alternating, system_into_user
from eibench.core.types import ChatRequest, Message

Turns = list[tuple[str, str]]


def made_of(turns: Turns, cache_prefix: int = 0) -> ChatRequest:
    """A request with these messages."""
    return ChatRequest(tuple(Message(*turn) for turn in turns), cache_prefix=cache_prefix)


SYSTEM_MOVED: list[tuple[Turns, Turns]] = [
    ([("system", "S"), ("user", "U")], [("user", "S\n\nU")]),
    (
        [("system", "S"), ("user", "U"), ("assistant", "A"), ("user", "V")],
        [("user", "S\n\nU"), ("assistant", "A"), ("user", "V")],
    ),
    ([("system", "S"), ("assistant", "A")], [("user", "S"), ("assistant", "A")]),
    ([("system", "S")], [("user", "S")]),
    ([("system", "S"), ("system", "T"), ("user", "U")], [("user", "S\n\nT\n\nU")]),
    ([("system", ""), ("user", "U")], [("user", "U")]),
    ([("system", "S"), ("user", "U"), ("user", "V")], [("user", "S\n\nU"), ("user", "V")]),
    ([("user", "U"), ("system", "S")], [("user", "U"), ("user", "S")]),
]


@pytest.mark.parametrize(("turns", "moved"), SYSTEM_MOVED)
def test_the_system_text_stands_before_the_first_user_message(turns: Turns, moved: Turns) -> None:
    """No system message is left, and all words of all messages are still there, in order."""
    assert system_into_user(made_of(turns)) == made_of(moved)


ALTERNATING: list[tuple[Turns, Turns]] = [
    (
        [("user", "U"), ("user", "V"), ("assistant", "A"), ("assistant", "B"), ("user", "W")],
        [("user", "U\n\nV"), ("assistant", "A\n\nB"), ("user", "W")],
    ),
    (
        [("system", "S"), ("user", "U"), ("user", "V")],
        [("system", "S"), ("user", "U\n\nV")],
    ),
    (
        [("system", "S"), ("assistant", "A"), ("user", "U")],
        [("user", "S"), ("assistant", "A"), ("user", "U")],
    ),
    ([("assistant", "A"), ("user", "U")], [("user", "Hello."), ("assistant", "A"), ("user", "U")]),
    (
        [("user", "U"), ("system", "S"), ("assistant", "A")],
        [("user", "U\n\nS"), ("assistant", "A")],
    ),
    ([("system", "S"), ("system", "T"), ("user", "U")], [("system", "S\n\nT"), ("user", "U")]),
    ([("system", "S")], [("system", "S")]),
]


@pytest.mark.parametrize(("turns", "strict"), ALTERNATING)
def test_turns_alternate_and_the_user_begins(turns: Turns, strict: Turns) -> None:
    """Consecutive messages of a role are one, and an assistant is never the first to speak."""
    assert alternating(made_of(turns)) == made_of(strict)


@pytest.mark.parametrize("shape", [system_into_user, alternating])
def test_a_request_in_that_shape_already_is_given_back(shape: object) -> None:
    """Nothing is made anew where there is nothing to change, so that a caller can tell."""
    request = made_of([("user", "U"), ("assistant", "A"), ("user", "V")], 1)
    assert callable(shape)
    assert shape(request) is request
    assert shape(made_of([])) == made_of([])


def test_the_shared_prefix_is_what_is_made_of_it_alone() -> None:
    """A message that joins something of the prefix and something else is not shared."""
    turns = [("system", "S"), ("user", "U"), ("user", "V")]
    assert [system_into_user(made_of(turns, n)).cache_prefix for n in range(4)] == [0, 0, 1, 2]
    assert [alternating(made_of(turns, n)).cache_prefix for n in range(4)] == [0, 1, 1, 2]
    begun = [("assistant", "A"), ("user", "U")]
    assert [alternating(made_of(begun, n)).cache_prefix for n in range(3)] == [0, 2, 3]
