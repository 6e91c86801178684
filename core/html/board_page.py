"""The page of a board: a sentence, the models on one axis, heat-maps, the judge, downloads."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from ..compare.rating_history import RatedStep
from ..hooks.sections import Series, Table
from ..text import by_player, listed
from .board_numbers import (
    band_classes,
    in_chart,
    metric_name,
    number_name,
    number_of,
    ties_in_words,
)
from .charts.plots import Figure
from .charts.plots import lines as lines_of
from .charts.rows import HeatMap, ladder
from .rendering import Page, page_of
from .shapes import SiteBoardDocument, SiteMetric, SiteRow
from .slugs import judge_path

SHOWN = 4
"""Criteria from which on some are called special."""


LINES = 6
"""Models of the history, as there are so many colours."""


class BoardLine(NamedTuple):
    """A row of the board: its number and interval in words, and how it is drawn."""

    row: SiteRow
    cells: Sequence[str]
    drawn: Markup | str
    notes: Sequence[str]
    band: str


def board_page(document: SiteBoardDocument, history: Sequence[RatedStep] = ()) -> Page:
    """The page of a board, with the ratings after each model that joined."""
    rows = document["rows"]
    chart = ladder("", [in_chart(row) for row in rows], ())
    lines = [
        BoardLine(
            row,
            drawn.cells,
            row["completeness"] if number_of(row) is None else chart.drawn(drawn),
            list(_notes(row, document)),
            band,
        )
        for row, drawn, band in zip(rows, chart.rows, band_classes(rows), strict=True)
    ]
    return page_of(
        "board.html",
        f"boards/{document['key']}.html",
        title=document["title"],
        board=document,
        chips=list(_chips(document)),
        lines=lines,
        axis=chart.drawn_axis(),
        number_name=number_name(document),
        score_name=metric_name(document["metric"]),
        has_numbers=any(number_of(row) is not None for row in document["rows"]),
        heats=list(_heats(document)),
        residuals=_residual_rows(document),
        filters=_filters(document),
        size=size_class,
        judge_page=judge_path(document["judge"]) if document["judge"] else "",
        history=_history(history),
        ties=ties_in_words(document["rows"]),
        published=_published(document),
        broad=True,
    )


def _published(document: SiteBoardDocument) -> Table | None:
    """What others published, as a table of its own."""
    published = document["published"]
    return published and Table(
        published["title"], published["columns"], published["rows"], note=published["note"]
    )


def _history(steps: Sequence[RatedStep]) -> Figure | None:
    """A line for each of the models that are rated highest now."""
    if len(steps) < 2:
        return None
    last = steps[-1].ratings
    shown = sorted(last, key=lambda name: -last[name])[:LINES]
    series = [
        Series(name, [(n, step.ratings[name]) for n, step in enumerate(steps, 1)
                      if name in step.ratings])
        for name in shown
    ]  # fmt: skip
    joined = ", ".join(f"{n}: {step.joined} ({step.date})" for n, step in enumerate(steps, 1))
    caption = (
        f"Ratings after each step; who joined last in {joined}. Each step is shifted so that its "
        "models have, on average, their rating of today."
    )
    return lines_of(caption, series, ("", "step", "rating"))


def _notes(row: SiteRow, document: SiteBoardDocument) -> Iterator[str]:
    if row["completeness"] and number_of(row) is not None:
        yield row["completeness"]
    if row["changed"]:
        yield "asked otherwise"


def _chips(document: SiteBoardDocument) -> Iterator[str]:
    yield f"{document['pack']} pack, {document['n_items']} items"
    if document["judge"]:
        yield f"judge {document['judge']}"
    yield from document["options"]
    players = by_player(document["roles"])
    yield from (f"{role} played by {player}" for role, player in players.items())
    if document["date_from"]:
        dates = dict.fromkeys([document["date_from"], document["date_to"]])
        yield " to ".join(map(str, dates))
    yield f"version {document['version']}"


def _heats(document: SiteBoardDocument) -> Iterator[HeatMap]:
    """A heat-map for each group of criteria; numbers that an earlier one has are not repeated."""
    rows, seen = document["rows"], dict[tuple[float | None, ...], tuple[str, str]]()
    for group in dict.fromkeys(c["group"] for c in document["criteria"]):
        shown, repeated = list[tuple[SiteMetric, Sequence[float | None]]](), list[str]()
        for c in document["criteria"]:
            values = tuple(row["criteria"].get(c["name"]) for row in rows)
            if c["group"] != group or not any(value is not None for value in values):
                continue
            first, label = seen.setdefault(values, (group, c["label"]))
            if first == group:
                shown.append((c, values))
            else:
                repeated.append(f"{c['label']} ({label})")
        if shown or repeated:
            criteria = [c for c, _ in shown]
            yield HeatMap(
                group,
                [row["model"] for row in rows] if shown else [],
                ["model", *(c["label"] for c in criteria)],
                list(zip(*(values for _, values in shown), strict=True)),
                *(criteria[0]["low"], criteria[0]["high"]) if criteria else (None, None),
                [c["higher_is_better"] is None for c in criteria],
                f"The same numbers as above have {listed(repeated, 99)}." if repeated else "",
            )


def _residual_rows(
    document: SiteBoardDocument,
) -> Sequence[tuple[SiteRow, Sequence[tuple[str, float]]]]:
    """Of each model what is furthest above and below what its score foretells."""
    labels = {c["name"]: c["label"] for c in document["criteria"]}
    special = []
    for row in document["rows"]:
        order = sorted(row["residual"].items(), key=lambda pair: -(pair[1] or 0.0))
        known = [(labels[n], v) for n, v in order if v is not None]
        if len(known) > SHOWN:
            special.append((row, [*known[:2], *known[-2:]]))
    return special


def _filters(document: SiteBoardDocument) -> Mapping[str, Sequence[str]]:
    """What rows can be filtered by: where there are two values or more."""
    rows = document["rows"]
    values = {
        "family": sorted({row["family"] for row in rows}),
        "size": sorted({size_class(row["size_b"]) for row in rows}, key=_SIZES.index),
        "date": sorted({row["date"][:7] for row in rows if row["date"]}),
    }
    return {name: options for name, options in values.items() if len(options) > 1}


_SIZES = ["up to 10B", "over 10B to 40B", "over 40B to 100B", "over 100B", "not stated"]


def size_class(size: float | None) -> str:
    """Which sizes a model is filtered with."""
    if size is None:
        return _SIZES[4]
    return next(name for name, end in zip(_SIZES, (10, 40, 100, 1e9), strict=False) if size <= end)
