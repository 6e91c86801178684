"""`bench agreement`: how well two judges agree on runs that both have graded."""

from pathlib import Path
from typing import Any

import click

from .. import console
from ..analysis.agreement import Agreement, Judged, agree
from ..errors import UsageError
from ..reports.choosing import chosen, refuse_unlike, two_judges
from ..runs import run_set
from ..runs.run_set import place_of
from ..text import as_text
from .command import Command
from .options import judge_labels, run_ids
from .selectors import as_given, find_all, model_and_benchmark, selector, stored_options
from .settings import pairs

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
    runs_dir: Path,
) -> Agreement:
    wanted, named = pairs(changes, "--set"), as_given("judges", judges) or ()
    chosen_by = selector()
    if not (starts or any(chosen_by)):
        raise UsageError("Missing argument 'RUN...'.")
    with run_set.runs(runs_dir) as stored:
        found = list(find_all(stored, starts))
        refuse_unlike([run.record for run in found])
        sides = two_judges([chosen(run.record, run.graders(), wanted) for run in found], named)
        pack = found[0].pack_by(sides[0].first, place_of(chosen_by.dataset))
        judged = [
            Judged(*(run.graded(side, pack.clusters) for side in pair))
            for run, pair in zip(found, sides, strict=True)
        ]
        return agree(pack, judged, leave_out=found[0].plugin.not_judged)
