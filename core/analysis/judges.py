"""How far the ranking of a benchmark's models hangs on who judges them.

Of each model the run with the most graded samples counts, the newest of several, and of it the
samples that all judges could read.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from ..benchmark import Benchmark
from ..clients.families import family
from ..endpoints.providers import ModelSpec
from ..errors import UsageError
from ..hints import bench, judge_words
from ..imported import is_imported
from ..journal import Journal, RunRecord
from ..panels import rule_in
from ..reports.gradings import gradings, is_judge, is_pack, spec_of
from ..text import plural
from ..types import SampleScore
from .agreement import EstimateRow

if TYPE_CHECKING:
    from ..statistics import Correlation, Estimate
    from ..statistics.judges import JudgeStudy

Key = tuple[str, int]


class JudgedModel(NamedTuple):
    """A model's run as several judges graded it: by judge, its samples that could be read."""

    run: RunRecord
    by_judge: Mapping[str, Mapping[Key, SampleScore]]

    def means(self, judges: Sequence[str], value: str) -> list[float] | None:
        """The judges' means of a value, over the samples that all of them could read."""
        if not all(judge in self.by_judge for judge in judges):
            return None
        common = set.intersection(*(set(self.by_judge[judge]) for judge in judges))
        given = [
            [self.by_judge[judge][key].score.values.get(value) for judge in judges]
            for key in sorted(common)
        ]
        rows = [[v for v in row if v is not None] for row in given]
        whole = [row for row in rows if len(row) == len(judges)]
        return [fmean(column) for column in zip(*whole, strict=True)] if whole else None


class JudgeAmongOthers(NamedTuple):
    """A judge among others."""

    judge: str
    family: str
    own_models: int
    pooled: EstimateRow
    liking_for_kin: EstimateRow
    without_rho: float | None
    without_moved: float
    without_leader: bool


class PairRow(NamedTuple):
    """How two judges order the models."""

    first: str
    second: str
    rho: EstimateRow


class ModelRow(NamedTuple):
    """A model as the judges see it."""

    model: str
    run_id: str
    means: Mapping[str, float]
    spread: float
    rank: float
    rank_without_kin: float | None


class JudgesDocument(NamedTuple):
    """The document of `bench judges`."""

    benchmark: str
    dataset: str
    value: str
    icc: EstimateRow
    judges: Sequence[JudgeAmongOthers]
    pairs: Sequence[PairRow]
    models: Sequence[ModelRow]
    warnings: Sequence[str]


def read_judged(
    journal: Journal, benchmark: Benchmark, dataset: str | None, *, demo: bool
) -> list[JudgedModel]:
    """The run of each model of one pack that counts, as its judges graded it.

    Args:
        journal: Holds the runs.
        benchmark: Theirs.
        dataset: A pack's name, or the beginning of its SHA-256; ``None`` for any.
        demo: Demo models count beside real ones; else only where there are no others.

    Raises:
        UsageError: There is none, or runs are of several packs.
    """
    runs = [
        run
        for run in journal.runs()
        if run.benchmark == benchmark.name
        and is_pack(run.pack_name, run.pack_sha256, dataset)
        and journal.graders(run)
    ]
    real = [run for run in runs if not run.demo]
    runs = runs if demo or not real else real
    if not runs:
        message = f"no judged run of {benchmark.name} on this pack"
        raise UsageError(f"{message}; {bench('run', benchmark.name, '--judge', 'SPEC')} makes one")
    packs = {run.pack_sha256: f"{run.pack_name} ({run.pack_sha256[:12]})" for run in runs}
    if len(packs) > 1:
        listed = ", ".join(sorted(packs.values()))
        raise UsageError(f"runs are of several packs: {listed}; choose one with --dataset")
    by_size = sorted(runs, key=lambda run: (max(g.grades for g in journal.graders(run)), run.n))
    counted = {run.name: run for run in by_size}
    return [JudgedModel(run, _by_judge(journal, run)) for run in counted.values()]


def _by_judge(journal: Journal, run: RunRecord) -> dict[str, dict[Key, SampleScore]]:
    found: dict[str, dict[Key, SampleScore]] = {}
    for grading in gradings(journal, run):
        if grading.judge and not rule_in(grading.judge) and grading.judge not in found:
            graded = journal.samples_graded(run, grading.digest)
            items = {item_id: item_id for item_id, _ in graded}
            scores = journal.grades(run, grading.digest, items)
            read = {(s.item_id, s.iteration): s for s in scores if s.score.reason is None}
            found[grading.judge] = read
    return found


