"""`bench agreement`: how well two judges agree on runs that both have graded."""

from pathlib import Path
from typing import Any

import click

from .. import console
from ..analysis.agreement import Agreement, Judged, agree
from ..errors import UsageError
from ..journal import Journal
from ..reports.choosing import chosen, two_judges
from ..reports.graded import read_samples
from ..reports.gradings import gradings, refuse_unlike
from ..runs.selectors import place_of
from ..text import as_text
from .command import Command
from .completion import judge_labels, run_ids
from .selectors import find_all, model_and_benchmark, selector
from .stored import as_given, read_stored, stored_options
from .values import pairs

_AGREEMENT_EXAMPLES = (
    "\b\nExamples:\n  bench rejudge 7a3c --judge openai/gpt-4.1\n  bench agreement 7a3c\n"
)


@click.command("agreement", cls=Command, epilog=_AGREEMENT_EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, shell_complete=run_ids)
@model_and_benchmark
@click.option("--judge", "judges", multiple=True, metavar="SPEC", shell_complete=judge_labels,
              help="One of the two judges; give it twice where there are more.")  # fmt: skip
@stored_options
def agreement_command(runs: tuple[str, ...], json_output: bool, **params: Any) -> None:
    """Say how well two judges agree on the same runs.

    ICC, Spearman's rho and the mean difference of each value, over the transcripts that both
    graded, with intervals; of several runs also the order of models by either judge.
    """
    document = _agreed(runs, **params)
    if json_output:
        click.echo(as_text(document))
        return

    console.output.show(console.agreement.agreement(document))


def _agreed(
    starts: tuple[str, ...],
    judges: tuple[str, ...],
    changes: tuple[str, ...],
    dataset: str | None,
    runs_dir: Path,
) -> Agreement:
    wanted, named = pairs(changes, "--set"), as_given("judges", judges) or ()
    dataset = as_given("dataset", dataset)
    chosen_by = selector(dataset=dataset)
    if not (starts or any(chosen_by)):
        raise UsageError("Missing argument 'RUN...'.")
    with Journal(runs_dir, create=False) as journal:
        runs = find_all(journal, starts, chosen_by)
        refuse_unlike(runs)
        graded = [chosen(run, gradings(journal, run), wanted) for run in runs]
        sides = two_judges(graded, named)
        stored = read_stored(runs[0], sides[0].first, place_of(dataset))
        judged = [
            Judged(*(read_samples(journal, run, side, stored.clusters) for side in pair))
            for run, pair in zip(runs, sides, strict=True)
        ]
        return agree(stored.pack, judged, leave_out=stored.benchmark.not_judged)
