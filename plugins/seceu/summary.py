"""The metrics of a run: SECEU score, EQ, percentile, pattern similarity, and what qualifies them.

EQ and percentile are the mean distance on the scale of the norm. A pack without a norm has
distances only. All functions here are pure.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from eibench import Item, JsonDict, Metric, SampleScore, Summary
from eibench.statistics import iteration_spread

from .norms import Norm, band
from .patterns import Pattern, pattern_of, pattern_warnings
from .results import Run

_ORDER = (
    "eq",
    "seceu_score",
    "percentile",
    "pattern_r",
    "eq_unread_null",
    "seceu_score_unread_null",
    "sum_violations",
)
"""Of the metrics where there is a norm; without one the distance is the main metric."""


def summarise(items: Sequence[Item], norm: Norm | None, scores: Sequence[SampleScore]) -> Summary:
    """All metrics of a run; without a norm EQ does not exist."""
    position = {item.id: n for n, item in enumerate(items)}
    ordered = sorted(scores, key=lambda s: (position[s.item_id], s.iteration))
    run = Run({item.id: item for item in items}, ordered, norm)
    pattern = pattern_of(run)
    warnings = _warnings(run) + pattern_warnings(pattern, norm.unlike if norm else None)
    return Summary(_metrics(run, pattern), _invalid(run), tuple(warnings), _notes(run, pattern))


def _metrics(run: Run, pattern: Pattern) -> dict[str, Metric]:
    score, filled = run.score(), run.score_as_paper()
    metrics = {
        "seceu_score": replace(score, label="SECEU score (mean distance)"),
        "eq": Metric(None, label="EQ (the pack has no norm)"),
        "seceu_score_unread_null": replace(filled, label="SECEU score, unread as (0,0,0,0)"),
        "sum_violations": replace(run.violations(), label="share of sums other than 10"),
    }
    if run.norm is not None:
        metrics |= _on_scale(run, run.norm, score, filled) | {"pattern_r": _of_pattern(pattern)}
        metrics = {name: metrics[name] for name in _ORDER}
    return metrics | _reruns(run)


def _on_scale(run: Run, norm: Norm, score: Metric, filled: Metric) -> dict[str, Metric]:
    standing = _standing(run, score.value)
    where = "beyond the best human of the norm" if standing["beyond_best_human"] else "in the norm"
    among = "" if standing["band"] is None else f" ({standing['band']})"
    return {
        "eq": _mirrored(score, norm.eq, f"EQ{among}"),
        "percentile": _mirrored(score, norm.percentile, f"percentile ({where})"),
        "eq_unread_null": _mirrored(filled, norm.eq, "EQ, unread as (0,0,0,0)"),
    }


def _standing(run: Run, score: float | None) -> JsonDict:
    """Where a score stands among people; nowhere when it is of a minority of the answers."""
    norm = run.norm
    if norm is None or score is None or _invalid(run):
        return {"band": None, "beyond_best_human": None}
    return {"band": band(norm.eq(score)), "beyond_best_human": norm.beyond_best(score)}


def _mirrored(distance: Metric, scale: Callable[[float], float], label: str) -> Metric:
    """A distance on a scale that falls as it grows, so the ends of its interval change places."""
    value = None if distance.value is None else scale(distance.value)
    ci95 = distance.ci95 and (scale(distance.ci95[1]), scale(distance.ci95[0]))
    families = distance.families
    return Metric(value, ci95, distance.n, over="stories", label=label, families=families)


def _of_pattern(pattern: Pattern) -> Metric:
    chance = "" if pattern.p is None else f" (p {pattern.p:.2g} of r = 0)"
    label = f"pattern similarity r{chance}"
    return Metric(pattern.r, pattern.interval, pattern.n, over="stories", label=label)


def _reruns(run: Run) -> dict[str, Metric]:
    scores, norm = run.per_iteration(), run.norm
    if len(scores) < 2:
        return {}
    values = [None if s is None else norm.eq(s) if norm else s for s in scores]
    n = sum(value is not None for value in values)
    label = "SD over reruns, of the EQ" if norm else "SD over reruns, of the SECEU score"
    spread = iteration_spread(values)
    return {
        "rerun_sd": Metric(spread, None, n, higher_is_better=False, label=label, of_iterations=True)
    }


def _invalid(run: Run) -> str | None:
    """The paper's mark FAILED: no meaningful response to a majority of items."""
    total, left = len(run.scores), len(run.scores) - run.meaningful
    if 2 * left <= total:
        return None
    return f"no meaningful answer to {left} of {total}, which is the majority"


def _warnings(run: Run) -> list[str]:
    warnings = []
    if unread := len(run.scores) - len(run.read):
        left_out = f"{unread} of {len(run.scores)} answers could not be read"
        warnings.append(f"{left_out}; they are left out of the score, as if never asked for")
    if nulls := run.flagged("null"):
        warnings.append(f"{nulls} of the answers are four zeros; they stay so, as in the paper")
    cut = [s.score for s in run.scores if "cut_off" in s.score.flags]
    if cut:
        lost = sum(score.reason is not None for score in cut)
        todo = f"{lost} of them unread: raise --max-tokens" if lost else "after their answer"
        warnings.append(f"{len(cut)} of the replies were ended by the token limit, {todo}")
    asked = {s.item_id for s in run.scores}
    if run.norm is not None and 0 < len(asked) < len(run.items):
        whole = f"the norm is of all {len(run.items)} stories"
        warnings.append(f"{whole}; an EQ from {len(asked)} of them is a rough one")
    return warnings


def _notes(run: Run, pattern: Pattern) -> JsonDict:
    score, norm = run.score().value, run.norm
    return {
        **_standing(run, score),
        "norm": norm.source if norm else None,
        "pattern": _pattern_notes(pattern, norm),
        "counts": _counts(run),
        "per_iteration": run.per_iteration(),
        "items": run.by_item(),
    }


def _pattern_notes(pattern: Pattern, norm: Norm | None) -> JsonDict:
    return {
        "p": pattern.p,
        "place_percent": pattern.percentile,
        "mark": norm.unlike if norm else None,
        "below_mark": pattern.unlike,
        "interval_below_mark": pattern.shown,
        "undefined": pattern.why or None,
    }


def _counts(run: Run) -> dict[str, int]:
    return {
        "read": len(run.read),
        "unread": len(run.scores) - len(run.read),
        "null": run.flagged("null"),
        "sum_violations": run.flagged("sum"),
        "negative": run.flagged("negative"),
        "percent": run.flagged("percent"),
    }
