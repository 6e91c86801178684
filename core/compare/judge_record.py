"""What the journal holds of a judge: its comparisons, and what its replies were like."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..benchmark import Benchmark
from ..errors import UsageError
from ..journal import Journal
from ..parties.panels import Judge
from ..plugins import Catalogue
from ..ratings.auditing.asking import RE_ASKED, REPAIRED, Asking, Verdicts, read_asking
from ..ratings.comparisons import Comparisons
from ..reports.hints import bench
from ..reports.judges import JudgesDocument
from ..types import JsonObject
from ..types.result_document import RatingRow, ResultDocument
from .board import Board
from .comparison_pool import as_comparisons
from .leaderboard import BoardChoice, read_leaderboard
from .rating_summary import replies_of, settings_of
from .which_board import OtherBoard


class JudgeRecord(NamedTuple):
    """One judge on one pack.

    Attributes:
        board: Which pack and judge.
        comparisons: Those that were read, with each criterion's margin.
        asking: What its replies were like, also those that could not be read.
        ratings: The board's, made of them.
        demo: Whether a demo model is among those compared.
        robustness: How the board's ranking hangs on who judges.
        others: The boards that could have been meant too.
    """

    board: Board
    comparisons: Comparisons
    asking: Asking
    ratings: Sequence[RatingRow]
    demo: bool
    robustness: Sequence[JudgesDocument] = ()
    others: Sequence[OtherBoard] = ()


def read_judge(
    journal: Journal,
    catalogue: Catalogue,
    benchmark: Benchmark,
    *,
    dataset: str | None = None,
    judge: Judge | str | None = None,
    mixed: bool = False,
    without: Collection[str] = (),
    models: Collection[str] = (),
    roles: Mapping[str, str] | None = None,
    protocol: JsonObject | None = None,
) -> JudgeRecord:
    """What a judge said about the newest run of each model.

    Args:
        journal: Holds the runs.
        catalogue: Knows all benchmarks.
        benchmark: Whose transcripts were compared.
        dataset: A pack's name, or the beginning of its SHA-256, where there are several.
        judge: A judge or what it goes by, likewise.
        mixed: Let demo and real models stand beside each other.
        without: Names of models that are left out.
        models: The only ones that are not; all where none is named.
        roles: Who plays roles, by role, where runs differ in it.
        protocol: Values of the benchmark's options that keep boards apart, likewise.

    Raises:
        UsageError: There is no such board, or no comparison that was read.
    """
    chosen: BoardChoice = {"dataset": dataset, "judge": judge, "mixed": mixed}
    chosen |= {"without": without, "models": models, "roles": roles, "protocol": protocol or {}}
    found = read_leaderboard(journal, catalogue, benchmark, **chosen)
    rows = found.compared or []
    given = as_comparisons(rows)
    if not given:
        raise UsageError(
            f"no comparisons of {benchmark.name} on {found.board.options} that could be read; "
            f"{bench('run', benchmark.name)} on two models makes some"
        )
    asking = read_asking(replies_of(rows), _verdicts(found.documents.values()))
    ratings = found.standing.ratings if found.standing else []
    weights = settings_of(benchmark, found.pack).item_weights
    weighed = [row._replace(weight=weights.get(row.item, 1.0)) for row in given]
    read = Comparisons.of(weighed, by_criterion=True)
    about = (found.board, read, asking, ratings, found.demo)
    return JudgeRecord(*about, found.robustness, found.others)


def _verdicts(documents: Iterable[ResultDocument]) -> Verdicts:
    """How the rubric's replies were read, over the results of all models."""
    documents = list(documents)
    flags = Counter[str]()
    for document in documents:
        flags.update(document["flags"])
    reasons = Counter(entry["reason"] for document in documents for entry in document["unscored"])
    scored = sum(document["items"]["scored"] for document in documents)
    return Verdicts(
        total=scored + reasons.total(),
        unscored=reasons.total(),
        re_asked=sum(flags[flag] for flag in RE_ASKED),
        repaired=flags[REPAIRED],
        reasons=dict(reasons.most_common()),
    )
