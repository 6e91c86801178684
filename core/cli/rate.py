"""`bench rate`: ratings of models from a file of comparisons."""

from collections.abc import Iterable, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from .. import console, ratings
from ..benchmark import Benchmark
from ..compare.board_reader import read_leaderboard
from ..compare.boards import Boards
from ..compare.comparison_pool import as_comparisons
from ..compare.rating_summary import DEFAULT, engine_version, rate_with, settings_of
from ..compare.which_board import OtherBoard, boards_beside
from ..errors import UsageError
from ..plugins import installed
from ..ratings.intervals import check_anchors
from ..ratings.settings import Anchor, AnchorSet, RatingSettings
from ..reports.columns import FitTable
from ..reports.ratings import note_of, rating_columns, significant_ranks, spans
from ..reports.suggestions import bench
from ..settings.rules import comparing_words
from ..text import as_text, line, plural
from ..types import Json, JsonObject
from . import options
from .command import benchmark_called, command, named_benchmark, refuse_runs
from .data import ladder_of
from .ladder import published_comparisons
from .options import benchmarks_and_files
from .selectors import (
    BoardCommand,
    GivenBoard,
    board_options,
    given_board,
    no_rating_options,
    official_or_default,
    open_runs,
    rating_options,
)

if TYPE_CHECKING:
    from ..ratings.comparisons import Comparisons
    from ..ratings.result import Ratings, RatingsDocument


class _RateRequest(NamedTuple):
    """What is to be rated.

    Attributes:
        demo: Whether a demo model is among them.
        others: The boards of the journal that could have been meant too.
    """

    comparisons: "Comparisons"
    settings: RatingSettings
    demo: bool
    others: Sequence[OtherBoard] = ()


@command(
    "rate",
    "bench rate comparisons.jsonl.gz --anchor o3=1500 --anchor llama-3.2-1b-instruct=200",
    "bench rate eqbench3 --engine fractional-logit",
    "bench rate eqbench3 --published",
    cls=BoardCommand,
)
@click.argument("source", metavar="[BENCHMARK|FILE]", required=False,
                shell_complete=benchmarks_and_files)  # fmt: skip
@options.option("--benchmark", metavar="NAME",
                help="Rate what the journal holds of it; as BENCHMARK.")  # fmt: skip
@board_options
@click.option("--published", is_flag=True,
              help="Of a benchmark, the verdicts of its published ladder alone.")  # fmt: skip
@options.option("--engine", metavar="NAME",
                help="glicko2 (default), fractional-logit, glicko2-sequential, trueskill, "
                "or a plugin's.")  # fmt: skip
@options.option("--anchor", "anchors", multiple=True, metavar="MODEL=RATING",
                help="Fix a model's rating; two of them fix the scale.")  # fmt: skip
@options.demo_option
@options.place_options
@options.json_option
def rate_command(
    source: str | None,
    benchmark: str | None,
    published: bool,
    engine: str | None,
    anchors: tuple[str, ...],
    runs_dir: Path,
    json_output: bool,
    **benchmark_options: Json,
) -> None:
    """Rate models from comparisons: of a file, of the journal, or of a published ladder.

    FILE has one JSON object a line, plain or gzip; docs/ratings.md has the form. Every rating
    comes with its 95 % interval over families of items.
    """
    comparisons, benchmark = read_source(source, benchmark)
    if published and comparisons is not None:
        comparisons, benchmark = None, _only_one(benchmark, str(comparisons))
    board, sets = given_board(), anchor_sets(anchors)
    if not published:
        check_source(comparisons, benchmark, dataset=board.dataset)
    if published or comparisons is not None:
        path = _published(benchmark, board.dataset) if published else comparisons
        assert path is not None
        read = ratings.reading.read_comparisons
        comparisons_read = board.part(read(path, judge=board.judge))
        settings = _settings(str(benchmark) if published else None, sets, benchmark_options)
        asked = _RateRequest(comparisons_read, settings, ratings.reading.has_demo(comparisons_read))
    else:
        asked = _of_journal(
            benchmark_called(str(benchmark)), board, sets, runs_dir, benchmark_options
        )
    chosen = installed().rating_engines.get(engine or DEFAULT).name
    rated = rate_with(chosen, asked.comparisons, asked.settings)
    if json_output:
        click.echo(as_text(_document(rated, demo=asked.demo)))
        return
    console.output.show(console.fitted.Fitted(_table(rated, demo=asked.demo)))
    if message := boards_beside(asked.others):
        console.output.show(line(message))


