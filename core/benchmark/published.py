"""Published numbers: what they rest on, how comparisons count there, how to compute them again."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
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


class PublishedNumber(NamedTuple):
    """A number as it was published, and as it comes out here.

    Attributes:
        name: What it is of, such as a model and an item.
        published: As its source prints it.
        recomputed: ``None`` where it does not come out at all.
        why: Why it is known not to come out; empty where it should.
    """

    name: str
    published: float
    recomputed: float | None
    why: str = ""

    @property
    def difference(self) -> float:
        """How far both are apart; infinite where nothing came out."""
        return float("inf") if self.recomputed is None else abs(self.recomputed - self.published)


class PublishedData(NamedTuple):
    """What a row is computed from.

    Attributes:
        files: Those that match the row's pattern, by name.
        datasets: By benchmark, what `--dataset` takes for its official pack.
    """

    files: Sequence[Path] = ()
    datasets: Mapping[str, str] = {}


class PublishedSource(NamedTuple):
    """Where numbers were published.

    Attributes:
        title: A repository of GitHub, ``OWNER/NAME``, or a work and its table.
        licence: Under which the numbers stand there.
        commit: Of the repository; empty for a work.
    """

    title: str
    licence: str
    commit: str = ""

    def __str__(self) -> str:
        at = f" @{self.commit[:8]}" if self.commit else ""
        return f"{self.title}{at} ({self.licence})"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """Published numbers of a benchmark that `bench reproduce` computes again.

    Attributes:
        compared: What the numbers are, and from what they are computed.
        source: Where they stand.
        within: The largest difference that rounding there can make.
        numbers: Computes them by the code that scores and imports runs.
        files: Patterns of files in a copy of the source, the first that matches being taken; none
            where the numbers are in the package.
        folder: What a folder with these files may be called beside the repository's own name.
        packs: The benchmarks whose official packs it needs.
        rounding: Why `within` is what it is.
        lacks: What else is published there that does not come out, and why.
    """

    compared: str
    source: PublishedSource
    within: float
    numbers: Callable[[PublishedData], Iterable[PublishedNumber]]
    files: tuple[str, ...] = ()
    folder: str = ""
    packs: tuple[str, ...] = ()
    rounding: str = ""
    lacks: str = ""
