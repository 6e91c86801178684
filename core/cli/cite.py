"""`bench cite`: BibTeX of what to cite for runs or benchmarks."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from .. import __version__
from ..benchmark import Benchmark
from ..console.public import show_json, tell
from ..errors import JournalError, UsageError
from ..plugins import installed
from ..reading.bibtex import BibEntry, cited
from ..reports.suggestions import bench
from . import options, selectors
from .command import command, named_benchmark

_EIBENCH = f"""@software{{eibench,
  title   = {{eibench: emotional-intelligence benchmarks for language models}},
  author  = {{{{The eibench authors}}}},
  version = {{{__version__}}}
}}"""


class Cited(NamedTuple):
    """A work, and what of eibench it is cited for."""

    key: str
    cited_for: tuple[str, ...]
    bibtex: str


@command("cite", "bench cite eqbench-v1 seceu > paper.bib", "bench cite my-model")
@click.argument("names", metavar="RUN|BENCHMARK...", nargs=-1, shell_complete=options.run_ids)
@options.place_options
@options.json_option
def cite_command(names: tuple[str, ...], runs_dir: Path, json_output: bool) -> None:
    """Print BibTeX of what to cite for runs or benchmarks.

    The works that the benchmarks name, those of the rating engine where comparisons were rated, and
    eibench itself. A comment above each entry says what it is cited for.
    """
    works = cited_works(_sources(names, runs_dir))
    if json_output:
        show_json({"works": works})
        return
    click.echo("\n\n".join(f"% {', '.join(w.cited_for)}\n{w.bibtex}" for w in works))


class _Source(NamedTuple):
    """Something of a plugin that is cited: a benchmark or a rating engine."""

    name: str
    cite: str | Path


def _sources(names: Sequence[str], runs_dir: Path) -> Iterator[_Source]:
    """The benchmarks that are named, and the benchmarks and engines of the runs that are."""
    ctx = click.get_current_context()
    named = {name: named_benchmark(name, ctx) for name in names}
    yield from (_benchmark(benchmark) for benchmark in named.values() if benchmark)
    for name in (name for name, benchmark in named.items() if benchmark is None):
        yield from _of_runs(name, runs_dir)


def _of_runs(start: str, runs_dir: Path) -> Iterator[_Source]:
    """The benchmarks of the runs that are named, and the engines that rated their comparisons.

    Raises:
        UsageError: There is no such run.
    """
    try:
        with selectors.open_runs(runs_dir, start) as stored:
            for run in selectors.find_matching(stored, start):
                yield _benchmark(run.plugin)
                if run.document and run.document["ratings"]:
                    yield _engine(run.document["notes"]["rating"]["engine"])
    except (JournalError, UsageError) as error:
        raise UsageError(f"{start!r} is no benchmark ({bench('list')}), and {error}") from None


def _benchmark(benchmark: Benchmark) -> _Source:
    return _Source(benchmark.name, benchmark.cite)


def _engine(name: str) -> _Source:
    return _Source(name, getattr(installed().rating_engines.get(name), "cite", ""))


def cited_works(sources: Iterable[_Source]) -> list[Cited]:
    """Each work once, in the order in which it is first cited; eibench last.

    An entry that two plugins give under one key is the same work, and is as the first has it.

    Raises:
        DataError: A file that a plugin names is missing, or no BibTeX.
    """
    entries, reasons = dict[str, BibEntry](), dict[str, list[str]]()
    framework = cited(_EIBENCH)
    for name, cite in dict.fromkeys(sources):
        if not (works := cited(cite)):
            tell(f"note: {name} names no work of its own to cite")
        for entry in works:
            entries.setdefault(entry.key, entry)
            reasons.setdefault(entry.key, []).append(name)
    rows = [Cited(key, tuple(reasons[key]), entry.text) for key, entry in entries.items()]
    return [*rows, *(Cited(entry.key, ("eibench",), entry.text) for entry in framework)]
