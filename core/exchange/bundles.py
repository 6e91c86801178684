"""Bundles: runs as `bench export` writes them, made so that others can check them.

A bundle is a file of runs whose header has a manifest. What was asked stands in it as SHA-256 and
is made again from the pack when it is read, as are the details of grades; replies and grades are
whole. It holds what the numbers of a run's own result rest on, and nothing else.

Its hash tree: a leaf is the SHA-256 of the lines of a sample, and one more of a run's other lines;
the root is that of the manifest, in which the leaves stand. So what differs from the manifest can
be named. It says nothing of who made it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

from ..errors import DataError, JournalError
from ..journal import CallKey, Journal
from ..journal.archives import WHOLE_LIMIT, read_lines
from ..journal.lines import check_header, file_lines, line_of, read_line
from ..journal.records import RunRecord, as_json
from ..journal.shapes import shape_of
from ..journal.staging import staged
from ..journal.transfer import export_lines
from ..parties.graders import grader_of
from ..parties.party import party_of
from ..reports.changes import changes_of
from ..reports.suggestions import bench
from ..runs.stored_run import StoredRun
from ..sample.model import key_digest
from ..text import plural, readable
from ..types import Json, JsonDict, canonical, digest
from ..types.result_document import DatasetRow, Facts, Interval, ResultDocument
from .public_names import PublicNames
from .recalling import RecalledRun, recall

ASKED = "sha256:"
"""How a text begins that stands for another one: the digest of that follows."""
Line = dict[str, Any]


class Claim(TypedDict):
    """What a submission says of its main metric."""

    metric: str | None
    value: float | None
    ci95: Interval | None
    samples: int
    items_in_pack: int


class RunManifest(TypedDict):
    """What a submission needs to say of a run, and its leaves by item and iteration."""

    run_id: str
    benchmark: str
    benchmark_version: str
    pack: DatasetRow
    model: str
    name: str
    judge: str | None
    options: Facts
    sampling: Facts
    prompt_format: str
    claim: Claim
    versions: Mapping[str, str | None]
    leaves: Mapping[str, Mapping[str, str]]


class Manifest(TypedDict):
    """What a bundle says of itself; the submitter's words are the first two."""

    weights: str | None
    prompt_format: str | None
    runs: Sequence[RunManifest]
    root: NotRequired[str]


class Bundle(NamedTuple):
    """A bundle that was read: its manifest, and its lines but for the first and the last.

    Attributes:
        is_whole: The last line is that of these lines.
        is_cut: There is no last line.
    """

    path: Path
    manifest: Manifest
    rows: Sequence[bytes]
    is_whole: bool
    is_cut: bool = False

    @property
    def lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines of a file of runs with these rows."""
        return enumerate(file_lines(self.rows), 1)


# Making


class MadeBundle(NamedTuple):
    """The lines of a bundle, and how many rows of each kind it does not hold."""

    lines: Sequence[bytes]
    manifest: Manifest
    left_out: Mapping[str, int]


def make_bundle(
    journal: Journal,
    runs: Sequence[RunRecord],
    *,
    weights: str | None = None,
    prompt_format: str | None = None,
    keep: Sequence[str] = (),
) -> MadeBundle:
    """The bundle of stored runs, the same bytes each time.

    Args:
        journal: Holds the runs.
        runs: Which.
        weights: A link to the weights.
        prompt_format: What the server makes of the messages, such as ``ChatML``.
        keep: Endpoints, notes and texts that are published though they look private.

    Raises:
        BenchError: A run has no whole result that follows from its replies, or holds something
            private.
    """
    names, left_out, rows = PublicNames(journal, runs, keep), Counter[str](), list[Line]()
    datasets = {run.run_id: run.settings["dataset"] for run in runs}
    whole = list(export_lines(journal, runs))
    for stored, lines in _each(journal.path, whole):
        recalled = recall(stored)
        _refuse_unfit(stored, recalled)
        public = [*_public_lines(lines, recalled, names)]
        left_out.update(line["kind"] for line in lines)
        left_out.subtract(line["kind"] for line in public)
        rows += public
    for stored, lines in _each(journal.path, file_lines(map(line_of, rows))):
        document = recall(stored, datasets[stored.id]).result(stored)
        lines[0] |= {"document": document, "status": document["status"]}
        rows[_index(rows, stored.id)] = lines[0]
    rows = [_with_digests(row) for row in rows]
    names.check(rows)
    raw = [line_of(row) for row in rows]
    manifest = manifest_of(rows, raw, weights, prompt_format)
    return MadeBundle(list(file_lines(raw, cast(JsonDict, manifest))), manifest, left_out)


def _each(path: Path, lines: Iterable[bytes]) -> Iterator[tuple[StoredRun, list[Line]]]:
    """Each run of a file's lines, with its own."""
    kept = list(lines)
    by_run = dict[str, list[Line]]()
    for raw in kept[1:-1]:
        line = read_line(raw)
        by_run.setdefault(str(line.get("run", line.get("run_id"))), []).append(line)
    with staged(path, enumerate(kept, 1)) as database:
        journal = Journal.over(path, database)
        for run in journal.runs():
            yield StoredRun(journal, run), by_run[run.run_id]


