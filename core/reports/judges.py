"""How far the ranking of a benchmark's models hangs on who judges them.

Of each model one run counts, and of it the samples that all judges could read; or, where models
were compared, their ratings by each judge alone. `judge_words` says in sentences what is found.
"""

from collections.abc import Collection, Mapping, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple

from .. import statistics
from ..benchmark import Benchmark
from ..clients.families import are_kin, family
from ..errors import UsageError
from ..journal import RunRecord
from ..parties.graders import is_meant
from ..parties.party import Party, is_imported
from ..statistics.estimate import Estimate
from ..text import plural
from ..types import SampleScore
from ..types.result_document import ConclusionRow, RatingRow
from .judge_words import ASSUMING, words_of
from .robustness import Key, VerdictTable, verdicts_of
from .suggestions import bench, judge_words

if TYPE_CHECKING:
    from ..statistics.judges import JudgeStudy
    from ..statistics.kin import Scales

LEAST_MODELS = 8
"""Fewer tell little of judges."""


class JudgedModel(NamedTuple):
    """A model's run as several judges graded it: by judge, its samples that could be read.

    `addresses` are where its journal's parties were asked last.
    """

    run: RunRecord
    by_judge: Mapping[Party, Mapping[Key, SampleScore]]
    addresses: Mapping[Party, str] = {}


class JudgedTable(NamedTuple):
    """What judges give models: a row of `means` for each run, and the votes they are worth.

    `scales` is how widely each judge spreads its values, by items; ``None``: estimated from models.
    """

    benchmark: str
    dataset: str
    value: str
    judges: Sequence[Party]
    runs: Mapping[str, RunRecord]
    means: Sequence[Sequence[float]]
    votes: Estimate
    warnings: Sequence[str]
    scales: "Scales | None" = None


class JudgeAmongOthers(NamedTuple):
    """A judge among others; `scale` is how widely its values spread, 1 being the mean of all."""

    judge: str
    family: str
    own_models: int
    pooled: Estimate
    liking_for_kin: Estimate
    without_rho: float | None
    without_moved: float
    without_leader: bool
    scale: float | None = None


class PairRow(NamedTuple):
    """How two judges order the models."""

    first: str
    second: str
    rho: Estimate


class ModelRow(NamedTuple):
    """A model as the judges see it."""

    model: str
    run_id: str
    means: Mapping[str, float]
    spread: float
    rank: float
    rank_without_kin: float | None


class JudgesDocument(NamedTuple):
    """The document of `bench judges`, which is a part of others."""

    benchmark: str
    dataset: str
    value: str
    conclusions: Sequence[ConclusionRow]
    icc: Estimate
    votes: Estimate
    judges: Sequence[JudgeAmongOthers]
    pairs: Sequence[PairRow]
    models: Sequence[ModelRow]
    warnings: Sequence[str]

    @property
    def assuming(self) -> str:
        """What a liking for kin is estimated by, in words."""
        return ASSUMING

    @property
    def spread_of_models(self) -> float:
        """The standard deviation of what all judges together give models."""
        means = [fmean(row.means.values()) for row in self.models]
        return stdev(means) if len(means) > 1 else 0.0


def study(
    benchmark: Benchmark, models: Sequence[JudgedModel], named: Collection[Party | str] = ()
) -> JudgesDocument:
    """How the judges, all where none is named, compare on the models that all of them graded.

    Raises:
        UsageError: Fewer than two judges, no grades by a named one, no value that a judge gave,
            or no sample that all could read.
    """
    judges = _chosen(models, named)
    value = _main_value(benchmark, models)
    each = {m.run.name: verdicts_of(m.by_judge, judges, value) for m in models}
    of_models = {name: verdicts for name, verdicts in each.items() if verdicts.rows}
    lacking = [m for m in models if m.run.name not in of_models]
    if not of_models:
        raise UsageError(
            f"no model has samples that all of {', '.join(map(str, judges))} could read"
        )
    first, pack = models[0].run, f"{models[0].run.pack_name} ({models[0].run.pack_sha256[:12]})"
    runs = {m.run.name: m.run for m in models if m.run.name in of_models}
    means = [[fmean(column) for column in zip(*of_models[n].rows, strict=True)] for n in runs]
    warnings = _warnings(judges, lacking, len(of_models))
    votes, scales = _votes_and_scales([of_models[name] for name in runs])
    return document_of(
        JudgedTable(first.benchmark, pack, value, judges, runs, means, votes, warnings, scales)
    )


def study_ratings(
    runs: Mapping[str, RunRecord], ratings: Mapping[Party, Sequence[RatingRow]]
) -> JudgesDocument | None:
    """How the judges of a panel compare by the ratings of each; ``None`` where there are none."""
    by_judge = [{row["model"]: row["rating"] for row in rows} for rows in ratings.values()]
    names = [
        name for name in runs if all(name in ratings_of_judge for ratings_of_judge in by_judge)
    ]
    if len(by_judge) < 2 or not names:
        return None
    first = runs[names[0]]
    pack = f"{first.pack_name} ({first.pack_sha256[:12]})"
    votes = Estimate(None, None, "not estimated of ratings")
    named = {name: runs[name] for name in names}
    means = [[ratings_of_judge[name] for ratings_of_judge in by_judge] for name in names]
    warnings = _few(len(names))
    table = JudgedTable(
        first.benchmark, pack, "rating", list(ratings), named, means, votes, warnings
    )
    return document_of(table)


