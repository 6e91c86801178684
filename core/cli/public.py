"""What commands of plugins share with ours; public as names of `eibench`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import click

from ..benchmark import Benchmark
from ..compare.board_reader import read_leaderboard
from ..compare.board_samples import BoardSamples, board_samples
from ..compare.boards import Boards
from ..journal.file import demo_folder, has_journal
from ..plugins import installed
from ..runs.run_set import RunSet
from ..runs.selectors import Selector
from ..types import Json
from ..types.result_document import ResultDocument
from . import options, selectors
from .command import RESULTS
from .settings import pairs

_SHARED: dict[str, Callable[[Any], Any]] = {
    "board": selectors.board_options,
    "model": options.models_option,
    "without": options.without_option,
    "demo": options.demo_option,
    "details": options.details_option,
    "runs_dir": options.place_options,
    "set": click.option(
        "--set", "changes", multiple=True, metavar="NAME=VALUE",
        callback=lambda _, __, texts: pairs(texts, "--set"),
        help="Grades by this value of a grading option, where there are several."),
}  # fmt: skip
_COMPLETIONS: dict[str, Callable[[click.Context, click.Parameter, str], list[Any]]] = {
    "runs": options.run_ids,
    "models": options.model_names,
    "judges": options.judge_labels,
    "benchmarks": options.benchmarks_and_files,
}


def shared_options(
    *names: Literal["board", "model", "without", "demo", "details", "runs_dir", "set"],
) -> Callable[[options.F], options.F]:
    """A decorator that gives a command options as those of `bench` have them.

    Args:
        *names: In the order of the help: ``board``, which board is meant, at which `chosen_board`
            looks; ``model``, names of the only models that count, as a tuple `models`;
            ``without``, of those that do not, likewise; ``demo``, whether demo runs are meant, at
            which `open_runs` looks; ``details``, whether to print all numbers, as `provided` says;
            ``runs_dir``, the folder of the runs as a path, and ``--config``, whose values are
            defaults of such options; ``set``, values of grading options by name, as a mapping
            `changes`.
    """
    return options.group(*(_SHARED[name] for name in names))


_OF_RUNS: dict[str, Callable[[Any], Any]] = {
    "model": selectors.model_option,
    "benchmark": selectors.benchmark_option,
    "judge": selectors.judge_option,
    "dataset": selectors.data_option,
}


def run_options(
    *names: Literal["model", "benchmark", "judge", "dataset"],
) -> Callable[[options.F], options.F]:
    """A decorator that gives a command the options that `chosen_runs` and `run_selector` look at.

    Args:
        *names: Which, in the order of the help; all but ``dataset`` stand below a heading there.
    """
    return options.group(
        options.group(*(_OF_RUNS[n] for n in names if n != "dataset"), section="Which runs"),
        *(_OF_RUNS[n] for n in names if n == "dataset"),
    )


def run_selector() -> Selector:
    """What the options of the command under way choose runs by; falsy values where by nothing."""
    return selectors.selector()


def open_runs(runs_dir: Path, *named: str | None) -> RunSet:
    """The runs that the command under way is about, to be read: of real models, or demo runs.

    Demo runs are meant with ``--demo``, where those that are named are such, and where there are
    no others, which is said on standard error.

    Args:
        runs_dir: The folder of the runs.
        *named: What names runs, as of `chosen_runs`; ``None`` is nothing.

    Raises:
        JournalError: There is no journal, or it cannot be read.
        UsageError: Runs of both kinds are named.
    """
    return selectors.open_runs(runs_dir, *named)


def chosen_runs(runs: RunSet, words: Sequence[str] = (), *, every: bool = False) -> RunSet:
    """The runs that the command under way is about.

    Args:
        runs: Among which.
        words: What names them (docs/runs.md): ids, models, benchmarks. Where there is none, all
            that the options choose are meant.
        every: All runs that each word means; else of each the newest that stand side by side.

    Raises:
        UsageError: A word means no run, or could mean several models; or there is no run.
        DataError: One is not on the data at the path that is given.
    """
    return selectors.find_all(runs, words, every=every)


def chosen_board(benchmark: Benchmark, runs_dir: Path, **protocol: Json) -> BoardSamples | None:
    """The board that the command under way is about, as `bench leaderboard` would choose it.

    Args:
        benchmark: Whose.
        runs_dir: The folder of the runs.
        **protocol: The values of an `AuditCommand`'s options that choose a board.

    Returns:
        ``None`` where the folder has no run of the benchmark.

    Raises:
        JournalError: The journal cannot be read.
        UsageError: There is no such board.
        DataError: The data of its runs is not where it was.
    """
    if not (has_journal(runs_dir) or has_journal(demo_folder(runs_dir))):
        return None
    with selectors.open_runs(runs_dir) as stored:
        boards = Boards(stored.journal, stored.catalogue, benchmark)
        if not boards.runs:
            return None
        choice = selectors.given_board().choice(benchmark, protocol)
        return board_samples(boards, read_leaderboard(boards, choice))


def completion(
    kind: Literal["runs", "models", "judges", "benchmarks"],
) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    """What completes words in a shell: the `shell_complete` of an option or argument of click.

    Args:
        kind: Ids of runs and names of their models, names of models, labels of judges, of what
            the folder of ``--runs-dir`` holds; or names of benchmarks and files.
    """
    return _COMPLETIONS[kind]


class BenchRun(NamedTuple):
    """What came of `bench run`: its exit code, the folder of the runs, and their results."""

    code: int
    runs_dir: Path
    documents: Sequence[ResultDocument]


def bench_run(benchmark: Benchmark, words: Sequence[str]) -> BenchRun:
    """Run a benchmark that need not be installed, as `bench run` does.

    Args:
        benchmark: It is one of the catalogue while this runs.
        words: The options of `bench run`, as its command line has them.

    Returns:
        Without results after ``--dry-run``.
    """
    from .run import run_command

    ctx, catalogue = click.get_current_context(), installed()
    name, known = benchmark.name, catalogue.benchmarks
    known.add(benchmark, catalogue.commands.origins[str(ctx.info_name)])
    try:
        with run_command.make_context("run", [name, *words], parent=ctx.find_root()) as run:
            code = run_command.invoke(run)
            assert isinstance(code, int)
            return BenchRun(code, run.params["runs_dir"], run.meta.pop(RESULTS, ()))
    finally:
        del known.declared[name], known.origins[name]


def provided(name: str) -> Any:
    """The value of an option of the command under way if the user has provided it, else ``None``.

    A default does not count, nor does what ``bench.toml`` says, which is meant for new runs.

    Args:
        name: Of the parameter, such as `judge` for ``--judge``.
    """
    values = click.get_current_context().params
    return selectors.as_given(name, values[name] if name in values else options.kept(name))