def _index(rows: Sequence[Line], run_id: str) -> int:
    return next(n for n, row in enumerate(rows) if row.get("run_id") == run_id)


def _refuse_unfit(stored: StoredRun, recalled: RecalledRun) -> None:
    """Refuse a run of which others could not say what is said here."""
    left, document = len(recalled.missing), stored.result()
    if left:
        message = f"{plural(left, 'sample')} of run {stored.id} wait for replies"
        raise JournalError(f"{message}; its own command asks for them")
    if next(changes_of({**document, "ratings": []}, recalled.result(stored)), None):
        message = f"the numbers of run {stored.id} would be others today"
        raise JournalError(f"{message}; {bench('rescore', stored.id)} names and stores them")


def _public_lines(
    lines: Sequence[Line], recalled: RecalledRun, names: PublicNames
) -> Iterator[Line]:
    """The lines of a run as they may be public, of those on which a number of its result rests."""
    graded_at = {(x["item_id"], x["iteration"]): x["at"] for x in lines if x["kind"] == "grade"}
    yield _public_run(lines[0], recalled, names)
    for line in lines:
        kind = line["kind"]
        if kind == "call" and (public := _public_call(line, recalled, names)):
            yield public
        elif kind == "failure":
            yield {**line, "reason": names.text(line["reason"])}
        elif kind == "party" and party_of(line["party"]) in recalled.parties:
            party = names.party_json(line["party"])
            yield {**line, "addresses": [], "entry": None, "party": party}
        elif kind == "asking" and (line["phase"], party_of(line["party"])) in recalled.ways:
            yield {**line, "party": names.party_json(line["party"])}
    for by, scores in recalled.scores.items():
        graded_by = read_line(replace(by, judge=names.judge(by.judge)).text.encode())
        for (item_id, iteration), score in scores.items():
            at = graded_at.get((item_id, iteration), lines[0]["created_at"])
            yield {
                "kind": "grade",
                "run": lines[0]["run_id"],
                "grader": digest(graded_by),
                "item_id": item_id,
                "iteration": iteration,
                "values": dict(score.values),
                "reason": score.reason,
                "flags": [*score.flags],
                "detail": {},
                "at": at,
                "graded_by": graded_by,
            }


def _public_run(line: Line, recalled: RecalledRun, names: PublicNames) -> Line:
    document, config = line["document"], recalled.context.config
    model, judge = names.spec(line["model"]), names.judge(config.judge)
    name = model if line["name"] == line["model"] else line["name"]
    return {
        **line,
        "model": model,
        "name": name,
        "endpoint": names.endpoint(line["endpoint"]),
        "settings": names.settings(line["settings"]),
        "document": {**document, "name": name, "judged_by": judge.as_json() if judge else None},
    }


def _public_call(line: Line, recalled: RecalledRun, names: PublicNames) -> Line | None:
    key = CallKey(line["phase"], line["digest"], line["occurrence"])
    call = recalled.calls.get((line["item_id"], line["iteration"], key))
    if call is None:
        return None
    asked = names.party(call.asked)
    by_server = ("sent", "finish_raw", "returned_model", "fingerprint")
    return {
        **line,
        "asked": asked.as_json(),
        "digest": key_digest(asked, call.proof, call.request),
        **{name: names.text(line[name]) for name in by_server},
        "request_id": None,
        "address": None,
    }


def _with_digests(line: Line) -> Line:
    """A line without the texts of the pack, which are made again when it is read."""
    if line["kind"] != "call":
        return line
    return {**line, "messages": asked_digests(line["messages"])}


def asked_digest(text: str) -> str:
    """What stands for a text that was asked."""
    return ASKED + sha256(text.encode()).hexdigest()


def manifest_of(
    rows: Sequence[Line], raw: Sequence[bytes], weights: str | None, prompt_format: str | None
) -> Manifest:
    """The manifest that rows make, with the words of a submitter."""
    trees = _leaves(rows, raw)
    runs = [_run_manifest(row, trees[row["run_id"]]) for row in rows if row["kind"] == "run"]
    manifest: Manifest = {"weights": weights, "prompt_format": prompt_format, "runs": runs}
    return {**manifest, "root": root_of(manifest)}


def root_of(manifest: Manifest) -> str:
    """The root of the hash tree that a manifest has, whatever it says of that."""
    rest = {name: value for name, value in manifest.items() if name != "root"}
    return sha256(canonical(rest).encode()).hexdigest()


