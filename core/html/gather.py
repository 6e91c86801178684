"""What a site shows: every board of a journal, with the runs on it and what came of their items."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from ..compare.adjusting import Adjusting, adjusting_of, samples_of
from ..compare.board_reader import read_leaderboard
from ..compare.boards import Board, Boards
from ..compare.leaderboard import Leaderboard, LeaderboardDocument
from ..compare.rating_history import RatedStep, rating_history
from ..compare.which_board import boards_by_worth
from ..datasets import cache_folder
from ..errors import BenchError, UsageError
from ..hooks.sections import Part
from ..journal import Journal, RunRecord
from ..parties.graders import Panel
from ..parties.party import LOCAL, Party, endpoint_at
from ..parties.providers import host_of
from ..plugins import Catalogue
from ..reports.comparability import judge_in
from ..reports.graded import Key
from ..reports.items import Items
from ..reports.plugin_parts import BuiltPage, pages_of
from ..reports.statements import completeness
from ..runs.finding import JUDGE
from ..runs.steadiness import steadiness_tables
from ..runs.stored_run import StoredRun
from ..statistics.few_families import why_no_interval
from ..types import digest
from ..types.result_document import Facts, ResultDocument
from .masking import whole_name
from .selection import EVERYTHING, SiteSelection
from .slugs import Address, model_path, readable


class SiteRun(NamedTuple):
    """A run as its page shows it.

    The document is its result by the board's grader, if it stands on one. Items begin with the
    worst; `cut_off` are samples of which the token limit cut a reply, by item and iteration;
    `state` is a digest of all that the journal holds about it; `main` is what each sample adds to
    the metric that ranks (nothing on a board of ratings). `read_sections` are the sections that
    read runs, made when they are shown. `addresses` are where it asked each party last.
    """

    stored: StoredRun
    document: ResultDocument
    items: Items
    cut_off: frozenset[Key]
    sections: Sequence[Part]
    read_sections: "Sections"
    state: str = ""
    main: Mapping[Key, float] = {}
    addresses: Mapping[Party, str] = {}

    @property
    def run(self) -> RunRecord:
        """Its record."""
        return self.stored.record


Sections = Callable[[ResultDocument, Sequence[StoredRun]], Sequence[Part]]
"""What plugins add about a result; with runs, its own first, what they add of these."""


def read_run(stored: StoredRun, document: ResultDocument, sections: Sections) -> SiteRun:
    """A run by the grader of one of its results."""
    items = stored.items("worst", document)
    cut_off = {(t.item_id, t.iteration) for t in stored.calls
               if t.truncated and t.phase == "generate"}  # fmt: skip
    state = stored.journal.state_of(stored.record)
    of_document = [*sections(document, ()), *steadiness_tables(stored)]
    return SiteRun(
        stored,
        document,
        items,
        frozenset(cut_off),
        of_document,
        sections,
        state,
        addresses=stored.addresses,
    )


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


class Submission(NamedTuple):
    """What is known of a run that somebody submitted.

    Attributes:
        verified: What of it was verified, by what, when, in words.
        weights, prompt_format: As the submitter gives them.
    """

    verified: str
    weights: str | None = None
    prompt_format: str | None = None


class Submissions(NamedTuple):
    """What a site of submissions says of them; of a journal of one's own there is nothing to say.

    Attributes:
        folder: Where they are.
        runs: By id.
        absent: Files that are on no board, and why.
        limits: What nobody can exclude.
    """

    folder: Path | None = None
    runs: Mapping[str, Submission] = {}
    absent: Sequence[Absent] = ()
    limits: Sequence[str] = ()


NO_SUBMISSIONS = Submissions()


class SiteBoard(NamedTuple):
    """A board.

    Attributes:
        key: Its name in addresses.
        document: As `bench leaderboard --json`.
        runs: Of its models, those with a result, by the model's name.
        history: The ratings after each model that joined.
        without_kin: The document without a panel's judges that are kin of a model, if it can be.
        public: What judges are called without their hosts, by label.
        adjusting: What its controls are and work on, if it has any.
        submissions: What is known of those of its runs that were submitted.
    """

    key: Address
    board: Leaderboard
    document: LeaderboardDocument
    runs: Mapping[str, SiteRun]
    history: Sequence[RatedStep] = ()
    without_kin: LeaderboardDocument | None = None
    public: Mapping[str, str] = {}
    adjusting: Adjusting | None = None
    submissions: Submissions = NO_SUBMISSIONS

    @property
    def title(self) -> str:
        """What it is called: its benchmark, with options that are not as usual."""
        return " ".join([self.board.benchmark.name, *self.board.board.protocol_words])


class Gathered(NamedTuple):
    """All that a site shows: boards, what could not be shown and why, runs, pages of plugins.

    Of each benchmark the board that is meant where nothing more is named stands first.
    """

    boards: Sequence[SiteBoard]
    absent: Sequence[Absent]
    runs: Sequence[RunRecord]
    pages: Sequence[BuiltPage] = ()
    selection: SiteSelection = EVERYTHING


def gather(
    journal: Journal,
    catalogue: Catalogue,
    sections: Sections,
    selection: SiteSelection = EVERYTHING,
    submissions: Submissions = NO_SUBMISSIONS,
) -> Gathered:
    """Read all boards of a journal; one that cannot be read is named with the reason."""
    runs, boards, absent = journal.runs(), list[SiteBoard](), [*submissions.absent]
    runs = [run for run in runs if selection.takes(run)]
    for name in dict.fromkeys(run.benchmark for run in runs):
        reader = _boards_of(journal, catalogue, name, selection)
        if reader is None:
            absent.append(Absent(name, "its plugin is not installed"))
            continue
        for board in boards_by_worth(reader):
            try:
                boards.append(_read_board(reader, board, sections))
            except BenchError as error:
                absent.append(Absent(f"{name}, {board.options}", str(error)))
    results = {run.run.run_id: run.document for board in boards for run in board.runs.values()}
    others = (StoredRun(journal, run) for run in runs if run.run_id not in results)
    absent += [_not_shown(run, boards) for run in others]
    failed: list[str] = []
    pages = list(pages_of(list(results.values()), catalogue, failed.append))
    absent += [Absent("a page of a plugin", message) for message in failed]
    boards = [board._replace(submissions=submissions) for board in boards if board.document["rows"]]
    return Gathered(boards, absent, runs, pages, selection)


def gather_run(
    stored: StoredRun, sections: Sections, tell: Callable[[str], object]
) -> tuple[SiteRun, SiteBoard | None]:
    """A run by the grader of its own result, and the board that counts it so, if there is one.

    Why a board of it cannot be read is told.

    Raises:
        UsageError: The run has no result.
    """
    run = read_run(stored, stored.result(), sections)
    reader = _boards_of(stored.journal, stored.catalogue, stored.benchmark)
    for board in reader.with_runs([stored.record]) if reader else ():
        if reader is None or board.judge != judge_in(run.document):
            continue
        try:
            site_board = _read_board(reader, board, sections)
        except BenchError as error:
            tell(f"warning: a board of run {stored.id} is left out: {error}")
            continue
        counted = site_board.runs.get(stored.name)
        if counted is None or counted.run.run_id != stored.id:
            continue
        if counted.document["grader"] == run.document["grader"]:
            return counted, site_board
    return run, None


def _boards_of(
    journal: Journal, catalogue: Catalogue, name: str, selection: SiteSelection = EVERYTHING
) -> Boards | None:
    """The boards of a benchmark; ``None`` where it is not installed."""
    benchmark = catalogue.benchmarks.things.get(name)
    if benchmark is None:
        return None
    takes, without = selection.takes, selection.left_out
    return Boards(journal, catalogue, benchmark, takes=takes, without=without)


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
    read = read_leaderboard(boards, board=board, by_judge=True)
    without_kin, runs = _without_kin(boards, read), dict[str, SiteRun]()
    runs_left_out = (run for run in boards.journal.runs() if run.name in boards.without)
    if any(run.benchmark == read.benchmark.name and boards.takes(board, run)
           for run in runs_left_out):  # fmt: skip
        read.warnings.append(AMONG_SHOWN)
    for name, document in read.documents.items():
        stored = boards.stored(read.runs[name])
        result = _result(stored, document)
        if boards.without:
            result = _alone(result, boards.without)
        run = read_run(stored, result, sections)
        runs[name] = run._replace(main=_main(read, stored, name))
    key, shown = key_of(read.benchmark.name, board), read.as_json()
    public = {a.party.label: a.party.public.label for a in boards.journal.asked(role=JUDGE)}
    adjusting, history = adjusting_of(boards, read), rating_history(read)
    return SiteBoard(key, read, shown, runs, history, without_kin, public, adjusting)


def _without_kin(boards: Boards, read: Leaderboard) -> LeaderboardDocument | None:
    """A panel's without judges that are kin; where that cannot be, its warnings say why."""
    if not isinstance(read.board.judge, Panel) or read.kin:
        return None
    try:
        leaderboard = read_leaderboard(boards, board=read.board, exclude_kin=True)
    except UsageError as error:
        read.warnings.append(f"no view without kin: {error}")
        return None
    return leaderboard.as_json() if leaderboard.kin else None


