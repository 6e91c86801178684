"""What samples add to the metric that a board ranks by: of two models at a time, for plans."""

from collections.abc import Mapping
from itertools import combinations
from math import ceil, inf
from random import Random
from typing import NamedTuple

from ..benchmark import Benchmark, Pack
from ..errors import UsageError
from ..reports.comparability import is_partial
from ..reports.graded import Key
from ..reports.pairing import common_terms, main_values
from ..reports.ratings import tier
from ..reports.statements import sample_cost
from ..settings.run_config import RunConfig
from .adjusting import graded_on
from .boards import Boards, board_of, graded_by
from .leaderboard import Leaderboard
from .run_selection import NAMESAKES
from .which_board import boards_beside

Values = Mapping[Key, float]
_EVERY_PAIR = 10
"""Of more models not every pair is looked at."""
_NEWEST = 5
"""How many models the plan of a run is made by."""


class BoardSamples(NamedTuple):
    """Models beside each other, with what each of their samples adds to the metric that ranks.

    Attributes:
        metric: That metric's name.
        values: Of each model by sample, on the scale of the metric.
        title: Which board it is: pack, judge, players of roles, and options that are not as usual.
        label: What the metric is called.
        higher_is_better: Which end of it is better; ``None`` where neither is.
        ends: The smallest and the largest that it can be, as far as that is declared.
        costs: Of each model what a sample cost in dollars; ``None`` where that is not known.
        demo: Whether they are demo models.
        notes: Lines about models of the board that are left out, and about boards that could have
            been meant too.
    """

    benchmark: Benchmark
    pack: Pack
    metric: str
    values: Mapping[str, Values]
    title: str = ""
    label: str = ""
    higher_is_better: bool | None = True
    ends: tuple[float, float] = (-inf, inf)
    costs: Mapping[str, float | None] = {}
    demo: bool = False
    notes: tuple[str, ...] = ()

    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of models; of more than ten some, in which each model is equally often."""
        models = list(self.values)
        if (n := len(models)) <= _EVERY_PAIR:
            return list(combinations(models, 2))
        Random(0).shuffle(models)
        steps = range(1, ceil(_EVERY_PAIR * (_EVERY_PAIR - 1) / 2 / n) + 1)
        return [(models[i], models[(i + step) % n]) for step in steps for i in range(n)]

    def terms(self, a: str, b: str) -> tuple[Values, Values]:
        """What each of two models' samples adds to the metric, of those that both have."""
        both = self.values[a], self.values[b]
        return common_terms(self.benchmark, self.pack, self.metric, *both)

    def smallest_differences(
        self, items: int | None = None, iterations: int | None = None
    ) -> list[float | None]:
        """Of each of `pairs` what `statistics.settling.smallest_difference` says."""
        from ..statistics.settling import smallest_difference

        clusters = self.pack.clusters
        return [
            smallest_difference(*self.terms(*pair), clusters, items=items, iterations=iterations)
            for pair in self.pairs()
        ]


def board_samples(boards: Boards, read: Leaderboard) -> BoardSamples:
    """Those of a board's models that are whole, by the board's grader; of all where two are not.

    Raises:
        UsageError: The metric is no mean over samples.
    """
    metric = read.as_json()["metric"]
    if read.documents and not any(read.scores.values()):
        raise UsageError(
            f"{metric['label']} of {read.benchmark.name} is no mean over samples: nothing is known "
            "of what items add to it"
        )
    rows = {row["model"]: row for row in read.rows() if row["status"] == "complete"}
    known = [name for name in rows if read.scores.get(name) is not None]
    whole = [name for name in known if not tier(rows[name])]
    models = whole if len(whole) > 1 else known
    graded = {name: graded_on(boards.stored(read.runs[name]), read, name) for name in models}
    others = ", ".join(
        f"{row['model']} (partial)" if row["partial"] else f"{row['model']} ({row['status']})"
        for row in read.rows()
        if row["model"] not in models
    )
    benchmark, pack = read.benchmark, read.pack
    left_out = others and f"left out: {others}"
    namesakes = [warning for warning in read.warnings if NAMESAKES in warning]
    value = next((one for one in benchmark.values if one.name == read.metric), None)
    times = benchmark.value_scales.get(read.metric, 1.0)
    low, high = value.ends if value else (-inf, inf)
    return BoardSamples(
        benchmark,
        pack,
        read.metric,
        {name: main_values(benchmark, pack, of) for name, of in graded.items() if of},
        read.board.in_words,
        metric["label"],
        metric["higher_is_better"],
        (times * low, times * high),
        {name: sample_cost(read.documents[name]) for name in models},
        read.demo,
        tuple(filter(None, (left_out, *namesakes, boards_beside(read.others)))),
    )


def newest_samples(boards: Boards, config: RunConfig, pack: Pack) -> BoardSamples:
    """Those of the newest models with a whole run on the board that a configuration is for."""
    benchmark, board = boards.benchmark, board_of(config, pack)
    values, metric = dict[str, Values](), benchmark.ranked_by
    for run in reversed(boards.runs):
        if len(values) == _NEWEST:
            break
        if run.name in values or not boards.takes(board, run):
            continue
        stored = boards.stored(run)
        document = stored.document
        if document is None or document["status"] != "complete" or is_partial(document):
            continue
        by = next((g for g in stored.graders() if g.digest == document["grader"]), None)
        if by and board.kind[:2] == (by.judge, graded_by(benchmark, by.options)):
            values[run.name] = main_values(benchmark, pack, stored.graded(by, pack.clusters))
            metric = metric or next(iter(document["metrics"]))
    return BoardSamples(benchmark, pack, metric, values)
