"""Two runs of one benchmark side by side: their metrics, and the differences on what both did.

What the differences are, and how they are made, is `pairing`'s.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..benchmark.values import weighing
from ..errors import UsageError
from ..journal import RunRecord
from ..parties.party import NOT_RECORDED, is_imported
from ..statistics.few_families import (
    few_families,
    is_of_few_families,
    unequal_families,
    why_no_interval,
)
from ..types import Json, JsonObject, Metric
from ..types.result_document import DatasetRow, Facts
from .columns import Cell, FitColumn, FitTable
from .graded import GradedSamples, LackingTally, SampleTally, dataset_row
from .pairing import (
    Compared,
    ItemDifference,
    MainDifference,
    ValueDifference,
    item_differences,
    main_difference,
    metrics_of,
    other_version,
    settle_main,
    value_differences,
)
from .statements import Settle

TEST = (
    "wild bootstrap of Hall's t over families; p is that of one difference alone, p_holm adjusted "
    "over all values by Holm (1979)"
)
INTERVAL = "the differences that the test, unadjusted, does not refuse"


Both = Mapping[str, Sequence[Json]]
"""Values of A and of B by name."""


class ComparedRun(NamedTuple):
    """One of the runs, and how its samples ended."""

    run_id: str
    model: str
    name: str
    demo: bool
    status: str
    samples: SampleTally


class MetricNumbers(NamedTuple):
    """A metric of one run."""

    value: float | None
    ci95: tuple[float, float] | None
    n: int


class MetricPair(NamedTuple):
    """A metric of both runs."""

    label: str
    group: str
    over: str
    higher_is_better: bool | None
    a: MetricNumbers | None
    b: MetricNumbers | None


class CommonSamples(NamedTuple):
    """How many samples both runs have scored, or one alone."""

    both: int
    only_a: LackingTally
    only_b: LackingTally
    neither: int


class ComparisonMethod(NamedTuple):
    """How numbers were made."""

    interval: str = INTERVAL
    test: str = TEST


class RunComparison(NamedTuple):
    """The document of `bench compare` (docs/results.md describes each field)."""

    benchmark: str
    benchmark_version: str
    dataset: DatasetRow
    judge: str | None
    grade_options: Facts
    demo: bool
    a: ComparedRun
    b: ComparedRun
    differs: Both
    changed: Both
    metrics: Mapping[str, MetricPair]
    main: MainDifference | None
    settle: Settle | None
    samples: CommonSamples
    differences: Mapping[str, ValueDifference]
    items: Sequence[ItemDifference]
    method: ComparisonMethod
    warnings: Sequence[str]

    @property
    def criteria(self) -> Mapping[str, ValueDifference]:
        """The differences in values that are metrics of a group."""
        grouped = (name for name, metric in self.metrics.items() if metric.group)
        return {name: self.differences[name] for name in grouped if name in self.differences}

    @property
    def minor(self) -> frozenset[str]:
        """The warnings about what is shown anyway, and about how rough intervals are."""
        return frozenset(
            [_unlike(self.differs), *(w for w in self.warnings if is_of_few_families(w))]
        )

    @property
    def whole(self) -> bool:
        """Whether both have scored every sample that one of them would have in all."""
        return self.samples.both == max(self.a.samples.total, self.b.samples.total)


def items_table(document: RunComparison) -> FitTable:
    """The items that both have, for people."""
    rows, a, b = document.items, document.a, document.b
    columns = [
        FitColumn("item", [row.item_id for row in rows]),
        FitColumn("A", [row.a for row in rows]),
        FitColumn("B", [row.b for row in rows]),
        FitColumn("A − B", [row.difference for row in rows]),
    ]
    if any(row.n > 1 for row in rows):
        columns.append(FitColumn("samples", [str(row.n) for row in rows], 1))
    label = document.main.label if document.main else "value"
    title = f"{document.benchmark}  {label} of {a.name} (A) and {b.name} (B)"
    return FitTable(title + "  DEMO" * document.demo, columns)


def items_csv(document: RunComparison) -> list[list[Cell]]:
    """A heading, then a row an item."""
    return [list[Cell](ItemDifference._fields), *(list[Cell](row) for row in document.items)]


def compare(compared: Compared, changed: Mapping[str, Sequence[Json]] = {}) -> RunComparison:
    """Two runs side by side; `changed` is what is known to differ beside what they were sent.

    Raises:
        UsageError: They have no scored sample in common.
    """
    a, b, grader = compared.a, compared.b, compared.a.grader
    both = a.tally_with(b)
    if not both.both:
        raise UsageError(
            f"runs {a.run.run_id} and {b.run.run_id} have no scored sample in common; "
            "give one's command again with the --items or --iterations of the other"
        )
    rows, main = value_differences(compared), main_difference(compared)
    return RunComparison(
        benchmark=a.run.benchmark,
        benchmark_version=a.run.benchmark_version,
        dataset=dataset_row(compared.pack),
        judge=grader.judge.label if grader.judge else None,
        grade_options=grader.options,
        demo=a.run.demo or b.run.demo,
        a=ComparedRun(*a.facts(), a.counts()),
        b=ComparedRun(*b.facts(), b.counts()),
        differs=_differs(a, b),
        changed=changed,
        metrics=_metrics(compared),
        main=main,
        settle=settle_main(compared, main),
        samples=CommonSamples(*both),
        differences=rows,
        items=item_differences(compared),
        method=ComparisonMethod(),
        warnings=_warnings(compared, rows, main),
    )


def _metrics(compared: Compared) -> dict[str, MetricPair]:
    """Both runs' metrics over all of their own samples; none where the version is not ours."""
    if other_version(compared):
        return {}
    of_a, of_b = (metrics_of(compared, graded) for graded in (compared.a, compared.b))
    names = list(dict.fromkeys([*of_a, *of_b]))
    return {name: _metric(of_a.get(name), of_b.get(name)) for name in names}


