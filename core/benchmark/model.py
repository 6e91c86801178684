"""A model, a judge or a role, as a plugin's coroutine sees it, and whether it answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..text import is_blank
from ..types import ChatResponse, Finish, Message, Sampling

if TYPE_CHECKING:
    from random import Random


MODEL, JUDGE = "generate", "judge"
"""The phases of calls to the model under test, and of those that grade."""
_ROLE = "role:"
_SAMPLING = Sampling(temperature=0.7, max_tokens=1000)


@dataclass(frozen=True, slots=True)
class Role:
    """Somebody whom a benchmark's `generate` asks beside the model.

    Attributes:
        name: Lower-case letters, digits and underscores: of ``--role NAME=SPEC``, and of
            ``model.role(NAME)``.
        help: One sentence: what it plays.
        sampling: How its replies are drawn (default: temperature 0.7, at most 1,000 tokens).
        group: The group that it is a member of, as `several` makes it.
    """

    name: str
    help: str
    sampling: Sampling = _SAMPLING
    group: str = ""

    @classmethod
    def several(
        cls, name: str, help: str, count: int, sampling: Sampling = _SAMPLING
    ) -> "tuple[Role, ...]":
        """A group of so many alike, each a party of its own: ``roles = Role.several(...)``.

        ``--role NAME=SPEC`` names who plays all of them, or, repeated, who plays them in turn;
        ``--role NAME_2=SPEC`` one of them. `generate` asks the second by ``model.role(NAME, 2)``.
        """
        members = (cls(member(name, n), help, sampling, name) for n in range(1, count + 1))
        return tuple(members)

    @property
    def demo_name(self) -> str:
        """The demo player that takes it: the group's of numbered members, else one of its name."""
        is_numbered = bool(self.group) and self.name.startswith(f"{self.group}_")
        return self.group if is_numbered else self.name

    @property
    def phase(self) -> str:
        """The phase of its calls."""
        return phase_of(self.name)


def member(group: str, number: int) -> str:
    """The name of one role of a group, from 1 on; 0 stands for a role of no group."""
    return f"{group}_{number}" if number else group


def phase_of(role: str) -> str:
    """The phase of the calls to a role."""
    return _ROLE + role


def role_in(phase: str) -> str | None:
    """The role that a phase's calls go to; ``None`` for the model and the judges."""
    return phase.removeprefix(_ROLE) if phase.startswith(_ROLE) else None


def is_generating(phase: str) -> bool:
    """Whether a phase's calls make the transcript: those to the model and to roles."""
    return phase == MODEL or phase.startswith(_ROLE)


def by_phase(calls: Mapping[str, int]) -> dict[str, int]:
    """Calls by phase, from those by party: ``model``, ``judge``, or a role's name."""
    phases = {"model": MODEL, "judge": JUDGE}
    return {phases.get(party) or phase_of(party): n for party, n in calls.items()}


class Model(Protocol):
    """A model, or a judge, as a plugin's coroutine sees it."""

    sampling: Sampling
    """How the run draws replies: the benchmark's defaults with the user's changes."""
    iteration: int
    """Which iteration of the item this sample is, from 1 on."""
    noted: dict[str, object]
    """What `note` was told."""

    def role(self, name: str, number: int = 0) -> "Model":
        """A role of the benchmark's `roles`, asked like the model; it counts its own calls.

        Args:
            name: Of the role, or of its group.
            number: Which member of the group, from 1 on.

        Raises:
            ValueError: The benchmark declares no such role, or this is not the model under test.
        """
        ...

    def draw(self, name: str) -> "Random":
        """A generator for a random choice, seeded by item, iteration and name.

        It is the same for every model and after a stop, so that models meet the same events.

        Args:
            name: Of the choice; put the turn into it where each turn has one.
        """
        ...

    def mark(self, response: ChatResponse, problem: str | None = None) -> None:
        """Say whether a reply could be read, as soon as that is known.

        When ten replies of the model under test could not be, and none could, nothing more is
        sent. A benchmark that never says so is taken at its scores: a sample with one was read.

        Args:
            response: What `chat` returned; once each.
            problem: Why it could not be read, and what may help where that is known; ``None``
                where it could be.
        """
        ...

    def note(self, **facts: object) -> None:
        """Say what a judge's reply was beside its verdict; it goes into the score's `detail`.

        What `grade` puts there under the same name counts instead. The readers of
        `eibench.judges` note how many replies it took, and which keys they did not know.
        """
        ...

    def stage(self, text: str) -> None:
        """Say how far a long sample is: whoever watches the run is shown the latest text.

        Args:
            text: A few words, such as ``year 3 of 15, S1903M``.
        """
        ...

    async def chat(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse:
        """The model's reply, from the journal if it is there, else from the network.

        Args:
            messages: A conversation, or the text of one user message.
            cache_prefix: How many leading messages many requests share.
            **changes: Fields of `Sampling` that differ from the run's.

        Raises:
            ProviderError: No usable reply could be had; let it pass.
            MissingCall: The work is done offline and this reply was never made.
        """
        ...

    async def kept(
        self, messages: str | Sequence[Message], *, cache_prefix: int = 0, **changes: object
    ) -> ChatResponse | None:
        """The reply that `chat` would find in the journal; ``None`` where it would have to ask."""
        ...


@runtime_checkable
class AsksAnew(Protocol):
    """A model of a run, which may be asked anew what could not be read; for `eibench.judges`."""

    asks_anew: bool
    """Whether this command asks for it; else only what the journal holds of it is had."""

    def anew(self, number: int) -> Model:
        """The same model, as it is asked the same questions for the `number`-th time anew."""
        ...


REFUSED = "the model refused"
"""How the reason of a sample begins that its model refused, itself or by a filter before it."""
FILTERED = "filtered"
"""The flag of a sample of which a filter refused a request to the model, or to a role."""
JUDGE_FILTERED = "filtered at the judge"
"""The flag of a verdict of which a filter refused the request."""


def no_answer(response: ChatResponse) -> str | None:
    """Why a reply is no answer; ``None`` for one that there is something to read in.

    What is no answer is unscored, and no judge is asked about it.
    """
    if response.finish in (Finish.REFUSAL, Finish.CONTENT_FILTER):
        return REFUSED
    if not is_blank(response.text):
        return None
    if response.finish == Finish.LENGTH:
        return "cut off before the answer began"
    return ONLY_THOUGHT if response.reasoning else "the reply is empty"


ONLY_THOUGHT = "nothing came after the thinking"
"""Why a reply is no answer that its server gave as thinking alone."""
TOOK_FOR_THINKING = (
    "the server may take answers for thinking: start it with the reasoning parser that fits the "
    "model, or turn thinking off, as with --extra-body "
    """'{"chat_template_kwargs": {"enable_thinking": false}}'"""
)
"""What may help then."""
