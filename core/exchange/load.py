"""Foreign runs into the journal: replayed, checked, and summed up."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ..benchmark.foreign import ForeignRun
from ..journal import Journal, RunRecord
from ..journal.merging import Imported
from ..journal.transfer import Telling, import_lines
from ..reports.document import build_document
from ..reports.evidence import Selection
from ..runs.stored_run import StoredRun
from ..runs.views import write_document
from ..settings.run_config import grader
from .translate import Import, Lines, Source, begin

ADVICE = "import the other one into a --runs-dir of its own"


def import_foreign(folder: Path, source: Source, runs: Sequence[ForeignRun]) -> list[Import]:
    """Add foreign runs to a folder's journal, which is made if there is none.

    Returns:
        What became of each run, in their order.

    Raises:
        DataError: Nothing in them can be used, or the journal says something else.
        JournalError: The journal cannot be used, or another process owns one of the runs.
        PluginError: The benchmark failed.
    """
    lines = Lines(source, [begin(source, run) for run in runs])

    def sum_up(journal: Journal, done: Sequence[Imported]) -> None:
        named = Counter(run.name for run in journal.runs() if _is_about(run, source))
        for each, imported in zip(lines.used, done, strict=True):
            each.imported = imported
            each.namesakes = named[each.config.display_name]
            _sum_up(journal, source, each)

    telling = Telling(lines.place, ADVICE, sum_up)
    import_lines(folder, source.path, lines.all(), telling)
    return lines.imports


def _is_about(run: RunRecord, source: Source) -> bool:
    """Whether a run is of the same benchmark and data."""
    about = (source.benchmark.name, source.pack.source.sha256)
    return (run.benchmark, run.pack_sha256) == about


def _sum_up(journal: Journal, source: Source, each: Import) -> None:
    """Store a run's result, if anything of it is new or it has none yet.

    One by a judge is not replaced by one without.
    """
    assert each.imported is not None
    run = journal.find_run(each.imported.run_id)
    assert run is not None
    config = each.config
    worse = config.judge is None and bool(journal.judges(run))
    if journal.document(run) is not None and (worse or not each.imported.changed):
        return
    # What was left out belongs to the run all the same, so the whole pack is what is looked at.
    stored = StoredRun(journal, run)
    selection = Selection(source.pack.items, stored.selection_of(source.pack).iterations)
    evidence = stored.evidence(grader(config), selection, sent=0)
    document = build_document(run, config, source.pack, selection, evidence)
    journal.end_run(run, document["status"], seconds=0.0, finished=True, document=document)
    write_document(journal.folder, document)
