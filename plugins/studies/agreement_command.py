"""`bench agreement`: how well two judges agree on runs that both have graded."""

from collections.abc import Mapping
from pathlib import Path

import click

import eibench
from eibench import UsageError, given, run_selector

from .agreement import Agreement, Judged, agree
from .agreement_tables import show_agreement
from .two_judges import GradersOfRun, two_judges

_EXAMPLES = "\b\nExamples:\n  bench rejudge 7a3c --judge openai/gpt-4.1\n  bench agreement 7a3c\n"


@click.command("agreement", cls=eibench.Command, epilog=_EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, shell_complete=eibench.completion("runs"))
@eibench.run_options("model", "benchmark")
@click.option("--judge", "judges", multiple=True, metavar="SPEC",
              shell_complete=eibench.completion("judges"),
              help="One of the two judges; give it twice where there are more.")  # fmt: skip
@eibench.shared_options("set")
@eibench.run_options("dataset")
@eibench.shared_options("runs_dir")
@eibench.json_option
def agreement_command(
    runs: tuple[str, ...],
    judges: tuple[str, ...],
    changes: Mapping[str, str],
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Say how well two judges agree on the same runs.

    ICC, Spearman's rho and the mean difference of each value, over the transcripts that both
    graded, with intervals; of several runs also the order of models by either judge.
    """
    document = _agreement(runs, given("judges") or (), changes, runs_dir)
    if json_output:
        eibench.show_json(document)
    else:
        show_agreement(document)


def _agreement(
    starts: tuple[str, ...], judges: tuple[str, ...], options: Mapping[str, str], folder: Path
) -> Agreement:
    if not (starts or any(run_selector())):
        raise UsageError("Missing argument 'RUN...'.")
    with eibench.runs(folder) as stored:
        runs = eibench.chosen_runs(stored, starts)
        runs.refuse_unlike()
        first, *_ = each = list(runs)
        graders = [GradersOfRun(run.id, run.graders(options)) for run in each]
        pairs = two_judges(first.benchmark, graders, judges)
        pack = first.pack_by(pairs[0][0], run_selector().data_path)
        judged = [
            Judged(*(run.graded(grader, pack.clusters) for grader in pair))
            for run, pair in zip(each, pairs, strict=True)
        ]
        return agree(pack, judged, leave_out=first.plugin.not_judged)
