"""What people's labels say of judges, and of scores: agreement, and corrected means.

A judge's own number always stands beside the corrected one. Intervals are over families of items
and, with two people or more, over people.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench import Estimate, JsonObject
from eibench.statistics import (
    FEWEST_FAMILIES,
    Interval,
    few_families,
    icc_agreement,
    krippendorff_alpha,
    mean_disagreement,
    rank_agreement,
    student_quantile,
    why_no_interval,
)

from .drawing import Key
from .prediction_powered import PredictionPowered, prediction_powered_mean

METHOD = {
    "corrected": "prediction-powered inference (PPI++, arXiv:2311.01453) with the weight that makes"
    " the variance least, items weighted by the inverse of their drawing probability",
    "interval": "jackknife over families of items, and over people where there are two or more",
    "people": "Krippendorff's alpha, by intervals",
    "with_one_person": "mean Pearson correlation with each person alone; jackknife over families"
    " of Fisher's z",
}
"""How numbers are made."""
_FEWEST_PAIRS, _NO_PAIR = 3, "no two gave as many ratings that differ"
_NEARLY = 0.999
_MORE = 1.02
"""A frame that is larger by less is taken for the same."""
Floats = npt.NDArray[np.float64]
Unit = tuple[str, Key]
"""A run's id, or two with a blank between, and the sample."""


class Label(NamedTuple):
    """What one person gave a unit, which was drawn with a probability."""

    unit: Unit
    person: str
    rating: float
    probability: float
    is_repeat: bool = False


class JudgedRuns(NamedTuple):
    """What one judge, or panel, gave every unit that it could.

    `metrics` has the mean of a run's grades with the interval that its result gives it, by the
    run's id, where that is one of the result's numbers.
    """

    judge: str
    grades: Mapping[Unit, float]
    metrics: Mapping[str, Estimate] = {}


class SelfConsistency(NamedTuple):
    """How one person answered what was shown twice."""

    person: str
    labels: int
    repeats: int
    equal: int
    mean_change: float | None


class PeopleAgreement(NamedTuple):
    """How far people agree; `with_one_person` is the mean correlation of two of them."""

    people: int
    labels: int
    units: int
    mean: float
    alpha: Estimate
    with_one_person: Estimate
    each: Sequence[SelfConsistency]


class JudgeAgreement(NamedTuple):
    """How far a judge agrees with people.

    The first three set it beside the mean of a unit's people; `with_one_person` beside each alone;
    `less_people` is that less what two people have.
    """

    judge: str
    n: int
    spearman: Estimate
    mean_difference: Estimate
    icc: Estimate
    with_one_person: Estimate
    less_people: Estimate


class Corrected(NamedTuple):
    """A mean, or a difference, by a judge alone, by labels alone, and corrected."""

    judge: str
    what: str
    run_ids: Sequence[str]
    n: int
    n_judged: int
    correlation: float | None
    weight: float | None
    judge_alone: Estimate
    labels_alone: Estimate
    corrected: Estimate
    width_ratio: float | None
    labels_for_half: int | None
    statement: str


class Calibration(NamedTuple):
    """The document of `bench calibrate` (docs/people.md describes it)."""

    benchmark: str
    dataset: JsonObject
    label_set: str
    value: str
    demo: bool
    people: PeopleAgreement
    judges: Sequence[JudgeAgreement]
    scores: Sequence[Corrected]
    differences: Sequence[Corrected]
    conclusions: Sequence[str]
    method: Mapping[str, str]
    warnings: Sequence[str]


class _Table(NamedTuple):
    """Labels as a table: units, raters, ratings (n_units, n_raters), probabilities (n_units,)."""

    units: Sequence[Unit]
    people: Sequence[str]
    ratings: Floats
    probabilities: Floats

    @property
    def row(self) -> Mapping[Unit, int]:
        """Where a unit stands."""
        return {unit: n for n, unit in enumerate(self.units)}


def table_of(labels: Sequence[Label]) -> _Table:
    """Labels but for repeats."""
    first = [label for label in labels if not label.is_repeat]
    units = sorted({label.unit for label in first})
    people = sorted({label.person for label in first})
    row, column = ({one: n for n, one in enumerate(of)} for of in (units, people))
    ratings = np.full((len(units), len(people)), np.nan)
    probabilities = np.ones(len(units))
    for label in first:
        ratings[row[label.unit], column[label.person]] = label.rating
        probabilities[row[label.unit]] = label.probability
    return _Table(units, people, ratings, probabilities)


