"""How a stored run was asked: its settings and its pack, as a command of today would give them."""

from dataclasses import replace
from pathlib import Path

from ..benchmark import Benchmark, Pack
from ..datasets import find_pack
from ..errors import DataError, JournalError, UsageError
from ..guard import guard
from ..journal import Journal, RunRecord
from ..parties.panels import panel_by, panel_of, rule_in
from ..parties.providers import ModelSpec
from ..plugins import Catalogue
from ..reports.comparability import judge_label
from ..reports.evidence import Selection
from ..reports.gradings import is_judge
from ..settings.rules import fitting
from ..settings.run_config import (
    Endpoint,
    RunConfig,
    judge_endpoint,
    stored_role_sampling,
    stored_roles,
    stored_sampling,
    with_judges,
)
from ..types import JsonDict, JsonObject
from ..types.result_document import ResultDocument


def config_of(
    journal: Journal,
    run: RunRecord,
    catalogue: Catalogue,
    changes: JsonObject,
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
    named = _judge_of(journal, run, judge) if guard(benchmark).needs_judge(options) else None
    made = RunConfig(
        benchmark=benchmark,
        model=asked_endpoint(run),
        options=options,
        dataset=dataset or settings["dataset"] or run.pack_name,
        sampling=stored_sampling(settings),
        system=settings["system"],
        name=settings["name"],
        roles=stored_roles(settings),
        role_sampling=stored_role_sampling(settings),
    )
    return judged_by(journal, run, made, named)


def judged_by(
    journal: Journal, run: RunRecord, config: RunConfig, judge: Endpoint | None
) -> RunConfig:
    """A configuration with a judge, or with the panel that has graded the run under its label."""
    label = judge.stored_label if judge else ""
    if judge is None or rule_in(label) is None:
        return replace(config, judge=judge, judges=(), panel=None)
    facts = (g.graded_by for g in journal.graders(run) if g.graded_by.get("judge") == label)
    found = next((f["panel"] for f in facts if isinstance(f.get("panel"), dict)), None)
    panel = panel_of(found) if found else panel_by(label)
    return with_judges(config, [judge_endpoint(one) for one in panel.judges], panel)


def asked_endpoint(run: RunRecord) -> Endpoint:
    """The model of a stored run, where it was asked first."""
    return Endpoint(ModelSpec.parse(run.model), run.settings["endpoint"])


def config_of_result(
    journal: Journal,
    run: RunRecord,
    catalogue: Catalogue,
    document: ResultDocument,
    dataset: str | None = None,
) -> RunConfig:
    """How a stored result was graded, which a later command may have changed.

    Args:
        journal: Holds the run.
        run: Whose result it is.
        catalogue: Knows the benchmarks.
        document: The result.
        dataset: Where the run's pack is now, if not in its place.

    Raises:
        BenchError: As of `config_of`.
    """
    label = judge_label(document)
    judge = judge_endpoint(label) if label else None
    config = config_of(journal, run, catalogue, {}, dataset, judge=judge)
    options = {**config.options, **document["options"]}
    return judged_by(journal, run, replace(config, options=options), judge)


def _changed(benchmark: Benchmark, changes: JsonObject) -> JsonDict:
    gradable = {o.name: o for o in benchmark.options if o.in_grades}
    for name in changes:
        if name not in gradable:
            there = ", ".join(gradable) or "none"
            raise UsageError(f"{benchmark.name} has no grading option {name!r}; there are: {there}")
    return {
        name: fitting(name, gradable[name].rule, value, is_text=True)
        if isinstance(value, str)
        else value
        for name, value in changes.items()
    }


def _judge_of(journal: Journal, run: RunRecord, wanted: Endpoint | str | None) -> Endpoint:
    """The judge that is given, or whose replies came last; offline, only its label matters.

    Raises:
        JournalError: No judge has replied yet.
        UsageError: The one wanted has not.
    """
    if isinstance(wanted, Endpoint):
        return wanted
    labels = _labels(journal, run)
    own = judge_label(document) if (document := journal.document(run)) else None
    labels.sort(key=lambda label: label != own)
    if not labels:
        raise JournalError(f"run {run.run_id} has no judge's replies yet; run its command first")
    fitting = [label for label in labels if wanted is None or is_judge(label, wanted)]
    if not fitting:
        raise UsageError(
            f"run {run.run_id} has no replies of the judge {wanted}; there are: {', '.join(labels)}"
        )
    return judge_endpoint(fitting[0])


def _labels(journal: Journal, run: RunRecord) -> list[str]:
    """The judges of a run, those that have replied last first, and its panels after them."""
    graders = (str(g.graded_by.get("judge")) for g in journal.graders(run))
    return [*journal.judges(run), *dict.fromkeys(label for label in graders if rule_in(label))]


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


def begun_by(journal: Journal, run: RunRecord, pack: Pack) -> Selection:
    """The selection that all samples make of which the journal holds anything."""
    begun = journal.samples_begun(run)
    ids = {item_id for item_id, _ in begun}
    items = [item for item in pack.items if item.id in ids]
    return Selection(items, max((iteration for _, iteration in begun), default=1))
