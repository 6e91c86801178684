"""From verdicts to metrics: rates of PASS and WIN, overall, by task, life scenario and polarity.

A rate is a share of samples; statements are kept with all their iterations. `tasks_table` is the
section of a result that shows how the tasks did.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from eibench import (
    Item,
    JsonDict,
    Metric,
    ResultDocument,
    SampleScore,
    Score,
    Summary,
    Table,
    Value,
)

from .statements import CHOICES, Statement

SEED = 0
"""Of the bootstrap: the same data gives the same interval."""
LEAST = 20
"""Statements that a part of the pack needs before its rate is shown."""


class SampleVerdict(NamedTuple):
    """What the judge said of one sample."""

    statement: str
    passed: float
    won: float


class Rates(NamedTuple):
    """Rates of samples: the paper ranks by `both`; `given_pass` is WIN among those that pass."""

    statements: int
    passed: Metric
    won: Metric
    both: Metric
    given_pass: Metric


def rates(verdicts: Sequence[SampleVerdict]) -> Rates:
    """The rates of all these samples, in whatever order they come."""
    ordered = sorted(verdicts)
    passing = [v for v in ordered if v.passed]
    return Rates(
        len({v.statement for v in ordered}),
        _share(ordered, [v.passed for v in ordered]),
        _share(ordered, [v.won for v in ordered]),
        _mean_of_both(ordered),
        _share(passing, [v.won for v in passing]),
    )


def _share(verdicts: Sequence[SampleVerdict], hits: Sequence[float]) -> Metric:
    from eibench.statistics import share_interval

    if not hits:
        return Metric(None, over="statements", families=0)
    statements = [v.statement for v in verdicts]
    ci95 = share_interval(hits, statements)
    n, mean = len(hits), sum(hits) / len(hits)
    return Metric(mean, ci95, n, over="statements", families=len(set(statements)))


def _mean_of_both(verdicts: Sequence[SampleVerdict]) -> Metric:
    """The mean of both rates."""
    import numpy as np

    from eibench.statistics import mean_interval

    halves = [(v.passed + v.won) / 2 for v in verdicts]
    share = _share(verdicts, halves)
    if share.value is None:
        return share
    statements, rng = [v.statement for v in verdicts], np.random.default_rng(SEED)
    ci95 = mean_interval(halves, statements, rng=rng, ends=(0, 1))
    return replace(share, ci95=ci95)


_KEYS = ("statements", "samples", "scored", "unscored", "pass_rate", "win_rate", "win_given_pass")


def tasks_table(document: ResultDocument) -> Table | None:
    """A row per task; nothing for a run without samples."""
    tasks = document["notes"].get("tasks")
    if not tasks:
        return None
    columns = ("task", *_KEYS[:4], "PASS", "WIN", "WIN given PASS")
    rows = [(name.replace("-", " "), *(row[key] for key in _KEYS)) for name, row in tasks.items()]
    judge = document["notes"]["judge"]
    note = (
        f"No rate stands on fewer than {LEAST} statements. "
        f"judge: {judge['re_asked']} asked again, {judge['unread']} unread"
    )
    return Table("Tasks", columns, rows, note=note)


PASS, WIN = "pass", "win"
WORDS, TOKENS = "reply_words", "reply_tokens"
UNREAD = "judge unread"
"""The flag of a sample whose verdict could not be read."""
_LENGTHS = {WORDS: "reply length, words", TOKENS: "reply length, tokens"}
VALUES = (
    Value(PASS, kind="share"),
    Value(WIN, kind="share"),
    *(Value(name, label, judged=False, higher_is_better=None) for name, label in _LENGTHS.items()),
)


def mean_of_both(score: Score) -> float | None:
    """The mean of PASS and WIN; ``None`` without both."""
    known = [v for name in (PASS, WIN) if (v := score.values.get(name)) is not None]
    return sum(known) / 2 if len(known) == 2 else None


def summarise(items: Sequence[Item], scores: Sequence[SampleScore]) -> Summary:
    """The metrics of a run, and how its tasks did."""
    ordered = sorted(scores, key=lambda s: (s.item_id, s.iteration))
    scored = [s for s in ordered if s.score.reason is None]
    statements = {item.id: item.content for item in items}
    overall = rates(_verdicts(scored))
    metrics = {
        "pass_win_mean": replace(overall.both, label="mean of PASS and WIN"),
        "pass_rate": replace(overall.passed, label="PASS rate"),
        "win_rate": replace(overall.won, label="WIN rate"),
        "win_given_pass": replace(overall.given_pass, label="WIN given PASS"),
    }
    metrics |= {name: _length(name, ordered) for name in _LENGTHS}
    parts = _parts(scored, statements)
    metrics |= {f"pass_rate_{k}": _part(r, r.passed, k, "PASS rate") for k, r in parts.items()}
    metrics |= {f"win_rate_{k}": _part(r, r.won, k, "WIN rate") for k, r in parts.items()}
    notes = {"tasks": _tasks(ordered, statements, parts), "judge": _judge(ordered)}
    return Summary(metrics, notes=notes)


def _verdicts(scored: Iterable[SampleScore]) -> list[SampleVerdict]:
    pairs = ((s.item_id, s.score.values[PASS], s.score.values[WIN]) for s in scored)
    return [SampleVerdict(i, p, w) for i, p, w in pairs if p is not None and w is not None]


def _parts(scored: Sequence[SampleScore], statements: Mapping[str, Statement]) -> dict[str, Rates]:
    """The rates of each task, life scenario and polarity, by its name with underscores."""
    return {
        name.replace("-", "_"): rates(_verdicts(_belonging(scored, statements, kind, name)))
        for kind, names in CHOICES.items()
        for name in names
    }


def _part(of_part: Rates, rate: Metric, name: str, message: str) -> Metric:
    """The metric of a part: without a value where its statements are too few for a rate."""
    if of_part.statements < LEAST:
        rate = Metric(None, None, rate.n, over="statements", families=0)
    label, group = name.replace("_", " "), f"{message} (none under {LEAST} statements)"
    if of_part.statements != of_part.passed.n:  # n counts samples, the rule counts statements
        label += f", {of_part.statements} statements"
    return replace(rate, label=label, group=group)


def _belonging(
    scores: Iterable[SampleScore], statements: Mapping[str, Statement], kind: str, name: str
) -> list[SampleScore]:
    return [s for s in scores if getattr(statements[s.item_id], kind) == name]


def _length(name: str, ordered: Sequence[SampleScore]) -> Metric:
    """Mean length over the replies whose length is known; neither end is better."""
    import numpy as np

    from eibench.statistics import mean_interval

    known = [(v, s.cluster) for s in ordered if (v := s.score.values.get(name)) is not None]
    label = _LENGTHS[name]
    if not known:
        return Metric(None, higher_is_better=None, over="statements", label=label)
    values, clusters = map(list, zip(*known, strict=True))
    interval = mean_interval(values, clusters, rng=np.random.default_rng(SEED))
    mean, families = sum(values) / len(values), len(set(clusters))
    return Metric(mean, interval, len(values), None, "statements", label, families=families)


def _tasks(
    ordered: Sequence[SampleScore],
    statements: Mapping[str, Statement],
    parts: Mapping[str, Rates],
) -> dict[str, JsonDict]:
    """For each task that has statements: what was graded, and its rates where it is enough."""
    rows: dict[str, JsonDict] = {}
    for task in CHOICES["task"]:
        samples = _belonging(ordered, statements, "task", task)
        if not samples:
            continue
        of_task = parts[task.replace("-", "_")]
        enough = of_task.statements >= LEAST
        rows[task] = {
            "statements": len({s.item_id for s in samples}),
            "samples": len(samples),
            "scored": of_task.passed.n,
            "unscored": len(samples) - of_task.passed.n,
            "pass_rate": of_task.passed.value if enough else None,
            "win_rate": of_task.won.value if enough else None,
            "win_given_pass": of_task.given_pass.value if enough else None,
        }
    return rows


def _judge(ordered: Sequence[SampleScore]) -> dict[str, int]:
    """What had to be done to read the judge."""
    flags = Counter(flag for s in ordered for flag in set(s.score.flags))
    return {
        "re_asked": flags["re-asked"] + flags["re-asked twice"],
        "unread": flags[UNREAD],
    }
