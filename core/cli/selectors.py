"""The options that choose stored runs; the runs that they choose, and the packs."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from ..benchmark import Benchmark, Pack
from ..datasets import find_pack, read_manifest
from ..errors import DataError, UsageError
from ..guard import guard
from ..reports.hints import bench
from ..runs.run_set import RunSet, Selector
from ..runs.stored_run import StoredRun
from . import options
from .command import BenchmarkName
from .completion import judge_labels, model_names
from .settings import given_by_user

T = TypeVar("T")


def as_given(name: str, value: T, ctx: click.Context | None = None) -> T | None:
    """An option's value if it was given with the command; a file's is meant for new runs."""
    return value if given_by_user(name, ctx) else None


def named_pack(benchmark: Benchmark, given: str) -> str:
    """What names a board's pack: its name, the beginning of its digest, or that of a path's."""
    if given in ("bundled", "official") or not Path(given).exists():
        return given
    options = {option.name: option.default for option in benchmark.options}
    return find_pack(benchmark, given, options).sha256


def official_or_default(benchmark: Benchmark, dataset: str | None) -> tuple[Pack, str | None]:
    """The pack that is named, by default the official one if there is any, and what names it."""
    if dataset is None and benchmark.data and "official" in read_manifest(benchmark.data):
        dataset = "official"
    given = {option.name: option.default for option in benchmark.options}
    return guard(benchmark).read_pack(find_pack(benchmark, dataset, given), given), dataset


F = TypeVar("F", bound=Callable[..., object])
_CHOSEN = "eibench.selector"
_GRADES = "grades_of"


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    kept = ctx.meta.setdefault(_CHOSEN, {})
    kept[param.name] = as_given(str(param.name), value, ctx)


def _option(*names: str, **attributes: Any) -> Callable[[F], F]:
    return click.option(*names, expose_value=False, callback=_keep, **attributes)


model_option = _option(
    "--model", "models", multiple=True, metavar="MODEL", shell_complete=model_names,
    help="Only runs of this model, by its name; may be repeated.",
)  # fmt: skip
benchmark_option = _option(
    "--benchmark", type=BenchmarkName(), metavar="NAME", help="Only runs of this benchmark."
)
judge_option = _option(
    "--judge", metavar="SPEC", shell_complete=judge_labels,
    help="Only runs that this judge has graded.",
)  # fmt: skip
dataset_option = _option(
    "--dataset", metavar="NAME|PATH|SHA", help="Only runs on this data, by its name or digest."
)
data_option = _option(
    "--dataset", metavar="NAME|PATH|SHA",
    help="Only runs on this data; a path also says where it is now.",
)  # fmt: skip


def grades_option(text: str) -> Callable[[F], F]:
    """``--judge`` for commands that also take the grades of that judge, and refuse another."""
    return _option("--judge", _GRADES, metavar="SPEC", shell_complete=judge_labels, help=text)


def stored_options(command: F) -> F:
    """Which grades, where the data is, and how to print."""
    return options.apply(
        command,
        click.option("--set", "changes", multiple=True, metavar="NAME=VALUE",
                     help="Grades by this value of a grading option, where there are several."),
        data_option,
        options.place_options,
        options.json_option,
    )  # fmt: skip


def model_and_benchmark(command: F) -> F:
    """For commands whose judge and data mean more than which runs."""
    return options.apply(command, model_option, benchmark_option, section="Which runs")


def all_but_data(command: F) -> F:
    """For commands whose data means more than which runs."""
    chosen = (model_option, benchmark_option, judge_option)
    return options.apply(command, *chosen, section="Which runs")


def all_selectors(command: F) -> F:
    """Which runs, by all that they have."""
    chosen = (model_option, benchmark_option, judge_option, dataset_option)
    return options.apply(command, *chosen, section="Which runs")


def _kept() -> dict[str, Any]:
    found: dict[str, Any] = click.get_current_context().meta.get(_CHOSEN, {})
    return found


def selector() -> Selector:
    """What the command under way chooses runs by."""
    kept = _kept()
    benchmark = kept.get("benchmark")
    return Selector(
        benchmark.name if benchmark else None,
        tuple(kept.get("models") or ()),
        kept.get("judge") or kept.get(_GRADES),
        kept.get("dataset"),
    )


def find(runs: RunSet, start: str, chosen: Selector | None = None) -> StoredRun:
    """The one run whose id begins so, or whose model is called so, or so after a slash."""
    return find_fitting(runs, start, chosen).only(start)


def find_fitting(runs: RunSet, start: str, chosen: Selector | None = None) -> RunSet:
    """The runs that could be meant, one at least; as `find`."""
    named = runs.named(start)
    chosen = selector() if chosen is None else chosen
    if _kept().get(_GRADES) and len(named) == 1:  # the command itself refuses another judge
        chosen = chosen._replace(judge=None)
    if fitting := named.chosen(chosen):
        return fitting
    _refuse_other_data(named, chosen.dataset)
    raise UsageError(f"no run {start!r} with {chosen}; others: {named.listed(start)}")


def _refuse_other_data(runs: RunSet, dataset: str | None) -> None:
    """Refuse a path that holds other data than the one run that is named was made with."""
    if (
        dataset
        and len(runs) == 1
        and Path(dataset).exists()
        and not (run := runs.only()).is_on(dataset)
    ):
        of = f"is not the data of run {run.id} (SHA-256 {run.record.pack_sha256[:12]}…)"
        raise DataError(dataset, f"{of}; name the right one with --dataset")


def find_all(runs: RunSet, starts: Sequence[str]) -> RunSet:
    """The runs that are named, each once; without names all that the options choose."""
    if starts:
        return runs.of(find(runs, start) for start in starts)
    chosen = selector()
    if fitting := runs.chosen(chosen):
        return fitting
    folder = runs.journal.folder
    raise UsageError(f"no run with {chosen} in {folder}; {bench('runs')} lists all")


def check_named(start: str | None) -> None:
    """Refuse a command that says in no way which run is meant."""
    if start is None and not any(selector()):
        raise UsageError(f"Missing argument 'RUN': an id or a model's name; {bench('runs')} lists")


def find_one(runs: RunSet, start: str | None) -> StoredRun:
    """The one run that is named, or else that the options choose."""
    check_named(start)
    if start is not None:
        return find(runs, start)
    found = find_all(runs, ())
    if len(found) == 1:
        return found.only()
    raise UsageError(f"{selector()} could be {found.listed()}")