def calibrate(
    labels: Sequence[Label],
    judges: Sequence[JudgedRuns],
    names: Mapping[str, str],
    cluster: Callable[[Unit], str],
    *,
    benchmark: str,
    dataset: JsonObject,
    label_set: str,
    value: str,
    demo: bool,
    scale: Interval | None = None,
) -> Calibration:
    """What labels say, of judges and of runs.

    Args:
        labels: At least one.
        judges: Who graded these runs, or compared them.
        names: The name of the model of each run, or of two runs, by what units are called.
        cluster: The family of a unit's item.
        benchmark: For the document, as all that follow.
        dataset: Likewise.
        label_set: Likewise.
        value: Likewise.
        demo: Likewise.
        scale: The least and the most that a label can be, where that is known.
    """
    table = table_of(labels)
    families = [cluster(unit) for unit in table.units]
    people = _people(labels, table, families)
    agreement = [_judge(judge, table, families) for judge in judges]
    scores, differences = list[Corrected](), list[Corrected]()
    for judge in judges:
        graded = [of for of in names if any(unit[0] == of for unit in judge.grades)]
        scores += [_mean(judge, table, of, names[of], cluster, scale) for of in graded]
        runs = [of for of in graded if " " not in of]
        differences += [
            _difference(judge, table, pair, names, cluster, scale) for pair in combinations(runs, 2)
        ]
    return Calibration(
        benchmark=benchmark,
        dataset=dataset,
        label_set=label_set,
        value=value,
        demo=demo,
        people=people,
        judges=agreement,
        scores=scores,
        differences=differences,
        conclusions=[*_conclusions(people, agreement), *_worse(scores)],
        method=METHOD,
        warnings=_warnings(table, judges, families),
    )


def _people(labels: Sequence[Label], table: _Table, families: Sequence[str]) -> PeopleAgreement:
    one = Estimate(None, None, "there is one person")
    alpha = one
    if len(table.people) > 1:
        alpha = krippendorff_alpha(table.ratings, families, metric="interval")
    first = {(x.unit, x.person): x.rating for x in labels if not x.is_repeat}
    changes = defaultdict[str, list[float]](list)
    for label in labels:
        if label.is_repeat and (label.unit, label.person) in first:
            changes[label.person].append(abs(label.rating - first[label.unit, label.person]))
    each = [
        SelfConsistency(
            person,
            int((~np.isnan(table.ratings[:, n])).sum()),
            len(changes[person]),
            sum(change == 0 for change in changes[person]),
            float(np.mean(changes[person])) if changes[person] else None,
        )
        for n, person in enumerate(table.people)
    ]
    return PeopleAgreement(
        people=len(table.people),
        labels=int((~np.isnan(table.ratings)).sum()),
        units=len(table.units),
        mean=float(np.nanmean(table.ratings, axis=1).mean()),
        alpha=alpha,
        with_one_person=_mean_correlation(_between_people, table.ratings, families)
        if len(table.people) > 1
        else one,
        each=each,
    )


def _judge(judge: JudgedRuns, table: _Table, families: Sequence[str]) -> JudgeAgreement:
    kept = [n for n, unit in enumerate(table.units) if unit in judge.grades]
    ratings = table.ratings[kept]
    grades = np.array([judge.grades[table.units[n]] for n in kept])
    ids = [families[n] for n in kept]
    if not kept:
        none = Estimate(None, None, "graded nothing that people labelled")
        return JudgeAgreement(judge.judge, 0, none, none, none, none, none)
    means = np.nanmean(ratings, axis=1)
    both = np.column_stack([grades, ratings])
    return JudgeAgreement(
        judge=judge.judge,
        n=len(kept),
        spearman=rank_agreement(grades, means, ids),
        mean_difference=mean_disagreement(grades, means, ids),
        icc=icc_agreement(np.column_stack([grades, means]), ids),
        with_one_person=_mean_correlation(_with_people, both, ids),
        less_people=less_people(both, ids),
    )


def _correlations(columns: Floats) -> Floats:
    """Pearson's r of each two columns over what both have, NaN where it is undefined."""
    n = columns.shape[1]
    r = np.full((n, n), np.nan)
    for i, j in combinations(range(n), 2):
        both = columns[:, [i, j]]
        both = both[~np.isnan(both).any(axis=1)]
        if len(both) < _FEWEST_PAIRS:
            continue
        one, two = (both - both.mean(axis=0)).T
        squares = float((one**2).sum() * (two**2).sum())
        if squares > 0:
            r[i, j] = r[j, i] = float((one * two).sum()) / sqrt(squares)
    return r


def _mean_r(r: Floats) -> float:
    known = r[~np.isnan(r)]
    return float(known.mean()) if known.size else float("nan")


def _between_people(ratings: Floats) -> float:
    return _mean_r(_correlations(ratings))


