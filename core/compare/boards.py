"""The boards of one benchmark: which there are in a journal, and the runs on each."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from ..benchmark import Benchmark
from ..journal import Journal, RunRecord
from ..parties.graders import Judge
from ..plugins import Catalogue
from ..runs.finding import JUDGE, JudgeNames
from ..runs.stored_run import StoredRun
from .board import Board, Chosen, asked_by, graded_by, played_by


class GradedRun(NamedTuple):
    """A run on a board, with the number of its samples that were graded as the board's are."""

    run: RunRecord
    grades: int


class Boards:
    """The boards that the runs of a benchmark stand on.

    Args:
        journal: Holds the runs.
        catalogue: Knows all benchmarks.
        benchmark: The one.
    """

    def __init__(self, journal: Journal, catalogue: Catalogue, benchmark: Benchmark) -> None:
        self.journal, self.catalogue, self.benchmark = journal, catalogue, benchmark

    @cached_property
    def runs(self) -> list[RunRecord]:
        """All of the benchmark's."""
        return [run for run in self.journal.runs() if run.benchmark == self.benchmark.name]

    @cached_property
    def judges(self) -> JudgeNames:
        """Which parties are one judge that has moved."""
        return JudgeNames(self.journal.asked(role=JUDGE))

    def stored(self, run: RunRecord) -> StoredRun:
        """A run as one object."""
        return StoredRun(self.journal, run, self.catalogue)

    def found(
        self, runs: Sequence[RunRecord] | None = None, *, mixed: bool = False
    ) -> dict[Board, list[GradedRun]]:
        """The boards, each once, with the runs on it in their order.

        Args:
            runs: Those that are looked at; all unless they are given.
            mixed: Let demo and real models stand on one board.
        """
        found: dict[Board, list[GradedRun]] = {}
        named: dict[Board, Board] = {}  # a pack may go by several names
        for run in self.runs if runs is None else runs:
            kinds: dict[tuple[Judge | None, Chosen], int] = {}
            for grader, grades in self.journal.graders(run):
                kind = self.judges.first(grader.judge), graded_by(self.benchmark, grader.options)
                kinds[kind] = max(kinds.get(kind, 0), grades)
            for judge, graded in sorted(kinds, key=str):
                if self.benchmark.judged and judge is None:
                    continue
                kind_of_model, asked = None if mixed else run.demo, asked_by(self.benchmark, run)
                pack = run.pack_name, run.pack_sha256
                board = Board(*pack, judge, kind_of_model, played_by(run), asked, graded)
                board = named.setdefault(board._replace(pack_name=""), board)
                found.setdefault(board, []).append(GradedRun(run, kinds[judge, graded]))
        return found