def _metric(a: Metric | None, b: Metric | None) -> MetricPair:
    either = a or b
    assert either is not None
    same = a is None or b is None or a.label == b.label  # some labels say which pass counts
    label = either.label if same else ""
    numbers = _numbers(a), _numbers(b)
    return MetricPair(label, either.group, either.over, either.higher_is_better, *numbers)


def _numbers(metric: Metric | None) -> MetricNumbers | None:
    if metric is None:
        return None
    ci95 = metric.ci95 and (metric.ci95[0], metric.ci95[1])
    return MetricNumbers(metric.value, ci95, metric.n)


def _differs(a: GradedSamples, b: GradedSamples) -> Both:
    """What the two models were sent otherwise, beside the items themselves: A's and B's."""
    unknown = any(is_imported(graded.run.model) for graded in (a, b))
    one, two = (sent(graded.run, unknown=unknown) for graded in (a, b))
    return {k: [one.get(k), two.get(k)] for k in {**one, **two} if one.get(k) != two.get(k)}


def sent(run: RunRecord, *, unknown: bool) -> JsonObject:
    """What a model was sent beside the items.

    `unknown`: of it, or of the run it is set against, that is not recorded.
    """
    settings = run.settings
    drawn = {**settings.get("sampling", {}), "system": settings.get("system")}
    if unknown:
        drawn = {"sampling": None if is_imported(run.model) else drawn}
    return {
        **drawn,
        "prompts": settings.get("prompts") or None,
        **settings.get("options", {}),
    }


def _warnings(
    compared: Compared, rows: Mapping[str, ValueDifference], main: MainDifference | None
) -> list[str]:
    a, b = compared.a, compared.b
    each = [a, b] if a.run.run_id != b.run.run_id else [a]
    messages = [] if len(each) == 2 else ["this is one run set against itself"]
    messages += [w for g in each for w in (g.partial_warning(), g.told_kinship()) if w]
    messages += [
        f"run {g.run.run_id} ({g.run.name}) was imported: {NOT_RECORDED}"
        for g in each
        if is_imported(g.run.model)
    ]
    if differs := _differs(a, b):
        messages.append(_unlike(differs))
    if other_version(compared):
        messages.append(
            f"graded by version {a.grader.version} of {a.run.benchmark}, this is version "
            f"{compared.benchmark.version}: metrics are left out"
        )
    families = _families(rows, main)
    unequal = [] if why_no_interval(families) else unequal_families(families, _effective(compared))
    counted = _counted(compared, main.metric) if main else (0, "")
    return messages + few_families(families, *counted) + unequal


def _counted(compared: Compared, metric: str) -> tuple[int, str]:
    """How many families both have, and how they count, where a metric weighs its samples."""
    weighed = weighing(compared.pack.items, compared.benchmark.values, metric)
    common = compared.a.scores.keys() & compared.b.scores.keys()
    families = len({compared.pack.clusters[item] for item, _ in common})
    return (families, weighed.words) if weighed else (0, "")


def _effective(compared: Compared) -> float:
    """How many families of equal size would say as much as those of the samples of both."""
    common = compared.a.scores.keys() & compared.b.scores.keys()
    sizes = Counter(compared.pack.clusters[item] for item, _ in common).values()
    return sum(sizes) ** 2 / sum(size**2 for size in sizes)


def _unlike(differs: Both) -> str:
    return f"the models were not asked alike: {', '.join(differs)} differ"


def _families(rows: Mapping[str, ValueDifference], main: MainDifference | None) -> int:
    """How many the main difference stands on, or else any."""
    return main.row.families if main else max((row.families for row in rows.values()), default=0)