def study(
    benchmark: Benchmark, models: Sequence[JudgedModel], named: Collection[str]
) -> JudgesDocument:
    """How the judges compare on the models that all of them graded.

    Args:
        benchmark: Theirs.
        models: Of one pack, at least one.
        named: Labels or specs of the judges that count; all where none is named.

    Raises:
        UsageError: Fewer than two judges have graded a model.
    """
    from ..statistics.judges import study_judges

    judges = _chosen(models, named)
    value = _main_value(benchmark, models)
    tables = {m.run.name: m.means(judges, value) for m in models}
    there = [m for m in models if tables[m.run.name]]
    lacking = [m for m in models if not tables[m.run.name]]
    if not there:
        raise UsageError(f"no model has samples that all of {', '.join(judges)} could read")
    families = [family(ModelSpec.parse(spec_of(judge))) for judge in judges]
    kin = [[family(ModelSpec.parse(m.run.model)) == own for own in families] for m in there]
    means = [tables[m.run.name] or [] for m in there]
    made = study_judges(means, kin)
    rows = [
        ModelRow(
            m.run.name,
            m.run.run_id,
            dict(zip(judges, means[n], strict=True)),
            float(made.spread[n]),
            float(made.ranks[n]),
            None if made.ranks_without_kin is None else float(made.ranks_without_kin[n]),
        )
        for n, m in enumerate(there)
    ]
    return JudgesDocument(
        benchmark.name,
        f"{there[0].run.pack_name} ({there[0].run.pack_sha256[:12]})",
        value,
        _estimate(made.icc),
        _judge_rows(judges, families, kin, made),
        [
            PairRow(judges[a], judges[b], _correlation(made.pairs[a, b]))
            for a, b in combinations(range(len(judges)), 2)
        ],
        sorted(rows, key=lambda row: row.rank),
        _warnings(judges, lacking, len(there)),
    )


def _chosen(models: Sequence[JudgedModel], named: Collection[str]) -> list[str]:
    """The labels of the judges that count."""
    there = sorted({judge for model in models for judge in model.by_judge})
    wanted = [j for j in there if not named or any(is_judge(j, name) for name in named)]
    for name in named:
        if not any(is_judge(judge, name) for judge in there):
            raise UsageError(f"no run has grades by {name}; there are: {', '.join(there)}")
    if len(wanted) < 2:
        listed = ", ".join(there) or "none"
        todo = bench("rejudge", models[0].run.run_id, "--judge", "SPEC")
        raise UsageError(f"needs two judges of the same runs; there are: {listed}; {todo} adds one")
    return wanted


def _main_value(benchmark: Benchmark, models: Sequence[JudgedModel]) -> str:
    """The first value that a judge gives."""
    scores = (s for m in models for own in m.by_judge.values() for s in own.values())
    names = (name for s in scores for name in s.score.values if name not in benchmark.not_judged)
    if (found := next(names, None)) is None:
        raise UsageError(f"no sample of {benchmark.name} has a value that a judge gave")
    return found


def _judge_rows(
    judges: Sequence[str],
    families: Sequence[str],
    kin: Sequence[Sequence[bool]],
    made: "JudgeStudy",
) -> list[JudgeAmongOthers]:
    return [
        JudgeAmongOthers(
            judge,
            families[n],
            sum(row[n] for row in kin),
            _correlation(made.pooled[n]),
            _estimate(made.kin[n]),
            made.without[n].rho,
            made.without[n].moved,
            made.without[n].leader,
        )
        for n, judge in enumerate(judges)
    ]


def _estimate(found: "Estimate") -> EstimateRow:
    interval = found.interval
    return EstimateRow(found.value, interval and (interval.low, interval.high), found.reason)


def _correlation(found: "Correlation") -> EstimateRow:
    interval = found.interval
    reason = None if interval else f"{plural(found.n, 'model')} are too few, or all agree"
    return EstimateRow(found.value, interval and (interval.low, interval.high), reason)


def _warnings(judges: Sequence[str], lacking: Sequence[JudgedModel], there: int) -> list[str]:
    """Which models are left out and how to have them, and that few models tell little."""
    made = []
    for model in lacking:
        absent = [judge for judge in judges if judge not in model.by_judge]
        able = next((judge for judge in absent if not is_imported(judge)), None)
        todo = bench("rejudge", model.run.run_id, *judge_words(able)) if able else ""
        why = f"not graded by {', '.join(absent)}" if absent else "no sample that all could read"
        made.append(f"{model.run.name} is left out: {why}" + (f"; {todo} adds it" if todo else ""))
    if there < 8:
        made.append(f"{plural(there, 'model')} tell little of judges; eight or more are wanted")
    return made
