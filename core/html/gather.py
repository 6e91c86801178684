"""What a site shows: every board of a journal, with the runs on it and what came of their items."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..compare.board_reader import read_leaderboard
from ..compare.board_records import RatedStep, rating_history
from ..compare.boards import Board, Boards
from ..compare.leaderboard import Leaderboard, LeaderboardDocument
from ..errors import BenchError, UsageError
from ..hooks.sections import Part
from ..journal import Journal, RunRecord
from ..parties.graders import Panel
from ..plugins import Catalogue
from ..reports.comparability import judge_in
from ..reports.graded import Key
from ..reports.items import Items
from ..reports.pairing import Compared, main_values
from ..reports.panels import BuiltPage, pages_of
from ..reports.statements import completeness
from ..runs.finding import JUDGE
from ..runs.stored_run import StoredRun
from ..types import digest
from ..types.result_document import ResultDocument
from .slugs import Address, model_path, readable


class SiteRun(NamedTuple):
    """A run as its page shows it.

    Attributes:
        stored: It in the journal.
        document: Its result by one grader: the board's, where it stands on one.
        items: What came of each item, the worst first.
        cut_off: Samples of which the token limit cut a reply, by item and iteration.
        sections: What plugins add about the result.
        state: Digest of all that the journal holds about it.
        main: What each of its samples adds to the metric that ranks; nothing on a board of ratings.
    """

    stored: StoredRun
    document: ResultDocument
    items: Items
    cut_off: frozenset[Key]
    sections: Sequence[Part]
    state: str = ""
    main: Mapping[Key, float] = {}

    @property
    def run(self) -> RunRecord:
        """Its record."""
        return self.stored.record


Sections = Callable[[ResultDocument], Sequence[Part]]
"""What plugins add about a result."""


def read_run(stored: StoredRun, document: ResultDocument, sections: Sections) -> SiteRun:
    """A run by the grader of one of its results."""
    items = stored.items("worst", document)
    cut_off = {(t.item_id, t.iteration) for t in stored.calls
               if t.truncated and t.phase == "generate"}  # fmt: skip
    state = stored.journal.state_of(stored.record)
    return SiteRun(stored, document, items, frozenset(cut_off), sections(document), state)


class SiteBoard(NamedTuple):
    """A board.

    Attributes:
        key: Its name in addresses.
        board: As it was read.
        document: The same as `bench leaderboard --json`.
        runs: Of its models, those with a result, by the model's name.
        history: The ratings after each model that joined.
        without_kin: The same of a panel without judges that are kin of a model, where it can be.
        public: What judges are called without their hosts, by label.
    """

    key: Address
    board: Leaderboard
    document: LeaderboardDocument
    runs: Mapping[str, SiteRun]
    history: Sequence[RatedStep] = ()
    without_kin: LeaderboardDocument | None = None
    public: Mapping[str, str] = {}

    @property
    def title(self) -> str:
        """What it is called: its benchmark, with options that are not as usual."""
        return " ".join([self.board.benchmark.name, *self.board.board.protocol_words])


class Absent(NamedTuple):
    """What stands on no board: which, why, and the page and the run of its model that counts."""

    what: str
    why: str
    page: Address | None = None
    counted: str = ""

    @property
    def text(self) -> str:
        """A line."""
        counted = f" {self.counted}" if self.counted else ""
        return f"{self.what}: {self.why}{counted}"


class Gathered(NamedTuple):
    """All that a site shows.

    Attributes:
        boards: Of the benchmarks in their order.
        absent: What could not be shown, and why.
        runs: All of the journal.
        pages: What plugins make of the results of all boards.
    """

    boards: Sequence[SiteBoard]
    absent: Sequence[Absent]
    runs: Sequence[RunRecord]
    pages: Sequence[BuiltPage] = ()


def gather(journal: Journal, catalogue: Catalogue, sections: Sections) -> Gathered:
    """Read all boards of a journal; one that cannot be read is named with the reason."""
    runs, boards, absent = journal.runs(), list[SiteBoard](), list[Absent]()
    for name in dict.fromkeys(run.benchmark for run in runs):
        of = _boards_of(journal, catalogue, name)
        if of is None:
            absent.append(Absent(name, "its plugin is not installed"))
            continue
        for board in of.found([run for run in runs if run.benchmark == name]):
            try:
                boards.append(_read_board(of, board, sections))
            except BenchError as error:
                absent.append(Absent(f"{name}, {board.options}", str(error)))
    results = {run.run.run_id: run.document for board in boards for run in board.runs.values()}
    others = [StoredRun(journal, run) for run in runs if run.run_id not in results]
    absent += [_not_shown(run, boards) for run in others]
    boards = [board for board in boards if board.document["rows"]]
    failed: list[str] = []
    pages = list(pages_of(list(results.values()), catalogue, failed.append))
    absent += [Absent("a page of a plugin", message) for message in failed]
    return Gathered(boards, absent, runs, pages)


def gather_run(
    stored: StoredRun, sections: Sections, tell: Callable[[str], object]
) -> tuple[SiteRun, SiteBoard | None]:
    """A run by the grader of its own result, and the board that counts it so, if there is one.

    Why a board of it cannot be read is told.

    Raises:
        UsageError: It has no result yet.
    """
    own = read_run(stored, stored.result(), sections)
    of = _boards_of(stored.journal, stored.catalogue, stored.benchmark)
    if of is None:
        return own, None
    for board in of.found([stored.record]):
        if board.judge != of.judges.first(judge_in(own.document)):
            continue
        try:
            found = _read_board(of, board, sections)
        except BenchError as error:
            tell(f"warning: a board of run {stored.id} is left out: {error}")
            continue
        run = found.runs.get(stored.name)
        same = run and run.document["grader"] == own.document["grader"]
        if run and same and run.run.run_id == stored.id:
            return run, found
    return own, None


def _boards_of(journal: Journal, catalogue: Catalogue, name: str) -> Boards | None:
    """The boards of a benchmark; ``None`` where it is not installed."""
    benchmark = catalogue.benchmarks.things.get(name)
    return Boards(journal, catalogue, benchmark) if benchmark else None


def _not_shown(run: StoredRun, boards: Sequence[SiteBoard]) -> Absent:
    """Why a run is on no board: another of its model counts, or what its board or journal says."""
    what = f"run {run.id}, {run.benchmark}, {run.name} ({run.status})"
    for board in boards:
        counted = board.runs.get(run.name)
        if counted and board.board.board.takes(run.record, board.board.benchmark):
            page = model_path(run.name)
            return Absent(what, "of this model counts run", page, counted.run.run_id)
    warned = (w for board in boards for w in board.document["warnings"] if run.id in w)
    document = run.document
    causes = list(document["warnings"]) if document and document["status"] == "fail" else []
    causes += (failure.reason for failure in run.failures)
    causes += completeness(document).causes if document else ()
    cause = next(iter(causes), "nothing of it was graded")
    return Absent(what, next(warned, f"it has no result: {cause}"))


def _read_board(boards: Boards, board: Board, sections: Sections) -> SiteBoard:
    """A board, with the runs on it."""
    read = read_leaderboard(boards, board=board)
    without_kin, found = _without_kin(boards, read), dict[str, SiteRun]()
    for name, document in read.documents.items():
        stored = boards.stored(read.runs[name])
        run = read_run(stored, _result(stored, document), sections)
        found[name] = run._replace(main=_main(read, stored, document))
    key, shown = key_of(read.benchmark.name, board), read.as_json()
    public = {a.party.label: a.party.public.label for a in boards.journal.asked(role=JUDGE)}
    return SiteBoard(key, read, shown, found, rating_history(read), without_kin, public)


def _without_kin(boards: Boards, read: Leaderboard) -> LeaderboardDocument | None:
    """A panel's without judges that are kin; where that cannot be, its warnings say why."""
    if not isinstance(read.board.judge, Panel) or read.kin:
        return None
    try:
        found = read_leaderboard(boards, board=read.board, exclude_kin=True)
    except UsageError as error:
        read.warnings.append(f"no view without kin: {error}")
        return None
    return found.as_json() if found.kin else None


