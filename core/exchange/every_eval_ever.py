"""Results as records of Every Eval Ever, schema 0.3.0: one JSON file for each run.

The schema is that of https://github.com/evaleval/every_eval_ever. Bounds of a metric are not
known here, so no `score_type` is given; whether weights are open is not known either.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID

from .. import __version__
from ..datasets import read_manifest
from ..errors import UsageError
from ..hooks.exporters import ExportFile, ExportRequest
from ..parties.graders import Judge
from ..parties.party import Party, is_local
from ..plugins import installed
from ..reports.comparability import judge_in
from ..settings.run_config import stored_sampling
from ..text import as_text
from ..types import JsonDict
from ..types.result_document import MetricRow
from .shareable import ModelResult, results_of

VERSION = "0.3.0"
_ARGUMENTS = ("temperature", "top_p", "max_tokens")
_AGGREGATION = {"mean": "average", "median": "median", "majority": "majority_vote"}


class Submitter(NamedTuple):
    """Who gives the records, and when.

    Attributes:
        organization: Who ran the evaluation.
        model_id: ``DEVELOPER/NAME`` of the model; ``None`` for what its spec says.
        time: Of the export, in seconds since 1970.
    """

    organization: str
    model_id: str | None
    time: int


def files(request: ExportRequest) -> list[ExportFile]:
    """One file for each run, in the folders of the datastore; always the same for one run.

    Raises:
        UsageError: It is not known who ran the evaluation, or whose model one is.
    """
    given: Any = request.options
    if not given["organization"]:
        raise UsageError("--organization NAME is missing: who ran the evaluation?")
    by = Submitter(given["organization"], given["model_id"], int(request.time))
    made = []
    for result in results_of(request.runs):
        uuid = UUID(bytes=hashlib.sha256(result.run.run_id.encode()).digest()[:16], version=4)
        parts = (result.run.benchmark, *model_id(result, by).split("/", 1))
        names = "/".join(_portable(part) for part in parts)
        text = as_text(record(result, by)) + "\n"
        made.append(ExportFile(f"data/{names}/{uuid}.json", text))
    return made


def _portable(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", name).rstrip(".") or "_"


def record(result: ModelResult, by: Submitter) -> JsonDict:
    """The record of a run."""
    model = model_id(result, by)
    own = by.organization.lower() == model.partition("/")[0].lower()
    return {
        "schema_version": VERSION,
        "evaluation_id": f"{result.run.benchmark}/{model.replace('/', '_')}/{by.time}",
        "evaluation_timestamp": result.date,
        "retrieved_timestamp": str(by.time),
        "source_metadata": {
            "source_name": "eibench",
            "source_type": "evaluation_run",
            "source_organization_name": by.organization,
            "evaluator_relationship": "first_party" if own else "third_party",
        },
        "eval_library": {"name": "eibench", "version": __version__},
        "model_info": _model(result, model),
        "evaluation_results": list(_rows(result)),
    }


def model_id(result: ModelResult, by: Submitter) -> str:
    """The public name of a result's model, ``DEVELOPER/NAME``.

    Raises:
        UsageError: Only its name at a server is known.
    """
    provider, _, name = result.run.model.partition("/")
    host = result.run.endpoint
    known = by.model_id or (name if "/" in name else None)
    if known is None and host is None and provider in ("openai", "anthropic"):
        known = result.run.model
    if known is None or not re.fullmatch(r"[^/]+/[^/]+", known):
        message = f"whose model is {result.run.name}? --model-id DEVELOPER/NAME says it"
        raise UsageError(message)
    return known


def _model(result: ModelResult, known: str) -> JsonDict:
    provider, host = result.run.model.partition("/")[0], result.run.endpoint
    where = "unknown" if result.run.model.startswith("imported/") else "externally_managed"
    if host and is_local(f"http://{host}"):
        where = "self_deployed"
    facts = {"deployment_type": where, "model_availability": "unknown"}
    facts |= {"name_in_run": result.run.name, "asked_as": result.run.model}
    return {
        "name": known.partition("/")[2],
        "id": known,
        "developer": known.partition("/")[0],
        "inference_platform": provider,
        "additional_details": facts,
    }


def _rows(result: ModelResult) -> Iterator[JsonDict]:
    """A row for each metric that has a value; the others are named with the first."""
    document, name = result.document, result.run.benchmark
    without = [key for key, row in document["metrics"].items() if row["value"] is None]
    details = {"notes": "; ".join(result.notes()), "status": document["status"]}
    details |= {"metrics_without_a_value": ", ".join(without)} if without else {}
    for metric, row in document["metrics"].items():
        if row["value"] is None:
            continue
        yield {
            "evaluation_result_id": f"{result.run.run_id}:{metric}",
            "evaluation_name": name,
            "source_data": _source(result),
            "evaluation_timestamp": result.date,
            "metric_config": _metric(result, metric, row),
            "score_details": {
                "score": row["value"],
                "details": details,
                "uncertainty": _uncertainty(row),
            },
            "generation_config": _generation(result),
        }


def _metric(result: ModelResult, metric: str, row: MetricRow) -> JsonDict:
    better = row["higher_is_better"]
    made: JsonDict = {
        "metric_id": f"{result.run.benchmark}.{metric}",
        "metric_name": metric.replace("_", " "),
        "lower_is_better": better is False,
    }
    if better is None:
        made["additional_details"] = {"direction": "neither end is better"}
    if judge := judge_in(result.document):
        made["llm_scoring"] = _judges(result, judge)
    return made


def _judges(result: ModelResult, judge: Judge) -> JsonDict:
    """Who judged; the prompts are known by their digests alone."""
    judges = list(map(_judge, judge.judges))
    prompt = f"the judge prompts of {result.run.benchmark} {result.run.benchmark_version}, eibench"
    made: JsonDict = {"judges": judges, "input_prompt": prompt}
    if rule := _AGGREGATION.get(judge.short):
        made["aggregation_method"] = rule
    made["additional_details"] = {"grader_sha256": str(result.document["grader"])}
    return made


def _judge(judge: Party) -> JsonDict:
    facts = {"deployment_type": "unknown", "model_availability": "unknown"}
    facts["label"] = judge.public.label
    name = judge.spec.name
    return {"model_info": {"name": name, "id": judge.short, "additional_details": facts}}


def _source(result: ModelResult) -> JsonDict:
    pack = result.document["dataset"]
    facts = {"sha256": pack["sha256"], "items": str(pack["n_items"]), "pack": pack["name"]}
    made: JsonDict = {"dataset_name": f"{result.run.benchmark} ({pack['name']})"}
    benchmark = installed().benchmarks.things.get(result.run.benchmark)
    if pack["name"] == "official" and benchmark and benchmark.data:
        files = read_manifest(benchmark.data)["official"].files_for(
            result.run.settings["all_options"].get("lang")
        )
        if urls := [file.url for file in files if file.url]:
            return {**made, "source_type": "url", "url": urls, "additional_details": facts}
    return {**made, "source_type": "other", "additional_details": facts}


def _uncertainty(row: MetricRow) -> JsonDict:
    made: JsonDict = {"num_samples": row["n"]}
    if row["ci95"]:
        low, high = row["ci95"]
        ends: JsonDict = {"lower": low, "upper": high, "confidence_level": 0.95}
        ends["method"] = "over families of items (docs/results.md)"
        made["confidence_interval"] = ends
    return made


def _generation(result: ModelResult) -> JsonDict:
    sent = {**stored_sampling(result.run.settings).sent(), **result.document["sampling"]}
    args: JsonDict = {name: value for name, value in sent.items() if name in _ARGUMENTS}
    more: JsonDict = {name: str(value) for name, value in sent.items() if name not in args}
    more |= {f"option_{name}": str(v) for name, v in result.document["options"].items()}
    more["iterations"] = str(result.document["iterations"])
    return {"generation_args": args, "additional_details": more}
