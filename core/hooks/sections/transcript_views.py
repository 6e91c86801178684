"""A benchmark's own view of a transcript: what is shown in place of the plain messages."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from .parts import Plot, Table


class RecordedCall(NamedTuple):
    """A call of a sample, in the order they were made.

    Attributes:
        phase: ``generate``, ``judge``, or ``role:`` with a role's name.
        messages: Role and content of each that was sent, but system messages, which may be private;
            none where that is not known.
        text: The reply.
        reasoning: Its thinking.
    """

    phase: str
    messages: Sequence[tuple[str, str]]
    text: str
    reasoning: str


class Quote(NamedTuple):
    """Words of a turn that are marked, with a note about them."""

    text: str
    note: str = ""


class Turn(NamedTuple):
    """What one party said.

    Attributes:
        who: A label, such as "Ana" or "turn 3, the model".
        text: The words.
        kind: How it is coloured.
        notes: What stands beside it.
        quotes: Words of it that are marked.
        thinks: What the party thinks and says to nobody; pages fold it and say so.
    """

    who: str
    text: str
    kind: Literal["model", "user", "system"] = "model"
    notes: Sequence[str] = ()
    quotes: Sequence[Quote] = ()
    thinks: str = ""


class TranscriptView(NamedTuple):
    """A transcript as its benchmark shows it.

    Attributes:
        turns: In place of the messages; where there are none, they are shown as they were.
        alongside: Tables and plots beside it.
    """

    turns: Sequence[Turn] = ()
    alongside: Sequence[Table | Plot] = ()
