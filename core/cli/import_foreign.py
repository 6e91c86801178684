"""`bench import --format`: what another program wrote, comparisons into a file, runs into runs."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from .. import ratings
from ..benchmark import Benchmark
from ..benchmark.foreign import ForeignResults
from ..errors import DataError, UsageError
from ..exchange.files import read_foreign
from ..exchange.translate import Import, Source, import_foreign
from ..journal.archives import print_lines, write_lines
from ..journal.merging import Imported
from ..plugins import installed
from ..reports.suggestions import bench
from ..text import plural
from .selectors import official_or_default
from .session import tell


class ImportOptions(NamedTuple):
    """What the command line says of a foreign file.

    Attributes:
        output: Where comparisons go; ``None`` for runs.
        judge: Who judged, where the file does not say; empty where that is not known.
        dataset: The pack of runs; ``None`` for the official one.
    """

    file: Path
    form: str
    output: Path | None
    judge: str
    dataset: str | None
    runs_dir: Path


def bring_in(args: ImportOptions) -> None:
    """Import a foreign file, and tell what was left out of it.

    Raises:
        UsageError: What it holds goes elsewhere than the options say, or the judge has no name.
    """
    file, output = args.file, args.output
    if not args.judge.isprintable():
        raise UsageError("--judge is no name: it has a character that cannot be printed")
    if output is not None and output.resolve() == file.resolve():
        raise UsageError(f"{output} is the file to import; name another one with -o")
    benchmark, results = read_foreign(installed(), file, args.form, args.judge)
    command = f"bench import {quote(str(file))} --format {args.form}"
    if output is None:
        _import_runs(args, benchmark, results, command)
    else:
        _write_comparisons(args, output, results, command)


def _write_comparisons(
    args: ImportOptions, output: Path, results: ForeignResults, command: str
) -> None:
    rows = results.comparisons
    if not rows:
        message = f"{args.file} holds runs, which go into the journal; leave -o out: {command}"
        raise UsageError(message)
    if args.dataset:
        raise UsageError("--dataset is for runs; comparisons need no data")
    lines = ratings.reading.comparison_lines(rows)
    if str(output) == "-":
        print_lines(lines)
    else:
        write_lines(output, lines)
    models = {name for row in rows for name in (row.a, row.b)}
    held = f"{plural(len(rows), 'comparison')} of {plural(len(models), 'model')} in {output}"
    tell(f"{held}; no ratings, rubric scores or transcripts are imported")
    _tell(results.left_out, results.notes)
    if results.runs:
        _tell_rest(plural(len(results.runs), "run"), command)


def _import_runs(
    args: ImportOptions, benchmark: Benchmark, results: ForeignResults, command: str
) -> None:
    comparisons = f"{command} -o comparisons.jsonl"
    if not results.runs:
        message = f"{args.file} holds comparisons, which go into a file of their own: {comparisons}"
        raise UsageError(message)
    try:
        pack, dataset = official_or_default(benchmark, args.dataset)
    except DataError as error:
        if args.dataset is not None:
            raise
        message = f"{error}, or name its folder with --dataset PATH"
        raise DataError(error.path, message.removeprefix(f"{error.path}: ")) from None
    source = Source(args.file, args.form, benchmark, pack, dataset)
    done = import_foreign(args.runs_dir, source, results.runs)
    for each in done:
        tell_run(each)
    _tell(results.left_out, (*results.notes, *namesakes(done)))
    run_id = next(each.imported.run_id for each in done if each.imported)
    shown, judged = bench("show", run_id), bench("rejudge", run_id, "--judge", "SPEC")
    tell(f"next: {shown} shows a result, {judged} has its transcripts judged")
    if results.comparisons:
        _tell_rest(plural(len(results.comparisons), "comparison"), comparisons)


def _tell_rest(held: str, command: str) -> None:
    """What a file holds beside what was imported, and how that is."""
    tell(f"note: the file also holds {held}, not imported now; next: {command}")


def tell_run(each: Import) -> None:
    """Say what became of a run, and what was left out of it."""
    name = f"{each.config.benchmark.name}, {each.config.display_name}"
    if each.imported is None:
        what = "nothing of it can be used" if each.left_out else "it is empty"
        message = f"run {each.run.key!r} ({name}): {what}"
    else:
        message = f"run {each.imported.run_id} ({name}): {_outcome(each, each.imported)}"
    tell(message)
    for reason, n in each.left_out.most_common():
        tell(f"left out: {n} x {reason}", indent=2)
    if each.left_out:
        tell("what is left out is not kept: only the file has it", indent=2)
    if each.thinking:
        message = f"in {plural(each.thinking, 'transcript')} the model was shown its own thinking"
        tell(f"note: {message}, which is kept apart here", indent=2)


def _outcome(each: Import, imported: Imported) -> str:
    held = f"{plural(each.usable, 'transcript')}, {plural(each.judged, 'verdict')}"
    held += f", {each.unread} of them unread" if each.unread else ""
    if imported.is_new:
        return f"new: {held}"
    return f"{outcome(imported)}; the file has {held}"


def _tell(left_out: Mapping[str, int], notes: Iterable[str]) -> None:
    for reason, n in left_out.items():
        tell(f"left out: {n} x {reason}")
    for note in notes:
        tell(f"note: {note}")


def namesakes(done: Sequence[Import]) -> list[str]:
    """What becomes of runs of one name, once for each name."""
    counts = {each.config.display_name: each.namesakes for each in done if each.imported}
    counted = "boards and ratings take the newest whole one"
    return [f"{n} runs are called {name!r}; {counted}" for name, n in counts.items() if n > 1]


def outcome(imported: Imported) -> str:
    """What an import has done to a run."""
    if not imported.changed:
        return "already there"
    words = {"call": "reply", **dict.fromkeys(("grade", "comparison", "failure"))}
    added = {word or kind: imported.added.get(kind, 0) for kind, word in words.items()}
    parts = [plural(n, what) for what, n in added.items() if n > 0]
    parts += [] if imported.is_new else ["a later result"]
    return ("new: " if imported.is_new else "added: ") + (", ".join(parts) or "no replies yet")
