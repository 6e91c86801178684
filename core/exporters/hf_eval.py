"""Results as files of a model's repository on the Hugging Face Hub: `.eval_results/*.yaml`.

The form is that of https://huggingface.co/docs/hub/eval-results: a list of entries with the
benchmark's dataset, its task and one value; date, source and notes are optional.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from ..errors import UsageError
from ..journal.archives import write_lines
from ..text import interval, listed
from ..types import JsonDict
from .results import ModelResult

FOLDER = ".eval_results"


def write_hf_eval(
    results: Sequence[ModelResult], folder: Path, datasets: Mapping[str, str], source: str | None
) -> list[Path]:
    """One file for each benchmark.

    Args:
        results: Of one model, one for each benchmark.
        folder: The model's repository.
        datasets: The benchmark's dataset on the Hub, by the benchmark's name; with an empty name
            for a single benchmark.
        source: The address where more can be seen.

    Raises:
        UsageError: They are of several models, or several of one benchmark, or a benchmark has no
            dataset.
        DataError: The folder cannot be written.
    """
    _check(results)
    made = {result.run.benchmark: _entry(result, results, datasets, source) for result in results}
    paths = []
    for name, entry in made.items():
        text = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=10**6)
        paths.append(folder / FOLDER / f"{name}.yaml")
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        write_lines(paths[-1], [text.encode()])
    return paths


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
