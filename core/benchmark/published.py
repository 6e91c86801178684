"""What published numbers rest on beside the model: judges, players, how comparisons count."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..parties.graders import Judge, Panel
from ..parties.party import Party
from ..text import plural


class PublishedScheme(NamedTuple):
    """How published code counts comparisons (``trueskill``) and picks them (``staged``).

    Attributes:
        caps: By item, the largest margin that one comparison counts for.
        twice: Criteria that count twice.
        pluses: How many pluses of an item's comparisons are the full margin.
        wins: The most pseudo-wins of an item.
        rough_wins: The same for intervals.
        sigma: The deviation that a model begins with, points; that of a game is half of it.
        tau: What is added to a deviation before each game, in squares.
        zoom: Items with the models next to the rank, stage by stage; ``None`` for all.
    """

    caps: Mapping[str, int] = {}
    twice: tuple[str, ...] = ()
    pluses: int = 30
    wins: int = 20
    rough_wins: int = 5
    sigma: float = 350 / 3
    tau: float = 0.0
    zoom: tuple[int | None, ...] = (4, 8, 16, 24, None)


@dataclass(frozen=True, slots=True)
class PublishedWith:
    """Who graded and who played in the runs that a benchmark's published numbers are of.

    Attributes:
        judges: The names of the judges, as in their specs or what follows the provider, such as
            ``("claude-sonnet-4-5", "gpt-5.1")``; or only how many; 0 where anything goes.
        rule: How several make one score, such as ``mean``; empty where that is not known.
        quorum: How many verdicts a score needs; 0 where that is not known.
        roles: Who played each role, or each member of a group.
    """

    judges: int | Sequence[str] = 0
    rule: str = ""
    quorum: int = 0
    roles: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [] if isinstance(self.judges, int) else [" and ".join(self.judges)]
        parts += [plural(self.judges, "judge")] if isinstance(self.judges, int) and self._n else []
        parts += [f"by {self.rule}"] if self.rule else []
        parts += [f"quorum {self.quorum}"] if self.quorum else []
        return ", ".join([*parts, *(f"{role} played by {who}" for role, who in self.roles.items())])

    @property
    def _n(self) -> int:
        return self.judges if isinstance(self.judges, int) else len(self.judges)

    def difference(self, judge: Judge | None, roles: Mapping[str, Party]) -> str | None:
        """In what a result with this judge and these players differs, if it does."""
        differing = ", ".join([*self._of_judges(judge), *self._of_roles(roles)])
        return f"those rest on {self}; here {differing}" if differing else None

    def _of_judges(self, judge: Judge | None) -> Iterator[str]:
        judges = judge.judges if judge else ()
        names = () if isinstance(self.judges, int) else self.judges
        named = all(any(_is(party, name) for party in judges) for name in names)
        if self._n and (len(judges) != self._n or not named):
            yield f"judged by {' and '.join(party.short for party in judges) or 'nobody'}"
        otherwise = [party for party in judges if party.settings]
        if self._n and otherwise:
            yield f"asked otherwise: {' and '.join(map(str, otherwise))}"
        if isinstance(judge, Panel):
            if self.rule and judge.rule != self.rule:
                yield f"by {judge.rule}"
            if self.quorum and (needed := judge.needed(len(judges))) != self.quorum:
                yield f"quorum {needed}"

    def _of_roles(self, roles: Mapping[str, Party]) -> Iterator[str]:
        for role, party in roles.items():
            name = self.roles.get(role) or self.roles.get(role.rpartition("_")[0])
            if name and not _is(party, name):
                yield f"{role} played by {party.short}"


def _is(party: Party, name: str) -> bool:
    """Whether a party is the model that goes by this name, at whatever provider."""
    return name in (str(party.spec), party.spec.name, party.spec.name.rpartition("/")[2])
