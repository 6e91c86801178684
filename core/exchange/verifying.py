"""Whether the numbers of a bundle follow from the replies in it: `verify`, and what it says.

Two things are looked at. What differs from the manifest was changed after the bundle was made; as
whoever changes a line can make the manifest anew, that is a matter of damage, and no proof. What
does not follow from the replies, graded again here, cannot be signed away.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from .. import __version__
from ..errors import BenchError, DataAbsent, DataError
from ..journal import Journal
from ..journal.lines import read_line
from ..journal.staging import staged
from ..reports.changes import Number, changes_of
from ..runs.stored_run import StoredRun
from ..text import number, plural
from ..types import Score, canonical
from ..types.result_document import ResultDocument
from .bundles import (
    Bundle,
    Line,
    RunManifest,
    asked_digests,
    manifest_of,
    read_bundle,
    restored_lines,
    root_of,
)
from .recalling import RecalledRun, differing, recall
from .verification import BundleFault, Verification, VerifiedRun


class RecalledBundle(NamedTuple):
    """A bundle whose replies were graded again.

    Attributes:
        runs: Those that could be, by id.
    """

    bundle: Bundle
    runs: Mapping[str, RecalledRun]
    verification: Verification


def verify(path: Path, *, dataset: str | None = None) -> Verification:
    """What of a bundle follows from its replies; nothing is sent, and nothing stored.

    Args:
        path: The bundle.
        dataset: Where the data of its runs is, if that is no pack that eibench knows.

    Raises:
        DataError: It is no bundle.
    """
    return recall_bundle(read_bundle(path), dataset).verification


def recall_bundle(bundle: Bundle, dataset: str | None = None) -> RecalledBundle:
    """The same, with what its replies come to."""
    faults, recalled = list[BundleFault](), dict[str, RecalledRun]()
    with ExitStack() as stack:
        database = None
        try:
            database = stack.enter_context(staged(bundle.path, bundle.lines, outcome=""))
        except DataError as error:
            faults.append(_of_line(bundle, error))
        if bundle.is_cut:
            faults = [BundleFault("dropped", f"ends early, after line {len(bundle.rows) + 1}")]
        if faults or database is None:
            rows = [_unread(run) for run in bundle.manifest["runs"]]
            return RecalledBundle(bundle, {}, _verification(bundle, rows, faults))
        journal = Journal.over(bundle.path, database)
        claims = {run["run_id"]: run for run in bundle.manifest["runs"]}
        faults += _against_manifest(bundle)
        for run in journal.runs():
            stored = StoredRun(journal, run)
            try:
                recalled[run.run_id] = recall(stored, dataset)
            except BenchError as error:
                message = f"its numbers cannot be computed here: {error}"
                kind = "unknown" if isinstance(error, DataAbsent) else "wrong"
                faults.append(BundleFault(kind, message, run.run_id))
            else:
                faults += _of_absent(recalled[run.run_id], run.run_id, claims.get(run.run_id))
                faults += _of_samples(stored, recalled[run.run_id])
    rows = list[VerifiedRun]()
    with staged(bundle.path, restored_lines(bundle, recalled)) as database:
        journal = Journal.over(bundle.path, database)
        for run in journal.runs():
            stored, again = StoredRun(journal, run), recalled.get(run.run_id)
            computed = again.result(stored) if again else None
            rows.append(_row(stored, again, computed, claims.get(run.run_id)))
            if computed:
                faults += _of_result(stored, computed)
    return RecalledBundle(bundle, recalled, _verification(bundle, rows, faults))


def _verification(
    bundle: Bundle, rows: Sequence[VerifiedRun], faults: Sequence[BundleFault]
) -> Verification:
    manifest = bundle.manifest
    return Verification(
        manifest.get("root"),
        manifest["weights"],
        manifest["prompt_format"],
        __version__,
        datetime.now(UTC).isoformat(timespec="seconds"),
        tuple(rows),
        tuple(faults),
    )


def _unread(run: RunManifest) -> VerifiedRun:
    """What a run claims whose lines cannot be read."""
    claim = run["claim"]
    names = run["run_id"], run["benchmark"], run["model"], run["name"], run["judge"]
    claimed = Number(claim["value"], claim["ci95"])
    return VerifiedRun(*names, claim["metric"], claimed, None, 0, 0, 0)


def _of_line(bundle: Bundle, error: DataError) -> BundleFault:
    """The fault of the line that an error is about, with its run and sample if it has them."""
    text = str(error).removeprefix(str(bundle.path)).lstrip(",: ")
    digits = error.position.removeprefix("line ")
    at = int(digits) - 2 if digits.isdecimal() else -1
    try:
        row = read_line(bundle.rows[at]) if 0 <= at < len(bundle.rows) else {}
    except ValueError:
        row = {}
    run, item, n = (row.get(name) for name in ("run", "item_id", "iteration"))
    if not (isinstance(run, str) and isinstance(item, str) and isinstance(n, int)):
        return BundleFault("changed", text)
    return BundleFault("changed", text, run, item, n)


class ReadLines(NamedTuple):
    """The lines of a bundle with what was asked, and why that is not known of some runs."""

    lines: Iterator[tuple[int, bytes]]
    warnings: tuple[str, ...]


def unbundled(path: Path, lines: Iterable[tuple[int, bytes]]) -> ReadLines:
    """A bundle as `bench import` takes it, of the lines of a file.

    Raises:
        DataError: It is none, or something does not follow.
    """
    bundle = read_bundle(path, lines)
    read = recall_bundle(bundle)
    faults = read.verification.faults
    if wrong := [one for one in faults if one.kind not in ("partial", "unknown")]:
        message = f"{wrong[0].where}: {wrong[0].message}"
        more = f" and {plural(len(wrong) - 1, 'more fault')}" * (len(wrong) > 1)
        advice = "nothing was imported: bench verify names what does not follow"
        raise DataError(path, f"not verified: {message}{more}; {advice}")
    warnings = [
        f"run {one.run_id}: not verified, and what was asked stays a digest: {one.message}"
        if one.kind == "unknown"
        else f"run {one.run_id}: {one.message}"
        for one in faults
    ]
    return ReadLines(restored_lines(bundle, read.runs), tuple(warnings))


# Against the manifest


_ROOT = "the manifest was changed after the hash tree was made"
_CHECKSUM = "its checksum line does not match the lines before it"


def _differences(name: str, stated: object, present: object) -> Iterator[str]:
    """What the manifest says where the run has something else: both."""
    if isinstance(stated, Mapping) and isinstance(present, Mapping):
        for key in dict.fromkeys((*stated, *present)):
            if stated.get(key) != present.get(key):
                yield from _differences(f"{name} {key}", stated.get(key), present.get(key))
        return
    one, other = (f"{canonical(value):.80}" for value in (stated, present))
    yield f"{name} is {one} in the manifest and {other} in the run"


def _against_manifest(bundle: Bundle) -> Iterator[BundleFault]:
    """What is not as the manifest says."""
    rows: list[Line] = [read_line(raw) for raw in bundle.rows]
    stated = bundle.manifest
    if any(not isinstance(row.get("document"), dict) for row in rows if row["kind"] == "run"):
        yield BundleFault("wrong", "a run has no result")
        return
    expected = manifest_of(rows, bundle.rows, stated["weights"], stated["prompt_format"])
    known, present = ({run["run_id"]: run for run in m["runs"]} for m in (stated, expected))
    for run_id in dict.fromkeys((*known, *present)):
        if run_id not in present or run_id not in known:
            kind = "dropped" if run_id not in present else "added"
            yield BundleFault(kind, "the whole run", run_id)
            continue
        for name, value in present[run_id].items():
            if name != "leaves" and known[run_id].get(name) != value:
                for message in _differences(name.replace("_", " "), known[run_id].get(name), value):
                    yield BundleFault("changed", message, run_id)
        yield from _leaves(run_id, known[run_id]["leaves"], present[run_id]["leaves"])
    if stated.get("root") != root_of(stated):
        yield BundleFault("changed", _ROOT)
    if not bundle.is_whole:
        yield BundleFault("changed", _CHECKSUM)


def _leaves(
    run_id: str, known: Mapping[str, Mapping[str, str]], present: Mapping[str, Mapping[str, str]]
) -> Iterator[BundleFault]:
    """Samples whose lines are others than the manifest says."""
    one, other = (
        {(item, n): leaf for item, leaves in tree.items() for n, leaf in leaves.items()}
        for tree in (known, present)
    )
    for item, n in dict.fromkeys((*one, *other)):
        if one.get((item, n)) == other.get((item, n)):
            continue
        kind = "changed"
        if (item, n) not in other or (item, n) not in one:
            kind = "added" if (item, n) in other else "dropped"
        what = "its replies or grades" if n else "its settings, its result or who was asked"
        iteration = int(n) if n.isascii() and n.isdecimal() and len(n) < 9 else None
        yield BundleFault(kind, what, run_id, item if n else None, iteration)


# Against the replies


def _of_absent(
    recalled: RecalledRun, run_id: str, stated: RunManifest | None
) -> Iterator[BundleFault]:
    """Samples of the pack that are not in the file: in one fault where the manifest says so."""
    if not recalled.absent:
        return
    leaves = stated["leaves"] if stated else {}
    lost = {(i, n) for i, n in recalled.absent if str(n) in leaves.get(i, {})}
    left = [key for key in recalled.absent if key not in lost]  # `_leaves` names the others
    if stated and stated["claim"]["samples"] == recalled.begun + len(lost):
        if left:
            yield BundleFault("partial", _part(recalled, len(lost)), run_id)
        return
    for key in left:
        yield BundleFault("dropped", "the pack has it, and nothing is here", run_id, *key)


def _part(recalled: RecalledRun, lost: int) -> str:
    """How much of the pack a run is about."""
    total, times = len(recalled.pack.items), recalled.selection.iterations
    held = recalled.begun + lost
    if held % times or held // times != len(recalled.selection.items) + lost // times:
        return f"partial: {held} of {plural(total * times, 'sample')}"
    return f"partial: {held // times} of {plural(total, 'item')}"


def _of_samples(stored: StoredRun, recalled: RecalledRun) -> Iterator[BundleFault]:
    """What of the samples of a run does not follow from their replies."""

    def wrong(key: tuple[str, int], message: str, kind: str = "wrong") -> BundleFault:
        return BundleFault(kind, message, stored.id, *key)

    for key in recalled.strange:
        yield wrong(key, "the pack has no such sample", "added")
    for key in sorted(recalled.missing):
        yield wrong(key, "its grade needs a reply that is not here, or another text was graded")
    failed = {(f.item_id, f.iteration) for f in stored.failures}
    clusters = {item_id: "" for item_id, _ in stored.samples_begun | stored.samples_done}
    for by in {count.grader for count in stored.all_graders} | recalled.scores.keys():
        grades = stored.grades(by, clusters)
        known = {(g.item_id, g.iteration): g.score for g in grades}
        computed = recalled.scores.get(by)
        if computed is None:
            message = f"grades by {by} that are not of its result"
            yield BundleFault("added", message, stored.id)
            continue
        for key in sorted(known.keys() | computed.keys()):
            if message := _grade(known.get(key), computed.get(key), is_failed=key in failed):
                yield wrong(key, message)
    yield from _of_calls(stored, recalled)


def _grade(known: Score | None, computed: Score | None, *, is_failed: bool) -> str:
    """What is wrong with a grade; nothing where it follows."""
    if known is None:
        return "it is called failed, and its replies can be graded" if is_failed else "has no grade"
    if computed is None:
        return "its grade follows from no reply"
    if wrong := "; ".join(differing(known, computed)):
        return f"its grade does not follow from its replies: {wrong}"
    return ""


def _of_calls(stored: StoredRun, recalled: RecalledRun) -> Iterator[BundleFault]:
    """Replies that nothing asked for, or that are to something else."""
    for call in stored.journal.calls(stored.record):
        sample = (call.item_id, call.iteration)
        known = recalled.calls.get((*sample, call.key))
        if known is None:
            message = f"a reply ({call.key.phase}) that nothing here asks for"
            yield BundleFault("added", message, stored.id, *sample)
        elif [list(m) for m in call.messages] != asked_digests(known.messages):
            message = "what was asked is not what the pack and the replies make of it"
            yield BundleFault("wrong", message, stored.id, *sample)
        elif call.asked != known.asked:
            message = f"a reply of {call.asked}, and the run asked {known.asked}"
            yield BundleFault("wrong", message, stored.id, *sample)
    journal, run = stored.journal, stored.record
    noted = {(one.phase, one.party) for one in journal.all_askings(run)}
    if {one.party for one in journal.asked(run)} != recalled.parties or recalled.ways != noted:
        message = "it says that others were asked than those whose replies count"
        yield BundleFault("wrong", message, stored.id)


def _row(
    stored: StoredRun,
    recalled: RecalledRun | None,
    computed: ResultDocument | None,
    stated: RunManifest | None,
) -> VerifiedRun:
    run, claim = stored.record, stated["claim"] if stated else None
    metric = claim["metric"] if claim else None
    absent, unproven = (len(recalled.absent), recalled.unproven) if recalled else (0, 0)
    return VerifiedRun(
        run.run_id,
        run.benchmark,
        run.model,
        run.name,
        stored.judge,
        metric,
        Number(claim["value"], claim["ci95"]) if claim else Number(),
        _number(computed, metric) if computed else None,
        len(stored.samples_begun | stored.samples_done),
        absent,
        unproven,
    )


def _number(document: ResultDocument, metric: str | None) -> Number:
    row = document["metrics"].get(metric or "")
    return Number(row["value"], row["ci95"]) if row else Number()


def _of_result(stored: StoredRun, computed: ResultDocument) -> Iterator[BundleFault]:
    """What of a run's result does not follow from its samples."""
    known = stored.result()
    changed = list(changes_of(known, computed))
    for change in changed:
        value, right = number(change.old.value), number(change.new.value)
        message = f"{change.metric} is given as {value}, and its replies come to {right}"
        if value == right:
            message = f"the interval of {change.metric} is another one"
        yield BundleFault("wrong", message, stored.id)
    one, other = cast("dict[str, Any]", known), cast("dict[str, Any]", computed)
    names = [n for n in dict.fromkeys((*one, *other)) if not _is_like(one.get(n), other.get(n))]
    if others := [name for name in names if name != "metrics" or not changed]:
        listed = ", ".join(others)
        version = stored.settings.get("versions", {}).get("eibench")
        by = f" (made by eibench {version}, verified by {__version__})" * (version != __version__)
        yield BundleFault("wrong", f"its result differs in {listed:.200}{by}", stored.id)
    if stored.record.status != known["status"]:
        yield BundleFault("wrong", "its status is not that of its result", stored.id)


def _is_like(one: object, other: object) -> bool:
    """Whether two JSON values are the same, numbers to a billionth."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_like(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_is_like, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return Number(one).is_like(Number(other))
    return one == other
