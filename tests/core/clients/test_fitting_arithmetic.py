"""How much room a refusal leaves for a reply, read from its numbers."""

import pytest

from eibench.core.clients.error_bodies import HttpFailure
from eibench.core.clients.fitting import FreeRoom, read_room

LONG = 36_000
"""Characters of a prompt of about 9,000 tokens."""


@pytest.mark.parametrize(
    ("message", "fits"),
    [
        ("prompt (900) plus max_tokens (8000) is more than the 8192 this server has", 7292),
        ("输入 900 加上 max_tokens 8000 超过最大上下文长度 8192", 7292),
        ("8900 in all, but 8192 is the most (8000 for the reply)", 7292),
        ("(8000 > 8192 - 900)", 7292),
        ("max_tokens: 8000 > 4096", 4096),
    ],
)
def test_numbers_alone_tell_it(message: str, fits: int) -> None:
    """Which number is whose follows from what was asked for, whatever the language."""
    room = read_room(HttpFailure(400, message), 8000, 3600)
    assert room is not None and room.fits == fits


def test_a_prompt_that_was_not_counted_to_its_end() -> None:
    """A server stops counting where it is too much: what that number leaves is refused again."""
    words = "context length is 8192 tokens. However, you requested {} output tokens and your prompt"
    asked, longest = 8000, 5000
    for _ in range(4):
        message = f"{words} contains at least {8192 - asked + 1} input tokens".format(asked)
        room = read_room(HttpFailure(400, message), asked, 3600)
        assert room is not None and room.fits < asked
        asked = room.fits
        if asked <= longest:
            break
    assert 2500 <= asked <= longest


@pytest.mark.parametrize(
    "message",
    [
        "The input token count (9012) exceeds the maximum number of tokens allowed (4096).",
        "The prompt (total length 9012) is too long to fit into the model (context length 8192).",
        "`inputs` must have less than 4095 tokens. Given: 9030",
        "parameter min_p (value 0.1) is not supported, request 4711",
    ],
)
def test_no_room_where_it_is_the_prompt(message: str) -> None:
    """A limit of the prompt is none of the reply."""
    room = read_room(HttpFailure(400, message), 8000, LONG)
    assert room is None or room.fits < 0


def test_a_range() -> None:
    """The upper end is meant."""
    words = "Range of max_tokens should be [1, 4096]"
    assert read_room(HttpFailure(400, words), 8000, 3600) == FreeRoom(4096)
