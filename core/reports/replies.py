"""What a run's replies say of who gave them: where, when, under which names, and which loop."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..benchmark.roles import role_in
from ..journal import CutOff, ReplySource
from ..parties.party import is_local
from ..reading.repetition import repeated_tail
from ..text import plural
from ..types.result_document import AskedPart

REPEATS = "repeats itself until cut off"
"""The flag of a sample."""


@dataclass
class Repeating:
    """The replies of a party that repeat themselves until they are cut off.

    Attributes:
        samples: By item and iteration.
        replies: How many.
        seconds: That they took.
    """

    samples: set[tuple[str, int]] = field(default_factory=set)
    replies: int = 0
    seconds: float = 0.0


class Spell(NamedTuple):
    """All replies of a party: how many, and the seconds that they took."""

    replies: int = 0
    seconds: float = 0.0


def find_repeating(cut_off: Iterable[CutOff]) -> dict[str, Repeating]:
    """The replies that repeat themselves among those that were cut off, by phase."""
    made: dict[str, Repeating] = {}
    for reply in cut_off:
        if repeated_tail(reply.text or reply.reasoning):
            found = made.setdefault(reply.phase, Repeating())
            found.samples.add((reply.item_id, reply.iteration))
            found.replies += 1
            found.seconds += reply.latency_s
    return made


def repeating_warnings(found: Mapping[str, Repeating], spells: Mapping[str, Spell]) -> list[str]:
    """One line for each party some of whose replies repeat themselves."""
    made = []
    for phase, one in found.items():
        role, spell = role_in(phase), spells.get(phase, Spell(one.replies, one.seconds))
        whose = f" of {role}" if role else ""
        verb = "repeats itself" if one.replies == 1 else "repeat themselves"
        share = f", {one.seconds / spell.seconds:.0%} of the time" if spell.seconds else ""
        option = f"--role-max-tokens {role}=N" if role else "--max-tokens N"
        made.append(
            f"{one.replies:,} of {plural(spell.replies, 'reply')}{whose} {verb} until cut off"
            f"{share}; {option} ends such replies sooner"
        )
    return made


def asked_part(sources: Sequence[ReplySource], now: int) -> AskedPart:
    """When and where the model was asked for the replies of a result.

    Args:
        sources: Of the replies; there is one at least.
        now: How many calls to the model the command that made the result has sent.
    """
    return {
        "now": now,
        "first": min(source.first for source in sources),
        "last": max(source.last for source in sources),
        "addresses": list(dict.fromkeys(s.address for s in sources if s.address)),
    }


def source_warnings(sources: Sequence[ReplySource]) -> list[str]:
    """A line where replies of one run name several models, or a local server several builds."""
    made = []
    for what, name in (("models", "model"), ("system fingerprints", "fingerprint")):
        counts: dict[str, int] = {}
        for source in sources:
            said = getattr(source, name)
            # Providers change fingerprints by the day and have several at a time.
            if said and (name == "model" or is_local(f"http://{source.address or ''}")):
                counts[said] = counts.get(said, 0) + source.calls
        if len(counts) > 1:
            each = ", ".join(f"{said} in {n:,}" for said, n in counts.items())
            made.append(
                f"the replies name {len(counts)} {what} ({each}), so they may not be of one model; "
                "--fresh asks all anew"
            )
    return made
