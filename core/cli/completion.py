"""What a shell completes where click alone does not know: runs, items and judges."""

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import BenchError
from ..journal import Journal
from ..plugins import installed

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def _names(
    ctx: click.Context, incomplete: str, names: Callable[[Journal], Iterable[str]]
) -> list[str]:
    """The names in the journal of ``--runs-dir`` that begin so, each once."""
    folder = Path(ctx.params.get("runs_dir") or "runs")
    # A shell is no place to tell of what is wrong.
    with contextlib.suppress(BenchError), Journal(folder, create=False) as journal:
        return sorted({name for name in names(journal) if name.startswith(incomplete)})
    return []


def _completing(names: Callable[[Journal], Iterable[str]]) -> Completer:
    return lambda ctx, _, incomplete: _names(ctx, incomplete, names)


model_names = _completing(lambda journal: (run.name for run in journal.runs()))
model_specs = _completing(lambda journal: (run.model for run in journal.runs()))
judge_labels = _completing(
    lambda journal: (judge.label for run in journal.runs() for judge in journal.judges(run))
)


def run_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The runs whose ids begin so, and models that are called so."""
    ids = _names(ctx, "", lambda journal: [run.run_id for run in journal.runs_like(incomplete)])
    return ids + (model_names(ctx, param, incomplete) if incomplete else [])


def item_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The items that begin so of the run that is named."""
    return _names(ctx, incomplete, lambda journal: _items(journal, ctx.params.get("run")))


def _items(journal: Journal, start: str | None) -> list[str]:
    runs = journal.runs_like(start or "")
    runs = runs or [run for run in journal.runs() if start in (run.name, run.model)]
    return [item for item, _ in journal.samples_begun(runs[0])] if len(runs) == 1 else []


def benchmarks_and_files(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """The benchmarks that begin so, and files."""
    from click.shell_completion import CompletionItem

    names = [name for name in installed().benchmarks.things if name.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]