def _result(stored: StoredRun, document: ResultDocument) -> ResultDocument:
    """The run's own result where that says the same as its board's, which no command ended with."""
    result = stored.document
    if result and all(
        result.get(part) == document.get(part) for part in ("grader", "metrics", "items")
    ):
        return result
    return document


AMONG_SHOWN = (
    "not all models are shown: ratings, ranks and ties are reckoned among those that are, as if no "
    "other had ever been run"
)


def _alone(document: ResultDocument, names: Collection[str]) -> ResultDocument:
    """A result without what it says of other models, when some must not be named.

    Their ratings and comparisons are those of the day; its board has those of today.
    """
    naming = [*map(whole_name, names)]
    warnings = [w for w in document["warnings"] if not any(p.search(w) for p in naming)]
    alone: Facts = {"ratings": [], "comparisons": {}, "conclusions": [], "warnings": warnings}
    return cast("ResultDocument", {**document, **alone})


def _main(read: Leaderboard, stored: StoredRun, name: str) -> Mapping[Key, float]:
    """What samples add to the metric that ranks, by the board's grader."""
    if read.standing and read.standing.rated:
        return {}
    if read.equal_families is not None and why_no_interval(read.equal_families):
        return {}
    samples = samples_of(stored, read, name)
    return samples[1] if samples else {}


