"""`bench data fetch NAME --ladder`: the published ladder into the cache and the journal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from .. import ratings
from ..benchmark import Benchmark
from ..benchmark.foreign import ForeignResults, ForeignRun
from ..datasets.fetching import Ladder
from ..datasets.sources import FileEntry
from ..errors import DataError
from ..exchange.files import read_foreign
from ..exchange.translate import Import, Source, import_foreign
from ..journal.archives import write_lines
from ..plugins import installed
from ..ratings.comparisons import Comparison
from ..reports.hints import bench
from ..text import plural
from .import_foreign import namesakes
from .selectors import official_or_default
from .session import tell


def import_ladder(ladder: Ladder, runs_dir: Path) -> None:
    """Add the runs of a ladder to a journal, and put its comparisons where `bench rate` looks.

    Raises:
        DataError: A file is broken, or neither runs nor comparisons can be read of all of them.
        JournalError: The journal cannot be used.
    """
    compared: list[Comparison] = []
    imported = sum(_import_file(ladder, file, runs_dir, compared) for file in ladder.all_files)
    if compared:
        _write(ladder, compared)
    _tell_next(ladder.name, imported=imported > 0, compared=bool(compared))


def _import_file(
    ladder: Ladder, file: FileEntry, runs_dir: Path, compared: list[Comparison]
) -> int:
    """Import the runs of a file, and add to what was compared; how many runs there are."""
    path = ladder.folder / file.path
    tell(f"{file.path}: reading it, which may take a minute or two")
    found = read_foreign(installed(), path, ladder.form, ladder.judge)
    done = _import_runs(ladder, path, found.benchmark, found.results.runs, runs_dir)
    compared += found.results.comparisons
    _tell_file(file, found.results, done)
    return sum(each.imported is not None for each in done)


def _import_runs(
    ladder: Ladder, path: Path, benchmark: Benchmark, runs: Sequence[ForeignRun], runs_dir: Path
) -> list[Import]:
    if not runs:
        return []
    pack, used = official_or_default(benchmark, None)
    return import_foreign(runs_dir, Source(path, ladder.form, benchmark, pack, used), runs)


def _write(ladder: Ladder, compared: Sequence[Comparison]) -> None:
    write_lines(ladder.comparisons, ratings.reading.comparison_lines(compared))


def _tell_file(file: FileEntry, found: ForeignResults, done: Sequence[Import]) -> None:
    for message in (*_of_runs(done), *_of_comparisons(found.comparisons)):
        tell(f"{file.path}: {message}")
    reasons = sum((each.left_out for each in done), Counter(found.left_out))
    for reason, n in reasons.most_common():
        tell(f"left out: {n:,} x {reason}", indent=2)
    for note in found.notes:
        tell(f"note: {note}", indent=2)


def _of_runs(done: Sequence[Import]) -> Iterator[str]:
    there = [each.imported for each in done if each.imported]
    if done:
        held = (
            f"{sum(e.usable for e in done):,} transcripts, {sum(e.judged for e in done):,} verdicts"
        )
        new, grown = sum(i.is_new for i in there), sum(i.changed and not i.is_new for i in there)
        more = f", {grown} with more than before" if grown else ""
        yield f"{plural(len(there), 'run')} with {held}; {new} new{more}"
    for each in done:
        if each.imported is None:
            yield f"run {each.run.key!r} ({each.run.name}): nothing of it can be used"
    yield from namesakes(done)


def _of_comparisons(found: Sequence[Comparison]) -> Iterator[str]:
    if found:
        models = {name for row in found for name in (row.a, row.b)}
        unknown = sum(row.len_a is None or row.len_b is None for row in found)
        message = f"{len(found):,} comparisons of {plural(len(models), 'model')}"
        yield message + (f", of {unknown:,} the lengths are not known" if unknown else "")


def _tell_next(name: str, *, imported: bool, compared: bool) -> None:
    if imported:
        command = bench("run", name, "--model", "SPEC", "--judge", "SPEC")
        tell(f"next: {command} places a model among the published ones, by your own judge")
    if compared:
        command = bench("rate", name, "--published")
        tell(f"next: {command} rates the published verdicts")


def published_comparisons(ladder: Ladder) -> Path:
    """The file with a ladder's comparisons.

    Raises:
        DataError: It was not fetched yet.
    """
    if not ladder.comparisons.exists():
        fetch = bench("data", "fetch", ladder.name, "--ladder")
        message = f"the published verdicts of {ladder.name} are not on this machine"
        raise DataError(ladder.folder, f"{message}; {fetch} gets them")
    return ladder.comparisons
