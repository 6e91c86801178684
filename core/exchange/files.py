"""Results of other programs: read within limits, interpreted by a benchmark, checked again."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .. import ratings
from ..benchmark import Benchmark
from ..benchmark.abilities import ReadsForeignParts
from ..benchmark.foreign import ForeignPart, ForeignResults, ForeignRun
from ..errors import BenchError, DataError, PluginError, UsageError
from ..guard import described, guard
from ..journal.archives import read_chunks, read_whole
from ..journal.lines import read_line
from ..plugins import Catalogue
from ..reading.responses import MOST_ITERATIONS
from .parts import read_parts


class ForeignFile(NamedTuple):
    """What is in a foreign file, and the benchmark that has read it."""

    benchmark: Benchmark
    results: ForeignResults


def read_foreign(catalogue: Catalogue, path: Path, form: str, judge: str = "") -> ForeignFile:
    """The comparisons and runs in a file of another program.

    Args:
        catalogue: Knows which benchmark reads which form.
        path: JSON, plain or gzip.
        form: The name of the form.
        judge: Who judged, where the file does not say.

    Raises:
        UsageError: No benchmark reads that form.
        DataError: The file is not of it, or nothing in it can be read.
        PluginError: The benchmark failed.
    """
    benchmark = _reader_of(catalogue, form)
    found = _read(benchmark, path, form, judge)
    try:
        _check(found)
    except BenchError:
        raise
    except Exception as error:
        message = f"returned what is no result of another program: {described(error)}"
        raise PluginError(f"{guard(benchmark).called('read_foreign')} {message}") from error
    if not found.comparisons and not found.runs:
        reasons = "; ".join(f"{n} x {reason}" for reason, n in found.left_out.items())
        raise DataError(path, f"nothing in it can be read: {reasons or 'it is empty'}")
    return ForeignFile(benchmark, found)


def _read(benchmark: Benchmark, path: Path, form: str, judge: str) -> ForeignResults:
    if isinstance(benchmark, ReadsForeignParts):
        parts = _parts(path, benchmark.foreign_lists)
        found = guard(benchmark).read_foreign_parts(form, parts, path, judge)
        for _ in parts:  # the rest, if it was not asked for, has to be JSON too
            pass
        return found
    try:
        value = read_line(read_whole(path))
    except ValueError as error:
        raise DataError(path, str(error)) from None
    return guard(benchmark).read_foreign(form, value, path, judge)


def _parts(path: Path, lists: tuple[tuple[str, ...], ...]) -> Iterator[ForeignPart]:
    try:
        yield from read_parts(read_chunks(path), lists)
    except ValueError as error:
        raise DataError(path, str(error)) from None


def _reader_of(catalogue: Catalogue, form: str) -> Benchmark:
    forms = {name: b for b in catalogue.benchmarks for name in b.foreign_forms}
    if form not in forms:
        there = ", ".join(sorted(forms)) or "none"
        raise UsageError(f"--format {form}: no benchmark reads that; there are: {there}")
    return forms[form]


def _check(found: ForeignResults) -> None:
    """Hold what a benchmark made of a file to what it may be.

    Raises:
        ValueError: It is something else.
    """
    columns = ratings.columns.Columns("what was read", "comparison")
    for number, row in enumerate(found.comparisons, start=1):
        columns.add(row.as_json(), number)
    keys = [run.key for run in found.runs]
    if len(set(keys)) < len(keys):
        raise ValueError("two runs have one key")
    for run in found.runs:
        _check_run(run)


def _check_run(run: ForeignRun) -> None:
    known = [(sample.item_id, sample.iteration) for sample in run.samples]
    if len(set(known)) < len(known):
        raise ValueError(f"run {run.key!r:.60} has a sample twice")
    if any(not 1 <= iteration <= MOST_ITERATIONS for _, iteration in known):
        raise ValueError(f"run {run.key!r:.60} has an iteration beyond {MOST_ITERATIONS}")