def key_of(benchmark: str, board: Board) -> Address:
    """The name of a board in addresses: what it is of in words, then a digest of all of it."""
    parts = [benchmark, board.pack_name, board.public_judge]
    parts += [f"{role}-{player}" for role, player in board.public_roles.items()]
    parts += [word.removeprefix("--") for word in board.protocol_words]
    judge = board.judge and board.judge.as_json()
    roles = [(role, player.as_json()) for role, player in board.roles]
    whole: list[object] = [benchmark, board.pack_sha256, judge, roles]
    whole += [board.protocol] if board.protocol else []
    whole += [] if board.as_meant else [board.judge_name, board.role_names]
    return Address(f"{readable('-'.join(filter(None, parts)))}-{digest(whole)[:6]}")


def places_of(journal: Journal, folder: Path | None = None) -> set[str]:
    """What no page need name: hosts and endpoints that were asked, and folders.

    These are the one of runs, or that of submissions, and the cache of packs.
    """
    asked = journal.asked()
    urls = {url for one in asked for url in one.addresses}
    hosts = {*map(host_of, urls), *map(endpoint_at, urls)} - {LOCAL}
    named = {f"at {one.party.endpoint}" for one in asked if one.party.endpoint not in (None, LOCAL)}
    folders = ((folder or journal.folder).resolve(), cache_folder())
    return {*map(str, folders), *hosts, *named}
