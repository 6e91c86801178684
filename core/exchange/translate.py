"""Foreign runs into the journal: replayed, as lines of the form that `bench export` writes.

So what is done with a file of ours (docs/storage.md) is done with another program's: it is checked,
held against the journal, imported as a whole or not at all, and summed up.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ..benchmark import Benchmark, Pack
from ..benchmark.foreign import ForeignRun, ForeignSample
from ..compare.arriving import put_results
from ..errors import DataError, PluginError
from ..guard import guard
from ..journal import Journal, RunRecord
from ..journal.archives import LINE_LIMIT
from ..journal.calls import call_row
from ..journal.file import now
from ..journal.grades import grade_row
from ..journal.lines import file_lines, row_line
from ..journal.merging import Imported
from ..journal.schema import RUNS, TABLES
from ..journal.transfer import StagedResult, import_lines
from ..parties.party import MARK, PROVIDER
from ..parties.providers import ModelSpec
from ..reports.document import build_document
from ..reports.evidence import Selection
from ..run.ownership import ID_LENGTHS, run_settings
from ..run.score_file import failure_of
from ..runs.stored_run import StoredRun
from ..settings.players import by_member
from ..settings.run_config import Endpoint, RunConfig, grader, identity
from ..types import JsonDict, digest
from .replay import ReplayedConversation, Unusable, replay

NOT_IN_PACK = "the pack has no such item"
ANSWERS = "answers"
"""The form of answers made elsewhere, which may wait for a judge."""
UNASKED = "its verdict: it would not have been asked for here"


class Source(NamedTuple):
    """Where runs come from, and what they are about.

    Attributes:
        form: Name of the file's form.
        dataset: What was given for the pack.
    """

    path: Path
    form: str
    benchmark: Benchmark
    pack: Pack
    dataset: str | None


@dataclass
class Import:
    """What became of one run of a file.

    Attributes:
        usable: Conversations that are those of the pack.
        judged: Verdicts among them.
        unread: Those of which no score could be read.
        imported: ``None`` where nothing of it can be used.
        thinking: Conversations in which the model was shown its own thinking again.
        namesakes: Runs of this name that the journal has of the same data, with this one.
    """

    run: ForeignRun
    config: RunConfig
    left_out: Counter[str]
    usable: int = 0
    judged: int = 0
    unread: int = 0
    thinking: int = 0
    namesakes: int = 0
    imported: Imported | None = None

    def count(self, replayed: ReplayedConversation) -> None:
        """Count a conversation that can be used."""
        verdicts = sum(call.key.phase == "judge" for call in replayed.calls)
        self.usable += 1
        self.judged += verdicts
        self.unread += bool(verdicts) and bool(replayed.score and replayed.score.reason is not None)
        self.thinking += replayed.thinking
        if replayed.unasked:
            self.left_out[UNASKED] += 1


def begin(source: Source, run: ForeignRun) -> Import:
    """A run before it is replayed: what it is taken to be, and what was left out of it already."""
    benchmark = source.benchmark
    options = {option.name: option.default for option in benchmark.options} | dict(run.options)
    name = run.judge.removeprefix(f"{PROVIDER}/") or run.judge
    judge = Endpoint(ModelSpec(PROVIDER, name)) if name else None
    needed = guard(benchmark).needs_judge(options)
    if needed and judge is None and source.form != ANSWERS:
        message = f"run {run.key!r:.60} names no judge, and its options ask for one"
        raise PluginError(f"{benchmark.name}: {message}")
    players = by_member(benchmark, run.roles)
    if unknown := players.keys() - {role.name for role in benchmark.roles}:
        message = f"run {run.key!r:.60} has a player of {min(unknown)!r:.40}, which is no role"
        raise PluginError(f"{benchmark.name}: {message}")
    config = RunConfig(
        benchmark=benchmark,
        model=Endpoint(ModelSpec(PROVIDER, run.model)),
        options=options,
        judges=(judge,) if judge and needed else (),
        roles={role: Endpoint(ModelSpec(PROVIDER, who)) for role, who in players.items()},
        dataset=source.dataset,
        name=run.name + MARK,
    )
    return Import(run, config, Counter(run.left_out))


def conversations_of(
    each: Import, pack: Pack, runner: asyncio.Runner
) -> Iterator[tuple[ForeignSample, ReplayedConversation]]:
    """The conversations of a run that can be used; the others are counted."""
    items = {item.id: item for item in pack.items}
    for sample in each.run.samples:
        if sample.item_id not in items:
            each.left_out[NOT_IN_PACK] += 1
        elif sample.failure is not None:
            yield sample, ReplayedConversation((), None, unasked=False, thinking=False)
        else:
            try:
                replayed = runner.run(replay(each.config, items[sample.item_id], sample))
            except Unusable as error:
                each.left_out[str(error)] += 1
                continue
            each.count(replayed)
            yield sample, replayed


def import_foreign(folder: Path, source: Source, runs: Sequence[ForeignRun]) -> list[Import]:
    """Add foreign runs to a folder's journal, new or not; what became of each, in their order.

    Raises:
        DataError: Nothing in them can be used, or the journal says something else.
        JournalError: The journal cannot be used, or another process owns one of the runs.
        PluginError: The benchmark failed.
    """
    lines = _Lines(source, [begin(source, run) for run in runs])

    def results(journal: Journal) -> Iterator[StagedResult]:
        for each, run in zip(lines.used, journal.runs(), strict=True):
            yield _sum_up(journal, source, each, run)

    done = import_lines(folder, source.path, lines.all(), results)
    data = (source.benchmark.name, source.pack.source.sha256)
    with Journal(folder, create=False) as journal:
        alike = (run for run in journal.runs() if (run.benchmark, run.pack_sha256) == data)
        names = Counter(run.name for run in alike)
    for each, imported in zip(lines.used, done, strict=True):
        each.imported, each.namesakes = imported, names[each.config.display_name]
    put_results(folder, done)
    return lines.imports


def _sum_up(journal: Journal, source: Source, each: Import, run: RunRecord) -> StagedResult:
    """A run's result; what was left out belongs to it too, so the whole pack is looked at."""
    config, stored = each.config, StoredRun(journal, run)
    selection = Selection(source.pack.items, stored.selection_of(source.pack).iterations)
    evidence = stored.evidence(grader(config), selection, sent=0)
    document = build_document(run, config, source.pack, selection, evidence)
    return StagedResult(run, document, document["status"], True)


