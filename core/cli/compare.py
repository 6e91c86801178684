"""`bench compare`: two runs side by side, and their paired differences."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from .. import console
from ..benchmark import Pack
from ..compare.boards import Boards
from ..compare.pair_on_board import pair_on_board
from ..errors import UsageError
from ..reports.choosing import chosen, own_judge, refuse_unlike, same_grader
from ..reports.comparing import RunComparison, compare
from ..reports.graded import GradedSamples
from ..reports.kin import KinRule, graded_without_kin
from ..reports.pairing import Compared
from ..reports.statements import OnBoard, pair_statement
from ..reports.suggestions import bench
from ..runs import run_set
from ..runs.run_set import RunSet
from ..runs.selectors import Selector, place_of
from ..runs.stored_run import StoredRun
from ..text import as_text, line
from .command import command
from .options import kin_options, run_ids
from .selectors import find, grades_option, model_and_benchmark, selector, stored_options
from .settings import pairs


@command(
    "compare",
    "bench compare 7a3c d239",
    "bench compare openai/gpt-4.1 openai/gpt-4o --benchmark eqbench3 --dataset official",
)
@click.argument("runs", metavar="RUN_A RUN_B", nargs=-1, shell_complete=run_ids)
@model_and_benchmark
@grades_option("Whose grades, where several judges graded both.")
@kin_options
@stored_options
def compare_command(runs: tuple[str, ...], json_output: bool, **params: Any) -> None:
    """Compare two runs of a benchmark, sample by sample.

    Each is named by its id or its model's name, or by --model. The main metrics; the mean
    difference A - B over the samples that both runs have, of the main metric and of each value;
    last, which is better, if that can be told, and what the board of both says. Runs on different
    packs, or graded by different judges, are refused with the command that makes them alike.
    """
    document, kin, board = _compared(runs, **params)
    statement = pair_statement(document, board)
    if json_output:
        more = {"board": board, "statement": statement.text, **({"kin": kin} if kin else {})}
        click.echo(as_text({**document._asdict(), **more}))
        return

    if kin:
        click.echo(line(f"scores {kin.text}"))
    console.output.show(console.differences.comparison(document, statement.text))


def _compared(
    starts: tuple[str, ...],
    changes: tuple[str, ...],
    runs_dir: Path,
    exclude_kin: bool,
    additive: bool,
) -> tuple[RunComparison, KinRule | None, OnBoard | None]:
    values, by = pairs(changes, "--set"), selector()
    with run_set.runs(runs_dir) as stored:
        two = _two(stored, starts, by)
        pack, both = graded_pair(two, by.judge, values, place_of(by.dataset))
        benchmark, kin = two[0].plugin, None
        if exclude_kin or additive:
            kin, both = graded_without_kin(benchmark, both, additive=additive)
        document = compare(Compared(benchmark, pack, *both))
        boards = Boards(stored.journal, stored.catalogue, benchmark)
        placed = pair_on_board(boards, [run.record for run in two], both[0].grader)
        return document, kin, placed


def _two(stored: RunSet, starts: tuple[str, ...], chosen: Selector) -> list[StoredRun]:
    """The two runs, those of --model after those that are named."""
    names = (*starts, *chosen.models)
    if len(names) != 2:
        message = "name two runs, by their ids or their models' names"
        raise UsageError(f"{message}; {bench('runs')} lists them")
    return [find(stored, name, chosen._replace(models=())) for name in names]


def graded_pair(
    two: list[StoredRun],
    judge: str | None = None,
    values: Mapping[str, str] | None = None,
    dataset: str | None = None,
) -> tuple[Pack, list[GradedSamples]]:
    """The pack of two runs, and the samples of each by one grader: that of `judge` or its own.

    Raises:
        BenchError: They cannot be compared.
    """
    refuse_unlike([run.record for run in two])
    by = judge or own_judge(run.document for run in two)
    pair = same_grader(*(chosen(r.record, r.graders(), values or {}, by) for r in two))
    pack = two[0].pack_by(pair.first, dataset)
    graded = [run.graded(grader, pack.clusters) for run, grader in zip(two, pair, strict=True)]
    return pack, graded
