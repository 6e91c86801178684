"""Results as files of a model's repository on the Hugging Face Hub: `.eval_results/*.yaml`.

The form is that of https://huggingface.co/docs/hub/eval-results: a list of entries with the
benchmark's dataset, its task and one value; date, source and notes are optional.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from ..errors import UsageError
from ..hooks.exporters import ExportFile, ExportRequest
from ..text import interval, listed
from ..types import JsonDict
from .shareable import ModelResult, results_of

FOLDER = ".eval_results"


def files(request: ExportRequest) -> list[ExportFile]:
    """One file for each benchmark, of one model's runs.

    Raises:
        UsageError: They are of several models, or several of one benchmark, or a benchmark has no
            dataset.
    """
    results = results_of(request.runs)
    _check(results)
    given: Any = request.options
    datasets = {name: hub for name, _, hub in (d.rpartition("=") for d in given["hub_dataset"])}
    made = []
    for result in results:
        entry = _entry(result, results, datasets, given["source"])
        text = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=10**6)
        made.append(ExportFile(f"{FOLDER}/{result.run.benchmark}.yaml", text))
    return made


def _check(results: Sequence[ModelResult]) -> None:
    models = list(dict.fromkeys(result.run.name for result in results))
    if len(models) > 1:
        message = f"a repository is of one model; choose with --model among {listed(models, 6)}"
        raise UsageError(message)
    ids: dict[str, list[str]] = {}
    for result in results:
        ids.setdefault(result.run.benchmark, []).append(result.run.run_id)
    for name, runs in ids.items():
        if len(runs) > 1:
            message = f"{name} has {len(runs)} runs ({', '.join(runs)}); name one, or choose with"
            raise UsageError(f"{message} --dataset or --judge")


def _entry(
    result: ModelResult,
    results: Sequence[ModelResult],
    datasets: Mapping[str, str],
    source: str | None,
) -> JsonDict:
    name = result.run.benchmark
    dataset = datasets.get(name) or (datasets.get("") if len(results) == 1 else None)
    if dataset is None:
        message = f"--hub-dataset {name}=OWNER/NAME is missing: the dataset of {name} on the Hub"
        raise UsageError(f"{message}, where its leaderboard is")
    metric, row = result.main
    entry: JsonDict = {"dataset": {"id": dataset, "task_id": name}, "value": row["value"]}
    entry["date"] = result.date
    if source:
        entry["source"] = {"url": source, "name": "eibench"}
    sure = f"95 % interval {interval(row['ci95'])}" if row["ci95"] else "no interval"
    entry["notes"] = "; ".join([f"{metric}, {sure}, n = {row['n']}", *result.notes()])
    return entry
