"""Grading a run again from the journal: no request is sent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..benchmark import Pack
from ..clients.base import ModelSpec
from ..datasets import find_pack
from ..errors import DataError, JournalError, UsageError
from ..journal import Journal, RunLock, RunRecord
from ..plugins import Catalogue
from ..reports.document import Selection, build_document, read_evidence
from ..types import Sampling, digest
from .config import Endpoint, RunConfig, grader
from .progress import Progress
from .samples import Party, Sample, Workshop, work_through
from .stopping import Stop


def config_of(
    run: RunRecord, catalogue: Catalogue, changes: Mapping[str, Any], dataset: str | None
) -> RunConfig:
    """The configuration of a stored run, with other grading options.

    Raises:
        UsageError: An option is changed that the benchmark does not have, or that would
            change what the model was sent.
    """
    benchmark = catalogue.benchmark(run.benchmark)
    gradable = {o.name: o for o in benchmark.options if o.in_grades}
    for name, value in changes.items():
        if name not in gradable:
            there = ", ".join(gradable) or "none"
            raise UsageError(f"{run.benchmark} has no grading option {name!r}; there are: {there}")
        if gradable[name].choices and value not in gradable[name].choices:
            raise UsageError(f"{name} is one of {', '.join(gradable[name].choices)}, not {value!r}")
    settings = run.settings
    sampling = dict(settings["sampling"])
    sampling["stop"] = tuple(sampling["stop"]) if sampling.get("stop") else None
    return RunConfig(
        benchmark=benchmark,
        model=Endpoint(ModelSpec.parse(run.model), settings["endpoint"]),
        options={**settings["all_options"], **changes},
        dataset=dataset or settings["dataset"] or run.pack_name,
        sampling=Sampling(**sampling),
        system=settings["system"],
        name=settings["name"],
    )


def pack_of(run: RunRecord, config: RunConfig, cache: Path | None = None) -> Pack:
    """The pack of a stored run.

    Raises:
        DataError: What is there now is not what the run was made with.
    """
    source = find_pack(config.benchmark, config.dataset, config.options, cache=cache)
    if source.sha256 != run.pack_sha256:
        raise DataError(
            config.dataset,
            f"is not the data of run {run.run_id} (SHA-256 {run.pack_sha256[:12]}…); "
            "name the right one with --dataset",
        )
    return config.benchmark.read_pack(source, config.options)


async def rescore(journal: Journal, run: RunRecord, config: RunConfig, pack: Pack) -> Any:
    """The result document of a run's replies, graded anew.

    Raises:
        JournalError: The run has no replies.
    """
    answered = {(c.item_id, c.iteration) for c in journal.call_totals(run)}
    if not answered:
        raise JournalError(f"run {run.run_id} has no replies yet; run its command first")
    items = [i for i in pack.items if any(i.id == item_id for item_id, _ in answered)]
    samples = [Sample(i, n) for i in items for n in _iterations(answered) if (i.id, n) in answered]
    known_as = digest(grader(config))
    with RunLock(journal.folder, run.run_id).acquire():
        shop = Workshop(
            benchmark=config.benchmark,
            options=config.options,
            run=run,
            grader=known_as,
            journal=journal,
            model=Party("generate", config.model.label, config.effective_sampling, None),
            judge=None,
            progress=Progress(),
            stop=Stop(),
            replays=True,
        )
        shop.model = Party(
            "generate", config.model.label, config.effective_sampling, None, config.system
        )
        await work_through(shop, iter(samples), 1)
        journal.writer.flush()
        selection = Selection(items, max(_iterations(answered)))
        evidence = read_evidence(journal, run, known_as, selection)
        document = build_document(run, config, pack, selection, evidence)
        journal.end_run(run, document["status"], seconds=0.0, finished=True, document=document)
        return document


def _iterations(answered: set[tuple[str, int]]) -> list[int]:
    return sorted({iteration for _, iteration in answered})
