"""The canaries of a run's judges: replies that say nothing, asked after the run's own calls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..benchmark import Benchmark
from ..benchmark.abilities import AsksCanaries
from ..compare.canaries import CANARIES, canaries_part
from ..datasets import find_pack
from ..errors import DataError
from ..journal import Journal
from ..parties.party import Party
from ..parties.providers import of_judge
from ..plugins import installed
from ..settings.rules import own_options
from ..settings.run_config import RunConfig
from ..text import plural
from ..types.result_document import ResultDocument
from .session import Session
from .task import Task, TaskParty

FIRST = 3
"""Canaries of which one has to be read before the others are asked."""


@dataclass(frozen=True, eq=False)
class CanaryTask(Task):
    """Canaries of a judge, which is asked as a model is, and which messages call the judge."""

    @property
    def parties(self) -> Sequence[TaskParty]:
        """The judge, and the options that are about it."""
        judge = self.config.model
        options = of_judge(str(judge.spec))._replace(near=judge.near)
        return [party._replace(options=options) for party in super().parties]


def canary_tasks(task: Task) -> Iterator[CanaryTask]:
    """A task for each real judge of a task, and for grades and pairs; its model is the judge."""
    config = task.config
    known = installed().benchmarks.things
    asks: object = known.get(CANARIES)
    if config.no_canaries or not (isinstance(asks, AsksCanaries) and isinstance(asks, Benchmark)):
        return
    if config.benchmark is not known.get(config.benchmark.name):
        return  # a file or a program declares it, and no other process knows it by its name
    source = _dataset(task)
    for judge in config.judges:
        if installed().provider(judge.spec.provider).demo:
            continue
        for values in asks.canary_options(config.benchmark, config.options, source):
            options = {**own_options(asks, {}), **values}
            limits = judge.limits or config.limits
            alone = RunConfig(asks, judge, options, limits=limits, transfer=config.transfer)
            yield CanaryTask(replace(alone, runs_dir=config.runs_dir, keep_going=True))


def _dataset(task: Task) -> str:
    """What finds the task's pack: its name where that is on this machine, else its path."""
    source, path = task.pack.source, task.config.dataset or "bundled"
    if source.name == "custom":
        return path
    try:
        known = find_pack(task.config.benchmark, source.name, task.config.options)
    except DataError:
        return path
    return source.name if known.sha256 == source.sha256 else path


def for_judges(session: Session) -> Session:
    """A session for tasks whose model is a judge: ``--price`` is not its price."""
    pricing = replace(session.pricing, model_price=None)
    return replace(session.for_next_run(), pricing=pricing)


def has_been_read(document: ResultDocument, judge: Party) -> bool:
    """Whether any verdict or comparison of a result's judge could be read."""
    rows = [row for row in document.get("judges", ()) if row["judge"] == judge.label]
    if not rows:
        counts = document["comparisons"]
        return bool(document["items"]["scored"] or counts.get("read"))
    pairs = [row.get("comparisons") for row in rows]
    read = [row["graded"] - row["unread"] for row in rows]
    return bool(sum(read) or sum(one["answered"] - one["unread"] for one in pairs if one))


def first_canaries(task: Task) -> Task:
    """The same of the first canaries alone."""
    limit = min(task.config.limit or FIRST, FIRST)
    return CanaryTask(replace(task.config, limit=limit), task.given_pack)


def unheard(document: ResultDocument) -> str | None:
    """Why no more canaries are asked, where not one of the first could be read."""
    items = document["items"]
    if items["scored"]:
        return None
    parts = []
    if document["failed"]:
        reason = document["failed"][0]["reason"]
        parts.append(f"{plural(items['failed'], 'call')} failed ({reason})")
    if document["unscored"]:
        reason = document["unscored"][0]["reason"]
        parts.append(f"{plural(items['unscored'], 'verdict')} had no grade ({reason})")
    return f"{'; '.join(parts) or 'none was answered'}, so no more are asked"


def with_canaries(document: ResultDocument, config: RunConfig) -> ResultDocument:
    """A result with what is known of its judges' canaries; without ranks where they are withheld.

    A result of demo models has none.
    """
    if document["demo"] or not config.judges or not config.benchmark.judged:
        return document
    row = next(iter(document["metrics"].values()), None)
    models = {document["name"]: row} if row else {}
    with Journal(config.runs_dir, create=False) as journal:
        part = canaries_part(
            journal,
            config.benchmark,
            config.options,
            document["dataset"]["sha256"],
            config.judge,
            models,
        )
    if part is None:
        return document
    ratings = [] if part["withheld"] else document["ratings"]
    return {**document, "canaries": part, "ratings": ratings}
