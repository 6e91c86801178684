"""Who gave a run's replies, when and where, and which of them repeat themselves until cut off."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ..benchmark.model import role_in
from ..clients.thinking import unknown_mark
from ..journal import CutOff, OddOpening, OtherProviders, ReplySource
from ..parties.brokers import unpinned
from ..parties.party import is_local
from ..reading.repetition import repeated_tail
from ..text import plural
from ..types import JsonObject
from ..types.result_document import AskedPart

if TYPE_CHECKING:
    from ..settings.run_config import Endpoint, RunConfig

_NAMED = {"models": "model", "system fingerprints": "fingerprint", "providers": "provider"}
_OF_HOSTS = "which may serve it otherwise: pin one (docs/providers.md, Brokers)"
_WHOSE = {"generate": "", "judge": " of the judge", "compare": " of the judge"}
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
    part: AskedPart = {
        "now": now,
        "first": min(source.first for source in sources),
        "last": max(source.last for source in sources),
        "addresses": list(dict.fromkeys(s.address for s in sources if s.address)),
    }
    providers = list(dict.fromkeys(s.provider for s in sources if s.provider))
    return {**part, "providers": providers} if providers else part


def source_warnings(sources: Sequence[ReplySource]) -> list[str]:
    """A line where replies of one run name several models or hosts, or a local server builds."""
    warnings = []
    for what, name in _NAMED.items():
        counts: dict[str, int] = {}
        for source in sources:
            named = getattr(source, name)
            # Providers change fingerprints by the day and have several at a time.
            if named and (name != "fingerprint" or is_local(source.address)):
                counts[named] = counts.get(named, 0) + source.calls
        if len(counts) > 1:
            each = _counted(counts)
            so = _OF_HOSTS if name == "provider" else "so they may not be of one model"
            warnings.append(
                f"the replies name {len(counts)} {what} ({each}), {so}; --fresh asks all anew"
            )
    return warnings


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{named} in {n:,}" for named, n in counts.items())


def provider_warnings(others: Sequence[OtherProviders]) -> list[str]:
    """A line for each judge and role whose replies came from several hosts of a broker."""
    by_party: dict[str, dict[str, int]] = {}
    for other in others:
        role = role_in(other.phase)
        whose = f"the role {role}" if role else f"the judge {other.asked.short}"
        counts = by_party.setdefault(whose, {})
        counts[other.provider] = counts.get(other.provider, 0) + other.calls
    return [
        f"the replies of {whose} name {len(counts)} providers ({_counted(counts)}), {_OF_HOSTS}"
        for whose, counts in by_party.items()
        if len(counts) > 1
    ]


def broker_warnings(config: "RunConfig") -> list[str]:
    """A line for each party that is asked at a broker which chooses who answers each call."""
    asked = [(config.model, "", "--extra-body '{}'", config.sampling.extra_body)]
    asked += [
        (judge, f"the judge {judge.spec}", "--judge-set 'extra_body={}'", _extra_body_of(judge))
        for judge in config.judges
    ]
    asked += [
        (player, f"the role {name}", f"--role-set '{name}:extra_body={{}}'", _extra_body_of(player))
        for name, player in config.roles.items()
    ]
    brokers = (
        (unpinned(endpoint.spec, endpoint.base_url, body or {}), whose, option)
        for endpoint, whose, option, body in asked
    )
    return [
        f"{broker.host} chooses who answers each call{whose and ' of '}{whose}, in whatever "
        f"precision; to pin one: {broker.how(option)}"
        for broker, whose, option in brokers
        if broker
    ]


def _extra_body_of(endpoint: "Endpoint") -> JsonObject | None:
    """The further fields that a person has set of a judge's requests, or a role's."""
    return endpoint.settings.changes.values.extra_body


def mark_warnings(openings: Iterable[OddOpening]) -> list[str]:
    """A line for each party some of whose replies begin with what looks like a mark of thinking."""
    marks: dict[str, dict[str, int]] = {}
    for reply in openings:
        if mark := unknown_mark(reply.text, reply.messages):
            counts = marks.setdefault(role_in(reply.phase) or reply.phase, {})
            counts[mark] = counts.get(mark, 0) + 1
    return [
        f"{plural(sum(counts.values()), 'reply')}{_WHOSE.get(phase, f' of {phase}')} "
        f"begin{'s' if sum(counts.values()) == 1 else ''} with {' or '.join(counts)}, which looks "
        "like a mark of thinking or of a template that is not known here, and was read as part of "
        "the answer"
        for phase, counts in marks.items()
    ]