def read_source(source: str | None, benchmark: str | None) -> tuple[Path | None, str | None]:
    """The file of comparisons that a word names, or else the benchmark.

    Raises:
        UsageError: A benchmark is named twice.
    """
    ctx = click.get_current_context()
    named = named_benchmark(source, ctx) if source else None
    if source and named is None and not Path(source).exists():
        refuse_runs(source, ctx)
    is_benchmark = named is not None and bool(named.files or not Path(str(source)).is_file())
    if source is None or not is_benchmark:
        return (Path(source) if source else None), benchmark
    if benchmark not in (None, source):
        raise UsageError(f"{source} and --benchmark {benchmark}: name one benchmark")
    return None, source


def check_source(comparisons: Path | None, benchmark: str | None, *, dataset: str | None) -> None:
    """Refuse no source and two, and options that mean nothing for the one that there is."""
    if (comparisons is None) == (benchmark is None):
        raise UsageError("name a benchmark, for the journal's comparisons, or a file of them")
    if comparisons is not None and dataset is not None:
        raise UsageError("--dataset is for the journal; a file of comparisons names no pack")


def _published(benchmark: str | None, dataset: str | None) -> Path:
    """The comparisons of a benchmark's published ladder."""
    if benchmark is None:
        raise UsageError("--published needs a benchmark: bench rate eqbench3 --published")
    if dataset is not None:
        raise UsageError("--dataset is for the journal; a published ladder is of one pack")
    return published_comparisons(ladder_of(benchmark))


def _only_one(benchmark: str | None, named: str) -> str:
    """The benchmark, which stands where else a file does."""
    if benchmark not in (None, named):
        raise UsageError(f"{named} and --benchmark {benchmark} are two; name one of them")
    return benchmark_called(named).name


def _settings(
    name: str | None, sets: tuple[AnchorSet, ...], benchmark_options: JsonObject
) -> RatingSettings:
    """How a file is rated: a benchmark's own with the anchors and weights of its pack."""
    if name is None:
        no_rating_options(benchmark_options)
        return RatingSettings(sets)
    benchmark = benchmark_called(name)
    pack, _ = official_or_default(benchmark, None)
    return settings_of(benchmark, pack, sets, rating_options(benchmark, benchmark_options))


def _of_journal(
    benchmark: Benchmark,
    chosen: GivenBoard,
    sets: tuple[AnchorSet, ...],
    runs_dir: Path,
    benchmark_options: JsonObject,
) -> _RateRequest:
    """The journal's comparisons of a benchmark, and its anchors."""
    name, options = benchmark.name, rating_options(benchmark, benchmark_options)
    with open_runs(runs_dir) as stored:
        choice = chosen.choice(benchmark, benchmark_options)
        board = read_leaderboard(Boards(stored.journal, stored.catalogue, benchmark), choice)
    typed = comparing_words(benchmark)
    if typed is None:
        raise UsageError(
            f"{name} does not compare models, so there is nothing to rate; "
            f"{bench('leaderboard', name)} ranks them by their scores"
        )
    comparisons = as_comparisons(board.compared or ())
    if not comparisons:
        makes = bench("run", name, *typed)
        message = f"no comparisons of {name} on {board.board.options} yet; {makes} on"
        others = boards_beside(board.others)
        raise UsageError("; ".join(filter(None, [f"{message} two models makes some", others])))
    settings = settings_of(benchmark, board.pack, sets, options)
    read = ratings.comparisons.Comparisons.of(comparisons, by_criterion=True)
    return _RateRequest(read, settings, board.demo, board.others)


def anchor_sets(texts: Iterable[str]) -> tuple[AnchorSet, ...]:
    """The anchors of ``--anchor MODEL=RATING``, given twice or not at all.

    Raises:
        UsageError: One is not of that form, or they fix no scale.
    """
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


def _document(ratings: "Ratings", *, demo: bool) -> "RatingsDocument":
    document = ratings.as_json()
    document["engine_version"] = engine_version(ratings.engine)
    document["demo"] = demo
    return document


def _table(ratings: "Ratings", *, demo: bool) -> FitTable:
    rows = [row.as_json() for row in ratings.rows]
    columns = rating_columns(rows, [row["model"] for row in rows], details=True)
    title = f"ratings by {ratings.engine}" + "  DEMO" * demo
    significant = map(line, significant_ranks(rows, ratings.diagnostics))
    note = "\n".join([_note(ratings), *note_of(rows), *significant])
    return FitTable(title, columns, None, note, spans(rows), "95 % interval")


def _note(ratings: "Ratings") -> str:
    diagnostics = ratings.diagnostics
    nouns = {"comparisons": "comparison", "items": "item", "families": "family"}
    facts = [plural(diagnostics[key], noun) for key, noun in nouns.items() if key in diagnostics]
    note = ", ".join(facts)
    if ratings.anchors:
        fixed = ", ".join(f"{model} = {rating:g}" for model, rating in ratings.anchors)
        note += f"\nanchored: {fixed}; fixed, so without an interval"
    return "\n".join([note, *(line(f"warning: {warning}") for warning in ratings.warnings)])
