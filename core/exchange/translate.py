"""Foreign runs as lines of the form that `bench export` writes (docs/storage.md).

So what is done with a file of ours is done with another program's: it is checked, held against
what is there, and imported as a whole or not at all.
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
from ..errors import DataError, PluginError
from ..guard import guard
from ..journal.archives import LINE_LIMIT
from ..journal.calls import call_row
from ..journal.file import now
from ..journal.grades import grade_row
from ..journal.lines import end_line, header_line, row_line
from ..journal.merging import Imported
from ..journal.schema import RUNS, TABLES
from ..parties.party import MARK, PROVIDER
from ..parties.providers import ModelSpec
from ..run.ownership import ID_LENGTHS, run_settings
from ..run.score_file import failure_of
from ..settings.run_config import Endpoint, RunConfig, grader, identity
from ..types import JsonDict, digest
from .replay import ConversationReplay, ReplayedConversation, Unusable

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


def begin(source: Source, run: ForeignRun) -> Import:
    """A run before it is replayed: what it is taken to be, and what was left out of it already.

    Raises:
        PluginError: Its options ask for a judge, and it names none.
    """
    benchmark = source.benchmark
    options = {option.name: option.default for option in benchmark.options} | dict(run.options)
    named = run.judge.removeprefix(f"{PROVIDER}/") or run.judge
    judge = Endpoint(ModelSpec(PROVIDER, named)) if named else None
    needed = guard(benchmark).needs_judge(options)
    if needed and judge is None and source.form != ANSWERS:
        message = f"run {run.key!r:.60} names no judge, and its options ask for one"
        raise PluginError(f"{benchmark.name}: {message}")
    config = RunConfig(
        benchmark=benchmark,
        model=Endpoint(ModelSpec(PROVIDER, run.model)),
        options=options,
        judges=(judge,) if judge and needed else (),
        dataset=source.dataset,
        name=run.name + MARK,
    )
    return Import(run, config, Counter(run.left_out))


@dataclass
class Lines:
    """Makes the lines of runs, one run after the other.

    Attributes:
        used: The runs of which there are lines.
    """

    source: Source
    imports: list[Import]
    used: list[Import] = field(default_factory=list)
    _places: list[str] = field(default_factory=list)

    def place(self, number: int) -> str:
        """Where in the file a line comes from."""
        return self._places[number - 1]

    def all(self) -> Iterator[tuple[int, bytes]]:
        """All lines with their numbers.

        Raises:
            DataError: There are none, or one is too long.
        """
        yield self._line("", header_line())
        with asyncio.Runner() as runner:
            for each in self.imports:
                yield from self._of(each, runner)
        if not self.used:
            raise DataError(self.source.path, f"nothing in it can be used: {self._reasons()}")
        yield self._line("", end_line(len(self._places) + 1))

    def _reasons(self) -> str:
        counts = sum((each.left_out for each in self.imports), Counter[str]())
        message = (f"{n} x {reason}" for reason, n in counts.most_common())
        return "; ".join(message) or "its runs are empty"

    def _of(self, each: Import, runner: asyncio.Runner) -> Iterator[tuple[int, bytes]]:
        """The lines of a run; none where nothing of it can be used."""
        made = list(self._replayed(each, runner))
        if not made:
            return
        self.used.append(each)
        place, at = f"run {each.run.key!r:.60}", now()
        run = _run_row(self.source, each, at)
        run_id = str(run["run_id"])
        yield self._row(place, RUNS.kind, run_id, [run[column] for column in RUNS.columns])
        for name, rows in _ROWS.items():
            for sample, replayed in made:
                where = f"{place}, iteration {sample.iteration}, item {sample.item_id!r:.60}"
                for values in rows(each, sample, replayed, at):
                    yield self._row(where, name, run_id, values)

    def _replayed(
        self, each: Import, runner: asyncio.Runner
    ) -> Iterator[tuple[ForeignSample, ReplayedConversation]]:
        """The conversations of a run that can be used; the others are counted."""
        items = {item.id: item for item in self.source.pack.items}
        replay = ConversationReplay(each.config)
        for sample in each.run.samples:
            if sample.item_id not in items:
                each.left_out[NOT_IN_PACK] += 1
                continue
            if sample.failure is not None:
                yield sample, ReplayedConversation((), None, unasked=False, thinking=False)
                continue
            try:
                replayed = runner.run(replay(items[sample.item_id], sample))
            except Unusable as error:
                each.left_out[str(error)] += 1
                continue
            _count(each, replayed)
            yield sample, replayed

    def _row(
        self, place: str, name: str, run_id: str, values: Sequence[object]
    ) -> tuple[int, bytes]:
        table = TABLES[name]
        row = dict(zip(table.columns, table.opened(values), strict=True))
        try:
            made = row_line(name, run_id, row)
        except ValueError as error:
            raise DataError(self.source.path, f"{error}; nothing was imported", place) from None
        if len(made) > LINE_LIMIT:
            message = f"is longer than {LINE_LIMIT // 2**20} MiB; nothing was imported"
            raise DataError(self.source.path, message, place)
        return self._line(place, made)

    def _line(self, place: str, made: bytes) -> tuple[int, bytes]:
        self._places.append(place)
        return len(self._places), made


def _count(each: Import, replayed: ReplayedConversation) -> None:
    each.usable += 1
    judged = any(call.key.phase == "judge" for call in replayed.calls)
    each.judged += judged
    each.unread += judged and replayed.score is not None and replayed.score.reason is not None
    each.thinking += replayed.thinking
    if replayed.unasked:
        each.left_out[UNASKED] += 1


# Rows


def _run_row(source: Source, each: Import, at: str) -> JsonDict:
    config, pack = each.config, source.pack.source
    origin = {"format": source.form, "run": each.run.key}
    meant = {**identity(config, source.pack), "imported": origin}
    run_identity = digest(meant)
    settings = run_settings(config, meant)
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
        "settings": json.dumps(settings),
        "created_at": _time(each.run.started) or at,
        "finished_at": None,
        "status": "incomplete",
        "elapsed_s": 0.0,
        "document": None,
    }


def _time(text: str | None) -> str | None:
    """A time as the journal writes it; ``None`` where it is none."""
    try:
        found = datetime.fromisoformat(text or "")
        known = found.tzinfo is not None
        return found.astimezone(UTC).isoformat(timespec="milliseconds") if known else None
    except (ValueError, OverflowError):
        return None


def _calls(
    each: Import, sample: ForeignSample, replayed: ReplayedConversation, at: str
) -> Iterator[tuple[object, ...]]:
    for key, asked, request, response in replayed.calls:
        yield call_row(sample.item_id, sample.iteration, key, asked, request, response, at)


def _grades(
    each: Import, sample: ForeignSample, replayed: ReplayedConversation, at: str
) -> Iterator[tuple[object, ...]]:
    if replayed.score is None:
        return
    by = grader(each.config)
    try:
        yield grade_row(by, sample.item_id, sample.iteration, replayed.score, at)
    except (TypeError, ValueError) as error:
        raise PluginError(f"{each.config.benchmark.name}: its score is no JSON: {error}") from error


def _failures(
    each: Import, sample: ForeignSample, replayed: ReplayedConversation, at: str
) -> Iterator[tuple[object, ...]]:
    if sample.failure is not None:
        failure = failure_of(sample.item_id, sample.iteration, sample.failure)
        yield (*failure, _time(each.run.started) or at)


#: By kind of line, in the order in which a run's lines stand in a file.
_ROWS = {"call": _calls, "grade": _grades, "failure": _failures}
