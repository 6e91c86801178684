"""`bench import --format`: what another program wrote, comparisons into a file, runs into runs."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from .. import ratings
from ..benchmark.foreign import ForeignResults
from ..errors import DataError, UsageError
from ..exchange.files import ForeignFile, read_foreign
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


def bring_in(wanted: ImportOptions) -> None:
    """Import a foreign file, and tell what was left out of it.

    Raises:
        UsageError: What it holds goes elsewhere than the options say, or the judge has no name.
    """
    if not wanted.judge.isprintable():
        raise UsageError("--judge is no name: it has a character that cannot be printed")
    if wanted.output is not None and wanted.output.resolve() == wanted.file.resolve():
        raise UsageError(f"{wanted.output} is the file to import; name another one with -o")
    found = read_foreign(installed(), wanted.file, wanted.form, wanted.judge)
    _refuse_other(wanted, found.results)
    if wanted.output is not None:
        _write_comparisons(found.results, wanted.output)
        _tell(found.results.left_out, found.results.notes)
    else:
        _import_runs(wanted, found)
    _tell_others(wanted, found.results)


def _refuse_other(wanted: ImportOptions, found: ForeignResults) -> None:
    """Refuse options that are for the other kind of file."""
    command = _command(wanted)
    if wanted.output is not None and not found.comparisons:
        raise UsageError(
            f"{wanted.file} holds runs, which go into the journal; leave -o out: {command}"
        )
    if wanted.output is None and not found.runs:
        raise UsageError(
            f"{wanted.file} holds comparisons, which go into a file of their own: "
            f"{command} -o comparisons.jsonl"
        )
    if wanted.output is not None and wanted.dataset:
        raise UsageError("--dataset is for runs; comparisons need no data")


def _command(wanted: ImportOptions) -> str:
    return f"bench import {quote(str(wanted.file))} --format {wanted.form}"


def _tell_others(wanted: ImportOptions, found: ForeignResults) -> None:
    """What a file holds beside what was imported, and how that is."""
    if wanted.output is None and found.comparisons:
        held, how = plural(len(found.comparisons), "comparison"), " -o comparisons.jsonl"
    elif wanted.output is not None and found.runs:
        held, how = plural(len(found.runs), "run"), ""
    else:
        return
    message = f"the file also holds {held}, not imported now; next: {_command(wanted)}{how}"
    tell(f"note: {message}")


def _write_comparisons(found: ForeignResults, output: Path) -> None:
    if str(output) == "-":
        print_lines(ratings.reading.comparison_lines(found.comparisons))
    else:
        write_lines(output, ratings.reading.comparison_lines(found.comparisons))
    models = {name for row in found.comparisons for name in (row.a, row.b)}
    held = f"{plural(len(found.comparisons), 'comparison')} of {plural(len(models), 'model')}"
    message = f"{held} in {output}"
    tell(f"{message}; no ratings, rubric scores or transcripts are imported")


def _import_runs(wanted: ImportOptions, found: ForeignFile) -> None:
    benchmark, dataset = found.benchmark, wanted.dataset
    try:
        pack, used = official_or_default(benchmark, dataset)
    except DataError as error:
        if dataset is not None:
            raise
        message = f"{error}, or name its folder with --dataset PATH"
        raise DataError(error.path, message.removeprefix(f"{error.path}: ")) from None
    source = Source(wanted.file, wanted.form, benchmark, pack, used)
    done = import_foreign(wanted.runs_dir, source, found.results.runs)
    for each in done:
        tell_run(each)
    _tell(found.results.left_out, (*found.results.notes, *namesakes(done)))
    _tell_next(done)


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


def _tell_next(done: list[Import]) -> None:
    """The commands that show a run and have it judged."""
    first = next(each for each in done if each.imported is not None)
    assert first.imported is not None
    run_id = first.imported.run_id
    shown, judged = bench("show", run_id), bench("rejudge", run_id, "--judge", "SPEC")
    tell(f"next: {shown} shows a result, {judged} has its transcripts judged")


def outcome(imported: Imported) -> str:
    """What an import has done to a run."""
    if not imported.changed:
        return "already there"
    added = {
        "reply": imported.calls,
        "grade": imported.grades,
        "comparison": imported.comparisons,
        "failure": imported.failures,
        "view": imported.views,
    }
    parts = [plural(n, what) for what, n in added.items() if n]
    parts += ["a later result"] if imported.updated else []
    return ("new: " if imported.is_new else "added: ") + (", ".join(parts) or "no replies yet")
