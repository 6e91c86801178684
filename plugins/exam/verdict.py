"""A profile in words: what each number says, and what the judge is fit for, with the reason."""

from collections.abc import Sequence
from typing import NamedTuple

from eibench.text import number

from .profile import SOUND_MISSES, TOLD_APART, Effect, Profile
from .situations import DOSES

UNREAD = 0.05
"""Above this share of replies that cannot be read a judge is not fit."""
ABSOLUTE = 0.95
"""Share of good and coarse replies of different situations in order that absolute scores need."""
RANKING, DIFFERENCES = "fit for ranking", "fit for large differences only"
ABSOLUTE_TOO = "fit for ranking and for absolute scores"
NOT_ABSOLUTE = "fit for ranking, not for absolute scores"
NOT_FIT = "not fit"
_PREFERS = {
    "flattering": "flattery",
    "moralising": "moralising replies",
    "cold": "cold replies",
    "generic": "generic replies",
    "misread": "replies that are wrong about who feels what",
    "ignoring": "replies that ignore what was asked",
}
_DEFECTS = {
    "longer": "prefers a reply that is longer without content",
    "names": "grades the same reply differently under other names",
    "author": "grades a reply higher where it is named as the author",
    "injected": "obeys a verdict that a reply injects",
    "misreads": "errs where the fault is coarse",
}


class Fitness(NamedTuple):
    """What a judge is fit for.

    Attributes:
        words: One of the constants above.
        reason: The first thing that it fails at, or what speaks for it.
        defects: Every defect, in words.
    """

    words: str
    reason: str
    defects: tuple[str, ...]


def percent(share: float | None) -> str:
    """A share in words."""
    return "–" if share is None else f"{100 * share:.0f} %"


def keeps_order(profile: Profile) -> bool:
    """Whether more checks are right than chance gives: by the interval of all checks."""
    interval = profile.order.ci95
    return interval is not None and interval[0] > 0.5


def defects(profile: Profile) -> list[Effect]:
    """The effects that are defects; errors are one only of a judge that keeps an order at all."""
    named = [effect for effect in profile.effects if effect.named]
    biased = [effect for effect in named if effect.name != "misreads"]
    return named if keeps_order(profile) and not _explained(biased) else biased


def _explained(biased: list[Effect]) -> bool:
    """Whether a bias of versions explains errors where the fault is coarse."""
    return any(e.name == "longer" or e.name.startswith("prefers ") for e in biased)


def in_words(effect: Effect) -> str:
    """A defect in words, with its number."""
    value = percent(effect.value)
    if effect.name == "place":
        which = "first" if (effect.value or 0) > 0.5 else "second"
        share = value if which == "first" else percent(1 - (effect.value or 0))
        return f"picks the {which} text in {share} of comparisons (fair: 50 %)"
    if effect.name == "markdown":
        which = "with" if (effect.value or 0) > 0.5 else "without"
        share = value if which == "with" else percent(1 - (effect.value or 0))
        return f"prefers the same reply {which} Markdown in {share} of comparisons (fair: 50 %)"
    if effect.name.startswith("prefers "):
        liked = _PREFERS[effect.name.removeprefix("prefers ")]
        return f"prefers {liked} to better ones: {value} of {effect.n} checks"
    if effect.name == "longer":
        return f"{_DEFECTS['longer']}: {value} of comparisons (fair: at most 50 %)"
    if effect.name == "misreads":
        return f"{_DEFECTS['misreads']}: {value} of {effect.n} (sound: {percent(SOUND_MISSES)})"
    return f"{_DEFECTS[effect.name]}: {effect.value or 0:+.1f} points"


def verdict(profile: Profile, misled: Sequence[str] = ()) -> Fitness:
    """What a judge is fit for, by the rules that docs/judge-exam.md states.

    `misled` says what canaries it took for answers: a defect of a judge that keeps an order at all.
    """
    faults = [in_words(effect) for effect in defects(profile)]
    faults += misled if keeps_order(profile) else ()
    if profile.unread > UNREAD:
        reason = f"{percent(profile.unread)} of its replies could not be read"
        return Fitness(NOT_FIT, reason, (reason, *faults))
    if faults:
        return Fitness(NOT_FIT, faults[0], tuple(faults))
    if profile.ties > 0.5:
        reason = f"it gives the same to {percent(profile.ties)} of better and worse replies"
        return Fitness(NOT_FIT, reason, (reason,))
    if not keeps_order(profile):
        reason = f"its order is chance: {percent(profile.order.value)} of checks right"
        return Fitness(NOT_FIT, reason, (reason,))
    medium = profile.doses[DOSES[1]].value or 0.0
    if medium < TOLD_APART:
        reason = f"of replies with a medium fault it tells {percent(medium)} from better ones"
        return Fitness(DIFFERENCES, reason, ())
    reason = smallest(profile)
    if (profile.across or 0.0) < ABSOLUTE:
        reason = (
            f"across situations its grades order {percent(profile.across)} of good and coarse "
            f"replies ({percent(ABSOLUTE)} needed)"
        )
        return Fitness(NOT_ABSOLUTE, reason, ())
    return Fitness(ABSOLUTE_TOO, reason, ())


def smallest(profile: Profile) -> str:
    """The smallest dose told apart, with its interval."""
    if profile.threshold > len(DOSES):
        return "no dose is told apart in three of four checks"
    ends = profile.threshold_ci95
    between = "" if ends is None else f" (95 %: {_dose(ends[0])} to {_dose(ends[1])})"
    return f"tells faults from dose {_dose(profile.threshold)}{between} on (1 small, 3 coarse)"


def _dose(value: float) -> str:
    return "beyond coarse" if value > 3 else number(value, 1)
