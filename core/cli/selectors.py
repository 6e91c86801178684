"""The options that choose stored runs, and the runs that they choose."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from ..errors import DataError, UsageError
from ..journal import Journal, RunRecord
from ..reports.hints import bench, with_run
from ..runs.differences import differences
from ..runs.selectors import Selector, is_on
from ..text import line, plural
from . import options
from .command import BenchmarkName
from .completion import judge_labels, model_names
from .stored import as_given

F = TypeVar("F", bound=Callable[..., object])
_CHOSEN = "eibench.selector"
_LISTED = 6


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
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


def selector(*, judge: str | None = None, dataset: str | None = None) -> Selector:
    """What the command under way chooses runs by.

    Args:
        judge: Of a command whose own option says whose grades are meant.
        dataset: Of a command with an option of its own for it.
    """
    kept = click.get_current_context().meta.get(_CHOSEN, {})
    benchmark = kept.get("benchmark")
    return Selector(
        benchmark.name if benchmark else None,
        tuple(kept.get("models") or ()),
        kept.get("judge") or judge,
        kept.get("dataset") or dataset,
        judge is not None,
    )


def find(journal: Journal, start: str, chosen: Selector | None = None) -> RunRecord:
    """The one run whose id begins so, or whose model is called so.

    Args:
        journal: Holds it.
        start: The beginning of an id, a model's name, or the end of one after a slash.
        chosen: What else it must be; by default what the options of the command say.

    Raises:
        UsageError: There is none, or more than one.
        DataError: It is not on the data at the path that is given.
    """
    fitting = find_fitting(journal, start, chosen)
    if len(fitting) == 1:
        return fitting[0]
    raise UsageError(f"{start!r} could be {several(fitting, start)}")


def find_fitting(
    journal: Journal, start: str, chosen: Selector | None = None
) -> Sequence[RunRecord]:
    """The runs that could be meant, one at least; as `find`."""
    if not start.strip():
        raise UsageError(f"name a run; {bench('runs')} lists them")
    found = journal.runs_like(start) or _of_model(journal, start)
    if not found:
        raise UsageError(f"no run {start!r} in {journal.folder}; {bench('runs')} lists them")
    exact = [run for run in found if run.run_id == start] or found
    chosen = selector() if chosen is None else chosen
    if chosen.checks_judge and len(exact) == 1:
        chosen = chosen._replace(judge=None)
    if fitting := chosen.among(journal, exact):
        return fitting
    _refuse_other_data(exact, chosen.dataset)
    raise UsageError(f"no run {start!r} with {chosen}; others: {several(exact, start)}")


def _of_model(journal: Journal, name: str) -> list[RunRecord]:
    runs, end = journal.runs(), f"/{name}"
    return (
        [run for run in runs if run.name == name]
        or [run for run in runs if run.model == name]
        or [run for run in runs if run.name.endswith(end) or run.model.endswith(end)]
    )


def _refuse_other_data(runs: Sequence[RunRecord], dataset: str | None) -> None:
    """Refuse a path that holds other data than the one run that is named was made with."""
    if dataset and len(runs) == 1 and Path(dataset).exists() and not is_on(runs[0], dataset):
        of = f"is not the data of run {runs[0].run_id} (SHA-256 {runs[0].pack_sha256[:12]}…)"
        raise DataError(dataset, f"{of}; name the right one with --dataset")


def several(runs: Sequence[RunRecord], start: str = "") -> str:
    """How many runs could be meant, and the commands that name each.

    Args:
        runs: The runs.
        start: The word of the command in place of which each is named.
    """
    apart = differences(runs)
    named = [
        f"{with_run(start, run.run_id)} ({', '.join(filter(None, (_what(run), differing)))})"
        for run, differing in zip(runs[:_LISTED], apart, strict=False)
    ]
    more = [f"{len(runs) - _LISTED} more: {bench('runs')}"] if len(runs) > _LISTED else []
    return f"{plural(len(runs), 'run')}: {'; '.join([*named, *more])}"


def _what(run: RunRecord) -> str:
    """What tells a run from others of its model."""
    return line(f"{run.benchmark} on {run.pack_name}, {run.name}, {run.created_at[:10]}")


def find_all(
    journal: Journal, starts: Sequence[str], chosen: Selector | None = None
) -> list[RunRecord]:
    """The runs that are named, each once; without names all that the options choose.

    Raises:
        UsageError: One cannot be found, or there is none.
    """
    chosen = selector() if chosen is None else chosen
    if starts:
        found = [find(journal, start, chosen) for start in starts]
        return list({run.run_id: run for run in found}.values())
    runs = chosen.among(journal, journal.runs())
    if not runs:
        raise UsageError(f"no run with {chosen} in {journal.folder}; {bench('runs')} lists all")
    return runs


def check_named(start: str | None, chosen: Selector) -> None:
    """Refuse a command that says in no way which run is meant.

    Raises:
        UsageError: It does not.
    """
    if start is None and not any(chosen):
        raise UsageError(f"Missing argument 'RUN': an id or a model's name; {bench('runs')} lists")


def find_one(journal: Journal, start: str | None, chosen: Selector | None = None) -> RunRecord:
    """The one run that is named, or else that the options choose.

    Raises:
        UsageError: There is none, or more than one.
    """
    chosen = selector() if chosen is None else chosen
    check_named(start, chosen)
    if start is not None:
        return find(journal, start, chosen)
    found = find_all(journal, (), chosen)
    if len(found) == 1:
        return found[0]
    raise UsageError(f"{chosen} could be {several(found)}")
