"""What a shell completes where click alone does not know: runs."""

import contextlib
from pathlib import Path

import click

from ..errors import BenchError
from ..journal import Journal


def run_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The ids that begin so of the runs in ``--runs-dir``; none where there is no journal."""
    folder = Path(ctx.params.get("runs_dir") or "runs")
    # A shell is no place to tell of what is wrong.
    with contextlib.suppress(BenchError), Journal(folder, create=False) as journal:
        return [run.run_id for run in journal.runs_like(incomplete)]
    return []
