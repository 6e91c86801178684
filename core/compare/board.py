"""Which results may stand beside each other, and which board is meant.

Those of one pack and one judge, and of demo models or of real ones.
"""

import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..benchmark import Benchmark
from ..errors import UsageError
from ..hints import bench
from ..journal import Journal, RunRecord
from ..lookup.runs import JudgeNames
from ..reports.gradings import is_judge, is_pack


class Board(NamedTuple):
    """Whose results may stand beside each other."""

    pack_name: str
    pack_sha256: str
    judge: str | None
    """Label; ``None`` where no judge is asked."""
    demo: bool | None = None
    """Whether it is of demo models, or of real ones; ``None`` for both."""

    def takes(self, run: RunRecord) -> bool:
        """Whether a run is of its pack, and of its kind of models."""
        return run.pack_sha256 == self.pack_sha256 and self.demo in (None, run.demo)

    @property
    def options(self) -> str:
        """The options that choose it, ready to be pasted, with the pack's name beside them."""
        judge = f" --judge {shlex.quote(self.judge)}" if self.judge else ""
        return f"--dataset {self.pack_sha256[:12]}{judge} ({self.pack_name})"


def boards_of(
    journal: Journal,
    benchmark: Benchmark,
    runs: Sequence[RunRecord],
    judges: JudgeNames,
    *,
    mixed: bool = False,
) -> Iterator[Board]:
    """The boards that a benchmark's runs stand on, each once.

    Args:
        journal: Holds the runs.
        benchmark: Theirs.
        runs: All of them.
        judges: Which labels mean one judge.
        mixed: Let demo and real models stand on one board.
    """
    seen = set()
    for run in runs:
        found = {judges.first(g.graded_by.get("judge")) for g in journal.graders(run)}
        for judge in sorted(found, key=str):
            board = Board(run.pack_name, run.pack_sha256, judge, None if mixed else run.demo)
            if (benchmark.judged and judge is None) or board[1:] in seen:
                continue
            seen.add(board[1:])
            yield board


def choose_board(
    benchmark: Benchmark, boards: Sequence[Board], dataset: str | None, judge: str | None
) -> Board:
    """The one board that fits; one of demo models only where there is no other.

    Args:
        benchmark: Whose boards they are.
        boards: All there are.
        dataset: A pack's name, or the beginning of its SHA-256; ``None`` for any.
        judge: A judge's label or spec; ``None`` for any.

    Raises:
        UsageError: None fits, or more than one.
    """
    if not boards:
        raise UsageError(
            f"no scored run of {benchmark.name} yet; start one: {bench('run', benchmark.name)}"
        )
    fitting = [
        board
        for board in boards
        if is_pack(board.pack_name, board.pack_sha256, dataset)
        and (judge is None or is_judge(board.judge, judge))
    ]
    fitting = [board for board in fitting if not board.demo] or fitting
    if len(fitting) == 1:
        return fitting[0]
    there = "; ".join(board.options for board in fitting or boards)
    problem = "several boards, which never mix; choose one" if fitting else "no such board"
    raise UsageError(f"{benchmark.name} has {problem}; there are: {there}")