@dataclass
class _Lines:
    """Makes the lines of runs, one run after the other.

    Attributes:
        used: The runs of which there are lines.
    """

    source: Source
    imports: list[Import]
    used: list[Import] = field(default_factory=list)

    def all(self) -> Iterator[tuple[int, bytes]]:
        """All lines with their numbers; `DataError` if there are none, or one is too long."""
        return enumerate(file_lines(self._rows()), 1)

    def _rows(self) -> Iterator[bytes]:
        with asyncio.Runner() as runner:
            for each in self.imports:
                yield from self._of(each, runner)
        if not self.used:
            left_out = sum((each.left_out for each in self.imports), Counter[str]())
            reasons = "; ".join(f"{n} x {reason}" for reason, n in left_out.most_common())
            message = f"nothing in it can be used: {reasons or 'its runs are empty'}"
            raise DataError(self.source.path, message)

    def _of(self, each: Import, runner: asyncio.Runner) -> Iterator[bytes]:
        """The lines of a run; none where nothing of it can be used."""
        conversations = list(conversations_of(each, self.source.pack, runner))
        if not conversations:
            return
        self.used.append(each)
        name, at = f"run {each.run.key!r:.60}", now()
        run = _run_row(self.source, each, at)
        run_id = str(run["run_id"])
        yield self._row(name, RUNS.kind, run_id, [run[column] for column in RUNS.columns])
        for kind in _KINDS:
            for sample, replayed in conversations:
                where = f"{name}, iteration {sample.iteration}, item {sample.item_id!r:.60}"
                for values in _rows(kind, each, sample, replayed, at):
                    yield self._row(where, kind, run_id, values)

    def _row(self, location: str, kind: str, run_id: str, values: Sequence[object]) -> bytes:
        table = TABLES[kind]
        row = dict(zip(table.columns, table.opened(values), strict=True))
        try:
            text = row_line(kind, run_id, row)
        except ValueError as error:
            raise DataError(self.source.path, f"{error}; nothing was imported", location) from None
        if len(text) > LINE_LIMIT:
            message = f"is longer than {LINE_LIMIT // 2**20} MiB; nothing was imported"
            raise DataError(self.source.path, message, location)
        return text


def _run_row(source: Source, each: Import, at: str) -> JsonDict:
    config, pack = each.config, source.pack.source
    origin = {"format": source.form, "run": each.run.key}
    if source.form != ANSWERS and (started := _time(each.run.started)):
        origin["started"] = started  # of answers only the file's own time is known
    facts = {**identity(config, source.pack), "imported": origin}
    run_identity = digest(facts)
    return {
        "run_id": run_identity[: ID_LENGTHS[0]],
        "identity": run_identity,
        "ordinal": 1,
        "benchmark": config.benchmark.name,
        "benchmark_version": config.benchmark.version,
        "model": str(config.model.spec),
        "name": config.display_name,
        "demo": 0,
        "pack_name": pack.name,
        "pack_sha256": pack.sha256,
        "endpoint": None,
        "settings": json.dumps(run_settings(config, facts)),
        "created_at": _time(each.run.started) or at,
        "finished_at": None,
        "status": "incomplete",
        "elapsed_s": 0.0,
        "document": None,
    }


def _time(text: str | None) -> str | None:
    """A time as the journal writes it; ``None`` where it is none."""
    try:
        time = datetime.fromisoformat(text or "")
        return time.astimezone(UTC).isoformat(timespec="milliseconds") if time.tzinfo else None
    except (ValueError, OverflowError):
        return None


_KINDS = ("call", "grade", "failure")
"""Kinds of lines, in the order in which those of a run stand in a file."""


def _rows(
    kind: str, each: Import, sample: ForeignSample, replayed: ReplayedConversation, at: str
) -> Iterator[Sequence[object]]:
    """A sample's rows of one kind."""
    key = sample.item_id, sample.iteration
    if kind == "call":
        for call in replayed.calls:
            yield call_row(*key, call.key, call.asked, call.request, call.response, at)
    elif kind == "grade" and replayed.score is not None:
        try:
            yield grade_row(grader(each.config), *key, replayed.score, at)
        except (TypeError, ValueError) as error:
            message = f"{each.config.benchmark.name}: its score is no JSON: {error}"
            raise PluginError(message) from error
    elif kind == "failure" and sample.failure is not None:
        yield (*failure_of(*key, sample.failure), _time(each.run.started) or at)
