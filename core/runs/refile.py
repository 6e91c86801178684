"""Grades made before a grader was told by what its judge is sent (docs/judging.md).

They were kept under judge, options and version alone. Where the judge's calls of a sample answer
all of today's requests, and what they say is read as it was, the grade is one of today's
grader and is put under it; the others stay what they are: another grader's. Nothing is sent:
`stored_model` answers from the run's own replies.
"""

import asyncio
import contextlib
from dataclasses import dataclass
from typing import NamedTuple

from ..benchmark import Benchmark, Pack
from ..benchmark.roles import MODEL
from ..errors import BenchError, JournalError
from ..guard import Guarded, guard
from ..journal import CallKey, Grader, Journal, RunLock, RunRecord
from ..plugins import Catalogue
from ..sample.model import Answer, JournaledModel, known_replies
from ..settings.run_config import (
    RunConfig,
    grader,
    judge_endpoint,
    stored_role_sampling,
    stored_roles,
    stored_sampling,
)
from ..types import ChatRequest, ChatResponse, Item, JsonObject, Score, digest
from .finding import model_label
from .stored_config import asked_endpoint, config_of, pack_of


def stored_model(
    run: RunRecord, benchmark: Benchmark, answer: Answer, item_id: str, iteration: int
) -> JournaledModel:
    """That of one sample, whose calls to the model and to roles are answered alike.

    Args:
        run: Says who was asked, and how.
        benchmark: Declares the roles.
        answer: Gives the replies.
        item_id: Of the sample.
        iteration: Of the sample.
    """
    players, drawn = stored_roles(run.settings), stored_role_sampling(run.settings)
    roles = {
        role.name: JournaledModel(
            answer,
            phase=role.phase,
            asked=players[role.name].label,
            sampling=drawn.get(role.name, role.sampling),
            item_id=item_id,
            iteration=iteration,
        )
        for role in benchmark.roles
        if role.name in players
    }
    return JournaledModel(
        answer,
        phase=MODEL,
        asked=model_label(run),
        sampling=stored_sampling(run.settings),
        system=run.settings["system"],
        item_id=item_id,
        iteration=iteration,
        roles=roles,
    )


def is_older(graded_by: JsonObject) -> bool:
    """Whether a grader with a judge does not say what the judge was sent."""
    return isinstance(graded_by.get("judge"), str) and "sampling" not in graded_by


class ReplayedSample(NamedTuple):
    """What came of a sample.

    Attributes:
        found: How many of the judge's replies its requests found.
        score: ``None`` where a reply is missing.
    """

    found: int
    score: Score | None


@dataclass(frozen=True, slots=True)
class SampleReplay:
    """Does a sample again from the journal alone.

    Attributes:
        config: How the run was asked, and by whom it was judged.
    """

    journal: Journal
    run: RunRecord
    config: RunConfig
    plugin: Guarded

    @classmethod
    def of(cls, journal: Journal, run: RunRecord, config: RunConfig) -> "SampleReplay":
        """That of a run."""
        return cls(journal, run, config, guard(config.benchmark))

    async def __call__(self, item: Item, iteration: int) -> "ReplayedSample":
        """What comes of a sample."""
        answer, found = known_replies(self.journal.replies(self.run, item.id, iteration)), 0

        async def counted(request: ChatRequest, key: CallKey) -> ChatResponse:
            nonlocal found
            reply = await answer(request, key)
            found += 1
            return reply

        benchmark, options, judge = self.config.benchmark, self.config.options, self.config.judge
        assert judge is not None
        model = stored_model(self.run, benchmark, answer, item.id, iteration)
        judge_handle = JournaledModel(
            counted,
            phase="judge",
            asked=judge.stored_label,
            item_id=item.id,
            sampling=benchmark.judge_sampling,
            iteration=iteration,
        )
        try:
            transcript = await self.plugin.generate(item, model, options)
            score = await self.plugin.grade(item, transcript, judge_handle, options)
        except JournalError:
            raise
        except BenchError:  # a reply is missing, or the plugin failed
            return ReplayedSample(found, None)
        return ReplayedSample(found, score)


async def refile(journal: Journal, benchmark: Benchmark, pack: Pack, run: RunRecord) -> None:
    """Put older grades of a run, which is owned, under today's grader where they are its own."""
    for old in journal.graders(run):
        if is_older(old.graded_by) and old.graded_by.get("version") == benchmark.version:
            await _refile(journal, benchmark, pack, run, old)
    journal.writer.flush()


async def _refile(
    journal: Journal, benchmark: Benchmark, pack: Pack, run: RunRecord, old: Grader
) -> None:
    config = _config(benchmark, run, old)
    today = grader(config)
    if old.graded_by.get("offline"):
        today["offline"] = True
    grader_digest = digest(today)
    if journal.left_over(run, grader_digest) == old.grades:
        return  # tried before, with the same end
    replay, left = SampleReplay.of(journal, run, config), old.grades
    items = {item.id: item for item in pack.items}
    for item_id, iteration in journal.samples_graded(run, old.digest):
        if item_id not in items:
            continue
        replayed = await replay(items[item_id], iteration)
        kept = journal.score_of(run, old.digest, item_id, iteration)
        if kept and replayed.score and _same(kept, replayed.score):
            journal.move_grade(run, old.digest, grader_digest, today, (item_id, iteration))
            left -= 1
    journal.set_left_over(run, grader_digest, left)


def _same(one: Score, other: Score) -> bool:
    """Whether two scores say the same; a reader that changed since may say something else."""
    return (dict(one.values), one.reason) == (dict(other.values), other.reason)


def _config(benchmark: Benchmark, run: RunRecord, old: Grader) -> RunConfig:
    """How a run was asked, and graded by a grader of its own."""
    settings, given = run.settings, old.graded_by.get("options")
    options = {o.name: o.default for o in benchmark.options} | settings["all_options"]
    return RunConfig(
        benchmark=benchmark,
        model=asked_endpoint(run),
        options={**options, **(given if isinstance(given, dict) else {})},
        judge=judge_endpoint(str(old.graded_by["judge"])),
    )


def has_older(journal: Journal, run: RunRecord) -> bool:
    """Whether a run has grades that may be put under today's grader."""
    return any(is_older(grader.graded_by) for grader in journal.graders(run))


def refile_stored(journal: Journal, catalogue: Catalogue, run: RunRecord) -> None:
    """Do so with a stored run, if it needs it; not where its data is gone or others own it."""
    if not has_older(journal, run):
        return
    with contextlib.suppress(BenchError), RunLock(journal.folder, run.run_id).acquire():
        benchmark = catalogue.benchmark(run.benchmark)
        pack = pack_of(run, config_of(journal, run, catalogue, {}, None))
        asyncio.run(refile(journal, benchmark, pack, run))
