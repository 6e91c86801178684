"""Which board is meant: one rule for all commands that show one.

Of the boards that fit what is named it is the newest that holds a whole run, read as it would be
today; one without such a run only where there is none.
"""

import shlex
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypedDict

from ..benchmark import Benchmark
from ..benchmark.options import option_words
from ..errors import UsageError
from ..parties.graders import Judge, is_meant
from ..reports.choosing import is_pack
from ..reports.comparability import judge_in
from ..reports.otherwise import judge_name
from ..reports.suggestions import bench, with_options
from ..settings.players import by_member
from ..text import plural
from ..types import JsonObject
from ..types.result_document import ResultDocument
from .board_results import BoardResults
from .boards import Board, Boards, GradedRun, graded_by


class OtherBoard(TypedDict):
    """A board beside the one that is shown: the options that choose it, ready to be pasted."""

    options: str
    dataset: str
    models: int


class BoardOfChoice(NamedTuple):
    """The board that is meant, and the others that fit what was named."""

    board: Board
    others: Sequence[OtherBoard] = ()


class Wanted(NamedTuple):
    """What is named of a board, and who on it; ``None`` for any, and anyone for another role.

    Attributes:
        dataset: A pack's name, or the beginning of its SHA-256.
        judge: A judge or a name of one.
        roles: Who plays roles, by role.
        protocol: Values of the benchmark's options that keep boards apart.
        without: Names of models that are left out before anything is rated.
        models: The only ones that are not; all where none is named.
    """

    dataset: str | None = None
    judge: Judge | str | None = None
    roles: Mapping[str, str] = MappingProxyType({})
    protocol: JsonObject = MappingProxyType({})
    without: Collection[str] = ()
    models: Collection[str] = ()

    def fits(self, board: Board, benchmark: Benchmark) -> bool:
        """Whether a board is one of those."""
        players = {role: (*who.names, board.role_names[role]) for role, who in board.roles}
        usual = {option.name: option.default for option in benchmark.options}
        return (
            is_pack(board.pack_name, board.pack_sha256, self.dataset)
            and (self.judge is None or self._fits_judge(board))
            and all(
                who in players.get(role, ())
                for role, who in by_member(benchmark, self.roles).items()
            )
            and all(
                board.protocol.get(name, usual.get(name)) == value
                for name, value in self.protocol.items()
            )
        )

    def _fits_judge(self, board: Board) -> bool:
        judge, asked = board.judge, board.judge_asked
        is_it = self.judge is not None and is_meant(judge, self.judge)
        short = judge.short if judge else None
        names = (judge_name(judge, asked), judge_name(judge, asked, short))
        return is_it or self.judge in names


ANY_BOARD = Wanted()


def choose_board(boards: Boards, query: Wanted) -> BoardOfChoice:
    """The board that is meant, and the others that fit.

    Raises:
        UsageError: None fits.
    """
    with boards.journal.ahead(boards.runs):
        return _choose(boards, query)


def boards_by_worth(boards: Boards) -> list[Board]:
    """All boards of a benchmark, the one that is meant where nothing is named first."""
    with boards.journal.ahead(boards.runs):
        return _by_worth(boards, boards.with_runs())


def _by_worth(boards: Boards, graded_boards: Mapping[Board, Sequence[GradedRun]]) -> list[Board]:
    return sorted(graded_boards, key=lambda b: _worth(boards, b, graded_boards[b]))[::-1]


def _choose(boards: Boards, query: Wanted) -> BoardOfChoice:
    benchmark, graded_boards = boards.benchmark, boards.with_runs()
    if not graded_boards:
        raise UsageError(
            f"no scored run of {benchmark.name} yet; start one: {bench('run', benchmark.name)}"
        )
    fitting = {b: runs for b, runs in graded_boards.items() if query.fits(b, benchmark)}
    if not fitting:
        named = "; ".join(
            f"{with_options(*words_among(board, list(graded_boards), benchmark, query.protocol))}"
            f" ({board.pack_name})"
            for board in graded_boards
        )
        raise UsageError(f"{benchmark.name} has no such board; there are: {named}")
    ordered = _by_worth(boards, fitting)
    if query.judge or query.roles:  # who is named is meant as it should have been asked
        ordered.sort(key=lambda board: not board.as_meant)
    chosen, *others = ordered
    return BoardOfChoice(
        chosen, [_other(b, graded_boards[b], [chosen, *others], benchmark) for b in others]
    )


class _Worth(NamedTuple):
    """What boards are chosen by, the most telling first."""

    whole: bool
    newest: int
    is_own: bool
    """It is the one of that run's own result, and not of a judge or reader that came later."""


def _worth(boards: Boards, board: Board, runs: Sequence[GradedRun]) -> _Worth:
    results = BoardResults(boards, board, {})

    def is_shown(one: GradedRun) -> bool:
        """Whether the board would show the score of a run of it that is whole."""
        if not _is_whole(one, documents[one.run.n]):
            return False
        return one.run.benchmark_version == boards.benchmark.version and results.is_scored(one.run)

    documents = {one.run.n: boards.journal.document(one.run) for one in runs}
    newest_first = sorted(runs, key=lambda one: one.run.n, reverse=True)
    whole = next(filter(is_shown, newest_first), None)
    newest = (whole or newest_first[0]).run.n
    document = documents[newest]
    read = document and graded_by(boards.benchmark, document["options"])
    is_own = document and (judge_in(document), read) == board.kind[:2]
    return _Worth(whole is not None, newest, bool(is_own))


def _is_whole(one: GradedRun, document: ResultDocument | None) -> bool:
    """Whether all samples of a run are graded, and its result is one."""
    if document is None or document["status"] == "fail":
        return False
    return one.grades >= document["dataset"]["n_items"] * document["iterations"]


def _other(
    board: Board, runs: Sequence[GradedRun], among: Sequence[Board], benchmark: Benchmark
) -> OtherBoard:
    words = shlex.join(words_among(board, among, benchmark))
    models = len({one.run.name for one in runs})
    return {"options": words, "dataset": board.pack_name, "models": models}


def words_among(
    board: Board, among: Collection[Board], benchmark: Benchmark, named: Collection[str] = ()
) -> list[str]:
    """The options that choose a board among others: those in which any of them differ.

    Options in `named` are needed whether they differ or not.
    """
    differing = {*named} | {
        n for b in among for n, v in b.protocol.items() if v != board.protocol.get(n)
    }
    differing |= board.protocol.keys()
    words = board.judge_words if len({b.judge_name for b in among}) > 1 else []
    words += board.role_words if len({(b.roles, b.roles_asked) for b in among}) > 1 else []
    for option in benchmark.options:
        if option.name in differing:
            words += option_words(option.name, board.protocol.get(option.name, option.default))
    alike = [b for b in among if _but_for_pack(b) == _but_for_pack(board)]
    if len({b.pack_sha256 for b in alike}) == 1:
        return words or ["--dataset", board.pack_name]
    by_name = {b.pack_sha256 for b in among if b.pack_name == board.pack_name}
    has_name = board.pack_name in ("bundled", "official") and len(by_name) == 1
    return ["--dataset", board.pack_name if has_name else board.pack_sha256[:12], *words]


def _but_for_pack(board: Board) -> Board:
    return board._replace(pack_name="", pack_sha256="")


def boards_beside(others: Sequence[OtherBoard]) -> str | None:
    """One line about the boards that are not shown; ``None`` where there are none."""
    if not others:
        return None
    each = "; ".join(
        f"{plural(one['models'], 'model')}: {one['options']} ({one['dataset']})" for one in others
    )
    return f"{plural(len(others), 'other board')}: {each}"
