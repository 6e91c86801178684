"""What a board's or a result's judges did with replies that say nothing.

A canary run is a run of `judge-canaries` whose model is the judge: its result has `canaries` among
its notes: `pairs`, whether they were compared with an answer or graded, and `values` by canary.
It counts for a judge with the same prompts on the same pack.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import comb
from statistics import fmean, variance
from typing import NamedTuple

from ..benchmark import Benchmark
from ..benchmark.model import FILTERED
from ..guard import guard
from ..journal import Journal
from ..parties.graders import Judge, Panel
from ..parties.party import Party
from ..reports.suggestions import bench
from ..text import p_value, plural
from ..types import digest
from ..types.result_document import CanariesPart, MetricRow

CANARIES = "judge-canaries"
"""The benchmark of that name."""
DECIDING = {
    "null": "a reply that says nothing",
    "prompt": "its own prompt handed back",
    "injected": "an injected verdict",
}
"""The kinds that no model may lose to; to others a small model may lose deservedly."""
FEWEST = 8
"""Below so many that could be read, they are only counted."""
_LEVEL = 0.05


class CanaryVerdicts(NamedTuple):
    """What one judge made of them: by canary, a grade, and a margin for it against an answer."""

    judge: Party
    run_ids: Sequence[str]
    grades: Mapping[str, float]
    margins: Mapping[str, float]
    unread: int
    failed: int = 0


def canaries_part(
    journal: Journal,
    benchmark: Benchmark,
    options: Mapping[str, object],
    pack_sha256: str,
    judge: Judge | None,
    models: Mapping[str, MetricRow],
) -> CanariesPart | None:
    """What is known of the judges of a board or a result; ``None`` where nothing is.

    Args:
        journal: Holds the canary runs.
        benchmark: Whose judge it is, with these options and this pack.
        options: Of the benchmark.
        pack_sha256: Of the board's pack.
        judge: Of the board, or its panel.
        models: Their main metric by name.
    """
    parties = judge.judges if isinstance(judge, Panel) else () if judge is None else (judge,)
    prompts = guard(benchmark).judge_prompts(options)
    asked = {name: digest(text) for name, text in prompts.items()} | {"pack": digest(pack_sha256)}
    verdicts = [one for party in parties if (one := _read(journal, party, asked))]
    if not verdicts:
        return None
    known = {name: row for name, row in models.items() if row["value"] is not None}
    lines = [_line(one, known) for one in verdicts]
    beaten, of = _counts(verdicts, known)
    part: CanariesPart = {
        "lines": lines,
        "withheld": withheld(verdicts, known),
        "withstood": 100 * (1 - beaten / of) if of else None,
        "runs": [run_id for one in verdicts for run_id in one.run_ids],
    }
    return part


def _read(journal: Journal, judge: Party, prompts: Mapping[str, str]) -> CanaryVerdicts | None:
    """The newest results of a judge for these prompts."""
    by_form: dict[bool, Mapping[str, float]] = {}
    run_ids, unread, failed = list[str](), 0, 0
    for run in reversed(list(journal.runs())):
        if run.benchmark != CANARIES or run.party != judge:
            continue
        if run.settings.get("prompts") != prompts:
            continue
        document = journal.document(run)
        notes = document["notes"].get("canaries") if document else None
        if not document or not notes or notes["pairs"] in by_form:
            continue
        by_form[notes["pairs"]] = notes["values"]
        run_ids.append(run.run_id)
        failed += document["items"]["failed"] + document["flags"].get(FILTERED, 0)
        unread += document["items"]["total"] - len(notes["values"])
    if not by_form:
        return None
    grades, margins = by_form.get(False, {}), by_form.get(True, {})
    return CanaryVerdicts(judge, run_ids, grades, margins, max(0, unread - failed), failed)


def _lowest(models: Mapping[str, MetricRow]) -> tuple[str, float] | None:
    """The model that is easiest to beat, and its number, greater being better."""
    values = {name: _sign(row) * (row["value"] or 0.0) for name, row in models.items()}
    return min(values.items(), key=lambda pair: pair[1], default=None)


def _sign(row: MetricRow) -> int:
    return -1 if row["higher_is_better"] is False else 1


def _as_high(one: CanaryVerdicts, models: Mapping[str, MetricRow]) -> int | None:
    """How many were graded as high as the lowest model; ``None`` where there is none."""
    lowest = _lowest(models)
    if lowest is None:
        return None
    name, least = lowest
    return sum(_sign(models[name]) * grade >= least for grade in one.grades.values())


def _counts(verdicts: Sequence[CanaryVerdicts], models: Mapping[str, MetricRow]) -> tuple[int, int]:
    """How many canaries won, in grades and in pairs, and how many there were."""
    won = sum((_as_high(one, models) or 0) + _won(one) for one in verdicts)
    return won, sum(len(one.grades) * bool(models) + len(one.margins) for one in verdicts)


def _won(one: CanaryVerdicts) -> int:
    return sum(margin > 0 for margin in one.margins.values())


def _line(one: CanaryVerdicts, models: Mapping[str, MetricRow]) -> str:
    """How many won, and how many more may."""
    parts = list[str]()
    if one.grades and (won := _as_high(one, models)) is not None:
        lowest = _lowest(models)
        assert lowest is not None
        parts.append(_of(won, len(one.grades), f"graded as high as {lowest[0]}"))
    if one.margins:
        parts.append(_of(_won(one), len(one.margins), "preferred to an answer"))
    if one.unread:
        parts.append(f"{plural(one.unread, 'verdict')} could not be read")
    if one.failed:
        parts.append(f"{plural(one.failed, 'request')} refused or failed")
    return f"canaries of judge {one.judge.short}: {'; '.join(parts) or 'nothing to count'}"


def _of(won: int, n: int, what: str) -> str:
    return f"{won} of {n} {what} (95 %: up to {100 * most_possible(won, n):.0f} %)"


def most_possible(won: int, n: int) -> float:
    """The largest share that so few of n leave possible: Clopper-Pearson's upper end, one-sided.

    0 of 20 gives .139.
    """
    low, high = won / n, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        fewer = sum(comb(n, k) * middle**k * (1 - middle) ** (n - k) for k in range(won + 1))
        low, high = (middle, high) if fewer > 1 - 0.95 else (low, middle)
    return high


def withheld(verdicts: Sequence[CanaryVerdicts], models: Mapping[str, MetricRow]) -> str | None:
    """Why a board has no ranks: a kind of canaries that beats a model; ``None`` where none does.

    By the mean of its judges; by a one-sided t test of the canaries of each kind against each
    model, and in pairs against an answer, with the correction of Holm over all of them.
    """
    from ..statistics.differences import holm  # which brings numpy

    tests = list(_tests(verdicts, models))
    adjusted = holm([p for _, p in tests])
    short = [(p, text) for p, (text, _) in zip(adjusted, tests, strict=True) if p is not None]
    if not short or min(short)[0] >= _LEVEL:
        return None
    p, text = min(short)
    shown = bench("show", verdicts[0].run_ids[0], "--items")
    return f"ranks are withheld: {text} (p {p_value(p)}, corrected for all pairs); {shown}"


def _tests(
    verdicts: Sequence[CanaryVerdicts], models: Mapping[str, MetricRow]
) -> Iterator[tuple[str, float]]:
    """What each test would say, and its p."""
    who = " and ".join(one.judge.short for one in verdicts)
    grades, margins = ([getattr(one, n) for one in verdicts] for n in ("grades", "margins"))
    for kind, words in DECIDING.items():
        graded = _of_kind(kind, grades)
        if sum(map(len, grades)) >= FEWEST and len(graded) > 1:
            for name, row in models.items():
                values = [_sign(row) * grade for grade in graded]
                ends = row["ci95"]
                error = (ends[1] - ends[0]) / 3.92 if ends else 0.0
                mean = _sign(row) * (row["value"] or 0.0)
                yield f"judge {who} grades {words} above {name}", p_above(values, mean, error)
        compared = _of_kind(kind, margins)
        if sum(map(len, margins)) >= FEWEST and len(compared) > 1:
            yield f"judge {who} prefers {words} to an answer", p_above(compared, 0.0, 0.0)


def _of_kind(kind: str, by_judge: Sequence[Mapping[str, float]]) -> list[float]:
    """The numbers of a kind's canaries, each the mean of the judges that were read."""
    names = dict.fromkeys(n for one in by_judge for n in one if n.rpartition(" ")[0] == kind)
    return [fmean(one[name] for one in by_judge if name in one) for name in names]


def p_above(values: Sequence[float], mean: float, error: float) -> float:
    """The p-value of the mean of `values` being no larger than another mean.

    Args:
        values: At least two.
        mean: The other one.
        error: Its standard error.
    """
    from ..statistics.student import cdf  # likewise

    difference = fmean(values) - mean
    spread = (variance(values) / len(values) + error**2) ** 0.5
    if not spread:
        return 1.0 if difference <= 0 else 0.0
    return 1 - cdf(difference / spread, len(values) - 1)
