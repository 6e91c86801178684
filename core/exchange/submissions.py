"""A folder of bundles as runs of one journal, each verified, with what was verified in words.

Beside ``NAME.eib`` may lie ``NAME.verified.json``: what `bench verify --json` wrote when it asked a
judge or the model again. It counts for the bundle whose root it states, and is its writer's word.
"""

import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal, TypedDict, cast

from ..compare.arriving import import_runs
from ..errors import BenchError, DataError
from ..html.gather import Absent, Submission, Submissions
from ..journal import Journal
from ..journal.archives import read_whole
from ..journal.lines import read_line
from ..journal.shapes import shape_of
from ..runs import folders
from ..runs.run_set import RunSet
from ..text import line, number, plural
from ..types.result_document import AtLeast, Ordinal
from .bundles import read_bundle, restored_lines
from .verification import LIMITS, Verification, VerifiedRun
from .verifying import RecalledBundle, recall_bundle

RECORD = ".verified.json"
_MOST = 3
"""Faults of a bundle that are named."""


class _Fault(TypedDict):
    message: str


class _Asked(TypedDict):
    run_id: str
    whom: Literal["judge", "model"]
    drawn: Ordinal
    total: Ordinal
    p: Annotated[float, AtLeast(0)] | None
    shows: Annotated[float, AtLeast(0)] | None


class _Record(TypedDict):
    """What of the JSON of `bench verify` a board repeats."""

    root: str
    eibench: str
    at: str
    faults: Sequence[_Fault]
    asked: Sequence[_Asked]


_SHAPE = shape_of(_Record)


@contextlib.contextmanager
def submitted_runs(folder: Path, *, demo: bool = False) -> Iterator[tuple[RunSet, Submissions]]:
    """The runs of the bundles of a folder that hold, and what is to be said of each bundle.

    Args:
        folder: With ``.eib`` and ``.eib.gz`` files, and records of earlier verifications.
        demo: Demo runs are meant, though there are others.

    Raises:
        DataError: There is no such folder.
    """
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise DataError(folder, f"cannot be read: {error.strerror}") from None
    with TemporaryDirectory() as scratch:
        Journal(Path(scratch)).close()
        bundles = _Bundles(Path(scratch))
        names = {_stem(path) + RECORD for path in paths if _stem(path)}
        for path in paths:
            if _stem(path):
                bundles.add(path)
            elif path.name.endswith(RECORD) and path.name not in names:
                bundles.leave_out(path, "there is no bundle of this name")
        with folders.runs(scratch, demo=demo) as stored:
            shown = {run.run_id for run in stored.journal.runs()}
            kind, how = ("of a real model", "without") if demo else ("a demo run", "with")
            for run_id in bundles.runs.keys() - shown:
                why = f"run {run_id} is {kind}, and the two kinds never stand beside each other"
                bundles.leave_out(bundles.files[run_id], f"{why}: see it {how} --demo")
            absent = sorted(bundles.absent, key=lambda one: one.text)
            yield stored, Submissions(folder, bundles.runs, absent, LIMITS)


