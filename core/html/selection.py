"""What of a journal a site is of: benchmarks and models, by the names that users give."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..errors import UsageError
from ..journal import Journal, RunRecord
from ..reading.names import check_name, models_called


@dataclass(frozen=True)
class Named:
    """What words name: benchmarks, and models by their names."""

    benchmarks: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class SiteSelection:
    """What is shown, as if nothing else had ever been run; everything by default.

    Attributes:
        only: What alone is shown, of benchmarks and of models, where some are named.
        without: What is not.
        left_out: Names of the models that are not shown.
        hidden: What no text may hold: their names and specs, where these are nobody else's.
    """

    only: Named = Named()
    without: Named = Named()
    left_out: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()

    def takes(self, run: RunRecord) -> bool:
        """Whether a run is shown."""
        if run.name in self.left_out or run.benchmark in self.without.benchmarks:
            return False
        return not self.only.benchmarks or run.benchmark in self.only.benchmarks


EVERYTHING = SiteSelection()


def select(
    journal: Journal, benchmarks: Iterable[str], only: Sequence[str], without: Sequence[str]
) -> SiteSelection:
    """What ``--only`` and ``--without`` come to in a journal.

    Raises:
        UsageError: A word names nothing, or several models; or nothing is left.
    """
    runs, compared = journal.runs(), journal.compared_names()
    known = {*benchmarks, *(run.benchmark for run in runs)}
    specs = {(run.name, run.model) for run in runs} | {(name, name) for name in compared}
    some = _named("--only", only, known, specs)
    less = _named("--without", without, known, specs)
    names = {name for name, _ in specs}
    selection = SiteSelection(some, less, frozenset(names - (some.models or names) | less.models))
    taken = [run for run in runs if selection.takes(run)]
    if runs and not taken:
        raise UsageError("--only and --without leave nothing to show")
    players = {str(asked.party.spec) for asked in journal.asked() if asked.role != "model"}
    public = players.union(*((run.name, run.model) for run in taken))
    secret = {word for name, spec in specs if name in selection.left_out for word in (name, spec)}
    hidden = {w for w in secret if _SPECIFIC.match(w) and not any(w in other for other in public)}
    return replace(selection, hidden=frozenset(hidden))


_SPECIFIC = re.compile(r"(?=.*[A-Za-z])(?=.*[^A-Za-z]).{4}", re.DOTALL)
"""A name that is no plain word, which texts may have for its own sake."""
_Specs = Collection[tuple[str, str]]
"""Models' names, each with a spec."""


def _named(option: str, words: Sequence[str], benchmarks: Collection[str], specs: _Specs) -> Named:
    models = set[str]()
    for word in words:
        if word not in benchmarks:
            models |= _models(option, word, benchmarks, specs)
    return Named({*words} & {*benchmarks}, models)


def _models(option: str, word: str, benchmarks: Collection[str], specs: _Specs) -> set[str]:
    """The names of the models that a word means."""
    models = {name for name, _ in models_called(word, specs, option)}
    if not models:
        ends = {part.rpartition("/")[2] for pair in specs for part in pair}
        usual = [*sorted(benchmarks), *sorted({*(n for n, _ in specs), *ends})]
        check_name(word, usual, f"{option} {word}: no such benchmark or model", "there are")
    return models
