"""Which results may stand beside each other: one pack, one judge; and which board is meant."""

import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..benchmark import Benchmark
from ..errors import UsageError
from ..journal import Journal, RunRecord
from ..reports.gradings import is_judge, is_pack


class Board(NamedTuple):
    """Whose results may stand beside each other."""

    pack_name: str
    pack_sha256: str
    judge: str | None
    """Label; ``None`` where no judge is asked."""

    @property
    def told(self) -> str:
        """The options that choose it, ready to be pasted, with the pack's name beside them."""
        judge = f" --judge {shlex.quote(self.judge)}" if self.judge else ""
        return f"--dataset {self.pack_sha256[:12]}{judge} ({self.pack_name})"


def boards_of(journal: Journal, benchmark: Benchmark, runs: Sequence[RunRecord]) -> Iterator[Board]:
    """The boards that a benchmark's runs stand on, each once."""
    seen = set()
    for run in runs:
        judges = {g.graded_by.get("judge") for g in journal.graders(run)}
        for judge in sorted(judges, key=str):
            board = Board(run.pack_name, run.pack_sha256, judge)
            if (benchmark.judged and judge is None) or board[1:] in seen:
                continue
            seen.add(board[1:])
            yield board


def choose_board(
    benchmark: Benchmark, boards: Sequence[Board], dataset: str | None, judge: str | None
) -> Board:
    """The one board that fits.

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
            f"no scored run of {benchmark.name} yet; start one: bench run {benchmark.name}"
        )
    fitting = [
        board
        for board in boards
        if is_pack(board.pack_name, board.pack_sha256, dataset)
        and (judge is None or is_judge(board.judge, judge))
    ]
    if len(fitting) == 1:
        return fitting[0]
    there = "; ".join(board.told for board in fitting or boards)
    problem = "several boards, which never mix; choose one" if fitting else "no such board"
    raise UsageError(f"{benchmark.name} has {problem}; there are: {there}")
