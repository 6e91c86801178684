"""Grading a run again from the journal: no request is sent."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..benchmark import Benchmark, Option, Pack
from ..clients.base import ModelSpec
from ..datasets import find_pack
from ..errors import DataError, JournalError, UsageError
from ..guard import guard
from ..journal import Failure, Journal, RunLock, RunRecord
from ..plugins import Catalogue
from ..reports.document import build_document
from ..reports.evidence import Selection, read_evidence
from ..reports.gradings import is_judge
from ..reports.protocols import judge_label
from ..types import SampleScore, Score
from .config import Endpoint, RunConfig, grader, judge_endpoint, stored_sampling
from .handles import NOT_HELD
from .progress import Progress
from .rerating import rate_as_before
from .samples import work_on, work_through
from .stopping import Stop
from .views import keep_result, view_of
from .workshop import Party, Sample, Workshop


def config_of(
    journal: Journal,
    run: RunRecord,
    catalogue: Catalogue,
    changes: Mapping[str, Any],
    dataset: str | None,
    judge: Endpoint | str | None = None,
) -> RunConfig:
    """The configuration of a stored run, with other grading options.

    Args:
        journal: Holds the run.
        run: The run.
        catalogue: Knows its benchmark.
        changes: Other values of grading options, as they are or as texts.
        dataset: Where its data is now, if it was moved.
        judge: Who judges, or the label of one that has; by default that of the run's own result,
            else the last that has.

    Raises:
        UsageError: It has no replies of that judge, or an option is changed that the benchmark
            does not have, or that would change what the model was sent.
    """
    benchmark = catalogue.benchmark(run.benchmark)
    settings = run.settings
    options = {**settings["all_options"], **_changed(benchmark, changes)}
    return RunConfig(
        benchmark=benchmark,
        model=Endpoint(ModelSpec.parse(run.model), settings["endpoint"]),
        options=options,
        judge=_judge_of(journal, run, judge) if guard(benchmark).needs_judge(options) else None,
        dataset=dataset or settings["dataset"] or run.pack_name,
        sampling=stored_sampling(settings),
        system=settings["system"],
        name=settings["name"],
    )


def _changed(benchmark: Benchmark, changes: Mapping[str, Any]) -> dict[str, Any]:
    gradable = {o.name: o for o in benchmark.options if o.in_grades}
    for name, value in changes.items():
        if name not in gradable:
            there = ", ".join(gradable) or "none"
            raise UsageError(f"{benchmark.name} has no grading option {name!r}; there are: {there}")
        choices = gradable[name].choices
        if choices and isinstance(value, str) and value not in choices:
            raise UsageError(f"{name} is one of {', '.join(choices)}, not {value!r}")
    return {name: _of_type(gradable[name], value) for name, value in changes.items()}


def _of_type(option: Option, text: Any) -> Any:
    """An option's value, from its text where it is one, of the type that its default has."""
    if not isinstance(text, str):
        return text
    kind = type(option.default)
    if kind is bool and text.lower() in _SWITCH:
        return _SWITCH[text.lower()]
    if option.default is None or kind is str:
        return text
    try:
        number = _NUMBERS[kind](text)
    except (KeyError, ValueError):
        raise UsageError(
            f"{option.name} cannot be {text!r}; its default is {option.default!r}"
        ) from None
    if not option.allows(number):
        raise UsageError(f"{option.name} must be {option.range}, not {text}")
    return number


_SWITCH = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
_NUMBERS: Mapping[type, Callable[[str], float]] = {int: int, float: float}


def _judge_of(journal: Journal, run: RunRecord, wanted: Endpoint | str | None) -> Endpoint:
    """The judge that is given, or whose replies came last; offline, only its label matters.

    Raises:
        JournalError: No judge has replied yet.
        UsageError: The one wanted has not.
    """
    if isinstance(wanted, Endpoint):
        return wanted
    labels = journal.judges(run)
    own = judge_label(journal.document(run) or {"judge": None})
    labels.sort(key=lambda label: label != own)
    if not labels:
        raise JournalError(f"run {run.run_id} has no judge's replies yet; run its command first")
    fitting = [label for label in labels if wanted is None or is_judge(label, wanted)]
    if not fitting:
        raise UsageError(
            f"run {run.run_id} has no replies of the judge {wanted}; there are: {', '.join(labels)}"
        )
    return judge_endpoint(fitting[0])


def pack_of(run: RunRecord, config: RunConfig, cache: Path | None = None) -> Pack:
    """The pack of a stored run.

    Raises:
        DataError: What is there now is not what the run was made with.
    """
    moved = config.dataset == run.settings["dataset"] and not Path(str(config.dataset)).exists()
    dataset = run.pack_name if moved and run.pack_name != "custom" else config.dataset
    try:
        source = find_pack(config.benchmark, dataset, config.options, cache=cache)
    except DataError as error:
        hint = f"the data of run {run.run_id}; if it was moved, name it with --dataset PATH"
        raise DataError(error.path, f"{hint} ({error})") from None
    if source.sha256 != run.pack_sha256:
        raise DataError(
            config.dataset,
            f"is not the data of run {run.run_id} (SHA-256 {run.pack_sha256[:12]}…); "
            "name the right one with --dataset",
        )
    return guard(config.benchmark).read_pack(source, config.options)


