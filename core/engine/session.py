"""A run from the user's wish to its result: find it or start it, own it, work, sum up."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..benchmark import Pack
from ..clients.base import Client, ClientConfig, check_base_url, host_of, is_loopback
from ..clients.caller import Caller
from ..clients.keys import Environment, choose_key, redact
from ..datasets import find_pack
from ..errors import BenchError, DataError, Interrupted, UsageError
from ..journal import Journal, RunLock, RunRecord
from ..plugins import Catalogue
from ..reports.document import Selection, build_document, read_evidence
from ..types import Item, Sampling, digest
from .config import Endpoint, RunConfig, grader, identity
from .progress import Progress
from .samples import Party, Sample, Workshop, work_through
from .stopping import Stop
from .versions import package_versions

ID_LENGTH = 8


@dataclass
class Session:
    """One `bench run` on one model: what it needs from outside, and its counters."""

    config: RunConfig
    catalogue: Catalogue
    environment: Environment
    progress: Progress = field(default_factory=Progress)
    stop: Stop = field(default_factory=Stop)
    cache: Path | None = None
    say: Callable[[str], None] = lambda line: None
    """Tells the user something while the run goes on."""

    def read_pack(self) -> Pack:
        """The pack of this run."""
        config = self.config
        source = find_pack(config.benchmark, config.dataset, config.options, cache=self.cache)
        return config.benchmark.read_pack(source, config.options)

    def check(self) -> None:
        """Refuse what cannot be, before anything is made or sent.

        Raises:
            UsageError: The settings contradict each other.
            ConfigError: A key is missing.
        """
        _check_parties(self.config, self.catalogue)
        for endpoint in (self.config.model, self.config.judge):
            if endpoint is not None:
                self._client_config(endpoint)

    async def run(self, pack: Pack) -> dict[str, Any]:
        """Do what is left of the run, and sum it up.

        Returns:
            The result document (docs/results.md); its status tells how the run ended.

        Raises:
            BenchError: The run ended early for another reason than the user's wish.
        """
        self.check()
        items = choose_items(pack, self.config)
        with Journal(self.config.runs_dir) as journal:
            run, lock = self._own(journal, pack)
            with lock:
                began = time.monotonic()
                ended = await self._work(journal, run, items)
                seconds = time.monotonic() - began if self.progress.worked else 0.0
                if ended is not None and not isinstance(ended, Interrupted):
                    journal.end_run(run, "stopped", seconds=seconds, finished=False)
                    raise ended
                return self._sum_up(journal, run, pack, items, seconds, ended is not None)

    def _sum_up(
        self,
        journal: Journal,
        run: RunRecord,
        pack: Pack,
        items: Sequence[Item],
        seconds: float,
        interrupted: bool,
    ) -> dict[str, Any]:
        journal.writer.flush()
        selection = Selection(items, self.config.iterations)
        known_as = digest(grader(self.config))
        evidence = read_evidence(
            journal, run, known_as, selection, sent=self.progress.calls, interrupted=interrupted
        )
        document = build_document(run, self.config, pack, selection, evidence)
        document["elapsed_s"] = round(run.elapsed_s + seconds, 3)
        if self.progress.worked or run.finished_at is None:
            status = document["status"]
            finished = not interrupted
            journal.end_run(run, status, seconds=seconds, finished=finished, document=document)
        return document

    def _own(self, journal: Journal, pack: Pack) -> tuple[RunRecord, RunLock]:
        """The run that the configuration means, locked: the newest such, or a new one."""
        config = self.config
        meant = identity(config, pack)
        known_as = digest(meant)
        newest = journal.newest_run(known_as)
        ordinal = (newest.ordinal if newest else 1) + (config.fresh and newest is not None)
        run_id = known_as[:ID_LENGTH] + (f"-{ordinal}" if ordinal > 1 else "")
        lock = RunLock(journal.folder, run_id).acquire()
        run = journal.find_run(run_id)
        if run is None:
            run = journal.add_run(
                run_id=run_id,
                identity=known_as,
                ordinal=ordinal,
                benchmark=config.benchmark.name,
                benchmark_version=config.benchmark.version,
                model=str(config.model.spec),
                name=config.display_name,
                demo=self.catalogue.provider(config.model.spec.provider).demo,
                pack_name=pack.source.name,
                pack_sha256=pack.source.sha256,
                endpoint=host_of(config.model.base_url) if config.model.base_url else None,
                settings={
                    **meant,
                    "all_options": dict(config.options),
                    "dataset": config.dataset,
                    "notes": dict(config.notes),
                    "versions": package_versions(),
                },
            )
        return run, lock

    async def _work(
        self, journal: Journal, run: RunRecord, items: Sequence[Item]
    ) -> BenchError | None:
        """Work on every sample that has no grade yet; what ended the run early, if anything."""
        known_as = digest(grader(self.config))
        clusters = {item.id: item.cluster for item in items}
        scores = list(journal.grades(run, known_as, clusters))
        graded = {(s.item_id, s.iteration) for s in scores}
        unscored = sum(s.score.reason is not None for s in scores if self._counts(s.iteration))
        todo = [s for s in _samples(items, self.config.iterations) if _key(s) not in graded]
        self.progress.samples = len(items) * self.config.iterations
        self.progress.unscored = unscored
        self.progress.scored = self.progress.samples - len(todo) - unscored
        if not todo:
            return None
        parties = {phase: self._party(phase) for phase in ("generate", "judge")}
        model = parties["generate"]
        assert model is not None
        shop = Workshop(
            benchmark=self.config.benchmark,
            options=self.config.options,
            run=run,
            grader=known_as,
            journal=journal,
            model=model,
            judge=parties["judge"],
            progress=self.progress,
            stop=self.stop,
            replays=journal.count_calls(run) > 0,
        )
        workers = min(len(todo), self.config.limits.concurrency)
        try:
            await work_through(shop, iter(todo), workers)
        except BenchError as error:
            return error
        finally:
            for caller in self.progress.callers:
                await caller.close()
        return None

    def _counts(self, iteration: int) -> bool:
        return iteration <= self.config.iterations

    def _party(self, phase: str) -> Party | None:
        config = self.config
        if phase == "generate":
            return self._asked(phase, config.model, config.effective_sampling, config.system)
        if config.judge:
            return self._asked(phase, config.judge, config.benchmark.judge_sampling, None)
        return None

    def _asked(
        self, phase: str, endpoint: Endpoint, sampling: Sampling, system: str | None
    ) -> Party:
        free = "this machine's own server" if is_loopback(endpoint.base_url) else None
        return Party(phase, endpoint.label, sampling, self._caller(endpoint), system, free)

    def _caller(self, endpoint: Endpoint) -> Caller:
        caller = Caller(
            self._client(endpoint),
            self.config.limits,
            sleep=self.stop.sleep,
            before_sending=self.stop.check,
        )
        self.progress.callers.append(caller)
        return caller

    def _client(self, endpoint: Endpoint) -> Client:
        provider = self.catalogue.provider(endpoint.spec.provider)
        return provider.create(self._client_config(endpoint))

    def _client_config(self, endpoint: Endpoint) -> ClientConfig:
        provider = self.catalogue.provider(endpoint.spec.provider)
        base_url = check_base_url(endpoint.base_url) if endpoint.base_url else None
        key, key_name = choose_key(provider, base_url, endpoint.api_key_env, self.environment)
        redact.add(key)
        for value in endpoint.headers.values():
            redact.add(value)
        return ClientConfig(
            model=endpoint.spec,
            base_url=base_url,
            key=key,
            key_name=key_name,
            headers=endpoint.headers,
            concurrency=self.config.limits.concurrency,
        )


def _samples(items: Sequence[Item], iterations: int) -> Iterator[Sample]:
    return (Sample(item, n) for n in range(1, iterations + 1) for item in items)


def _key(sample: Sample) -> tuple[str, int]:
    return sample.item.id, sample.iteration


def _check_parties(config: RunConfig, catalogue: Catalogue) -> None:
    name, model, judge = config.benchmark.name, config.model.spec, config.judge
    demo_model = catalogue.provider(model.provider).demo
    if demo_model and not config.benchmark.has_demo:
        raise UsageError(f"{name} has no words for demo models; name a real one with --model")
    if not config.benchmark.judged:
        if judge:
            raise UsageError(f"{name} asks no judge; leave --judge out")
        return
    if judge is None:
        raise UsageError(f"{name} needs a judge; name one, such as --judge openai/gpt-4.1")
    if catalogue.provider(judge.spec.provider).demo and not demo_model:
        raise UsageError(f"the demo judge cannot judge {model}; name a real one with --judge")


def choose_items(pack: Pack, config: RunConfig) -> list[Item]:
    """The pack's items that the configuration asks for, in pack order.

    Raises:
        UsageError: An item is named that the pack does not have.
        DataError: The pack is empty.
    """
    items = list(pack.items)
    if not items:
        raise DataError(next(iter(pack.source.files.values())), "holds no items")
    if config.items:
        there = {item.id for item in items}
        if missing := [i for i in config.items if i not in there]:
            raise UsageError(
                f"--items names {', '.join(missing)}, which the pack does not have; "
                f"its ids go from {items[0].id} to {items[-1].id}"
            )
        items = [item for item in items if item.id in config.items]
    return items[: config.limit] if config.limit else items