def _result(stored: StoredRun, document: ResultDocument) -> ResultDocument:
    """The run's own result where that says the same as its board's, which no command ended with."""
    own = stored.document
    if own and all(own.get(part) == document.get(part) for part in ("grader", "metrics", "items")):
        return own
    return document


def _main(read: Leaderboard, stored: StoredRun, document: ResultDocument) -> Mapping[Key, float]:
    """What samples add to the metric that ranks, by the board's grader."""
    digest_of_grader = document["grader"]
    grader = next((one for one in stored.graders() if one.digest == digest_of_grader), None)
    if grader is None or (read.standing and read.standing.found):
        return {}
    graded = stored.graded(grader, read.pack.clusters)
    return main_values(Compared(read.benchmark, read.pack, graded, graded), graded)


def key_of(benchmark: str, board: Board) -> Address:
    """The name of a board in addresses: what it is of in words, then a digest of all of it."""
    parts = [benchmark, board.pack_name, board.public_judge]
    parts += [f"{role}-{player.public}" for role, player in board.roles]
    parts += ["demo"] if board.demo and not board.judge else []
    parts += [word.removeprefix("--") for word in board.protocol_words]
    judge = board.judge and board.judge.as_json()
    roles = [(role, player.as_json()) for role, player in board.roles]
    whole: list[object] = [benchmark, board.pack_sha256, judge, roles, board.demo]
    whole += [board.protocol] if board.protocol else []
    return Address(f"{readable('-'.join(filter(None, parts)))}-{digest(whole)[:6]}")


def places_of(journal: Journal, runs: Sequence[RunRecord]) -> set[str]:
    """The hosts that were asked and the folders of runs, which no page need name."""
    found = {str(journal.folder.resolve()), *(run.endpoint or "" for run in runs)}
    found |= {asked.party.host or "" for asked in journal.asked()}
    return {place for place in found if place}
