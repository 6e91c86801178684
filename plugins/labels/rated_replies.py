"""Replies that a benchmark's own people rated: what they gave, how far they agree, and as a file.

Intervals are over families of items; people are those that there are.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eibench import (
    Estimate,
    HumanRatedReply,
    JsonObject,
    Pack,
    Paragraph,
    Table,
    UsageError,
)
from eibench.statistics import few_families, krippendorff_alpha, mean_interval
from eibench.text import interval, line, plural

_SEED = 0


class HumanRatings(NamedTuple):
    """What people gave replies in one value."""

    n: int
    raters: int
    mean: float
    ci95: tuple[float, float] | None
    alpha: Estimate


class RatedReplies(NamedTuple):
    """The document of `bench calibrate -o` (docs/results.md describes each field)."""

    benchmark: str
    dataset: JsonObject
    replies: int
    families: int
    sources: Mapping[str, int]
    values: Mapping[str, HumanRatings]
    warnings: Sequence[str]


class NumberedReply(NamedTuple):
    """A rated reply, and which of those to its item it is."""

    iteration: int
    reply: HumanRatedReply


def numbered(replies: Sequence[HumanRatedReply]) -> list[NumberedReply]:
    """Several replies to an item are its iterations."""
    seen = Counter[str]()
    rows = []
    for reply in replies:
        seen[reply.item_id] += 1
        rows.append(NumberedReply(seen[reply.item_id], reply))
    return rows


def rated_replies(benchmark: str, pack: Pack, replies: Sequence[HumanRatedReply]) -> RatedReplies:
    """What people gave replies, of which there is one at least."""
    names = dict.fromkeys(name for reply in replies for name in reply.ratings)
    families, source = len({pack.clusters[reply.item_id] for reply in replies}), pack.source
    return RatedReplies(
        benchmark=benchmark,
        dataset={"name": source.name, "sha256": source.sha256, "n_items": len(pack.items)},
        replies=len(replies),
        families=families,
        sources=dict(Counter(reply.source for reply in replies)),
        values={name: _ratings(name, pack, replies) for name in names},
        warnings=few_families(families),
    )


def _ratings(name: str, pack: Pack, replies: Sequence[HumanRatedReply]) -> HumanRatings:
    rated = [reply for reply in replies if reply.ratings.get(name)]
    raters = sorted({rater for reply in rated for rater in reply.ratings[name]})
    table = np.array(
        [[reply.ratings[name].get(r, np.nan) for r in raters] for reply in rated], dtype=float
    )
    means, clusters = np.nanmean(table, axis=1), [pack.clusters[r.item_id] for r in rated]
    alpha = Estimate(None, None, "there is one rater")
    if len(raters) > 1:
        alpha = krippendorff_alpha(table, clusters, metric="interval")
    ci95 = mean_interval(means, clusters, rng=np.random.default_rng(_SEED))
    return HumanRatings(len(rated), len(raters), float(means.mean()), ci95, alpha)


def write_replies(path: Path, replies: Sequence[HumanRatedReply]) -> None:
    """Write replies as `bench score` takes them."""
    rows = (
        {"item_id": reply.item_id, "iteration": n, "response": reply.text}
        for n, reply in numbered(replies)
    )
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def rating_parts(document: RatedReplies) -> list[Paragraph | Table]:
    """What `bench calibrate -o` prints."""
    sources = ", ".join(f"{name} ({n})" for name, n in document.sources.items())
    head = f"replies {document.replies} to {plural(document.families, 'text')}: {sources}"
    rows = [
        (name, row.n, row.raters, row.mean, interval(row.ci95), str(row.alpha))
        for name, row in document.values.items()
    ]
    columns = ("value", "replies", "raters", "mean", "95 %", "alpha of raters")
    note = "Intervals are over families of items. alpha: Krippendorff's, by intervals."
    table = Table("People", columns, rows, note=note)
    return [Paragraph(line(head), f"{document.benchmark}  people's ratings"), table]
