"""`bench export` and `bench import`: runs as a file, from one machine to another."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath

import click

from .. import ratings
from ..compare.arriving import import_runs
from ..compare.comparison_pool import weighed_comparisons
from ..errors import DataError, UsageError
from ..exchange.bundles import begins_bundle
from ..exchange.verifying import unbundled
from ..guard import PluginCall, call, no_exit
from ..hooks.exporters import Exporter, ExportFile, ExportOption, ExportRequest
from ..journal import Journal
from ..journal.archives import print_lines, read_lines, write_lines
from ..journal.locks import owner_of
from ..journal.temporary import replacing
from ..journal.transfer import export_lines
from ..plugins import installed
from ..runs import folders
from ..runs.run_set import RunSet
from ..text import plural
from . import options
from .command import Command, command
from .import_foreign import ImportOptions, bring_in, outcome
from .options import run_ids
from .selectors import all_selectors, as_given, find_all, open_runs, selector
from .session import tell


def _export(exporter: Exporter, request: ExportRequest, folder: Path) -> list[Path]:
    """The exporter's files, which were written: all, or none where it fails."""
    called = PluginCall(exporter, "files")
    files = call(called, lambda: list(exporter.files(request)))
    if not files:
        called.refuse("returned no file")
    paths = [_path(called, file, folder) for file in files]
    if twice := next((path for path in paths if paths.count(path) > 1), None):
        called.refuse(f"returned {twice.relative_to(folder)} twice")
    try:
        for path, file in zip(paths, files, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            content = file.content
            with replacing(path) as out:
                out.write(content if isinstance(content, bytes) else content.encode())
    except OSError as error:
        raise DataError(folder, f"cannot be written: {error.strerror or error}") from None
    return paths


def _path(called: PluginCall, file: object, folder: Path) -> Path:
    """Where a file goes, which is within the folder, also where links lead."""
    if not isinstance(file, ExportFile):
        called.refuse(f"returned {type(file).__name__}, not an eibench.ExportFile")
    if not isinstance(file.content, bytes | str):
        called.refuse(f"returned a file whose content is {type(file.content).__name__}")
    name: object = file.path
    if not isinstance(name, str) or not name.isprintable():
        called.refuse(f"returned a file whose path is {name!r}")
    path = folder / PurePosixPath(name)
    inside = path.resolve().is_relative_to(folder.resolve()) and path.resolve() != folder.resolve()
    if not inside or ".." in path.parts[len(folder.parts) :] or "\\" in name:
        called.refuse(f"returned the file {name!r}, which is outside the folder")
    return path


class PluginNames(click.Choice[str]):
    """Names of what plugins add, whoever added it."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self.case_sensitive = True
        self._names = names

    @property
    def choices(self) -> Sequence[str]:  # type: ignore[override]  # known when plugins are
        """The names of all."""
        return tuple(self._names())


def _foreign_forms() -> list[str]:
    return sorted({form for one in installed().benchmarks for form in one.foreign_forms})


class ExportCommand(Command):
    """`bench export`, with the options of all exporters."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its parameters; an option that several exporters have stands once."""
        options: dict[str, ExportOption] = {}
        exporters: dict[str, list[str]] = {}
        for exporter in installed().exporters:
            for option in exporter.options:
                options.setdefault(option.name, option)
                exporters.setdefault(option.name, []).append(exporter.name)
        *params, last = super().get_params(ctx)
        return [*params, *(_click_option(o, exporters[name]) for name, o in options.items()), last]


def _click_option(option: ExportOption, exporters: Sequence[str]) -> click.Option:
    return click.Option(
        [option.name, f"--{option.name.replace('_', '-')}"],
        metavar=option.metavar,
        multiple=option.multiple,
        help=f"For {', '.join(exporters)}: {option.help}",
    )


@command(
    "export",
    "bench export 7a3c d239 -o runs.jsonl.gz",
    "bench export 7a3c -o - | ssh other bench import /dev/stdin",
    "bench export --format csv -o tables",
    "bench export --model openai/NAME --format hf-eval --hub-dataset OWNER/NAME -o repository",
    "bench export --model openai/NAME --format every-eval-ever --organization LAB -o records",
    cls=ExportCommand,
)
@click.argument("runs", metavar="RUN|BENCHMARK...", nargs=-1, shell_complete=run_ids)
@all_selectors
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Where to write; gzip if it ends in .gz, - prints.")  # fmt: skip
@click.option("--comparisons", is_flag=True, help="Only the comparisons, as bench rate takes them.")
@click.option("--format", "form", type=PluginNames(lambda: installed().exporters.declared),
              help="In a folder FILE: tables of all runs, or of those that are chosen; or results "
              "for the Hugging Face Hub or Every Eval Ever.")  # fmt: skip
@options.demo_option
@options.place_options
def export_command(
    runs: tuple[str, ...],
    output: Path,
    comparisons: bool,
    form: str | None,
    runs_dir: Path,
    **others: str | tuple[str, ...] | None,
) -> None:
    """Write runs with all their replies to a file.

    A model or a benchmark means all its runs. The file is JSON lines; bench import takes it on
    another machine. With --format, tables of runs, metrics, samples, grades and comparisons are
    written into a folder, or results as others take them (docs/storage.md).
    """
    exporter = installed().exporters.things[form] if form else None
    _refuse_options_of_others(exporter, others)
    if form and comparisons:
        raise UsageError("--comparisons writes JSON lines; --format has a table of them")
    is_chosen = bool(runs) or any(selector())
    if not (exporter and exporter.takes_all) and not is_chosen:
        raise UsageError("Missing argument 'RUN...'.")
    with open_runs(runs_dir, *runs) as stored:
        if exporter:
            chosen = find_all(stored, runs, every=True) if is_chosen else stored
            request = ExportRequest(list(chosen), others, time.time(), tell)
            paths = _export(exporter, request, output)
            tell(f"{plural(len(paths), 'file')}: {', '.join(map(str, paths))}")
            return
        _refuse_journal(stored.journal, output)
        chosen = find_all(stored, runs, every=True)
        _tell_owners(chosen)
        whole = export_lines(stored.journal, chosen.records)
        lines = _comparison_lines(chosen) if comparisons else whole
        if str(output) == "-":
            print_lines(lines)
            return
        write_lines(output, lines)
    tell(f"{plural(len(chosen), 'run')} in {output}")


def _refuse_options_of_others(
    exporter: Exporter | None, values: Mapping[str, str | tuple[str, ...] | None]
) -> None:
    """Refuse an option that the exporter does not have."""
    known = {option.name for option in exporter.options} if exporter else ()
    for name, value in values.items():
        if value and name not in known:
            of = [e.name for e in installed().exporters if name in {o.name for o in e.options}]
            raise UsageError(f"--{name.replace('_', '-')} is for --format {', '.join(of)}")


def _comparison_lines(runs: RunSet) -> Iterator[bytes]:
    """The runs' comparisons that were read, in the file form of docs/ratings.md."""
    comparisons, warnings = weighed_comparisons(runs)
    for warning in warnings:
        tell(f"warning: {warning}")
    if not comparisons:
        raise UsageError("these runs have no comparisons; bench run without --no-elo makes some")
    return ratings.reading.comparison_lines(comparisons)


def _refuse_journal(journal: Journal, output: Path) -> None:
    target = output.resolve()
    if target.parent == journal.folder.resolve() and target.name.startswith(journal.path.name):
        raise UsageError(f"{output} belongs to the journal itself; name another file with -o")


def _tell_owners(runs: RunSet) -> None:
    for run in runs:
        if owner := owner_of(runs.journal.folder, run.id):
            message = f"run {run.id} is owned by {owner} and may go on: the file has what is"
            tell(f"{message} committed now")


@command(
    "import",
    "bench import runs.jsonl.gz --runs-dir elsewhere/runs",
    "bench import eqbench3_runs.json.gz --format eqbench3",
    "bench import elo_results.json.gz --format eqbench3 -o comparisons.jsonl",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--format", "form", type=PluginNames(_foreign_forms),
              help="A file of the published code of a benchmark instead, with runs or "
              "comparisons.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE",
              help="With --format: where comparisons go; as of bench export.")  # fmt: skip
@click.option("--judge", metavar="NAME", help="With --format: who judged, if FILE does not say.")
@click.option("--dataset", metavar="NAME|PATH",
              help="With --format, of runs: their data (default: official).")  # fmt: skip
@options.place_options
def import_command(
    file: Path,
    form: str | None,
    output: Path | None,
    judge: str | None,
    dataset: str | None,
    runs_dir: Path,
) -> None:
    """Add the runs of a file that bench export or bench bundle wrote.

    Runs that are new are added, and those that continue what is here; where one does not, nothing
    is imported. Numbers are computed again from the grades. With --format, FILE is another
    program's: its runs are added, or its comparisons are put into a file for bench rate.
    """
    judge, dataset = as_given("judge", judge), as_given("dataset", dataset)
    if form is None:
        if output or judge or dataset:
            raise UsageError("-o, --judge and --dataset go with --format; runs go into the journal")
        _import_runs(file, runs_dir)
        return

    bring_in(ImportOptions(file, form, output, judge or "", dataset, runs_dir))


def _import_runs(file: Path, runs_dir: Path) -> None:
    with no_exit():
        lines = read_lines(file)
        first = next(lines, (1, b""))
        lines = chain([first] if first[1] else [], lines)
        if begins_bundle(first[1]):
            lines, warnings = unbundled(file, lines)
            for warning in warnings:
                tell(f"warning: {warning}")
        done = import_runs(runs_dir, file, lines)
    with folders.runs(runs_dir, *(imported.run_id for imported, _ in done)) as stored:
        for imported, note in done:
            run = stored.journal.find_run(imported.run_id)
            if run is None:
                continue  # deleted by another process since
            tell(f"run {run.run_id} ({run.benchmark}, {run.name}): {outcome(imported)}")
            if note:
                tell(f"warning: run {run.run_id}: {note}")