def _with_people(columns: Floats) -> float:
    """Of the first column with each of the others."""
    return _mean_r(_correlations(columns)[0])


def _z(r: float) -> float:
    """Fisher's, which hardly tells apart what lies nearer to 1."""
    return float(np.arctanh(np.clip(r, -_NEARLY, _NEARLY)))


def _gaps(columns: Floats) -> Floats:
    """Of each column, its mean correlation with the others less that among these, as z."""
    r = _correlations(columns)
    rest = [np.delete(np.delete(r, n, axis=0), n, axis=1) for n in range(len(r))]
    return np.array([_z(_mean_r(r[n])) - _z(_mean_r(rest[n])) for n in range(len(r))])


def less_people(columns: Floats, families: Sequence[str]) -> Estimate:
    """What a judge has with a person less what two people have; the judge is the first column.

    The interval is that of a judge who might be one of the people: its standard error is the root
    mean square of those that each of them and the judge have in the judge's place. By its own,
    which is small where luck made it agree, a judge like people is said to agree more in 6 to 9 %
    and less in none (benchmarks/people.py).
    """
    judge, people = _with_people(columns), _between_people(columns[:, 1:])
    if people != people or judge != judge:
        return Estimate(None, None, _NO_PAIR)
    half, reason = _half_widths(_gaps, columns, families)
    if half is None:
        return Estimate(judge - people, None, reason)
    low, high = (np.tanh(_z(judge) + way * float(half)) - people for way in (-1, 1))
    return Estimate(judge - people, (float(low), float(high)))


def _mean_correlation(
    statistic: Callable[[Floats], float], rows: Floats, families: Sequence[str]
) -> Estimate:
    """A mean of correlations with its interval, both from -1 to 1."""
    value = statistic(rows)
    if value != value:
        return Estimate(None, None, _NO_PAIR)
    half, reason = _half_widths(lambda rows: np.array([_z(statistic(rows))]), rows, families)
    if half is None:
        return Estimate(value, None, reason)
    low, high = np.tanh(_z(value) - half), np.tanh(_z(value) + half)
    return Estimate(value, (float(low), float(high)))


def _half_widths(
    statistics: Callable[[Floats], Floats], rows: Floats, families: Sequence[str]
) -> tuple[float | None, str | None]:
    """Half of the interval that numbers alike have, by leaving out one family; or why none.

    By their mean square where they are several.
    """
    ids = np.asarray(families)
    each = np.unique(ids)
    if reason := why_no_interval(len(each)):
        return None, reason
    less_one = np.array([statistics(rows[ids != family]) for family in each])
    if np.isnan(less_one).any():
        return None, "it is undefined without some families"
    k = len(each)
    variances = (k - 1) / k * ((less_one - less_one.mean(axis=0)) ** 2).sum(axis=0)
    if not (error := sqrt(float(variances.mean()))):
        return None, "it is the same whichever family is left out"
    return float(student_quantile(0.975, np.array(k - 1.0))) * error, None


def _mean(
    judge: JudgedRuns,
    table: _Table,
    of: str,
    name: str,
    cluster: Callable[[Unit], str],
    scale: Interval | None,
) -> Corrected:
    """The mean of a run, or the win rate of the first of two."""
    units = sorted(unit for unit in judge.grades if unit[0] == of)
    row = table.row
    labels = np.full((len(units), len(table.people)), np.nan)
    probabilities = np.ones(len(units))
    for n, unit in enumerate(units):
        if unit in row:
            labels[n], probabilities[n] = table.ratings[row[unit]], table.probabilities[row[unit]]
    grades = [judge.grades[unit] for unit in units]
    powered = prediction_powered_mean(
        labels,
        grades,
        [cluster(unit) for unit in units],
        probabilities=probabilities,
        scale=scale,
    )
    alone = judge.metrics.get(of, powered.judge_alone)
    return _corrected(judge.judge, name, of.split(" "), powered._replace(judge_alone=alone))


def _difference(
    judge: JudgedRuns,
    table: _Table,
    pair: tuple[str, str],
    names: Mapping[str, str],
    cluster: Callable[[Unit], str],
    scale: Interval | None,
) -> Corrected:
    """Of two runs, on the samples that the judge has graded of both, person by person."""
    a, b = pair
    keys = sorted(
        {key for of, key in judge.grades if of == a} & {key for of, key in judge.grades if of == b}
    )
    row = table.row
    labels = np.full((len(keys), len(table.people)), np.nan)
    probabilities = np.ones(len(keys))
    for n, key in enumerate(keys):
        if (a, key) in row and (b, key) in row:
            labels[n] = table.ratings[row[a, key]] - table.ratings[row[b, key]]
            probabilities[n] = table.probabilities[row[a, key]]
    grades = [judge.grades[a, key] - judge.grades[b, key] for key in keys]
    powered = prediction_powered_mean(
        labels,
        grades,
        [cluster((a, key)) for key in keys],
        probabilities=probabilities,
        scale=scale and (scale[0] - scale[1], scale[1] - scale[0]),
    )
    return _corrected(judge.judge, f"{names[a]} − {names[b]}", pair, powered)


