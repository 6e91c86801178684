"""Who gave a run's replies, when and where, and which of them repeat themselves until cut off."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..benchmark.model import role_in
from ..journal import CutOff, ReplySource
from ..parties.party import is_local
from ..reading.repetition import repeated_tail
from ..text import plural
from ..types.result_document import AskedPart

REPEATS = "repeats itself until cut off"
"""The flag of a sample."""


@dataclass
class Repeating:
    """The replies of a party that repeat themselves until they are cut off, and their seconds."""

    samples: set[tuple[str, int]] = field(default_factory=set)
    replies: int = 0
    seconds: float = 0.0


class Spell(NamedTuple):
    """All replies of a party: how many, and the seconds that they took."""

    replies: int = 0
    seconds: float = 0.0


def find_repeating(cut_off: Iterable[CutOff]) -> dict[str, Repeating]:
    """The replies that repeat themselves among those that were cut off, by phase."""
    by_phase: dict[str, Repeating] = {}
    for reply in cut_off:
        if repeated_tail(reply.text or reply.reasoning):
            repeating = by_phase.setdefault(reply.phase, Repeating())
            repeating.samples.add((reply.item_id, reply.iteration))
            repeating.replies += 1
            repeating.seconds += reply.latency_s
    return by_phase


def repeating_warnings(
    repeating: Mapping[str, Repeating], spells: Mapping[str, Spell]
) -> list[str]:
    """One line for each party some of whose replies repeat themselves."""
    warnings = []
    for phase, one in repeating.items():
        role, spell = role_in(phase), spells.get(phase, Spell(one.replies, one.seconds))
        whose = f" of {role}" if role else ""
        verb = "repeats itself" if one.replies == 1 else "repeat themselves"
        share = f", {one.seconds / spell.seconds:.0%} of the time" if spell.seconds else ""
        option = f"--role-set {role}:max_tokens=N" if role else "--max-tokens N"
        warnings.append(
            f"{one.replies:,} of {plural(spell.replies, 'reply')}{whose} {verb} until cut off"
            f"{share}; {option} ends such replies sooner"
        )
    return warnings


def asked_part(sources: Sequence[ReplySource], now: int) -> AskedPart:
    """When and where the model was asked for a result's replies, of which `now` just now."""
    return {
        "now": now,
        "first": min(source.first for source in sources),
        "last": max(source.last for source in sources),
        "addresses": list(dict.fromkeys(s.address for s in sources if s.address)),
    }


def source_warnings(sources: Sequence[ReplySource]) -> list[str]:
    """A line where replies of one run name several models, or a local server several builds."""
    warnings = []
    for what, name in (("models", "model"), ("system fingerprints", "fingerprint")):
        counts: dict[str, int] = {}
        for source in sources:
            named = getattr(source, name)
            # Providers change fingerprints by the day and have several at a time.
            if named and (name == "model" or is_local(f"http://{source.address or ''}")):
                counts[named] = counts.get(named, 0) + source.calls
        if len(counts) > 1:
            each = ", ".join(f"{named} in {n:,}" for named, n in counts.items())
            warnings.append(
                f"the replies name {len(counts)} {what} ({each}), so they may not be of one model; "
                "--fresh asks all anew"
            )
    return warnings
