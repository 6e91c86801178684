"""What a word means of stored runs, the same wherever runs are taken (docs/runs.md has the rule).

In this order: a whole id, a benchmark, a model's name, its spec, the beginning of an id, the end of
a model's name or spec after a slash.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..journal import RunRecord
from ..journal.records import RUN_ID
from ..reading.names import models_called

WHOLE = ("run_id", "benchmark", "name", "model")
"""What of a run a word can be in whole, the surest first."""
BENCHMARK, BEGINNING, END = WHOLE.index("benchmark"), len(WHOLE), len(WHOLE) + 1
"""Ranks of a `WordMeaning`."""


class WordMeaning(NamedTuple):
    """The runs that a word means, in their order, and its rank: the less, the surer."""

    rank: int
    runs: Sequence[RunRecord]


def in_whole(word: str, runs: Iterable[RunRecord]) -> WordMeaning | None:
    """What a word means that is all of something."""
    known = list(runs)
    for rank, name in enumerate(WHOLE):
        if meant := [run for run in known if getattr(run, name) == word]:
            return WordMeaning(rank, meant)
    return None


def is_whole_id(word: str) -> bool:
    """Whether a word is an id as it is printed, and so never the beginning of another."""
    return re.fullmatch(RUN_ID, word, re.ASCII) is not None


def of_model(word: str, runs: Sequence[RunRecord]) -> list[RunRecord]:
    """The runs of the model that a word means by its name or spec, or by the end of either.

    Raises:
        UsageError: The names of several models end so.
    """
    called = models_called(word, {(run.name, run.model) for run in runs})
    return [run for run in runs if (run.name, run.model) in called]


def usual_words(runs: Iterable[RunRecord]) -> list[str]:
    """The words that mean runs, for one that means none."""
    whole = {str(getattr(run, name)) for run in runs for name in WHOLE}
    return sorted(whole | {word.rpartition("/")[2] for word in whole})


def model_of(run: RunRecord) -> tuple[str, str, str | None]:
    """What tells a run's model from others: its name, its spec and where it was asked."""
    return run.name, run.model, run.endpoint


def model_names(runs: Sequence[RunRecord]) -> dict[str, str]:
    """By a run's id its model's name, with its spec and endpoint where others go by that name."""
    goers = Counter(name for name, _, _ in set(map(model_of, runs)))
    return {run.run_id: _told_apart(run) if goers[run.name] > 1 else run.name for run in runs}


def _told_apart(run: RunRecord) -> str:
    facts = [
        run.model if run.model != run.name else "",
        f"at {run.endpoint}" if run.endpoint else "",
    ]
    more = " ".join(filter(None, facts))
    return f"{run.name} ({more})" if more else run.name


class RunKind(NamedTuple):
    """What runs have in common that can be compared."""

    benchmark: str
    version: str
    pack_sha256: str


def kind_of(run: RunRecord) -> RunKind:
    """Of which kind a run is."""
    return RunKind(run.benchmark, run.benchmark_version, run.pack_sha256)
