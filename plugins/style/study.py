"""The document of `bench style`: each model's measures with intervals, scores and phrases."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench import Estimate
from eibench.statistics import (
    NO_SPREAD,
    cluster_bootstrap,
    cluster_index,
    few_families,
    why_no_interval,
)

from .lists import SlopLists
from .measures import MEASURES, Measure, TextCounts, count_text
from .phrases import Phrase, phrases_apart
from .slop_score import WEIGHTS, limits_of, slop_score
from .texts import ModelTexts

Floats = npt.NDArray[np.float64]
METHOD = {
    "measures": "ratios of totals over a model's texts",
    "interval": "expanded percentiles of a bootstrap over families of items",
    "slop_score": "limits of the published board of 7 November 2025, which do not move",
    "slop_score_among": "limits of the models of this document, as the published page makes its "
    "own from those that stand on it",
    "repetition": "a trigram of words that began among the 500 before it in its text",
    "phrases": "difference of log odds that a text holds the phrase, in standard errors",
}
"""How numbers are made."""
_SEED, _MOST_HITS = 0, 20
_NO_LISTS = "needs lists: --lists DIR"


class ModelStyle(NamedTuple):
    """The style of a model (docs/style.md describes each field)."""

    model: str
    demo: bool
    runs: Sequence[str]
    texts: int
    families: int
    words: int
    left_out: Sequence[str]
    slop_score: Estimate
    slop_score_among: float | None
    measures: Mapping[str, Estimate]
    slop_words: Mapping[str, int]
    slop_trigrams: Mapping[str, int]
    contrasts: Mapping[str, int]
    phrases: Sequence[Phrase]


class StyleDocument(NamedTuple):
    """The document of `bench style`."""

    source: str
    lists: str | None
    lists_published: bool
    models: Sequence[ModelStyle]
    method: Mapping[str, str]
    warnings: Sequence[str]


def style_document(
    source: str, models: Sequence[ModelTexts], lists: SlopLists | None, most_phrases: int = 10
) -> StyleDocument:
    """What is counted in the texts of models, of which each has at least one.

    Args:
        source: Where they are from, for people.
        models: By different names.
        lists: Without them there are no slop words, trigrams and scores.
        most_phrases: How many of each model's phrases.
    """
    phrases = phrases_apart({model.model: model.texts for model in models}, most_phrases)
    rows = [_model_style(model, lists, phrases[model.model]) for model in models]
    return StyleDocument(
        source=source,
        lists=lists and lists.source,
        lists_published=bool(lists and lists.published),
        models=_beside_each_other(rows) if lists else rows,
        method=METHOD,
        warnings=list(_warnings(rows, lists)),
    )


def _model_style(
    model: ModelTexts, lists: SlopLists | None, phrases: Sequence[Phrase]
) -> ModelStyle:
    counted = [count_text(text.text, lists) for text in model.texts]
    index = cluster_index([text.family for text in model.texts])
    columns = np.array([one.counts for one in counted], dtype=np.float64)
    sums = np.zeros((int(index.max()) + 1, columns.shape[1]))
    np.add.at(sums, index, columns)
    estimates = _estimates(sums, has_lists=lists is not None)
    return ModelStyle(
        model=model.model,
        demo=model.demo,
        runs=model.runs,
        texts=len(counted),
        families=len(sums),
        words=sum(one.counts.tokens for one in counted),
        left_out=model.left_out,
        slop_score=estimates.pop("slop_score"),
        slop_score_among=None,
        measures=estimates,
        slop_words=_most(one.words for one in counted),
        slop_trigrams=_most(one.trigrams for one in counted),
        contrasts=_most(one.patterns for one in counted),
        phrases=phrases,
    )


def _most(counts: Iterable[Counter[str]]) -> dict[str, int]:
    return dict(sum(counts, Counter()).most_common(_MOST_HITS))


def _estimates(sums: Floats, *, has_lists: bool) -> dict[str, Estimate]:
    """Each measure and the slop score from the sums of families, shape (n_families, n_counts)."""
    names = [*MEASURES, "slop_score"]
    over = [TextCounts._fields.index(measure.over) for measure in MEASURES.values()]
    stands_on = [int(n) for n in np.count_nonzero(sums[:, over], axis=0)]
    stands_on.append(min(stands_on[list(MEASURES).index(name)] for name in WEIGHTS))
    rng = np.random.default_rng(_SEED)
    intervals = cluster_bootstrap(sums, _statistics, rng=rng, stands_on=stands_on)
    values = _statistics(sums.sum(axis=0, keepdims=True))[0]
    rows = {}
    for name, value, interval, n in zip(names, values, intervals, stands_on, strict=True):
        if not has_lists and (name == "slop_score" or MEASURES[name].needs_lists):
            rows[name] = Estimate(None, None, _NO_LISTS)
        elif np.isnan(value):
            rows[name] = Estimate(None, None, _why_none(MEASURES[name]))
        elif value == 0:
            rows[name] = Estimate(0.0, None, "none was counted, so resamples have none either")
        else:
            why = None if interval else why_no_interval(n) or NO_SPREAD
            rows[name] = Estimate(float(value), interval, why)
    return rows


def _why_none(measure: Measure) -> str:
    return (
        "no text of 500 words" if measure.over == "windows" else f"no {measure.over} in the texts"
    )


def _statistics(totals: Floats) -> Floats:
    """Each measure and the slop score of totals, shape (n, n_counts); NaN where it has none."""
    by_name = dict(zip(TextCounts._fields, totals.T, strict=True))
    with np.errstate(invalid="ignore", divide="ignore"):
        measures = {
            name: m.factor * by_name[m.of] / np.where(by_name[m.over] > 0, by_name[m.over], np.nan)
            for name, m in MEASURES.items()
        }
    return np.column_stack([*measures.values(), slop_score(measures)])


def _beside_each_other(rows: Sequence[ModelStyle]) -> Sequence[ModelStyle]:
    """The models with the score that the published page's rule gives among them."""
    parts = [
        {name: value for name in WEIGHTS if (value := row.measures[name].value) is not None}
        for row in rows
    ]
    limits = limits_of(parts)
    return (
        rows
        if limits is None
        else [
            row._replace(slop_score_among=slop_score(of_row, limits))
            for row, of_row in zip(rows, parts, strict=True)
        ]
    )


def _warnings(rows: Sequence[ModelStyle], lists: SlopLists | None) -> Iterable[str]:
    if lists and not lists.published:
        yield f"the lists in {lists.source} are not the published ones: nor are the slop scores"
    for row in rows:
        yield from (f"{row.model}: {warning}" for warning in few_families(row.families))
        if row.left_out:
            yield f"{row.model}: {len(row.left_out)} left out: {row.left_out[0]}" + (
                ", …; --json has all" if len(row.left_out) > 1 else ""
            )
