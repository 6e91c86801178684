"""What could be read of a file that another program wrote: comparisons, and runs.

A benchmark's `read_foreign` makes these. The framework trusts nothing in them: comparisons are
held to their file form, and a conversation counts only where the benchmark's own `generate`,
given its replies, asks what the file says was asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ..types import ChatResponse, Json, JsonObject

if TYPE_CHECKING:
    from ..ratings.comparisons import Comparison


class ForeignPart(NamedTuple):
    """A part of a file that is read part by part, as files may be larger than memory."""

    path: tuple[str | int, ...]
    """The keys that lead to it; last, of an element of a list, its place there, from 0."""
    value: Json


class ForeignTurn(NamedTuple):
    """What the model was asked next in a conversation, and its reply."""

    asked: str | None
    """``None`` where the file does not say."""
    replied: str


@dataclass(frozen=True, slots=True)
class ForeignSample:
    """One conversation: an item in one iteration.

    Attributes:
        item_id: As the pack names it.
        iteration: From 1 to `MOST_ITERATIONS`.
        turns: All that was said, in order.
        verdict: What the judge said of it, word for word; ``None`` where it was not asked.
            Several replies of a judge that was asked more than once are in the order in which
            `grade` asks; it is unscored where there are fewer or more of them.
        replies: Instead of `turns`: those to independent requests, by the request's number; a
            response where more is known than the text.
        failure: Why there is no reply at all, where the file says so.
        roles: What who plays each role replied, in order.
    """

    item_id: str
    iteration: int
    turns: Sequence[ForeignTurn]
    verdict: str | Sequence[str] | None = None
    replies: Mapping[int, str | ChatResponse] = field(default_factory=dict)
    failure: str | None = None
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """All that the judge said of it."""
        if self.verdict is None:
            return ()
        return (self.verdict,) if isinstance(self.verdict, str) else tuple(self.verdict)


@dataclass(frozen=True, slots=True)
class ForeignRun:
    """One model's conversations.

    Attributes:
        key: What the file calls the run; the same key is the same run.
        name: What the file calls the model.
        model: What the provider calls it.
        samples: Those that can be used, as far as can be told without the pack.
        judge: Who gave the verdicts; empty where there are none.
        options: Values of the benchmark's options that are not their defaults.
        started: When, as ISO 8601 with a time zone; ``None`` where that is not known.
        left_out: Why samples and verdicts are missing, and how many.
        roles: Who played the benchmark's roles, by role, or of a group by its name.
    """

    key: str
    name: str
    model: str
    samples: Sequence[ForeignSample]
    judge: str = ""
    options: JsonObject = field(default_factory=dict)
    started: str | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForeignResults:
    """What could be read of a file that another program wrote.

    Attributes:
        comparisons: Those that could be read for certain.
        left_out: Why others could not, and how many.
        notes: What a user must know of them, one line each.
        runs: Runs of models.
    """

    comparisons: Sequence["Comparison"] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    runs: Sequence[ForeignRun] = ()
