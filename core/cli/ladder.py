"""`bench data fetch NAME --ladder`: the published ladder into the cache and the journal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from .. import ratings
from ..datasets.official import Ladder
from ..datasets.sources import FileEntry
from ..errors import DataError
from ..exchange.files import read_foreign
from ..exchange.translate import Import, Source, import_foreign
from ..journal.archives import write_lines
from ..plugins import installed
from ..ratings.comparisons import Comparison
from ..reports.suggestions import bench
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
    comparisons: list[Comparison] = []
    imported = sum(_import_file(ladder, file, runs_dir, comparisons) for file in ladder.all_files)
    if comparisons:
        write_lines(ladder.comparisons, ratings.reading.comparison_lines(comparisons))
    if imported:
        command = bench("run", ladder.name, "--model", "SPEC", "--judge", "SPEC")
        tell(f"next: {command} places a model among the published ones, by your own judge")
    if comparisons:
        command = bench("rate", ladder.name, "--published")
        tell(f"next: {command} rates the published verdicts")


def _import_file(
    ladder: Ladder, file: FileEntry, runs_dir: Path, comparisons: list[Comparison]
) -> int:
    """Import the runs of a file, and add to the comparisons; how many runs there are."""
    path, done = ladder.folder / file.path, list[Import]()
    tell(f"{file.path}: reading it, which may take a minute or two")
    benchmark, results = read_foreign(installed(), path, ladder.form, ladder.judge)
    if results.runs:
        pack, dataset = official_or_default(benchmark, None)
        source = Source(path, ladder.form, benchmark, pack, dataset)
        done = import_foreign(runs_dir, source, results.runs)
    comparisons += results.comparisons
    for message in (*_of_runs(done), *_of_comparisons(results.comparisons)):
        tell(f"{file.path}: {message}")
    reasons = sum((each.left_out for each in done), Counter(results.left_out))
    for reason, n in reasons.most_common():
        tell(f"left out: {n:,} x {reason}", indent=2)
    for note in results.notes:
        tell(f"note: {note}", indent=2)
    return sum(each.imported is not None for each in done)


def _of_runs(done: Sequence[Import]) -> Iterator[str]:
    if done:
        runs = [each.imported for each in done if each.imported]
        usable, judged = sum(each.usable for each in done), sum(each.judged for each in done)
        new, grown = sum(i.is_new for i in runs), sum(i.changed and not i.is_new for i in runs)
        more = f", {grown} with more than before" if grown else ""
        held = f"{usable:,} transcripts, {judged:,} verdicts; {new} new{more}"
        yield f"{plural(len(runs), 'run')} with {held}"
    for each in done:
        if each.imported is None:
            yield f"run {each.run.key!r} ({each.run.name}): nothing of it can be used"
    yield from namesakes(done)


def _of_comparisons(comparisons: Sequence[Comparison]) -> Iterator[str]:
    if comparisons:
        models = {name for row in comparisons for name in (row.a, row.b)}
        unknown = sum(row.len_a is None or row.len_b is None for row in comparisons)
        message = f"{len(comparisons):,} comparisons of {plural(len(models), 'model')}"
        yield message + (f", of {unknown:,} the lengths are not known" if unknown else "")


def published_comparisons(ladder: Ladder) -> Path:
    """The file with a ladder's comparisons; `DataError` if it was not fetched yet."""
    if not ladder.comparisons.exists():
        fetch = bench("data", "fetch", ladder.name, "--ladder")
        message = f"the published verdicts of {ladder.name} are not on this machine"
        raise DataError(ladder.folder, f"{message}; {fetch} gets them")
    return ladder.comparisons