def document_of(table: JudgedTable) -> JudgesDocument:
    """The document, with what it says in words."""
    specs = [judge.spec for judge in table.judges]
    judges = list(map(str, table.judges))
    families = [family(spec) or spec.name for spec in specs]
    models = [run.party.spec for run in table.runs.values()]
    kin = [[are_kin(model, judge) for judge in specs] for model in models]
    scales = table.scales or statistics.kin.scales_from_models(table.means, kin)
    study_of_judges = statistics.judges.study_judges(table.means, kin, scales)
    rows = [
        ModelRow(
            name,
            run.run_id,
            dict(zip(judges, table.means[n], strict=True)),
            float(study_of_judges.spread[n]),
            float(study_of_judges.ranks[n]),
            None
            if study_of_judges.ranks_without_kin is None
            else float(study_of_judges.ranks_without_kin[n]),
        )
        for n, (name, run) in enumerate(table.runs.items())
    ]
    document = JudgesDocument(
        table.benchmark,
        table.dataset,
        table.value,
        (),
        study_of_judges.icc,
        table.votes,
        _judge_rows(judges, families, kin, study_of_judges, scales),
        [
            PairRow(judges[a], judges[b], rho.estimate(_FEW_OR_ALIKE))
            for (a, b), rho in study_of_judges.pairs.items()
        ],
        sorted(rows, key=lambda row: row.rank),
        table.warnings,
    )
    return document._replace(conclusions=words_of(document))


_FEW_OR_ALIKE = "needs 4 models that are not in the same order for all"


def _votes_and_scales(by_model: Sequence[VerdictTable]) -> "tuple[Estimate, Scales | None]":
    """How many votes the judges are worth on the transcripts of all models, and their scales."""
    import numpy as np

    table = np.asarray([row for model in by_model for row in model.rows])
    models = np.repeat(np.arange(len(by_model)), [len(model.rows) for model in by_model])
    items = np.asarray([item_id for model in by_model for item_id, _ in model.keys])
    clusters = np.asarray([cluster for model in by_model for cluster in model.clusters])
    quality = statistics.votes.quality_elsewhere(table.mean(axis=1), models, items)
    votes = statistics.votes.effective_votes(table, clusters, quality)
    return votes, statistics.kin.scales_from_items(table, models, items, clusters)


def _chosen(models: Sequence[JudgedModel], named: Collection[Party | str]) -> list[Party]:
    """The judges that count."""
    judges = sorted({judge for model in models for judge in model.by_judge})
    chosen = [j for j in judges if not named or any(is_meant(j, name) for name in named)]
    listed = ", ".join(map(str, judges)) or "none"
    for name in named:
        if not any(is_meant(judge, name) for judge in judges):
            raise UsageError(f"no run has grades by {name}; there are: {listed}")
    if len(chosen) < 2:
        todo = bench("rejudge", models[0].run.run_id, "--judge", "SPEC")
        raise UsageError(f"needs two judges of the same runs; there are: {listed}; {todo} adds one")
    return chosen


def _main_value(benchmark: Benchmark, models: Sequence[JudgedModel]) -> str:
    """The first value that a judge gives."""
    scores = (s for m in models for by_sample in m.by_judge.values() for s in by_sample.values())
    names = (name for s in scores for name in s.score.values if name not in benchmark.not_judged)
    if (value := next(names, None)) is None:
        raise UsageError(f"no sample of {benchmark.name} has a value that a judge gave")
    return value


def _judge_rows(
    judges: Sequence[str],
    families: Sequence[str],
    kin: Sequence[Sequence[bool]],
    study_of_judges: "JudgeStudy",
    scales: "Scales | None",
) -> list[JudgeAmongOthers]:
    return [
        JudgeAmongOthers(
            judge,
            families[n],
            sum(row[n] for row in kin),
            study_of_judges.pooled[n].estimate(_FEW_OR_ALIKE),
            study_of_judges.kin[n],
            study_of_judges.without[n].rho,
            study_of_judges.without[n].moved,
            study_of_judges.without[n].leader,
            None if scales is None else float(scales.values[n]),
        )
        for n, judge in enumerate(judges)
    ]


def _warnings(judges: Sequence[Party], lacking: Sequence[JudgedModel], n_models: int) -> list[str]:
    """Which models are left out and how to have them, and that few models tell little."""
    warnings = []
    for model in lacking:
        absent = [judge for judge in judges if judge not in model.by_judge]
        able = next((judge for judge in absent if not is_imported(judge.short)), None)
        words = judge_words(able, model.addresses)
        todo = bench("rejudge", model.run.run_id, *words) if able else ""
        why = (
            f"not graded by {', '.join(map(str, absent))}"
            if absent
            else "no sample that all could read"
        )
        warnings.append(
            f"{model.run.name} is left out: {why}" + (f"; {todo} adds it" if todo else "")
        )
    return warnings + _few(n_models)


def _few(models: int) -> list[str]:
    tells = "tells" if models == 1 else "tell"
    message = f"{plural(models, 'model')} {tells} little of judges; eight or more are wanted"
    return [message] if models < LEAST_MODELS else []