async def rescore(journal: Journal, run: RunRecord, config: RunConfig, pack: Pack) -> Any:
    """The result document of a run's replies, graded anew.

    Only samples that were graded before are graded again: one that still waits for replies
    is left to the run's own command. The new grades are kept apart from those of `bench run`,
    which may ask further where this could not.

    Raises:
        JournalError: The run has no replies, or is owned by another process.
    """
    with RunLock(journal.folder, run.run_id).acquire():
        samples, selection = _selected(journal, run, pack)
        shop = _workshop(journal, run, config, {**grader(config), "offline": True})
        await work_through(shop, iter(samples), 1, work_on)
        journal.writer.flush()
        evidence = read_evidence(
            journal,
            run,
            shop.grader,
            selection,
            judge=config.judge.known_as if config.judge else None,
        )
        document: dict[str, Any] = build_document(run, config, pack, selection, evidence)
        rate_as_before(journal, run, config, pack, document)
        ended = run.finished_at is not None
        status = None if ended else run.status
        view = view_of(journal, run, config, selection)
        keep_result(journal, run, document, view, finished=ended, status=status)
        return document


def begun_by(journal: Journal, run: RunRecord, pack: Pack) -> Selection:
    """The selection that all samples make of which the journal holds anything."""
    begun = journal.samples_begun(run)
    ids = {item_id for item_id, _ in begun}
    items = [item for item in pack.items if item.id in ids]
    return Selection(items, max((iteration for _, iteration in begun), default=1))


class Regraded(NamedTuple):
    """A result that is not stored.

    Attributes:
        document: The result.
        missing: How many of its samples have no score as a reply was never made.
    """

    document: dict[str, Any]
    missing: int


async def regrade(journal: Journal, run: RunRecord, config: RunConfig, pack: Pack) -> Regraded:
    """What `rescore` would store; nothing is.

    Raises:
        JournalError: The run has no replies.
    """
    samples, selection = _selected(journal, run, pack)
    shop = _workshop(journal, run, config, grader(config), kind=Unkept)
    assert isinstance(shop, Unkept)
    await work_through(shop, iter(samples), 1, work_on)
    judge = config.judge.known_as if config.judge else None
    known = read_evidence(journal, run, shop.grader, selection, judge=judge)
    tried = {(sample.item.id, sample.iteration) for sample in samples}
    failures = [f for f in journal.failures(run) if (f.item_id, f.iteration) not in tried]
    scores = sorted(shop.kept, key=lambda score: score[:3])
    evidence = replace(known, scores=scores, failures=[*failures, *shop.failed])
    document = build_document(run, config, pack, selection, evidence)
    rate_as_before(journal, run, config, pack, document)
    missing = sum((score.score.reason or "").startswith(NOT_HELD) for score in scores)
    return Regraded(document, missing)


class Unkept(Workshop):
    """A workshop that keeps scores in memory."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.kept: list[SampleScore] = []
        self.failed: list[Failure] = []

    def keep_score(self, sample: Sample, score: Score) -> None:
        """Remember a sample's score."""
        item = sample.item
        self.kept.append(SampleScore(item.id, item.cluster, sample.iteration, score))

    def keep_failure(self, sample: Sample, kind: str, reason: str, attempts: int = 0) -> None:
        """Remember why a sample has none."""
        self.failed.append(Failure(sample.item.id, sample.iteration, kind, reason, attempts))


def _selected(journal: Journal, run: RunRecord, pack: Pack) -> tuple[list[Sample], Selection]:
    """The samples that were graded before, and the selection that they and failed ones make."""
    clusters = {item.id: item.cluster for item in pack.items}
    graded = {
        (score.item_id, score.iteration)
        for grader in journal.graders(run)
        for score in journal.grades(run, grader.digest, clusters)
    }
    if not graded:
        raise JournalError(f"run {run.run_id} has no scored replies yet; run its command first")
    begun = graded | {(f.item_id, f.iteration) for f in journal.failures(run)}
    begun |= {(c.item_id, c.iteration) for c in journal.call_totals(run)}
    ids = {item_id for item_id, _ in begun}
    items = [item for item in pack.items if item.id in ids]
    last = max(iteration for _, iteration in begun)
    every = (Sample(item, n) for item in items for n in range(1, last + 1))
    samples = [s for s in every if (s.item.id, s.iteration) in graded]
    return samples, Selection(items, last)


def _workshop(
    journal: Journal,
    run: RunRecord,
    config: RunConfig,
    graded_by: Mapping[str, Any],
    kind: type[Workshop] = Workshop,
) -> Workshop:
    judge = None
    if config.judge:
        judge = Party("judge", config.judge.known_as, config.benchmark.judge_sampling, None)
    return kind(
        benchmark=config.benchmark,
        options=config.options,
        run=run,
        graded_by=graded_by,
        journal=journal,
        model=Party(
            "generate", config.model.known_as, config.effective_sampling, None, config.system
        ),
        judge=judge,
        progress=Progress(),
        stop=Stop(),
        replays=True,
    )