def _corrected(
    judge: str, what: str, run_ids: Sequence[str], powered: PredictionPowered
) -> Corrected:
    return Corrected(
        judge=judge,
        what=what,
        run_ids=list(run_ids),
        n=powered.n,
        n_judged=powered.n_judged,
        correlation=powered.correlation,
        weight=powered.weight,
        judge_alone=powered.judge_alone,
        labels_alone=powered.labels_alone,
        corrected=powered.mean,
        width_ratio=powered.gain,
        labels_for_half=powered.labels_needed(),
        statement=_statement(powered),
    )


def _statement(powered: PredictionPowered) -> str:
    if powered.mean.value is None:
        return str(powered.mean.reason)
    if powered.n == powered.n_judged:
        return "all are labelled: the judge has nothing to add"
    if powered.gain is None:
        return str(powered.mean.reason or "")
    if powered.correlation is None:
        return "labels or grades are all alike: how the judge goes with people is not known"
    if powered.gain >= 1:
        return "no better than without this judge"
    if powered.labels_needed() is None:
        more = "more people" if (powered.variance_raters or 0) > 0 else "more items"
        return f"labels of all items would not halve it: {more} are needed"
    return ""


def _conclusions(people: PeopleAgreement, judges: Sequence[JudgeAgreement]) -> list[str]:
    """In words, how judges stand beside people; nothing that no interval says."""
    messages = []
    for judge in judges:
        low, high = judge.less_people.ci95 or (None, None)
        if low is None or high is None:
            continue
        if high < 0:
            less = "agrees less with a person than people do with each other"
            messages.append(f"{judge.judge} {less} ({judge.less_people})")
        elif low > 0:
            more = "agrees more with a person than people do with each other"
            messages.append(f"{judge.judge} {more} ({judge.less_people})")
        else:
            tie = "no difference shown between its agreement with a person and people's own"
            messages.append(f"{judge.judge}: {tie} ({judge.less_people})")
    alpha = people.alpha.ci95
    if alpha and alpha[0] <= 0:
        message = f"people are not shown to agree beyond chance (alpha {people.alpha})"
        messages.append(f"{message}: a corrected score is a mean of opinions that differ")
    return messages


def _worse(scores: Sequence[Corrected]) -> list[str]:
    """Judges that make no interval narrower."""
    by_judge = defaultdict[str, list[Corrected]](list)
    for score in scores:
        if score.width_ratio is not None and score.correlation and score.n < score.n_judged:
            by_judge[score.judge].append(score)
    return [
        f"{judge} is no better than no judge: with it no interval is narrower than of labels alone"
        for judge, rows in by_judge.items()
        if all((row.width_ratio or 1) >= 1 for row in rows)
    ]


def _unlike_the_frame(table: _Table, judges: Sequence[JudgedRuns]) -> list[str]:
    """Where a judge has graded more than the labels were drawn to stand for."""
    stood_for = Counter[str]()
    for (of, _), probability in zip(table.units, table.probabilities.tolist(), strict=True):
        stood_for[of] += 1 / probability
    graded = Counter(of for judge in judges[:1] for of, _ in judge.grades)
    return [
        f"labels of {of} stand for {round(n)} of the {graded[of]} samples that are graded: those "
        "that nobody answered, or that came after the drawing, are taken to be like them"
        for of, n in stood_for.items()
        if graded[of] > _MORE * n
    ]


def _warnings(table: _Table, judges: Sequence[JudgedRuns], families: Sequence[str]) -> list[str]:
    messages = []
    for judge in judges:
        if lacking := sum(unit not in judge.grades for unit in table.units):
            messages.append(
                f"{lacking} of {len(table.units)} labelled transcripts have no grade by "
                f"{judge.judge}, and are left out of what is said of it"
            )
    messages += _unlike_the_frame(table, judges)
    if len(table.people) == 1:
        messages.append("one person labelled: intervals are over items alone, not over people")
    elif len(table.people) == 2:
        messages.append("two people labelled: how people differ is a rough guess from two")
    if len(set(families)) < FEWEST_FAMILIES:
        return messages + few_families(len(set(families)))
    return messages
