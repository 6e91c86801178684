"""`bench rate`: ratings of models from a file of comparisons."""

from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..console.safe import line
from ..engine.standing import BESIDE, DEFAULT, default_engine, rate_with, settings_of
from ..errors import UsageError
from ..journal import Journal
from ..plugins import installed
from ..ratings.settings import Anchor, AnchorSet, RatingSettings
from ..reports.files import as_text
from . import options
from .settings import config_option
from .stored import as_given

if TYPE_CHECKING:
    from ..ratings.comparisons import Comparisons
    from ..ratings.result import ModelRating, Ratings
    from ..reports.sections import Table


@click.command("rate")
@click.argument("comparisons", required=False, type=click.Path(path_type=Path))
@options.option("--benchmark", metavar="NAME",
                help="Rate what the journal holds of it, instead of a file.")  # fmt: skip
@click.option("--dataset", metavar="NAME|SHA", help="Of the journal's, those on this pack.")
@options.option("--engine", metavar="NAME",
                help="glicko2, fractional-logit, mixed, trueskill, or a plugin's (default: "
                "glicko2; fractional-logit where most pairs have one order).")  # fmt: skip
@options.option("--anchor", "anchors", multiple=True, metavar="MODEL=RATING",
                help="Fix a model's rating; two of them fix the scale.")  # fmt: skip
