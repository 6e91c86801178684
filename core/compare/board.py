"""Which results may stand beside each other, and which board is meant.

Those of one pack, one judge and the same players of roles, and of demo models or of real ones.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..benchmark import Benchmark
from ..endpoints.sites import LOCAL
from ..errors import UsageError
from ..hints import bench, with_options
from ..journal import Journal, RunRecord
from ..lookup.runs import JudgeNames
from ..panels import judges_in, rule_in
from ..reports.gradings import is_judge, is_pack
from ..settings.run_config import stored_roles


class Board(NamedTuple):
    """Whose results may stand beside each other."""

    pack_name: str
    pack_sha256: str
    judge: str | None
    """Label; ``None`` where no judge is asked."""
    demo: bool | None = None
    """Whether it is of demo models, or of real ones; ``None`` for both."""
    roles: tuple[tuple[str, str], ...] = ()
    """Who plays each role: its name, and the player's label."""

    def takes(self, run: RunRecord) -> bool:
        """Whether a run is of its pack, of its kind of models, and had these roles played."""
        is_alike = run.pack_sha256 == self.pack_sha256 and self.demo in (None, run.demo)
        return is_alike and played_by(run) == self.roles

    @property
    def options(self) -> str:
        """The options that choose it, ready to be pasted, with the pack's name beside them."""
        return f"{shlex.join(self.words)} ({self.pack_name})"

    @property
    def command(self) -> str:
        """The command under way with them."""
        return f"{with_options(*self.words)} ({self.pack_name})"

    @property
    def words(self) -> list[str]:
        """The options that choose it."""
        words = ["--dataset", self.pack_sha256[:12]]
        words += ["--judge", self.judge] if self.judge else []
        for name, label in self.roles:
            words += ["--role", f"{name}={label}"]
        return words


def played_by(run: RunRecord) -> tuple[tuple[str, str], ...]:
    """Who plays each role of a run; servers on this machine are one site, so their port is none."""
    players = stored_roles(run.settings).items()
    return tuple(
        (name, str(p.spec) if p.site in (None, LOCAL) else p.label) for name, p in sorted(players)
    )


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
            pack = (run.pack_name, run.pack_sha256)
            board = Board(*pack, judge, None if mixed else run.demo, played_by(run))
            if (benchmark.judged and judge is None) or board[1:] in seen:
                continue
            seen.add(board[1:])
            yield board


def choose_board(
    benchmark: Benchmark,
    boards: Sequence[Board],
    dataset: str | None,
    judge: str | None,
    roles: Mapping[str, str] | None = None,
) -> Board:
    """The one board that fits; one of demo models only where there is no other.

    Args:
        benchmark: Whose boards they are.
        boards: All there are.
        dataset: A pack's name, or the beginning of its SHA-256; ``None`` for any.
        judge: A judge's label or spec; ``None`` for any.
        roles: Who plays roles, by role; anyone where none is named.

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
        and (roles or {}).items() <= dict(board.roles).items()
    ]
    fitting = [board for board in fitting if not board.demo] or fitting
    fitting = fitting if judge else _of_panel(fitting) or fitting
    if len(fitting) == 1:
        return fitting[0]
    there = "; ".join(board.command for board in fitting or boards)
    problem = "several boards; choose one" if fitting else "no such board"
    raise UsageError(f"{benchmark.name} has {problem}; there are: {there}")


def _of_panel(boards: Sequence[Board]) -> list[Board]:
    """The board of a panel, where all others are by its judges, each alone."""
    panels = [board for board in boards if rule_in(board.judge or "")]
    if len(panels) != 1:
        return []
    return panels if len(by_members(panels[0], boards)) == len(boards) - 1 else []


def by_members(board: Board, boards: Sequence[Board]) -> list[Board]:
    """Of boards those that are alike but for the judge, one of this board's panel."""
    label = board.judge or ""
    members = judges_in(label) if rule_in(label) else ()
    alike = (other for other in boards if other._replace(judge=board.judge) == board)
    return [o for o in alike if any(is_judge(o.judge, member) for member in members)]