def _leaves(rows: Sequence[Line], raw: Sequence[bytes]) -> dict[str, dict[str, dict[str, str]]]:
    """By run, item and iteration the digest of a sample's lines; of other lines under no item."""
    hashes = dict[tuple[str, str, str], Any]()
    for row, line in zip(rows, raw, strict=True):
        is_run = row["kind"] == "run"
        item, n = row.get("item_id", ""), str(row.get("iteration", ""))
        key = (row["run_id"] if is_run else row["run"], item, n)
        hashes.setdefault(key, sha256()).update(line)
    trees = dict[str, dict[str, dict[str, str]]]()
    for (run_id, item, n), one in hashes.items():
        trees.setdefault(run_id, {}).setdefault(item, {})[n] = one.hexdigest()
    return trees


def _run_manifest(row: Line, leaves: Mapping[str, Mapping[str, str]]) -> RunManifest:
    document: ResultDocument = row["document"]
    settings = row["settings"]
    metric = next(iter(document["metrics"]), None)
    number = document["metrics"][metric] if metric is not None else None
    template = settings.get("template")
    return {
        "run_id": row["run_id"],
        "benchmark": row["benchmark"],
        "benchmark_version": row["benchmark_version"],
        "pack": document["dataset"],
        "model": row["model"],
        "name": row["name"],
        "judge": document["judge"],
        "options": document["options"],
        "sampling": document["sampling"],
        "prompt_format": f"completions of the template {template}" if template else "messages",
        "claim": {
            "metric": metric,
            "value": number and number["value"],
            "ci95": number and number["ci95"],
            "samples": document["items"]["total"],
            "items_in_pack": document["dataset"]["n_items"],
        },
        "versions": settings.get("versions", {}),
        "leaves": leaves,
    }


# Reading


_MANIFEST = shape_of(Manifest)
_MAKES = "bench bundle makes bundles"


def begins_bundle(raw: bytes) -> bool:
    """Whether the first line of a file is that of a bundle."""
    try:
        return "manifest" in read_line(raw)
    except ValueError:
        return False


def read_bundle(path: Path, lines: Iterable[tuple[int, bytes]] | None = None) -> Bundle:
    """A bundle, whose rows are not looked at yet; `lines` are its own, if they were begun.

    Raises:
        DataError: It is none, or cannot be read.
    """
    rows, size = list[bytes](), 0
    for n, raw in read_lines(path) if lines is None else lines:
        rows.append(raw)
        size += len(raw)
        if size > WHOLE_LIMIT:
            raise DataError(path, f"is longer than {WHOLE_LIMIT // 2**20} MiB", f"line {n}")
    if not rows:
        raise DataError(path, f"is empty; {_MAKES}")
    try:
        manifest = _manifest_in(rows.pop(0))
    except ValueError as error:
        raise DataError(path, str(error), "line 1") from None
    ends = rows.pop() if rows and rows[-1].startswith(b'{"kind":"end"') else b""
    *_, expected = file_lines(rows, cast(JsonDict, manifest))
    return Bundle(path, manifest, rows, ends == expected, not ends)


def _manifest_in(raw: bytes) -> Manifest:
    check_header(raw, _MAKES)
    header = read_line(raw)
    if "manifest" not in header:
        raise ValueError(f"has no manifest: it is an export, and {_MAKES}")
    if wrong := _MANIFEST(header["manifest"]):
        raise ValueError(f'"manifest" {wrong}')
    if readable(text := canonical(header["manifest"])) != text:
        raise ValueError("holds half of a character, which UTF-8 cannot")
    return cast(Manifest, header["manifest"])


def restored_lines(
    bundle: Bundle, recalled: Mapping[str, RecalledRun]
) -> Iterator[tuple[int, bytes]]:
    """A bundle's lines with what was asked and the details of grades, where they are known."""
    rows = (_restored(line, recalled) for line in map(read_line, bundle.rows))
    return enumerate(file_lines(map(line_of, rows)), 1)


def _restored(line: Line, recalled: Mapping[str, RecalledRun]) -> Line:
    run = recalled.get(str(line.get("run")))
    if run is None or line["kind"] not in ("call", "grade"):
        return line
    sample = line["item_id"], line["iteration"]
    if line["kind"] == "call":
        key = CallKey(line["phase"], line["digest"], line["occurrence"])
        call = run.calls.get((*sample, key))
        fits = call and line["messages"] == asked_digests(call.messages)
        return {**line, "messages": [*map(list, call.messages)]} if call and fits else line
    score = run.scores.get(grader_of(line["graded_by"]), {}).get(sample)
    return {**line, "detail": _plain(score.detail)} if score else line


def asked_digests(messages: Iterable[tuple[str, str]]) -> list[list[str]]:
    """What stands for messages in a bundle."""
    return [[role, asked_digest(text)] for role, text in messages]


def _plain(value: Mapping[str, Any]) -> Json:
    """A value as JSON holds it."""
    return read_line(as_json(value).encode())
