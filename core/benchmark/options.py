"""A benchmark's own options, and those of one that compares models."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..types.rules import NumberRule, Rule, SwitchRule, TextRule

Options = Mapping[str, Any]
"""Values of the benchmark's own options, by name."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a benchmark, such as ``--parser strict``.

    Attributes:
        name: As in the options mapping; ``--`` and dashes are added for the command line.
        default: Also decides the type; ``False`` or ``True`` makes a switch.
        help: One sentence.
        choices: The allowed values, if they are few.
        in_requests: It changes what the model is sent, so it is part of a run's identity.
        in_grades: It changes how a transcript is graded, so grades are kept apart by it.
        in_ratings: It changes how comparisons are rated; `bench rate` and `bench leaderboard` take
            it too.
        may_meet: Results with different values of it may stand on one board, where each that is
            not of the default says so; else there is a board for each value.
        min: The smallest value of a number.
        max: The largest.
    """

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    in_requests: bool = False
    in_grades: bool = False
    min: float | None = None
    max: float | None = None
    in_ratings: bool = False
    may_meet: bool = False

    @property
    def keeps_apart(self) -> bool:
        """Whether it changes what is asked, or how replies are graded."""
        return self.in_requests or self.in_grades

    @property
    def rule(self) -> Rule:
        """What a value may be."""
        if isinstance(self.default, bool):
            return SwitchRule()
        if isinstance(self.default, int | float):
            return NumberRule(self.min, self.max, whole=isinstance(self.default, int))
        return TextRule(self.choices)


def option_words(name: str, value: object) -> list[str]:
    """An option as it is typed, such as ``["--parser", "strict"]`` or ``["--no-revise"]``."""
    dashed = name.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{dashed}" if value else f"--no-{dashed}"]
    return [f"--{dashed}", str(value)]


PLACEMENT_OPTIONS = (
    Option(
        "orders",
        "auto",
        "In which orders two replies are judged: both, one, or mixed (auto: mixed for "
        "adaptive, both for the other schedules).",
        ("auto", "both", "mixed", "one"),
    ),
    Option(
        "schedule",
        "auto",
        "Which comparisons are made: all, staged, or adaptive (auto: all below 8 models).",
        ("auto", "all", "staged", "adaptive"),
    ),
    Option("opponents", "", "Names of the models to compare with (default: all)."),
    Option(
        "target_ci",
        0.0,
        "Stop at this half-width of the rating's 95 % interval (0: do not).",
        min=0,
    ),
    Option("max_comparisons", 0, "Make at most so many comparisons in all (0: no limit).", min=0),
)
"""The options of a benchmark that compares models; see `Pairwise`."""


class PlacementOptions(NamedTuple):
    """Which comparisons place a model among others.

    Attributes:
        schedule: ``all``, ``staged``, ``adaptive``, or ``auto``: by the number of models.
        orders: ``both``, ``mixed``, ``one``, or ``auto``: by the schedule.
        opponents: Names, separated by commas; empty for all.
        target_ci: Half-width of the interval to stop at, points; 0 for none.
        max_comparisons: Most comparisons in all; 0 for no limit.
    """

    schedule: str = "auto"
    orders: str = "auto"
    opponents: str = ""
    target_ci: float = 0.0
    max_comparisons: int = 0

    @property
    def names(self) -> list[str]:
        """The opponents' names."""
        return [name.strip() for name in self.opponents.split(",") if name.strip()]
