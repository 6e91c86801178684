"""What servers say of requests that they do not take."""

from eibench.testing import Fault, ReceivedRequest


def refusal(words: str, status: int = 400) -> Fault:
    """A refusal in these words."""
    return Fault("400", message=words, status=status)


def room_of_4096(request: ReceivedRequest) -> Fault | None:
    """A refusal of more than 4,096 tokens of a reply, which names the number."""
    room = request.body["max_tokens"]
    words = f"max_tokens is too large: {room}. This model supports at most 4096 completion tokens"
    return refusal(words) if room > 4096 else None
