"""The boards of one benchmark: which there are in a journal, and the runs on each.

Results may stand beside each other that are of one pack, one judge, the same players of roles and
the same options that change what is asked or how it is graded.
"""

import shlex
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import NamedTuple

from ..benchmark import Benchmark, Pack
from ..benchmark.options import Option, option_words
from ..journal import Journal, RunRecord
from ..parties.graders import Judge
from ..parties.party import Party
from ..plugins import Catalogue
from ..reports.otherwise import JudgeDepartures, RoleDepartures, judge_name, named
from ..runs.asked_runs import AskedRuns
from ..runs.stored_run import StoredRun
from ..settings.run_config import RunConfig, stored_roles
from ..text import by_player
from ..types import Json, JsonObject

Chosen = tuple[tuple[str, Json], ...]
"""Values of options by name, where they are not the default."""


class Board(NamedTuple):
    """Whose results may stand beside each other."""

    pack_name: str
    pack_sha256: str
    judge: Judge | None
    """``None`` where no judge is asked."""
    roles: tuple[tuple[str, Party], ...] = ()
    """Who plays each role: its name, and the player."""
    asked: Chosen = ()
    """Options that change what models are sent."""
    graded: Chosen = ()
    """Options that change how a transcript is graded."""
    judge_asked: JudgeDepartures = ()
    """What its judge, or those of its panel, were asked otherwise than meant."""
    roles_asked: RoleDepartures = ()
    """Likewise of who plays roles."""

    def takes(self, run: RunRecord, benchmark: Benchmark) -> bool:
        """Whether a run is of its pack, with these roles and asked so."""
        is_alike = run.pack_sha256 == self.pack_sha256 and played_by(run) == self.roles
        return is_alike and asked_by(benchmark, run.settings.get("options", {})) == self.asked

    @property
    def as_meant(self) -> bool:
        """Whether its judges and roles were asked as they were meant to be."""
        return not (self.judge_asked or self.roles_asked)

    @property
    def judge_name(self) -> str:
        """What its judge is called, with how it was asked; empty where none is."""
        return judge_name(self.judge, self.judge_asked)

    @property
    def role_names(self) -> dict[str, str]:
        """What who plays each role is called, with how it was asked."""
        asked = dict(self.roles_asked)
        return {role: named(who.label, asked.get(role, ())) for role, who in self.roles}

    @property
    def public_roles(self) -> dict[str, str]:
        """The same without hosts."""
        return self._replace(roles=tuple((r, who.public) for r, who in self.roles)).role_names

    @property
    def kind(self) -> "BoardGrading":
        """How its runs were graded."""
        return BoardGrading(self.judge, self.graded, self.judge_asked)

    @property
    def protocol(self) -> dict[str, Json]:
        """The options that are not as usual, by name."""
        return dict(self.asked) | dict(self.graded)

    @property
    def in_words(self) -> str:
        """Its pack, judge, players of roles and options that are not as usual."""
        judge = judge_name(self.judge, self.judge_asked, self.judge.brief) if self.judge else ""
        asked = dict(self.roles_asked)
        players = {role: named(who.short, asked.get(role, ())) for role, who in self.roles}
        roles = (f"{role} {player}" for role, player in by_player(players).items())
        parts = (f"pack {self.pack_name}", judge and f"judge {judge}", *roles)
        return "; ".join(filter(None, (*parts, " ".join(self.protocol_words))))

    @property
    def options(self) -> str:
        """The options that choose it, ready to be pasted, with the pack's name beside them."""
        return f"{shlex.join(self.words)} ({self.pack_name})"

    @property
    def words(self) -> list[str]:
        """The options that choose it."""
        pack = ["--dataset", self.pack_sha256[:12]]
        return [*pack, *self.judge_words, *self.role_words, *self.protocol_words]

    @property
    def judge_words(self) -> list[str]:
        """Those of them that say who judges."""
        return ["--judge", self.judge_name] if self.judge else []

    @property
    def public_judge(self) -> str:
        """What its judge is called without hosts; empty where none is asked."""
        public = tuple((one.public, changes) for one, changes in self.judge_asked)
        return judge_name(self.judge and self.judge.public, public)

    @property
    def role_words(self) -> list[str]:
        """Those of them that say who plays roles."""
        names = self.role_names.items()
        return [part for role, who in names for part in ("--role", f"{role}={who}")]

    @property
    def protocol_words(self) -> list[str]:
        """Those of them that are the benchmark's own."""
        return [part for name, value in self.protocol.items() for part in option_words(name, value)]


