"""Stored runs, and which of them are meant."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from ..errors import UsageError
from ..journal import Journal, RunRecord
from ..plugins import Catalogue, catalogue_of
from ..reading.names import check_model, nearest
from ..reports.choosing import refuse_unlike
from ..reports.comparability import RunResult, is_partial, refuse_mixture
from ..reports.suggestions import bench, with_run
from ..text import line, plural
from ..types.result_document import ResultDocument
from .differences import differences
from .selectors import EVERY_RUN, Selector
from .stored_run import StoredRun
from .tables import TidyTables
from .words import (
    BEGINNING,
    BENCHMARK,
    END,
    RunKind,
    WordMeaning,
    in_whole,
    is_whole_id,
    kind_of,
    model_names,
    model_of,
    of_model,
    usual_words,
)

Records = Sequence[RunRecord]
Meaning = Callable[[str, "RunSet"], Records]

_LISTED = 6


class RunSet:
    """Runs of a journal, the oldest first.

    As a context manager it closes the journal; without, that happens once it and its runs are
    gone. While it is open, nothing is written, and other programs may go on writing.

    Args:
        journal: Holds the runs.
        records: Their rows; by default all runs of the journal.
        catalogue: Knows the benchmarks; by default those that are installed.
    """

    def __init__(
        self,
        journal: Journal,
        records: Sequence[RunRecord] | None = None,
        catalogue: Catalogue | None = None,
    ) -> None:
        self.journal, self._chosen = journal, records
        self._catalogue = catalogue

    @cached_property
    def catalogue(self) -> Catalogue:
        """What knows the benchmarks."""
        return self._catalogue or catalogue_of(self.journal)

    @cached_property
    def records(self) -> Sequence[RunRecord]:
        """Their rows."""
        return self.journal.runs() if self._chosen is None else self._chosen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the journal; nothing more can be read of these runs."""
        self.journal.close()

    def __repr__(self) -> str:
        return f"<RunSet of {plural(len(self), 'run')} in {self.journal.folder}>"

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[StoredRun]:
        with self.journal.ahead(self.records):
            for record in self.records:
                yield self._run(record)

    def _run(self, record: RunRecord) -> StoredRun:
        return StoredRun(self.journal, record, self.catalogue)

    def of(self, runs: Iterable[StoredRun]) -> "RunSet":
        """Some of them, each once."""
        return self._of(list({run.id: run.record for run in runs}.values()))

    def _of(self, records: Sequence[RunRecord]) -> "RunSet":
        return RunSet(self.journal, records, self.catalogue)

    def __getitem__(self, word: str) -> StoredRun:
        """The newest run that a word means.

        Args:
            word: A run's id, or its beginning; a model's name or spec, or the end of either after
                a slash; or a benchmark (docs/runs.md).

        Raises:
            UsageError: It means no run, or runs of several models; the message lists them.
        """
        return self.named(word).of_one_model(word)

    @property
    def _list(self) -> str:
        """The command that lists all runs of the journal."""
        return bench("runs", demo=self.journal.demo)

    def named(self, word: str) -> "RunSet":
        """All runs that a word means, at least one; of an id, or the beginning of it, that one.

        Raises:
            UsageError: There is none, or several ids, or names of models, begin or end so.
        """
        if not (reading := self.read(word)):
            raise self._no_run(word)
        return self._of(reading.runs)

    def _no_run(self, word: str) -> UsageError:
        """The error about a word that means none of them."""
        folder = self.journal.folder
        if not word.strip():
            return UsageError(f"name a run by its id or its model; {self._list} lists them")
        if word in self.catalogue.benchmarks.things:
            return UsageError(f"no run of {word} in {folder}; {bench('run', word)} makes one")
        return UsageError(f"no run {word!r} in {folder}{self.near(word)}; {self._list} lists them")

    def near(self, word: str) -> str:
        """``; did you mean ...?`` for a word that means none of them; empty where none is near."""
        return nearest(word, usual_words(self.records))

    def read(self, word: str) -> WordMeaning | None:
        """What a word means among them, and how surely; ``None`` for nothing.

        Raises:
            UsageError: Several ids, or names of models, begin or end so.
        """
        if not word.strip():
            return None
        if self._chosen is None:  # the rows of others need not be read, and may be damaged
            known: Records = self.journal.runs_called(word)
            begun = self.journal.runs_like(word)
        else:
            known, begun = self._chosen, [r for r in self._chosen if r.run_id.startswith(word)]
        if reading := in_whole(word, known):
            return reading
        if begun and not is_whole_id(word):
            others = [run for run in of_model(word, self.records) if run not in begun]
            self._of([*begun, *others]).only(word)
            return WordMeaning(BEGINNING, begun)
        ending = of_model(word, self.records)
        return WordMeaning(END, ending) if ending else None

    def only(self, word: str = "") -> StoredRun:
        """The run, where it is one.

        Args:
            word: What it was called, for the message.

        Raises:
            UsageError: They are several, or none.
        """
        if not self.records:
            raise UsageError(f"no run {word!r} among these" if word else "there is no run here")
        if len(self.records) > 1:
            raise UsageError(f"{word!r} could be {self.listed(word)}")
        return self._run(self.records[0])

    @property
    def newest(self) -> StoredRun:
        """The newest whole one, else the newest with a result, else the newest.

        Raises:
            UsageError: There is none.
        """
        return max(self, key=_worth) if len(self) > 1 else self.only()

    def of_one_model(self, word: str = "") -> StoredRun:
        """The newest, where all are of one model, asked at one endpoint; else as of `only`."""
        return self.newest if len(set(map(model_of, self.records))) == 1 else self.only(word)

    def newest_of_each(self) -> dict[str, StoredRun]:
        """The newest of each model, by a name that no other of these models has."""
        return {name: runs.newest for name, runs in self._by_model().items()}

    def _by_model(self) -> "dict[str, RunSet]":
        names, grouped = model_names(self.records), dict[str, list[RunRecord]]()
        for run in self.records:
            grouped.setdefault(names[run.run_id], []).append(run)
        return {name: self._of(runs) for name, runs in grouped.items()}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """By a run's id its model's name, with what sets it apart from others of that name."""
        return {
            run.run_id: line(f"{name} ({apart})" if apart else name)
            for name, runs in self._by_model().items()
            for run, apart in zip(runs.records, differences(runs.records), strict=True)
        }

    def candidates(self, words: Sequence[str], by: Selector = EVERY_RUN) -> "dict[str, RunSet]":
        """All runs that each of several words means, at least one.

        Args:
            words: A benchmark among them restricts what the others mean.
            by: Restricts it too.

        Raises:
            UsageError: A word means no run that is not left out so; or two benchmarks restrict.
        """
        benchmarks = [word for word in words if self.is_benchmark(word)]
        names = [word for word in words if word not in benchmarks]
        if names and benchmarks:
            several = dict.fromkeys(filter(None, [by.benchmark, *benchmarks]))
            if len(several) > 1:
                raise UsageError(f"{' and '.join(several)}: name one benchmark")
            by = by._replace(benchmark=benchmarks[0])
        return {word: self._among(word, by, _runs_meant) for word in names or benchmarks}

    def is_benchmark(self, word: str) -> bool:
        """Whether a word means a benchmark, with runs or without."""
        reading = self.read(word)
        known = self.catalogue.benchmarks.things
        return reading.rank == BENCHMARK if reading else word in known

    def alike(self, words: Sequence[str], by: Selector = EVERY_RUN) -> list[list[StoredRun]]:
        """Runs that may stand side by side: of each word the newest, for each benchmark.

        Words restrict each other: each means its newest run of a benchmark and data of which all
        have runs. Benchmarks alone mean all their runs.

        Args:
            words: As of `candidates`.
            by: Likewise.

        Returns:
            A list for each benchmark that the words have in common, the newest last; where they
            have none in common, one of the newest of each.

        Raises:
            UsageError: As of `candidates`; or a word could be several models.
        """
        each = self.candidates(words, by)
        if all(map(self.is_benchmark, each)):
            return [[run for runs in each.values() for run in runs]]
        kinds_of = [set(map(kind_of, runs.records)) for runs in each.values()]
        shared = set(kinds_of[0]).intersection(*kinds_of)

        def age(kind: RunKind) -> tuple[bool, bool, int]:
            """How much the run is worth that is worth least."""
            return min(_worth(runs._of_kind(kind).newest) for runs in each.values())

        last = {kind.benchmark: kind for kind in sorted(shared, key=age)}
        kinds: list[RunKind | None] = [*sorted(last.values(), key=age)] or [None]
        names = [word for word in words if word in each]
        return [[each[word]._of_kind(kind).of_one_model(word) for word in names] for kind in kinds]

    def like(self, run: StoredRun) -> "RunSet":
        """Those of its benchmark and data."""
        return self._of_kind(kind_of(run.record))

    def _of_kind(self, kind: RunKind | None) -> "RunSet":
        return self._of([run for run in self.records if kind in (None, kind_of(run))])

    def where(
        self,
        *,
        benchmark: str | None = None,
        model: str | None = None,
        judge: str | None = None,
        dataset: str | Path | None = None,
    ) -> "RunSet":
        """Those that have all that is given; there may be none.

        Args:
            benchmark: Its name.
            model: The model's name or spec, or the end of either after a slash.
            judge: The spec or label of one that has graded them, alone or in a panel.
            dataset: The pack's name, a path to its data, or six digits or more of its SHA-256.

        Raises:
            UsageError: There is no such benchmark, or no such model with a run that has the rest.
        """
        models = () if model is None else (model,)
        data = None if dataset is None else str(dataset)
        return self.chosen(Selector(benchmark, models, judge, data))

    def chosen(self, by: Selector) -> "RunSet":
        """The same by a selector, of which each model has a run."""
        if by.models:
            rest = by._replace(models=())
            models = {(run.name, run.model) for run in self.records}
            for word in by.models:
                check_model(word, models, f"--model {word}: no such model in {self.journal.folder}")
            each = [self._among(word, rest, _of_model) for word in by.models]
            runs = {run.n: run for of_one in each for run in of_one.records}
            return self._of([runs[n] for n in sorted(runs)])
        if by.benchmark and all(run.benchmark != by.benchmark for run in self.records):
            self.catalogue.benchmark(by.benchmark)  # one that nobody knows
        return self.of(run for run in self if by.takes(run)) if any(by) else self

    def _among(self, word: str, by: Selector, meant: Meaning) -> "RunSet":
        """The runs that a word means of those that a selector takes, at least one."""
        cheap = by._replace(judge=None, dataset=None)
        among = self.chosen(cheap) if any(cheap) else self
        if fitting := [run for run in among._of(meant(word, among)) if by.takes(run)]:
            return among.of(fitting)
        others = self._of(meant(word, self))
        if not others:
            raise self._no_run(word)
        if by.dataset and len(others) == 1:
            others.only().refuse_other_data(by.dataset)
        raise UsageError(f"no run {word!r} with {by}; others: {others.listed(word)}")

    def listed(self, start: str = "") -> str:
        """How many they are, and the commands that name each.

        Args:
            start: The word of the command in place of which each is named.
        """
        runs, names = self.records, model_names(self.records)
        named = [
            f"{with_run(start, run.run_id)} ({', '.join(filter(None, (what, apart)))})"
            for run, apart in zip(runs[:_LISTED], differences(runs), strict=False)
            if (what := _what(run, names[run.run_id]))
        ]
        more = [f"{len(runs) - _LISTED} more: {self._list}"] if len(runs) > _LISTED else []
        return f"{plural(len(runs), 'run')}: {'; '.join([*named, *more])}"

    def refuse_unlike(self) -> None:
        """Refuse runs that are not all of one benchmark, version and pack.

        Raises:
            UsageError: They are not; the message says what differs and what to do.
        """
        refuse_unlike(self.records)

    def refuse_mixture(self, hint: str, results: Mapping[str, ResultDocument] = {}) -> None:
        """Refuse runs of one benchmark whose results never mix: by packs, options, judges.

        Args:
            hint: What to do about it, which ends the message.
            results: By a run's id the result that is meant, where it is not its own.

        Raises:
            UsageError: They differ; the message says in what, and which runs are which.
        """
        benchmarks = (RunResult(run.record, results.get(run.id) or run.result()) for run in self)
        refuse_mixture(list(benchmarks), self.catalogue.benchmarks.things, hint)

    def refuse_namesakes(self) -> None:
        """Refuse runs of several models, or of one at several endpoints, that go by one name.

        Raises:
            UsageError: Two do.
        """
        first: dict[str, RunRecord] = {}
        for run in self.records:
            one = first.setdefault(run.name, run)
            if model_of(one) != model_of(run):
                which = (
                    f"{r.run_id} of {r.model} {f'at {r.endpoint}' if r.endpoint else ''}".rstrip()
                    for r in (one, run)
                )
                message = f"runs named {run.name!r} are not of one model: {' and '.join(which)}"
                raise UsageError(f"{message}; name those of one")

    def tables(self) -> TidyTables:
        """All that is known of them as tables for dataframes (docs/storage.md)."""
        return TidyTables.of(self)


def _what(run: RunRecord, name: str) -> str:
    """What tells a run from others of its model."""
    return line(f"{run.benchmark} on {run.pack_name}, {name}, {run.created_at[:10]}")


def _worth(run: StoredRun) -> tuple[bool, bool, int]:
    """More for a whole run than for a partial or failed one, then for one with a result."""
    document = run.document
    whole = document is not None and not is_partial(document) and run.status != "fail"
    return whole, document is not None, run.record.n


def _runs_meant(word: str, runs: RunSet) -> Records:
    return meaning.runs if (meaning := runs.read(word)) else ()


def _of_model(word: str, runs: RunSet) -> Records:
    return of_model(word, runs.records)
