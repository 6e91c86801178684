"""`bench correlate`: how benchmarks go together, from a CSV file or from runs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import NamedTuple, TypedDict, Unpack

import click

import eibench
from eibench import (
    DataError,
    JournalError,
    Paragraph,
    Table,
    UsageError,
    check_name,
    left_out_of,
    provided,
)
from eibench.text import csv_text, interval, line, number

from .correlations import (
    Coefficient,
    ColumnCorrelation,
    Correlations,
    LeftOut,
    ScorePair,
    build_correlations,
    csv_rows,
)
from .csv_tables import read_table
from .scatter import Point, marks, with_axes
from .scores import RunSelection, ScoreColumn, ScoreTable, table_of_csv, table_of_runs

DIGITS = 4
PLAIN_WIDTH = 110
"""Of a plot where there is no terminal."""
_SHAPE = {
    "mean": "mean",
    "median": "median",
    "cv_sample": "CV (n - 1)",
    "iqr_linear": "IQR (linear)",
    "skewness_population": "skewness (population)",
}


def show_correlations(document: Correlations) -> None:
    """Everything `bench correlate` prints: a plot too if there is one pair of columns."""
    rows = document.correlations
    notes = ["Intervals are over models, by Fisher's transformation (docs/correlations.md)."]
    judges = [f"{name}: {judge}" for name, judge in document.judges.items() if judge]
    notes += [f"judges: {'; '.join(judges)}"] if judges else []
    last = [f"{row.y}: {row.reason}" for row in rows if row.reason]
    last += [f"left out: {message}" for message in document.left_out]
    coefficients = _coefficients(document)
    if len(rows) > 1:
        eibench.show(_noted(coefficients, notes + last), warnings=document.warnings)
        return
    (row,) = rows
    if row.leave_one_out:
        low, high = map(_end, row.leave_one_out.values())
        notes.append(f"r without one model lies from {low} to {high}")
    width = get_terminal_size((PLAIN_WIDTH, 0)).columns
    pairs = sorted(row.pairs, key=lambda pair: (pair.x, pair.y))
    points = [Point(m, p.x, p.y) for m, p in zip(marks(len(pairs)), pairs, strict=True)]
    plot = with_axes(points, row.x, row.y, width)
    shapes = [_shapes(row)] if all(row.distribution.values()) else []
    eibench.show(_noted(coefficients, notes), *shapes, Paragraph("\n".join(plot.lines)))
    eibench.show(_noted(_legend(row, points, pairs, plot.shared), last), warnings=document.warnings)


def _noted(table: Table, notes: Sequence[str]) -> Table:
    return table._replace(note="\n".join(map(line, notes)))


def _coefficients(document: Correlations) -> Table:
    rows = document.correlations
    others = rows[0].y if len(rows) == 1 else f"{len(rows)} others"
    title = f"{rows[0].x} and {others}, from {document.source}" + "  DEMO" * document.demo
    columns = ("with", "n", "Pearson r", "95 % interval", "Spearman rho", "95 % interval")
    cells = [
        (row.y, row.n, *_cells(row.pearson), *_cells(row.spearman)) for row in document.correlations
    ]
    return Table(title, columns, cells, right=range(1, len(columns)))


def _cells(coefficient: Coefficient) -> tuple[str, str]:
    return number(coefficient.value, DIGITS), interval(coefficient.ci95, DIGITS)


def _end(end: LeftOut) -> str:
    return f"{number(end.value, DIGITS)} (without {end.without})"


def _shapes(row: ColumnCorrelation) -> Table:
    title = f"Distribution of min-max scores, 0 to 100 over these {row.n} models"
    cells = [
        (column, *(number((shape or {})[f"min_max_{name}"], DIGITS) for name in _SHAPE))
        for column, shape in zip((row.x, row.y), row.distribution.values(), strict=True)
    ]
    return Table(title, ("column", *_SHAPE.values()), cells, right=range(1, len(_SHAPE) + 1))


def _legend(
    row: ColumnCorrelation,
    points: Sequence[Point],
    pairs: Sequence[ScorePair],
    shared: dict[str, str],
) -> Table:
    cells = []
    for point, pair in zip(points, pairs, strict=True):
        drawn = f" (drawn as {shared[point.mark]})" if point.mark in shared else ""
        name = "  ".join([pair.model + drawn, *pair.flags])
        cells.append((point.mark, f"{pair.x:g}", f"{pair.y:g}", name))
    return Table("", ("mark", row.x, row.y, "model"), cells, right=(1, 2))


class CorrelateParams(TypedDict):
    """Which models and runs count, and how the document is printed."""

    models: tuple[str, ...]
    without: tuple[str, ...]
    runs: tuple[str, ...]
    datasets: tuple[str, ...]
    judge: str | None
    runs_dir: Path
    json_output: bool


class _TableRequest(NamedTuple):
    """A table and the columns that were asked for."""

    table: ScoreTable
    x: str
    ys: list[str]


_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench correlate scores.csv eq_bench mmlu -o pairs.csv\n"
    "  bench correlate eqbench-v1 eqbench3 --dataset eqbench3=bundled\n"
    "  bench correlate eqbench-v1:first_pass eqbench-v1:revised\n"
)


@click.command("correlate", cls=eibench.Command, epilog=_EXAMPLES)
@click.argument("words", metavar="[FILE.csv] X [Y]...", nargs=-1, required=True)
@eibench.shared_options("model", "without")
@click.option("--run", "runs", multiple=True, metavar="RUN",
              shell_complete=eibench.completion("runs"),
              help="Only this run, or the runs of this model.")  # fmt: skip
@click.option("--dataset", "datasets", multiple=True, metavar="[BENCHMARK=]NAME|PATH|SHA",
              help="Only runs on this pack; of one benchmark, if it is named.")  # fmt: skip
@click.option("--judge", metavar="SPEC", shell_complete=eibench.completion("judges"),
              help="Of judged results, only those of this judge.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE.csv",
              help="Write the pairs to a file.")  # fmt: skip
@eibench.shared_options("demo", "runs_dir")
@eibench.json_option
def correlate_command(
    words: tuple[str, ...], output: Path | None, **params: Unpack[CorrelateParams]
) -> None:
    """Correlate benchmarks over models, from a CSV file or from runs.

    With FILE.csv, X and Y are columns; without it, benchmarks with runs in --runs-dir
    (BENCHMARK or BENCHMARK:METRIC). Without Y, X is correlated with every other one.
    """
    params["judge"] = provided("judge")
    params["models"] = provided("models") or ()
    params["datasets"] = provided("datasets") or ()
    _check_output(output, words[0])
    table, x, ys = _from_file(words, params) if _is_file(words[0]) else _from_runs(words, params)
    document = build_correlations(table, x, ys)
    _refuse_nothing(document)
    if output is not None:
        eibench.write_lines(output, [csv_text(csv_rows(table, document)).encode()])
        eibench.tell(f"the pairs are in {output}")
    if params["json_output"]:
        eibench.show_json(document)
    else:
        show_correlations(document)


def _is_file(word: str) -> bool:
    """Whether the first word means a file, not a benchmark."""
    if word.lower().endswith(".csv"):
        return True
    return word not in eibench.benchmarks() and Path(word).is_file()


def _check_output(output: Path | None, source: str) -> None:
    """Refuse to write where something else would be lost."""
    if output is None:
        return
    if output.suffix.lower() != ".csv":
        raise UsageError(f"-o {output}: name a file that ends in .csv")
    if output.resolve() == Path(source).resolve():
        raise UsageError(f"-o {output} is the file that is read; name another one")


def _from_file(words: Sequence[str], params: CorrelateParams) -> _TableRequest:
    for name in ("runs", "datasets", "judge"):
        if params.get(name):
            raise UsageError(f"--{name.removesuffix('s')} chooses among runs, not rows of a file")
    if provided("demo") is not None:
        raise UsageError("--demo chooses among runs, not rows of a file")
    file = read_table(Path(words[0]))
    if len(words) == 1:
        raise UsageError(f"name a column of {file.path}: {', '.join(file.columns)}")
    for name in words[1:]:
        check_name(name, file.columns, f"{file.path} has no column {name!r}", "its columns")
    table = table_of_csv(file, words[1:])
    table = table.without(left_out_of(table.models, params["without"], params["models"]))
    return _TableRequest(table, words[1], _others(words[1:], list(table.columns)))


def _from_runs(words: Sequence[str], params: CorrelateParams) -> _TableRequest:
    with _opened(params["runs_dir"], words[0], params["runs"]) as stored:
        runs = eibench.chosen_runs(stored, params["runs"], every=True) if params["runs"] else ()
        datasets = {name: _pack(name, pack) for name, pack in _datasets(params["datasets"]).items()}
        choice = RunSelection(list(runs) or None, datasets, params["judge"])
        specs = {run.name: run.model for run in choice.among(stored)}
        left_out = left_out_of(specs, params["without"], params["models"], specs)
        choice = replace(choice, without=left_out)
        benchmarks = choice.benchmarks(stored)
        for benchmark in (ScoreColumn.parse(word).benchmark for word in words):
            message = f"no runs of {benchmark!r} in {stored.journal.folder}"
            check_name(benchmark, benchmarks, message, "there are runs of")
        first = ScoreColumn.parse(words[0]).benchmark
        ys = _others(words, [words[0], *(name for name in benchmarks if name != first)])
        columns = [ScoreColumn.parse(word) for word in (words[0], *ys)]
        for name in filter(None, datasets):
            message = f"--dataset {name}={datasets[name]}: {name!r} is not correlated"
            check_name(name, [column.benchmark for column in columns], message, "there are")
        return _TableRequest(table_of_runs(stored, columns, choice), words[0], ys)


def _opened(folder: Path, word: str, named: Sequence[str]) -> eibench.RunSet:
    """The runs; where there are none, a first word that no runs could be of is what is wrong."""
    try:
        return eibench.open_runs(folder, *named)
    except JournalError:
        if word.partition(":")[0] in eibench.benchmarks():
            raise
        hint = "the name of a file ends in .csv"
        raise UsageError(f"{word!r} is neither a file nor a benchmark; {hint}") from None


def _datasets(texts: Sequence[str]) -> dict[str, str]:
    """The packs of ``--dataset``, by benchmark; that of all others has an empty name.

    Raises:
        UsageError: One benchmark has two.
    """
    chosen: dict[str, str] = {}
    for text in texts:
        benchmark, _, pack = text.rpartition("=")
        if benchmark in chosen:
            whose = f"of {benchmark} " if benchmark else ""
            message = f"--dataset {whose}is given twice: {chosen[benchmark]} and {pack}"
            raise UsageError(f"{message}; BENCHMARK=NAME is that of one benchmark")
        chosen[benchmark] = pack
    return chosen


def _pack(name: str, pack: str) -> str:
    """What names a pack to the journal: of a path, the digest of its data.

    Raises:
        UsageError: A path of no benchmark.
    """
    if pack in ("bundled", "official") or not Path(pack).exists():
        return pack
    if not name:
        raise UsageError(f"--dataset {pack}: a path is of one benchmark; give BENCHMARK={pack}")
    benchmark = eibench.benchmarks().get(name)
    if benchmark is None:
        return pack
    return eibench.named_pack(benchmark, pack)


def _others(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns to correlate the first one with."""
    x, *ys = words
    if twice := next((name for name in words if words.count(name) > 1), None):
        raise UsageError(f"{twice!r} is named twice; name two different columns")
    others = ys or [name for name in names if name != x]
    if not others:
        raise UsageError(f"there is nothing but {x!r}; a correlation needs another one")
    return others


def _refuse_nothing(document: Correlations) -> None:
    """Refuse a document without any coefficient."""
    rows = document.correlations
    if all(row.reason for row in rows):
        left = "".join(f"; left out: {message}" for message in document.left_out)
        raise DataError(document.source, f"{rows[0].reason}{left}")
