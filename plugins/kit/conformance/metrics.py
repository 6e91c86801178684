"""Checks of what becomes of scores: metrics, baselines, and the order of demo models."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose
from random import Random

from eibench import Derived, Item, Metric, SampleScore, Score, Summary
from eibench.checking import Finding, NotChecked, Subject, spread

from .checks import check
from .requests import option_values

_ITEMS = 30
_ABILITIES = (1.0, 0.3)
_CHANCE = ("chance", "random")
_ERRORS = 3.0
"""Standard errors that random answers may be away from the baseline that says what they get."""


@check("K10", "let summarise depend on the scores alone, in any order of them, and change nothing")
def sums_up_purely(subject: Subject) -> Iterator[Finding]:
    """The same metrics again, of shuffled scores and of stored ones; none, one and zeros do."""
    traces = subject.traces(_some(subject), subject.some_words())
    rows = [trace.sample for trace in traces]
    before = repr(rows)
    first = _summary(subject, rows)
    for what, again in (
        ("the second time", rows),
        ("of the same scores in another order", Random(1).sample(rows, len(rows))),
        ("of the same scores after they were stored as JSON", list(map(_stored, rows))),
    ):
        if difference := _difference(first, _summary(subject, again)):
            yield subject.finding("summarise", f"returned {difference} {what}")
    pack, options = subject.default_pack, subject.options
    subject.called("main_values", subject.plugin.main_values, pack, rows, options)
    if repr(rows) != before:
        yield subject.finding("summarise", "or main_values changed the scores that it was handed")
    unscored = [row._replace(score=Score.unscored("nothing came")) for row in rows]
    for what, some in (("no score", []), ("unscored samples alone", unscored)):
        values = [m.value for m in _summary(subject, some).metrics.values()]
        if any(value is not None for value in values[:1]):
            yield subject.finding("summarise", f"returned {values[0]} of {what}, not None")
    for some in (rows[:1], _constant(subject, rows, 0), _constant(subject, rows, 1)):
        for name, metric in _summary(subject, some).metrics.items():
            yield from _outside(subject, name, metric)


def _some(subject: Subject, n: int = _ITEMS) -> Sequence[Item]:
    return spread(subject.default_pack.items, n)


def _summary(subject: Subject, rows: Sequence[SampleScore]) -> Summary:
    pack, options = subject.default_pack, subject.options
    return subject.called("summarise", subject.plugin.summarise, pack, rows, options)


def _stored(row: SampleScore) -> SampleScore:
    values, detail = row.score.values, row.score.detail
    stored = json.loads(json.dumps({"values": dict(values), "detail": dict(detail)}))
    return row._replace(score=replace(row.score, **stored))


def _constant(subject: Subject, rows: Sequence[SampleScore], end: int) -> list[SampleScore]:
    """The same samples with each value at one end of its range."""
    values = subject.benchmark.values_with(subject.options)
    ends = {v.name: v.ends[end] for v in values if not isinstance(v, Derived)}
    return [
        row._replace(
            score=replace(
                row.score,
                values={n: ends.get(n, v) if abs(ends.get(n, 0)) < 1e9 else v
                        for n, v in row.score.values.items()},
            )
        )
        for row in rows
    ]  # fmt: skip


def _difference(one: Summary, other: Summary) -> str:
    """The first metric that differs, in words; empty where none does."""
    for name, metric in one.metrics.items():
        again = other.metrics.get(name, Metric(None))
        for number, numbered in zip(_numbers(metric), _numbers(again), strict=True):
            if (number is None) != (numbered is None) or not isclose(
                number or 0, numbered or 0, rel_tol=1e-9, abs_tol=1e-12
            ):
                return f"{name} {_numbers(again)}, which was {_numbers(metric)},"
    return ""


def _numbers(metric: Metric) -> tuple[float | None, ...]:
    return (metric.value, *(metric.ci95 or (None, None)))


def _outside(subject: Subject, name: str, metric: Metric) -> Iterator[Finding]:
    if metric.value is None or metric.ci95 is None:
        return
    low, high = metric.ci95
    if not low - 1e-9 <= metric.value <= high + 1e-9:
        message = f"returned {name} {metric.value:g}, outside of its interval {low:g} to {high:g}"
        yield subject.finding("summarise", message)


def _ranked(subject: Subject, summary: Summary) -> Metric:
    """The metric that ranks."""
    name = subject.benchmark.ranked_by or next(iter(summary.metrics))
    return summary.metrics[name]


@check(
    "K11", "have demo_reply use its ability, and demo_verdict read the text that the prompt shows"
)
def demo_models_are_in_order(subject: Subject) -> Iterator[Finding]:
    """A demo model of ability 1 is better than one of 0, and not everything is zero."""
    metrics = []
    for ability in (1.0, 0.0):
        traces = subject.traces(_some(subject), subject.demo(ability))
        metrics.append(_ranked(subject, _summary(subject, [trace.sample for trace in traces])))
    best, worst = (metric.value for metric in metrics)
    if best is None:
        yield subject.finding("demo_reply", "of ability 1 has no score")
        return
    if best == 0 and not worst:
        method = "demo_verdict" if subject.benchmark.judged else "demo_reply"
        yield subject.finding(method, "makes every score zero")
        return
    sign = -1 if metrics[0].higher_is_better is False else 1
    if worst is not None and sign * best <= sign * worst:
        message = f"of ability 1 gets {best:g}, and of ability 0 {worst:g}"
        yield subject.finding("demo_reply", message)


@check("K18", "give only the values and the metrics that there are with the options at hand")
def nothing_is_always_empty(subject: Subject) -> Iterator[Finding]:
    """Each value has a number for some sample, and each metric but the main one, with any option.

    A metric that has none with any of them wants data that this pack does not hold.
    """
    empty: dict[str, str] = {}
    full = set[str]()
    for suffix, options in (("", subject.options), *_by_option(subject)):
        other = replace(subject)
        try:
            pack = other.pack(options)
        except NotChecked:
            continue
        rows = [
            trace.sample
            for ability in _ABILITIES
            for trace in other.traces(_of_each_kind(pack.items), other.demo(ability), options)
        ]
        for value in subject.benchmark.values_with(options):
            if isinstance(value, Derived):
                continue
            if not any(value.in_score(row.score) is not None for row in rows):
                yield subject.finding("grade", f"never gives the value {value.name!r}{suffix}")
                return
        summary = other.called("summarise", other.plugin.summarise, pack, rows, options)
        _, *others = summary.metrics.items()
        full |= {name for name, metric in others if metric.value is not None}
        empty |= {name: suffix for name, metric in others if metric.value is None}
    for name in sorted(full & empty.keys()):
        message = f"returned metric {name!r} without a number{empty[name]}"
        yield subject.finding("summarise", message)


def _of_each_kind(items: Sequence[Item]) -> Sequence[Item]:
    """A few items, at least one with each tag."""
    chosen = {item.id: item for item in spread(items)}
    tagged = {pair: item for item in items for pair in item.tags.items()}
    return list({**chosen, **{item.id: item for item in tagged.values()}}.values())


def _by_option(subject: Subject) -> Iterator[tuple[str, dict[str, object]]]:
    for option, value, options in option_values(subject):
        yield f" with {option.name}={value!r}", options


@check(
    "K19", "compute the baseline from the pack, or have demo_reply of ability 0 answer at random"
)
def chance_is_chance(subject: Subject) -> Iterator[Finding]:
    """Random answers are within 3 standard errors of the baseline that says what they get."""
    pack, options = subject.default_pack, subject.options
    baselines = subject.called("baselines", subject.plugin.baselines, pack, options)
    named = {n: b for n, b in baselines.items() if any(w in f"{n} {b.label}" for w in _CHANCE)}
    if not named:
        raise NotChecked("it has no baseline that is called random or chance")
    traces = subject.traces(_some(subject, 400), subject.demo(0.0))
    metric = _ranked(subject, _summary(subject, [trace.sample for trace in traces]))
    if metric.value is None or metric.ci95 is None:
        raise NotChecked("random answers to so few items have no interval")
    error = (metric.ci95[1] - metric.ci95[0]) / (2 * 1.96)
    for name, baseline in named.items():
        if abs(baseline.value - metric.value) > _ERRORS * error:
            message = f"says {baseline.value:g} for {name!r}, and random answers get"
            message = f"{message} {metric.value:.3g} with a standard error of {error:.2g}"
            yield subject.finding("baselines", message)


@check("K24", "make tables and views of what they are handed, also where a sample has no score")
def shows_what_it_has(subject: Subject) -> Iterator[Finding]:
    """Tables and views beside results can be made, of graded samples and of others."""
    pack, plugin = subject.default_pack, subject.plugin
    subject.called("published", plugin.published, pack)
    subject.called("without_reading", plugin.without_reading, pack)
    for speakers in (subject.some_words(), subject.saying("")):
        for trace in subject.traces(subject.items[:2], speakers):
            score = trace.score or Score()
            subject.called("beside_reference", plugin.beside_reference, trace.item, score)
            for known in (score, None):
                words = (trace.item, trace.calls, known)
                subject.called("transcript_view", plugin.transcript_view, *words)
    yield from ()
