"""Prompts that a server cut in silence, found among all that one party was asked.

Two signs: fewer input tokens than the words of a prompt need, and a count that does not grow with a
talk: a later request of the same sample holds an earlier one and more, and counts no more tokens.
A server that counts only what it had not cached shows both, and cuts nothing: its counts fit what
a prompt adds to those before it. Where that explains nearly all, nothing is said.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from math import inf
from typing import NamedTuple

from ..types import Message
from .prompt_tokens import FEWEST, about_tokens, is_cut, least_tokens

REFERENCES = 300
"""So many prompts of a party tell what its prompts begin with."""
_NEAREST = 40
_GROWS = 16
"""A talk that has grown by less, in the fewest tokens, says nothing."""
_TEMPLATE = 64
"""Tokens that a chat template may add to a prompt."""
_BLOCK = 128
"""Tokens that a cache takes together: what is left of a block is counted anew."""
_LEEWAY = 1.25
_DENSITIES = (0.75, 2.5)
_UNEXPLAINED = 0.2
"""The share of doubtful counts that no cache explains from which on a server cuts prompts."""


class _PromptCount(NamedTuple):
    item_id: str
    iteration: int
    n: int
    messages: Sequence[Message]
    counted: int
    cached: int
    attempts: int
    model: str | None


class PromptCount(_PromptCount):
    """A prompt and the input tokens that the server counted.

    Attributes:
        item_id, iteration: Of its sample.
        n: Its place among all calls.
        counted: Input tokens, as the server says.
        cached: Those of them that came from a cache.
        attempts: Requests for it; several may have been counted together.
        model: That the server says it used.
    """

    @cached_property
    def text(self) -> str:
        """All its words."""
        return "\n\n".join(content for _, content in self.messages)

    @property
    def most(self) -> int:
        """Input tokens where the cached ones are not among those counted."""
        return self.counted + self.cached

    @property
    def is_count(self) -> bool:
        """Whether the server counted anything but what it had cached."""
        return self.counted >= FEWEST and self.cached < self.counted

    def is_too_small(self) -> bool:
        """Whether the count is too small for the words."""
        return self.is_count and is_cut(self.text, self.most)

    def has_shrunk(self, talk: Iterable["PromptCount"]) -> bool:
        """Whether the count is no larger than that of an earlier part of its talk."""
        return self.is_count and any(map(self._goes_on_with_less, talk))

    def _goes_on_with_less(self, earlier: "PromptCount") -> bool:
        length = len(earlier.messages)
        return (
            self.most <= earlier.counted
            and earlier.attempts == 1  # else two requests may be counted together
            and earlier.model == self.model
            and length < len(self.messages)
            and self.messages[:length] == earlier.messages
            and least_tokens("\n\n".join(m.content for m in self.messages[length:])) >= _GROWS
        )


class CutPrompts(NamedTuple):
    """Prompts of one party that were cut.

    Attributes:
        samples: Whose they are, by item and iteration.
        prompts: How many there are.
        counted: Tokens of the one that lost most, as counted.
        needed: The tokens that its text has, about.
        address: Where the party was asked; empty for the provider's own host.
    """

    samples: frozenset[tuple[str, int]]
    prompts: int
    counted: int
    needed: int
    address: str = ""


class PromptsBefore:
    """Some prompts of a party, to tell what a prompt has in common with them."""

    def __init__(self, prompts: Iterable[PromptCount] = ()) -> None:
        self._sorted: list[tuple[str, int, str]] = []
        self._densest = _DENSITIES[0]
        self._counts: set[int] = set()
        self._shortest: float = inf
        for prompt in prompts:
            self.add(prompt)

    def __len__(self) -> int:
        return len(self._sorted)

    def add(self, prompt: PromptCount) -> None:
        """Take one more."""
        needed = about_tokens(prompt.text)
        self._counts.add(prompt.counted)
        self._shortest = min(self._shortest, needed)
        density = prompt.counted / (needed + _TEMPLATE)
        self._densest = min(max(self._densest, density), _DENSITIES[1])
        if len(self) < REFERENCES:
            insort(self._sorted, (prompt.text, prompt.n, prompt.item_id))

    @property
    def are_counted(self) -> bool:
        """Whether the counts are of the prompts: not one number for all, a short one too."""
        return len(self._counts) > 1 or max(self._counts) < 2 * self._shortest + _TEMPLATE

    def explains(self, prompt: PromptCount, talk: Iterable[PromptCount]) -> bool:
        """Whether the count is that of what a prompt adds to others: the server had those cached.

        Those of `talk` came before it in its sample.
        """
        nearest = (*self._nearest(prompt), *(earlier.text for earlier in talk))
        shared = max((shared_length(prompt.text, text) for text in nearest), default=0)
        added = prompt.text[shared:]
        most = _LEEWAY * self._densest * about_tokens(added) + _TEMPLATE + _BLOCK
        return shared > 0 and least_tokens(added) <= prompt.counted <= most

    def _nearest(self, prompt: PromptCount) -> Iterator[str]:
        """The texts that begin most like it: of other items, or that came before it."""
        at = bisect_left(self._sorted, (prompt.text, prompt.n, prompt.item_id))
        for near in (range(at, len(self)), range(at - 1, -1, -1)):
            for text, n, item_id in map(self._sorted.__getitem__, islice(near, _NEAREST)):
                if item_id != prompt.item_id or n < prompt.n:
                    yield text
                    break


def shared_length(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def find_cut(
    doubtful: Iterable[tuple[PromptCount, Sequence[PromptCount]]], before: PromptsBefore
) -> CutPrompts | None:
    """The prompts of one party that were cut; ``None`` where none seems to be.

    Args:
        doubtful: Prompts whose count is too small or has shrunk, each with those of its sample
            that came before it.
        before: Prompts of the party.
    """
    explained = {prompt: before.explains(prompt, talk) for prompt, talk in doubtful}
    unexplained = sum(not by_cache for by_cache in explained.values())
    if not unexplained or not before.are_counted or unexplained < _UNEXPLAINED * len(explained):
        return None
    needed = {prompt: about_tokens(prompt.text) for prompt in explained}
    worst = max(needed, key=lambda prompt: needed[prompt] - prompt.counted)
    samples = frozenset((prompt.item_id, prompt.iteration) for prompt in explained)
    return CutPrompts(samples, len(explained), worst.counted, needed[worst])


def doubtful_in(
    talk: Sequence[PromptCount],
) -> Iterator[tuple[PromptCount, Sequence[PromptCount]]]:
    """The prompts of one sample that are doubtful, each with those before it."""
    for n, prompt in enumerate(talk):
        if prompt.is_too_small() or prompt.has_shrunk(talk[:n]):
            yield prompt, talk[:n]
