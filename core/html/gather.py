"""What a site shows: every board of a journal, with the runs on it and what came of their items."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..compare.board import Board, boards_of
from ..compare.leaderboard import Leaderboard, LeaderboardDocument, read_leaderboard
from ..compare.rating_history import RatedStep, rating_history
from ..errors import BenchError, UsageError
from ..journal import Journal, RunRecord
from ..parties.panels import rule_in
from ..parties.sites import without_hosts
from ..plugins import Catalogue
from ..reports.graded import Key, read_samples
from ..reports.gradings import gradings
from ..reports.items import Items, items_of
from ..reports.pairing import Compared, main_values
from ..reports.statements import completeness
from ..runs.finding import JUDGE, JudgeNames
from ..types import digest
from ..types.result_document import ResultDocument
from .slugs import Address, model_path, readable


class SiteRun(NamedTuple):
    """A run on a board.

    Attributes:
        run: Its record.
        document: Its result by the board's judge.
        items: What came of each item, the worst first.
        state: Digest of all that the journal holds about it.
        main: What each of its samples adds to the metric that ranks; nothing on a board of ratings.
    """

    run: RunRecord
    document: ResultDocument
    items: Items
    state: str
    main: Mapping[Key, float] = {}


class SiteBoard(NamedTuple):
    """A board.

    Attributes:
        key: Its name in addresses.
        board: As it was read.
        document: The same as `bench leaderboard --json`.
        runs: Of its models, those with a result, by the model's name.
        history: The ratings after each model that joined.
        without_kin: The same of a panel without judges that are kin of a model, where it can be.
    """

    key: Address
    board: Leaderboard
    document: LeaderboardDocument
    runs: Mapping[str, SiteRun]
    history: Sequence[RatedStep] = ()
    without_kin: LeaderboardDocument | None = None

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
    """

    boards: Sequence[SiteBoard]
    absent: Sequence[Absent]
    runs: Sequence[RunRecord]


def gather(journal: Journal, catalogue: Catalogue) -> Gathered:
    """Read all boards of a journal; one that cannot be read is named with the reason."""
    runs, absent = journal.runs(), list[Absent]()
    boards = list(_boards(journal, catalogue, runs, absent))
    shown = {run.run.run_id for board in boards for run in board.runs.values()}
    absent += [_not_shown(journal, run, boards) for run in runs if run.run_id not in shown]
    return Gathered([board for board in boards if board.document["rows"]], absent, runs)


def _not_shown(journal: Journal, run: RunRecord, boards: Sequence[SiteBoard]) -> Absent:
    """Why a run is on no board: another of its model counts, or what its board or journal says."""
    what = f"run {run.run_id}, {run.benchmark}, {run.name} ({run.status})"
    for board in boards:
        counted = board.runs.get(run.name)
        if counted and board.board.board.takes(run, board.board.benchmark):
            page = model_path(run.name)
            return Absent(what, "of this model counts run", page, counted.run.run_id)
    warned = (w for board in boards for w in board.document["warnings"] if run.run_id in w)
    document = journal.document(run)
    causes = list(document["warnings"]) if document and document["status"] == "fail" else []
    causes += (failure.reason for failure in journal.failures(run))
    causes += completeness(document).causes if document else ()
    cause = next(iter(causes), "nothing of it was graded")
    return Absent(what, next(warned, f"it has no result: {cause}"))


def _boards(
    journal: Journal, catalogue: Catalogue, runs: Sequence[RunRecord], absent: list[Absent]
) -> Iterator[SiteBoard]:
    judges = JudgeNames(journal.asked(party=JUDGE))
    for name in dict.fromkeys(run.benchmark for run in runs):
        benchmark = catalogue.benchmarks.things.get(name)
        if benchmark is None:
            absent.append(Absent(name, "its plugin is not installed"))
            continue
        own = [run for run in runs if run.benchmark == name]
        for board in list(boards_of(journal, benchmark, own, judges)):
            try:
                read = read_leaderboard(journal, catalogue, benchmark, board=board)
            except BenchError as error:
                absent.append(Absent(f"{name}, {board.options}", str(error)))
                continue
            yield _board(journal, board, read, _without_kin(journal, catalogue, read))


def _without_kin(
    journal: Journal, catalogue: Catalogue, read: Leaderboard
) -> LeaderboardDocument | None:
    """A panel's board without judges that are kin; where that cannot be, its warnings say why."""
    if rule_in(read.board.judge or "") is None or read.kin:
        return None
    about = (journal, catalogue, read.benchmark)
    try:
        found = read_leaderboard(*about, board=read.board, exclude_kin=True)
    except UsageError as error:
        read.warnings.append(f"no view without kin: {error}")
        return None
    return found.as_json() if found.kin else None


def _board(
    journal: Journal, board: Board, read: Leaderboard, without_kin: LeaderboardDocument | None
) -> SiteBoard:
    found = dict[str, SiteRun]()
    for name, document in read.documents.items():
        run = read.runs[name]
        items = items_of(journal, run, document, "worst")
        main = _main(journal, read, run, document)
        found[name] = SiteRun(run, document, items, journal.state_of(run), main)
    key, shown = key_of(read.benchmark.name, board), read.as_json()
    return SiteBoard(key, read, shown, found, rating_history(read), without_kin)


def _main(
    journal: Journal, read: Leaderboard, run: RunRecord, document: ResultDocument
) -> Mapping[Key, float]:  # fmt: skip
    """What samples add to the metric that ranks, by the board's grader."""
    grader = document["grader"]
    grading = next((one for one in gradings(journal, run) if one.digest == grader), None)
    if grading is None or (read.standing and read.standing.found):
        return {}
    clusters = {item.id: item.cluster for item in read.pack.items}
    graded = read_samples(journal, run, grading, clusters)
    return main_values(Compared(read.benchmark, read.pack, graded, graded), graded)


def key_of(benchmark: str, board: Board) -> Address:
    """The name of a board in addresses: what it is of in words, then a digest of all of it."""
    parts = [benchmark, board.pack_name, without_hosts(board.judge) or ""]
    parts += [f"{role}-{without_hosts(player)}" for role, player in board.roles]
    parts += ["demo"] if board.demo and not board.judge else []
    parts += [word.removeprefix("--") for word in board.protocol_words]
    whole: list[object] = [benchmark, board.pack_sha256, board.judge, board.roles, board.demo]
    whole += [board.protocol] if board.protocol else []
    return Address(f"{readable('-'.join(filter(None, parts)))}-{digest(whole)[:6]}")


def places_of(journal: Journal, runs: Sequence[RunRecord]) -> set[str]:
    """The hosts that were asked and the folders of runs, which no page need name."""
    found = {str(journal.folder.resolve()), *(run.endpoint or "" for run in runs)}
    found |= {asked.label.partition(" at ")[2] for asked in journal.asked()}
    return {place for place in found if place}
