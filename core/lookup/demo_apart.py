"""Who may stand beside whom: demo models and real ones never meet, unless the user says so."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from ..guard import guard
from ..journal import RunRecord, StoredComparison
from ..plugins import installed
from ..settings.run_config import RunConfig


class Among(NamedTuple):
    """Comparisons between models that may meet.

    Attributes:
        parted: How many others were read, between a demo model and a real one.
    """

    rows: list[StoredComparison]
    parted: int


class Company(NamedTuple):
    """Which models may be compared with each other, or stand on one board.

    Attributes:
        demo: Only demo models, or only real ones; ``None`` for both.
        named: Names of models that are let in whatever they are.
        without: Names of models that are left out.
    """

    demo: bool | None = None
    named: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()

    @classmethod
    def of(cls, config: RunConfig) -> "Company":
        """That of a run's model: its like, and the opponents that are named."""
        own = installed().provider(config.model.spec.provider).demo
        named = frozenset(guard(config.benchmark).placement(config.options).names)
        return cls(None if config.mixed else own, named, frozenset(config.without))

    def admits(self, name: str, *, demo: bool) -> bool:
        """Whether a model is one of them."""
        if name in self.without:
            return False
        return self.demo in (None, demo) or name in self.named

    def among(self, rows: Iterable[StoredComparison], runs: Mapping[str, RunRecord]) -> Among:
        """The comparisons between two of them; `runs` are those of the journal by id."""

        @cache
        def side(name: str, run_id: str) -> tuple[bool, bool]:
            demo = is_demo(name, runs.get(run_id))
            return demo, self.admits(name, demo=demo)

        taken, parted = list[StoredComparison](), 0
        for row in rows:
            (demo_a, takes_a), (demo_b, takes_b) = side(row.a, row.run_a), side(row.b, row.run_b)
            if takes_a and takes_b:
                taken.append(row)
            elif self.demo is not None:
                parted += demo_a != demo_b and row.status == "read"
        return Among(taken, parted)


def is_demo(name: str, run: RunRecord | None) -> bool:
    """Whether a model is a demo model: by its run, or by its name where only that is known."""
    return run.demo if run else name.startswith("demo/")
