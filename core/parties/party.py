"""A model, a judge or a player of a role as a value: what it is called and where it was asked.

Parties are compared, stored and looked up by value. `Party.label` is for people to read, and
nothing reads it back: a name may hold a space, a comma, `` at `` or a bracket.
"""

from dataclasses import dataclass
from functools import total_ordering
from typing import cast

from ..types import JsonDict, JsonObject
from .providers import ModelSpec
from .sites import site_of


@total_ordering
@dataclass(frozen=True, slots=True)
class Party:
    """Who is asked, and where it was asked first.

    Parties are sorted by their labels.

    Attributes:
        spec: Provider and name.
        host: Host and port; ``None`` for the provider's own.
    """

    spec: ModelSpec
    host: str | None = None

    @classmethod
    def of(cls, spec: str, host: str | None = None) -> "Party":
        """That of a spec as people write it.

        Raises:
            UsageError: It is none.
        """
        return cls(ModelSpec.parse(spec), host)

    @property
    def label(self) -> str:
        """The spec, with the host where that is not the provider's own."""
        return f"{self.spec} at {self.host}" if self.host else str(self.spec)

    def __str__(self) -> str:
        return self.label

    def __lt__(self, other: "Party") -> bool:
        return (self.label, self.spec) < (other.label, other.spec)

    @property
    def short(self) -> str:
        """The spec alone."""
        return str(self.spec)

    @property
    def public(self) -> "Party":
        """The same without the host, which may be nobody else's business."""
        return Party(self.spec)

    @property
    def judges(self) -> tuple["Party", ...]:
        """Itself: whose verdicts a judge's score is made of."""
        return (self,)

    def goes_by(self, word: str) -> bool:
        """Whether a person who writes this means it: its label, or its spec."""
        return word in (self.label, self.short)

    def site(self, name: str | None = None) -> str | None:
        """Where it is, as `site_of` says it.

        Args:
            name: What bench.toml calls the endpoint, if it does.
        """
        return site_of(self.host and f"https://{self.host}", name)

    def as_json(self) -> JsonDict:
        """The value as the journal keeps it."""
        return {"provider": self.spec.provider, "name": self.spec.name, "host": self.host}


def party_of(facts: JsonObject) -> Party:
    """The party that `Party.as_json` gave."""
    spec = ModelSpec(str(facts["provider"]), str(facts["name"]))
    return Party(spec, cast("str | None", facts["host"]))
