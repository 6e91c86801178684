"""Stored runs, and which of them are meant."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from ..errors import UsageError
from ..journal import Journal, RunRecord
from ..journal.file import demo_folder, has_journal
from ..plugins import Catalogue, catalogue_of
from ..reports.choosing import refuse_unlike
from ..reports.comparability import RunResult, refuse_mixture
from ..reports.suggestions import bench, with_run
from ..text import line, plural
from ..types.result_document import ResultDocument
from .differences import differences
from .selectors import Selector
from .stored_run import StoredRun
from .tables import TidyTables

_LISTED = 6
_WHOLE = re.compile(r"[0-9a-f]{8}")


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

    def __getitem__(self, start: str) -> StoredRun:
        """The one run whose id begins so, or whose model is called so.

        Args:
            start: The beginning of an id; or a model's name or spec, or its end after a slash.

        Raises:
            UsageError: There is none, or more than one; the message lists them.
        """
        return self.named(start).only(start)

    @property
    def _list(self) -> str:
        """The command that lists all runs of the journal."""
        return bench("runs", demo=self.journal.demo)

    def named(self, start: str) -> "RunSet":
        """All runs that `self[start]` could mean, at least one.

        Raises:
            UsageError: There is none.
        """
        if not start.strip():
            raise UsageError(f"name a run by its id or its model; {self._list} lists them")
        matches = self._with_id(start) or self._of_model(start)
        if not matches:
            raise UsageError(f"no run {start!r} in {self.journal.folder}; {self._list} lists them")
        return self._of([run for run in matches if run.run_id == start] or matches)

    def has_id(self, start: str) -> bool:
        """Whether the id of any begins so."""
        return bool(start.strip() and self._with_id(start))

    def has_model(self, name: str) -> bool:
        """Whether the model of any is called so."""
        return bool(name.strip() and self._of_model(name))

    def _with_id(self, start: str) -> list[RunRecord]:
        if self._chosen is None:  # the rows of others need not be read, and may be damaged
            runs = self.journal.runs_like(start)
        else:
            runs = [run for run in self._chosen if run.run_id.startswith(start)]
        # A whole id is that of one run, also once it is deleted: START-2 is another.
        return [run for run in runs if run.run_id == start or not _WHOLE.fullmatch(start)]

    def _of_model(self, name: str) -> list[RunRecord]:
        runs, end = self.records, f"/{name}"
        return (
            [run for run in runs if run.name == name]
            or [run for run in runs if run.model == name]
            or [run for run in runs if run.name.endswith(end)]
            or [run for run in runs if run.model.endswith(end)]
        )

    def only(self, start: str = "") -> StoredRun:
        """The run, where it is one.

        Args:
            start: What it was called, for the message.

        Raises:
            UsageError: They are several, or none.
        """
        if not self.records:
            raise UsageError(f"no run {start!r} among these" if start else "there is no run here")
        if len(self.records) > 1:
            raise UsageError(f"{start!r} could be {self.listed(start)}")
        return self._run(self.records[0])

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
            model: The model's name or spec.
            judge: The spec or label of one that has graded them, alone or in a panel.
            dataset: The pack's name, a path to its data, or six digits or more of its SHA-256.
        """
        models = () if model is None else (model,)
        data = None if dataset is None else str(dataset)
        return self.chosen(Selector(benchmark, models, judge, data))

    def chosen(self, by: Selector) -> "RunSet":
        """The same by a selector."""
        return self.of(run for run in self if by.takes(run)) if any(by) else self

    def listed(self, start: str = "") -> str:
        """How many they are, and the commands that name each.

        Args:
            start: The word of the command in place of which each is named.
        """
        runs, apart = self.records, differences(self.records)
        named = [
            f"{with_run(start, run.run_id)} ({', '.join(filter(None, (_what(run), differing)))})"
            for run, differing in zip(runs[:_LISTED], apart, strict=False)
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

    def tables(self) -> TidyTables:
        """All that is known of them as tables for dataframes (docs/storage.md)."""
        return TidyTables.of(self)


def _what(run: RunRecord) -> str:
    """What tells a run from others of its model."""
    return line(f"{run.benchmark} on {run.pack_name}, {run.name}, {run.created_at[:10]}")


def runs(folder: str | Path = "runs", *named: str, demo: bool = False) -> RunSet:
    """The runs that a folder's journal holds, to be read: those of real models, or its demo runs.

    Demo runs are meant where `demo` says so, where those that are named are demo runs, and where
    the folder has no others.

    Args:
        folder: Where runs are kept.
        *named: What names runs that are wanted: the beginning of an id, or a model's name.
        demo: The demo runs.

    Raises:
        JournalError: There is no journal, or it cannot be read.
        UsageError: Runs of both kinds are named, which never stand beside each other.
    """
    real, of_demo = Path(folder), demo_folder(Path(folder))
    if demo or of_demo == real or not has_journal(of_demo):
        return RunSet(Journal(of_demo if demo else real, create=False))
    demo_runs = RunSet(Journal(of_demo, create=False))
    if not has_journal(real):
        return demo_runs
    others = RunSet(Journal(real, create=False))
    demo = others.journal.demo is None or _are_demo(named, others, demo_runs)
    chosen, left = (demo_runs, others) if demo else (others, demo_runs)
    left.close()
    return chosen


def is_of_other_kind(folder: Path, start: str) -> bool:
    """Whether a word names a demo run beside a folder's real runs, or a real one beside demo runs.

    Raises:
        JournalError: That cannot be told.
    """
    demo = demo_folder(folder)
    other = folder.parent if demo == folder else demo
    if not has_journal(other):
        return False
    with RunSet(Journal(other, create=False)) as runs:
        return runs.has_id(start) or runs.has_model(start)


def _are_demo(named: Sequence[str], others: RunSet, demo_runs: RunSet) -> bool:
    """Whether the runs that are named are demo runs; those that nobody knows are none."""
    kinds = {
        start: [kind for kind in (others, demo_runs) if kind.has_id(start)]
        or [kind for kind in (others, demo_runs) if kind.has_model(start)]
        for start in named
    }
    for start, known in kinds.items():
        if len(known) > 1:
            folders = f"a run in {others.journal.folder} or one in {demo_runs.journal.folder}"
            raise UsageError(f"{start!r} could be {folders}; give more of its id")
    real, demo = (
        [start for start, known in kinds.items() if kind in known] for kind in (others, demo_runs)
    )
    if real and demo:
        message = f"{demo[0]!r} is a demo run and {real[0]!r} is not"
        raise UsageError(f"{message}: the two kinds never stand beside each other")
    return bool(demo)