class _Bundles:
    """Adds bundles to a runs folder.

    Attributes:
        runs: What is said of each run.
        files: Where it is from.
        absent: Files that were left out.
    """

    def __init__(self, runs_dir: Path) -> None:
        self.runs, self.files = dict[str, Submission](), dict[str, Path]()
        self.absent, self._leaves = list[Absent](), dict[str, object]()
        self._runs_dir = runs_dir

    def leave_out(self, path: Path, why: object) -> None:
        """Name a file, and why it does not count."""
        text = str(why).removeprefix(str(path)).lstrip(",: ")
        self.absent.append(Absent(line(path.name), line(text)))

    def add(self, path: Path) -> None:
        """Add the runs of a bundle that holds; name any other."""
        try:
            read = recall_bundle(read_bundle(_regular(path)))
            record = self._record(path, read.verification)
            self._refuse(path, read, record)
            import_runs(self._runs_dir, path, restored_lines(read.bundle, read.runs))
        except BenchError as error:
            self.leave_out(path, error)
            return
        done = read.verification
        self._leaves |= {run["run_id"]: run["leaves"] for run in read.bundle.manifest["runs"]}
        for run in done.runs:
            self.files[run.run_id] = path
            words = _in_words(run, done, record)
            by_submitter = (text and line(text) for text in (done.weights, done.prompt_format))
            self.runs[run.run_id] = Submission(words, *by_submitter)

    def _record(self, path: Path, done: Verification) -> _Record | None:
        """What an earlier verification of a bundle wrote; one of another bundle is named."""
        record_path = path.with_name(_stem(path) + RECORD)
        if not (record_path.is_symlink() or record_path.exists()):
            return None
        try:
            return _read_record(record_path, done.root)
        except DataError as error:
            self.leave_out(record_path, error)
            return None

    def _refuse(self, path: Path, read: RecalledBundle, record: _Record | None) -> None:
        """Refuse a bundle that does not hold, or whose runs another one has."""
        faults = [f"{one.where}: {one.message}" for one in read.verification.faults]
        says = f"{_stem(path)}{RECORD} says"
        faults += [f"{says}: {one['message']:.200}" for one in (record["faults"] if record else ())]
        if faults:
            more = f" and {len(faults) - _MOST} more" * (len(faults) > _MOST)
            raise DataError(path, f"not verified: {'; '.join(faults[:_MOST])}{more}")
        for run in read.bundle.manifest["runs"]:
            if (run_id := run["run_id"]) in self.files:
                known = self.files[run_id].name
                like = self._leaves[run_id] == run["leaves"]
                differs = "" if like else ", with other replies or grades: one of them is not true"
                raise DataError(path, f"run {run_id} is shown as {known} has it{differs}")


def _stem(path: Path) -> str:
    """A bundle's name without its ending; nothing of another file."""
    name = path.name.removesuffix(".gz")
    return name.removesuffix(".eib") if name.endswith(".eib") else ""


def _regular(path: Path) -> Path:
    """A path that is that of a file itself."""
    if path.is_symlink() or not path.is_file():
        raise DataError(path, "is no regular file")
    return path


def _read_record(path: Path, root: str | None) -> _Record:
    try:
        value = read_line(read_whole(_regular(path)))
        if wrong := _SHAPE(value):
            raise ValueError(wrong)
        record = cast(_Record, value)
        date = datetime.fromisoformat(record["at"]).date()
    except ValueError as error:
        raise DataError(path, f"is not what bench verify --json wrote: {error}") from None
    if record["root"] != root:
        raise DataError(path, f"is of another bundle, whose root is {record['root']:.12}")
    return {**record, "at": str(date)}


def _in_words(run: VerifiedRun, done: Verification, record: _Record | None) -> str:
    """What of a run was verified, by what, when; and what was not."""
    asked = [one for one in record["asked"] if one["run_id"] == run.run_id] if record else []
    parts = [f"recomputed from its replies by eibench {done.eibench} on {done.at[:10]}"]
    if asked and record:
        again = " and ".join(map(_asked_again, asked))
        parts.append(f"{again} by eibench {record['eibench']:.20} on {record['at']}")
    whom = {"judge": "its judge", "model": "the model"} if run.judge else {"model": "the model"}
    left = [words for name, words in whom.items() if name not in {one["whom"] for one in asked}]
    parts += [f"nobody asked {' or '.join(left)} again"] if left else []
    if run.unproven:
        parts.append(f"that {plural(run.unproven, 'sample')} failed is the submitter's word")
    return line("; ".join(parts))


def _asked_again(one: _Asked) -> str:
    if one["whom"] == "judge":
        return f"its judge was asked again for {one['drawn']} of {plural(one['total'], 'verdict')}"
    text = f"the model was asked again for {one['drawn']} of {plural(one['total'], 'item')}"
    if one["p"] is None:
        return f"{text} (too few to show a difference)"
    shows = f", and {number(one['shows'])} is found in 80 %" if one["shows"] is not None else ""
    return f"{text} (no difference found{shows})"