def board_of(config: RunConfig, pack: Pack) -> Board:
    """The board that a run of a configuration is for, its judge and roles asked as meant."""
    source, benchmark, options = pack.source, config.benchmark, config.options
    roles = tuple((name, who.party) for name, who in sorted(config.roles.items()))
    asked, graded = asked_by(benchmark, options), graded_by(benchmark, options)
    return Board(source.name, source.sha256, config.judge, roles, asked, graded)


def played_by(run: RunRecord) -> tuple[tuple[str, Party], ...]:
    """Who plays each role of a run."""
    return tuple((name, p.party) for name, p in sorted(stored_roles(run.settings).items()))


def asked_by(benchmark: Benchmark, options: JsonObject) -> Chosen:
    """The options by which a run's model was sent something else than usual."""
    return unusual(options, _apart(benchmark, "in_requests"))


def graded_by(benchmark: Benchmark, options: JsonObject) -> Chosen:
    """The options by which a grader reads otherwise than usual."""
    return unusual(options, _apart(benchmark, "in_grades"))


def _apart(benchmark: Benchmark, kind: str) -> list[Option]:
    """The options of a kind whose values never meet on one board."""
    return [o for o in benchmark.options if getattr(o, kind) and not o.may_meet]


def unusual(chosen: JsonObject, options: Sequence[Option]) -> Chosen:
    """Of these options the values that are not the default."""
    values = ((o.name, chosen.get(o.name, o.default), o.default) for o in options)
    return tuple((name, value) for name, value, usual in values if value != usual)


class GradedRun(NamedTuple):
    """A run on a board, with the number of its samples that were graded as the board's are."""

    run: RunRecord
    grades: int


class BoardGrading(NamedTuple):
    """By whom samples were graded, with which options, and how the judge was asked."""

    judge: Judge | None
    graded: Chosen
    judge_asked: JudgeDepartures


class Boards:
    """The boards that the runs of a benchmark stand on.

    Args:
        takes: Whether a run counts at all: boards are as if the others had never been made.
        without: Names of models that are left out of comparisons too.
    """

    def __init__(
        self,
        journal: Journal,
        catalogue: Catalogue,
        benchmark: Benchmark,
        *,
        takes: Callable[[RunRecord], bool] = lambda run: True,
        without: Collection[str] = (),
    ) -> None:
        self.journal, self.catalogue, self.benchmark = journal, catalogue, benchmark
        self.without, self._takes = frozenset(without), takes

    @cached_property
    def runs(self) -> list[RunRecord]:
        """All of the benchmark's that count."""
        name = self.benchmark.name
        return [run for run in self.journal.runs() if run.benchmark == name and self._takes(run)]

    @cached_property
    def asked(self) -> AskedRuns:
        """How they asked their judges and roles."""
        return AskedRuns(self.journal)

    def stored(self, run: RunRecord) -> StoredRun:
        """A run as one object."""
        return StoredRun(self.journal, run, self.catalogue)

    def takes(self, board: Board, run: RunRecord) -> bool:
        """Whether a board takes a run, whose players were asked as the board's were."""
        asked_alike = self.asked.roles(run.run_id) == board.roles_asked
        return asked_alike and board.takes(run, self.benchmark)

    def kinds(self, run: RunRecord) -> dict[BoardGrading, int]:
        """How a run was graded, and how many of its samples so."""
        kinds: dict[BoardGrading, int] = {}
        for grader, grades in self.journal.graders(run):
            judge, graded = grader.judge, graded_by(self.benchmark, grader.options)
            kind = BoardGrading(judge, graded, self.asked.judge(run.run_id, judge))
            kinds[kind] = max(kinds.get(kind, 0), grades)
        return kinds

    def with_runs(self, runs: Sequence[RunRecord] | None = None) -> dict[Board, list[GradedRun]]:
        """The boards, each once, with the runs on it in their order."""
        boards: dict[Board, list[GradedRun]] = {}
        known: dict[Board, Board] = {}  # a pack may go by several names
        for run in self.runs if runs is None else runs:
            kinds = self.kinds(run)
            for kind in sorted(kinds, key=str):
                if self.benchmark.judged and kind.judge is None:
                    continue
                board = Board(
                    run.pack_name,
                    run.pack_sha256,
                    kind.judge,
                    played_by(run),
                    asked_by(self.benchmark, run.settings.get("options", {})),
                    kind.graded,
                    kind.judge_asked,
                    self.asked.roles(run.run_id),
                )
                board = known.setdefault(board._replace(pack_name=""), board)
                boards.setdefault(board, []).append(GradedRun(run, kinds[kind]))
        return boards
