"""`bench report`: one run, or several side by side, as one self-contained HTML page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from ..compare.pairs import graded_pair
from ..errors import UsageError
from ..html import RunInput, run_report, runs_report
from ..html.gather import gather_run, places_of, read_run
from ..html.masking import Masker
from ..html.policy import Policy
from ..html.report import OPEN
from ..html.transcripts import texts_of
from ..reading.formats import write_text
from ..reports.comparing import RunComparison, compare
from ..reports.pairing import Compared
from ..reports.suggestions import bench
from ..runs.run_set import RunSet
from ..runs.stored_run import StoredRun
from ..text import line
from . import options
from .command import command
from .options import run_ids
from .selectors import all_selectors, find_all, open_runs, selector
from .session import sections, tell


@command("report", "bench report 7a3c -o report.html --transcripts")
@click.argument("runs", nargs=-1, metavar="[RUN|BENCHMARK]...", shell_complete=run_ids)
@all_selectors
@click.option("--output", "-o", metavar="FILE", required=True, type=click.Path(path_type=Path),
              help="The page to write; a file that is there is replaced.")  # fmt: skip
@options.flag("--transcripts", help="Put all transcripts inside, compressed.")
@click.option("--public", is_flag=True,
              help="Leave out hosts, folders, system prompts, keys, e-mail addresses.")  # fmt: skip
@options.demo_option
@options.place_options
def report_command(
    runs: tuple[str, ...], output: Path, transcripts: bool, public: bool, runs_dir: Path
) -> None:
    """Write a run, or several side by side, as one HTML page.

    Several are of one benchmark; a benchmark means all its runs. Without a RUN the page is of those
    that --model and its like choose, or of the newest whole run.
    """
    with open_runs(runs_dir, *runs) as stored:
        named = runs or any(selector())
        first, *others = matches = list(find_all(stored, runs) if named else [_newest(stored)])
        masked = Masker(places_of(stored.journal))
        policy = Policy("all", masked) if public else OPEN
        if not others:
            page = run_report(run_input(first, policy, transcripts=transcripts), policy)
        else:
            names = _names(matches)
            inputs = [
                read_run(run, {**run.result(), "name": names[run.id]}, sections) for run in matches
            ]
            compared = [_compared(first, other, names) for other in others]
            page = runs_report(inputs, compared, policy)
    write_text(output, page)
    click.echo(line(f"saved in {output} ({len(page.encode()) / 1000:.0f} kB)"), err=True)


def _newest(runs: RunSet) -> StoredRun:
    """The newest whole run; one that is not whole only where there is no other."""
    if not any(run.document for run in runs):
        folder, lists = runs.journal.folder, bench("runs", demo=runs.journal.demo)
        raise UsageError(f"no run in {folder} has a result; {lists} lists them")
    return runs.newest


def run_input(stored: StoredRun, policy: Policy = OPEN, *, transcripts: bool) -> RunInput:
    """What a report shows of a run, with its transcripts if they are wanted.

    Raises:
        UsageError: It has no result yet.
    """
    run, board = gather_run(stored, sections, tell)
    texts = (
        texts_of(run, (row.item_id for row in run.items.items), public=policy.public)
        if transcripts
        else ()
    )
    return RunInput(run, board, list(texts), stored.journal.runs())


def _names(runs: Sequence[StoredRun]) -> Mapping[str, str]:
    """By a run's id its model's name, with the id where several go by that name."""
    counts = Counter(run.name for run in runs)
    return {r.id: f"{r.name} ({r.id})" if counts[r.name] > 1 else r.name for r in runs}


def _compared(first: StoredRun, other: StoredRun, names: Mapping[str, str]) -> RunComparison:
    """Paired differences of two runs, as `bench compare` has them."""
    pack, both = graded_pair([first, other])
    compared = compare(Compared(first.plugin, pack, *both))
    a, b = (one._replace(name=names[one.run_id]) for one in (compared.a, compared.b))
    return compared._replace(a=a, b=b)
