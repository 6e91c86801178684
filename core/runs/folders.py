"""The runs of a folder, to be read: those of real models, or its demo runs."""

from collections.abc import Sequence
from pathlib import Path

from ..errors import UsageError
from ..journal import Journal
from ..journal.file import demo_folder, has_journal
from .run_set import RunSet
from .words import BENCHMARK, END, WordMeaning

_NOTHING = WordMeaning(END + 1, ())


def runs(folder: str | Path = "runs", *named: str, demo: bool = False) -> RunSet:
    """The runs that a folder's journal holds, to be read: those of real models, or its demo runs.

    Demo runs are meant where `demo` says so, where those that are named are demo runs, and where
    the folder has no others.

    Args:
        folder: Where runs are kept.
        *named: Words that mean the runs that are wanted (docs/runs.md).
        demo: The demo runs.

    Raises:
        JournalError: There is no journal, or it cannot be read.
        UsageError: Runs of both kinds are named, which never stand beside each other.
    """
    real, of_demo = Path(folder), demo_folder(Path(folder))
    if demo or of_demo == real or not has_journal(of_demo):
        return RunSet(Journal(of_demo if demo else real, create=False))
    demo_runs = RunSet(Journal(of_demo, create=False))
    if not has_journal(real):
        return demo_runs
    others = RunSet(Journal(real, create=False))
    demo = others.journal.demo is None or _are_demo(named, others, demo_runs)
    chosen, left = (demo_runs, others) if demo else (others, demo_runs)
    left.close()
    return chosen


def is_of_other_kind(folder: Path, start: str) -> bool:
    """Whether a word names a demo run beside a folder's real runs, or a real one beside demo runs.

    Raises:
        JournalError: That cannot be told.
    """
    demo = demo_folder(folder)
    other = folder.parent if demo == folder else demo
    if not has_journal(other):
        return False
    with RunSet(Journal(other, create=False)) as runs:
        return runs.read(start) is not None


def _are_demo(named: Sequence[str], others: RunSet, demo_runs: RunSet) -> bool:
    """Whether the runs that are named are demo runs.

    Words that nobody knows are none, and a benchmark says nothing of the kind.
    """
    real, demo = list[str](), list[str]()
    for word in named:
        of_real, of_demo = (kind.read(word) or _NOTHING for kind in (others, demo_runs))
        surer = min(of_real.rank, of_demo.rank)
        if surer in (_NOTHING.rank, BENCHMARK):
            continue
        if of_real.rank == of_demo.rank:
            folders = f"a run in {others.journal.folder} or one in {demo_runs.journal.folder}"
            raise UsageError(f"{word!r} could be {folders}; give more of its id")
        (real if of_real.rank == surer else demo).append(word)
    if real and demo:
        message = f"{demo[0]!r} is a demo run and {real[0]!r} is not"
        raise UsageError(f"{message}: the two kinds never stand beside each other")
    return bool(demo)
