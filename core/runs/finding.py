"""Which run a configuration means, and who may stand beside whom.

Demo models and real ones never meet, unless the user says so.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from ..benchmark import Pack
from ..guard import guard
from ..journal import Journal, RunRecord, StoredComparison
from ..plugins import installed
from ..settings.run_config import RunConfig, identity
from ..types import JsonObject, digest

MODEL, JUDGE = "model", "judge"


def find_run(journal: Journal, config: RunConfig, pack: Pack) -> RunRecord | None:
    """The run that a configuration means; ``None`` where there is none, or a fresh one is meant."""
    return None if config.fresh else journal.newest_run(digest(identity(config, pack)))


_ASKED = ("benchmark", "version", "pack", "prompts", "options")


def asked_unlike(one: JsonObject, other: JsonObject) -> list[str]:
    """What of these two do not ask alike, in words; the model is none of it."""
    names = [name for name in _ASKED[:-1] if one.get(name) != other.get(name)]
    first, second = _object(one, "options"), _object(other, "options")
    options = [n for n in {**first, **second} if first.get(n) != second.get(n)]
    names += [f"--{name.replace('_', '-')}" for name in options]
    return names + ["roles"] * (_object(one, "roles") != _object(other, "roles"))


def _object(owner: JsonObject, name: str) -> JsonObject:
    value = owner.get(name)
    return value if isinstance(value, Mapping) else {}


class EligibleComparisons(NamedTuple):
    """Comparisons between models that may meet.

    Attributes:
        excluded: How many others were read, between a demo model and a real one.
    """

    rows: list[StoredComparison]
    excluded: int


class EligibleModels(NamedTuple):
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
    def of(cls, config: RunConfig) -> "EligibleModels":
        """That of a run's model: its like, and the opponents that are named."""
        is_demo_model = installed().provider(config.model.spec.provider).demo
        named = frozenset(guard(config.benchmark).placement(config.options).names)
        return cls(None if config.mixed else is_demo_model, named, frozenset(config.without))

    def admits(self, name: str, *, demo: bool) -> bool:
        """Whether a model is one of them."""
        if name in self.without:
            return False
        return self.demo in (None, demo) or name in self.named

    def among(
        self, rows: Iterable[StoredComparison], runs: Mapping[str, RunRecord]
    ) -> EligibleComparisons:
        """The comparisons between two of them; `runs` are those of the journal by id."""

        @cache
        def side(name: str, run_id: str) -> tuple[bool, bool]:
            demo = is_demo(name, runs.get(run_id))
            return demo, self.admits(name, demo=demo)

        taken, excluded = list[StoredComparison](), 0
        for row in rows:
            (demo_a, takes_a), (demo_b, takes_b) = side(row.a, row.run_a), side(row.b, row.run_b)
            if takes_a and takes_b:
                taken.append(row)
            elif self.demo is not None:
                excluded += demo_a != demo_b and row.status == "read"
        return EligibleComparisons(taken, excluded)


def is_demo(name: str, run: RunRecord | None) -> bool:
    """Whether a model is a demo model: by its run, or by its name where only that is known."""
    return run.demo if run else name.startswith("demo/")
