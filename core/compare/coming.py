"""The runs that one command does one after the other, as those that follow will find them.

A plan is made before any of them begins, while most of what a model will be compared with is not
in the journal yet.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..benchmark import Pack
from ..journal import RunRecord
from ..runs.finding import asked_unlike
from ..settings.run_config import RunConfig, identity
from .contest import Contest
from .opponents import Slot, wanted_placement


@dataclass(frozen=True)
class Coming:
    """A run that the same command does before the one that is planned.

    Attributes:
        run: The stored run that it goes on with; ``None`` for a new one.
        samples: Those that it will have.
        met: By opponent, the samples that it may have been compared on.
        sure: Whether it will have been, on all of them.
    """

    config: RunConfig
    pack: Pack
    run: RunRecord | None
    samples: frozenset[Slot]
    met: Mapping[str, frozenset[Slot]] = field(default_factory=dict)
    sure: bool = False

    @property
    def name(self) -> str:
        """Its model's."""
        return self.config.display_name

    def counts(self, stored: RunRecord | None) -> bool:
        """Whether it will be the run that counts of its model, which has a stored one."""
        is_going_on = self.run is not None and stored is not None and self.run.n == stored.n
        is_whole = len({item for item, _ in self.samples}) == len(self.pack.items)
        return stored is None or is_going_on or (self.run is None and is_whole)

    def may_meet(self, contest: Contest) -> bool:
        """Whether the model of a contest is compared with its own."""
        named = wanted_placement(contest.config).names
        if self.name in {contest.name, *contest.without} or (named and self.name not in named):
            return False
        return not asked_unlike(identity(self.config, self.pack), contest.meant)


def expected_in(contest: Contest, coming: Iterable[Coming]) -> dict[str, Coming]:
    """The coming runs that a model will be compared with, by the name of theirs."""
    stored, able = contest.others(), [one for one in coming if one.may_meet(contest)]
    return {one.name: one for one in able if one.counts(stored.get(one.name))}
