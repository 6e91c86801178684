"""`bench correlate`: how benchmarks go together, from a CSV file or from runs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

import click

from .. import analysis, console
from ..analysis.csv_tables import read_csv, write_csv
from ..analysis.run_tables import RunSelection, ScoreColumn, benchmarks_with_runs, table_of_runs
from ..analysis.score_tables import table_of_csv
from ..errors import DataError, UsageError
from ..journal.file import has_journal
from ..plugins import installed
from ..reading.names import check_name, left_out_of
from ..runs import run_set
from ..text import as_text, line
from . import options
from .command import Command
from .completion import judge_labels, run_ids
from .selectors import as_given, find, named_pack
from .settings import given_by_user

if TYPE_CHECKING:
    from ..analysis.correlations import Correlations
    from ..analysis.score_tables import ScoreTable


class CorrelateParams(TypedDict):
    """Which models and runs count, and how the document is printed."""

    models: tuple[str, ...]
    without: tuple[str, ...]
    runs: tuple[str, ...]
    datasets: tuple[str, ...]
    judge: str | None
    demo: bool
    runs_dir: Path
    json_output: bool


class _TableRequest(NamedTuple):
    """A table and the columns that were asked for."""

    table: "ScoreTable"
    x: str
    ys: list[str]


_CORRELATE_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench correlate scores.csv eq_bench mmlu -o pairs.csv\n"
    "  bench correlate eqbench-v1 eqbench3 --dataset eqbench3=bundled\n"
    "  bench correlate eqbench-v1:first_pass eqbench-v1:revised\n"
)


@click.command("correlate", cls=Command, epilog=_CORRELATE_EXAMPLES)
@click.argument("words", metavar="[FILE.csv] X [Y]...", nargs=-1, required=True)
@options.models_option
@options.without_option
@click.option("--run", "runs", multiple=True, metavar="RUN", shell_complete=run_ids,
              help="Only this run of the journal.")  # fmt: skip
@click.option("--dataset", "datasets", multiple=True, metavar="[BENCHMARK=]NAME|PATH|SHA",
              help="Only runs on this pack; of one benchmark, if it is named.")  # fmt: skip
@click.option("--judge", metavar="SPEC", shell_complete=judge_labels,
              help="Of judged results, only those of this judge.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE.csv",
              help="Write the pairs to a file.")  # fmt: skip
@options.demo_option
@options.place_options
@options.json_option
def correlate_command(
    words: tuple[str, ...], output: Path | None, **params: Unpack[CorrelateParams]
) -> None:
    """Correlate benchmarks over models, from a CSV file or from runs.

    With FILE.csv, X and Y are columns; without it, benchmarks with runs in --runs-dir
    (BENCHMARK or BENCHMARK:METRIC). Without Y, X is correlated with every other one.
    """
    params["judge"] = as_given("judge", params["judge"])
    params["models"] = as_given("models", params["models"]) or ()
    params["datasets"] = as_given("datasets", params["datasets"]) or ()
    _check_output(output, words[0])
    asked = _from_file(words, params) if _is_file(words[0]) else _from_runs(words, params)
    table = asked.table
    document = analysis.correlations.build_correlations(table, asked.x, asked.ys)
    _refuse_nothing(table, document)
    if output is not None:
        write_csv(output, analysis.correlations.csv_rows(table, document))
        click.echo(line(f"the pairs are in {output}"), err=True)
    if params["json_output"]:
        click.echo(as_text(document))
        return

    console.output.show(console.correlations.correlations(document))


def _is_file(word: str) -> bool:
    """Whether the first word means a file, not a benchmark."""
    if word.lower().endswith(".csv"):
        return True
    return word not in installed().benchmarks.things and Path(word).is_file()


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
    if given_by_user("demo"):
        raise UsageError("--demo chooses among runs, not rows of a file")
    file = read_csv(Path(words[0]))
    if len(words) == 1:
        raise UsageError(f"name a column of {file.path}: {', '.join(file.columns)}")
    for name in words[1:]:
        check_name(name, file.columns, f"{file.path} has no column {name!r}", "its columns")
    table = table_of_csv(file, words[1:])
    table = table.without(left_out_of(table.models, params["without"], params["models"]))
    return _TableRequest(table, words[1], _others(words[1:], list(table.columns)))


def _from_runs(words: Sequence[str], params: CorrelateParams) -> _TableRequest:
    if not has_journal(params["runs_dir"]):
        _refuse_no_source(words[0])
    with run_set.runs(params["runs_dir"]) as stored:
        runs = [find(stored, start) for start in params["runs"]]
        datasets = {name: _pack(name, pack) for name, pack in _datasets(params["datasets"]).items()}
        choice = RunSelection(runs or None, datasets, params["judge"])
        names = dict.fromkeys(run.name for run in choice.among(stored))
        left_out = left_out_of(names, params["without"], params["models"])
        choice = replace(choice, without=left_out, mixed=params["demo"])
        there = benchmarks_with_runs(stored, choice)
        for word in words:
            message = f"no runs of {ScoreColumn.parse(word).benchmark!r} in {stored.journal.folder}"
            check_name(ScoreColumn.parse(word).benchmark, there, message, "there are runs of")
        ys = _others(words, [words[0], *(n for n in there if n != ScoreColumn.parse(words[0])[1])])
        columns = [ScoreColumn.parse(word) for word in (words[0], *ys)]
        for name in filter(None, choice.datasets):
            message = f"--dataset {name}={choice.datasets[name]}: {name!r} is not correlated"
            check_name(name, [column.benchmark for column in columns], message, "there are")
        table = table_of_runs(stored, columns, choice)
    return _TableRequest(table, words[0], ys)


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
    if not name and pack not in ("bundled", "official") and Path(pack).exists():
        raise UsageError(f"--dataset {pack}: a path is of one benchmark; give BENCHMARK={pack}")
    benchmark = installed().benchmarks.things.get(name)
    return pack if benchmark is None else named_pack(benchmark, pack)


def _refuse_no_source(word: str) -> None:
    """Refuse a first word that means nothing, where there are no runs that it could be of."""
    if word.partition(":")[0] not in installed().benchmarks.things:
        hint = "the name of a file ends in .csv"
        raise UsageError(f"{word!r} is neither a file nor a benchmark; {hint}")


def _others(wanted: Sequence[str], every: Sequence[str]) -> list[str]:
    """The columns to correlate the first one with."""
    x, *ys = wanted
    if twice := next((name for name in wanted if wanted.count(name) > 1), None):
        raise UsageError(f"{twice!r} is named twice; name two different columns")
    others = ys or [name for name in every if name != x]
    if not others:
        raise UsageError(f"there is nothing but {x!r}; a correlation needs another one")
    return others


def _refuse_nothing(table: "ScoreTable", document: "Correlations") -> None:
    """Refuse a document without any coefficient."""
    rows = document.correlations
    if all(row.reason for row in rows):
        left = "".join(f"; left out: {message}" for message in document.left_out)
        raise DataError(table.source, f"{rows[0].reason}{left}")
