"""Results as files of a model's repository on the Hugging Face Hub: `.eval_results/*.yaml`.

The form is that of https://huggingface.co/docs/hub/eval-results: a list of entries with the
benchmark's dataset, its task and one value; date, source and notes are optional.
"""

from collections.abc import Sequence
from typing import Any

import yaml

from eibench import ExportFile, ExportRequest, JsonDict, UsageError
from eibench.text import interval, listed

from .results import ModelResult, results_of


def files(request: ExportRequest) -> list[ExportFile]:
    """One file for each benchmark, of one model's runs.

    Raises:
        UsageError: The runs are of several models, or several of one benchmark, or a benchmark has
            no dataset.
    """
    results, options = results_of(request.runs), request.options
    _check(results)
    named: Any = options["hub_dataset"]
    datasets = {name: hub for name, _, hub in (one.rpartition("=") for one in named)}
    files = []
    for result in results:
        name = result.run.benchmark
        dataset = datasets.get(name) or (datasets.get("") if len(results) == 1 else None)
        if dataset is None:
            message = f"--hub-dataset {name}=OWNER/NAME is missing: the dataset of {name} on the"
            raise UsageError(f"{message} Hub, where its leaderboard is")
        entry = _entry(result, dataset, options["source"])
        text = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=10**6)
        files.append(ExportFile(f".eval_results/{name}.yaml", text))
    return files


def _check(results: Sequence[ModelResult]) -> None:
    known = {(r.run.name, r.run.model, r.run.record.endpoint or "") for r in results}
    models = sorted(" ".join(dict.fromkeys(filter(None, one))) for one in known)
    if len(models) > 1:
        message = f"a repository is of one model; choose with --model among {listed(models, 6)}"
        raise UsageError(message)
    ids: dict[str, list[str]] = {}
    for result in results:
        ids.setdefault(result.run.benchmark, []).append(result.run.id)
    for name, runs in ids.items():
        if len(runs) > 1:
            message = f"{name} has {len(runs)} runs ({', '.join(runs)}); name one, or choose with"
            raise UsageError(f"{message} --dataset or --judge")


def _entry(result: ModelResult, dataset: str, source: Any) -> JsonDict:
    metric, row = next(iter(result.document["metrics"].items()))
    task = {"id": dataset, "task_id": result.run.benchmark}
    entry: JsonDict = {"dataset": task, "value": row["value"], "date": result.date}
    if source:
        entry["source"] = {"url": source, "name": "eibench"}
    ends = f"95 % interval {interval(row['ci95'])}" if row["ci95"] else "no interval"
    entry["notes"] = "; ".join([f"{metric}, {ends}, n = {row['n']}", *result.notes()])
    return entry
