"""A comparison that is not made yet."""

from typing import Literal, NamedTuple

First = Literal["a", "b"]
FIRST: tuple[First, First] = ("a", "b")


class Call(NamedTuple):
    """One call of a judge on two transcripts of the same item and iteration.

    Attributes:
        item: The item both models answered.
        iteration: From 1.
        a: A model.
        b: Another model.
        first: Whose transcript is to be read first.
    """

    item: str
    iteration: int
    a: str
    b: str
    first: First
