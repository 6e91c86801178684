"""Roles: parties of a sample beside the model and its judges, such as a simulated user."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..types import Sampling

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
    """

    name: str
    help: str
    sampling: Sampling = _SAMPLING

    @property
    def phase(self) -> str:
        """The phase of its calls."""
        return phase_of(self.name)


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