@click.option("--judge", metavar="NAME", help="Only comparisons by this judge.")
@click.option("--dedupe", is_flag=True, help="Take comparisons that are there twice once.")
@options.runs_dir_option
@options.json_option
@config_option
def rate_command(
    comparisons: Path | None,
    benchmark: str | None,
    dataset: str | None,
    engine: str | None,
    anchors: tuple[str, ...],
    judge: str | None,
    dedupe: bool,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Rate models from comparisons: of a file, or of the journal.

    COMPARISONS has one JSON object a line, plain or gzip; docs/ratings.md has the form. Every
    rating comes with its 95 % interval over families of items.
    """
    dataset, judge = as_given("dataset", dataset), as_given("judge", judge)
    sets = anchor_sets(anchors)
    check_source(comparisons, benchmark, dataset=dataset, dedupe=dedupe)
    if comparisons is not None:
        from ..ratings.reading import read_comparisons

        given = read_comparisons(comparisons, dedupe=dedupe, judge=judge)
        settings, usual = RatingSettings(sets), DEFAULT
    else:
        given, settings, usual = _of_journal(str(benchmark), dataset, judge, sets, runs_dir)
    chosen = installed().rating_engines.get(engine or usual, tuple(installed().broken)).name
    ratings = rate_with(chosen, given, settings)
    beside = _beside(chosen, given, settings)
    if json_output:
        click.echo(as_text(_document(ratings, beside)))
        return
    from ..console import output, tables

    output.show(tables.table(_table(ratings, beside)))


def check_source(
    comparisons: Path | None, benchmark: str | None, *, dataset: str | None, dedupe: bool
) -> None:
    """Refuse no source and two, and what means nothing for the one that there is.

    Args:
        comparisons: A file.
        benchmark: Of the journal.
        dataset: As it stands on the command line.
        dedupe: Whether repeats are taken once.
    """
    if (comparisons is None) == (benchmark is None):
        raise UsageError("name a file of comparisons, or --benchmark NAME for those of the journal")
    if benchmark is not None and dedupe:
        raise UsageError("--dedupe is for files; the journal holds each comparison once")
    if comparisons is not None and dataset is not None:
        raise UsageError("--dataset is for the journal; a file of comparisons names no pack")


def _of_journal(
    name: str,
    dataset: str | None,
    judge: str | None,
    sets: tuple[AnchorSet, ...],
    runs_dir: Path,
) -> "tuple[Comparisons, RatingSettings, str]":
    """The journal's comparisons of a benchmark, its anchors, and the engine that fits.

    Raises:
        UsageError: There are none, or those of several packs or judges.
    """
    from ..engine.leaderboard import read_leaderboard
    from ..engine.pools import as_comparisons, read_pool
    from ..ratings.comparisons import Comparisons

    benchmark = installed().benchmark(name)
    with Journal(runs_dir, create=False) as journal:
        board = read_leaderboard(journal, installed(), benchmark, dataset=dataset, judge=judge)
        if board.pool is None:
            raise UsageError(
                f"{name} does not compare models, so there is nothing to rate; bench leaderboard "
                f"{name} ranks them by their scores"
            )
        rows = read_pool(journal, board.pool, board.pack)
    given = as_comparisons(rows)
    if not given:
        raise UsageError(
            f"no comparisons of {name} on {board.board.told} yet; bench run {name} on two models "
            "makes some"
        )
    settings = settings_of(benchmark, board.pack, sets)
    return Comparisons.of(given), settings, default_engine(rows)


def anchor_sets(texts: Iterable[str]) -> tuple[AnchorSet, ...]:
    """The anchors of ``--anchor MODEL=RATING``, given twice or not at all.

    Raises:
        UsageError: One is not of that form, or they fix no scale.
    """
    from ..ratings.anchors import check_anchors

    return check_anchors([_anchor(text) for text in texts])


def _anchor(text: str) -> Anchor:
    model, equals, rating = text.rpartition("=")
    try:
        value = float(rating)
    except ValueError:
        value = float("nan")
    if not (model and equals and isfinite(value)):
        raise UsageError(f"--anchor {text!r}: give MODEL=RATING, such as o3=1500")
    return Anchor(model, value)


def _beside(engine: str, comparisons: "Comparisons", settings: RatingSettings) -> "Ratings | None":
    """The length-aware ratings that stand beside the default where lengths are known."""
    if engine != DEFAULT or not comparisons.has_lengths:
        return None
    return rate_with(BESIDE, comparisons, settings)


def _document(ratings: "Ratings", beside: "Ratings | None") -> dict[str, Any]:
    document = ratings.as_json()
    document["demo"] = _demo(ratings)
    if beside:
        found = {row.model: row.rating for row in beside.rows}
        document["diagnostics"]["beside"] = {"engine": beside.engine, "ratings": found}
    return document


def _demo(ratings: "Ratings") -> bool:
    return any(row.model.startswith("demo/") for row in ratings.rows)


def _table(ratings: "Ratings", beside: "Ratings | None") -> "Table":
    from ..reports.sections import Table

    columns = ["rank", "model", "rating", "95 % interval", "rank interval", "tied with"]
    columns += ["comparisons", *([beside.engine] if beside else [])]
    others = {row.model: row.rating for row in beside.rows} if beside else {}
    rows = [[*_cells(row), *([others.get(row.model)] if beside else [])] for row in ratings.rows]
    title = f"ratings by {ratings.engine}" + ("  DEMO" if _demo(ratings) else "")
    return Table(title, tuple(columns), rows, note=_note(ratings))


def _cells(row: "ModelRating") -> list[str | float | None]:
    ci95 = "–" if row.ci95 is None else f"{row.ci95[0]:.1f} … {row.ci95[1]:.1f}"
    ranks = "–" if row.rank_ci95 is None else f"{row.rank_ci95[0]} … {row.rank_ci95[1]}"
    tied = "–" if row.tied_with is None else _named(row.tied_with)
    return [row.rank, row.model, row.rating, ci95, ranks, tied, row.comparisons]


def _named(models: tuple[str, ...], most: int = 3) -> str:
    more = len(models) - most
    return (", ".join(models[:most]) or "none") + (f" and {more} more" if more > 0 else "")


def _note(ratings: "Ratings") -> str:
    said = ratings.diagnostics
    facts = [f"{said[key]} {key}" for key in ("comparisons", "items", "families") if key in said]
    note = ", ".join(facts)
    if ratings.anchors:
        fixed = ", ".join(f"{model} = {rating:g}" for model, rating in ratings.anchors)
        note += f"\nanchored: {fixed}; their intervals are 0 by definition"
    return "\n".join([note, *(line(f"warning: {warning}") for warning in ratings.warnings)])
