"""Results as records of Every Eval Ever, schema 0.3.0: one JSON file for each run.

The schema is that of https://github.com/evaleval/every_eval_ever. Bounds of a metric are not
known here, so no `score_type` is given; whether weights are open is not known either.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from eibench import (
    ExportFile,
    ExportRequest,
    JsonDict,
    UsageError,
    __version__,
    judge_in,
    read_json,
)
from eibench.providers import is_local
from eibench.text import as_text

from .results import ModelResult, results_of

VERSION = "0.3.0"
_ARGUMENTS = ("temperature", "top_p", "max_tokens")
_AGGREGATION = {"mean": "average", "median": "median", "majority": "majority_vote"}


def files(request: ExportRequest) -> Iterator[ExportFile]:
    """One file for each run, in the folders of the datastore; always the same for one run."""
    options: Any = request.options
    if not options["organization"]:
        raise UsageError("--organization NAME is missing: who ran the evaluation?")
    for result in results_of(request.runs):
        model = options["model_id"] or _model_id(result)
        if model is None or not re.fullmatch(r"[^/]+/[^/]+", model):
            message = f"whose model is {result.run.name}? --model-id DEVELOPER/NAME says it"
            raise UsageError(message)
        uuid = UUID(bytes=hashlib.sha256(result.run.id.encode()).digest()[:16], version=4)
        names = "/".join(map(_portable, (result.run.benchmark, *model.split("/"))))
        text = as_text(_record(result, model, options["organization"], int(request.time)))
        yield ExportFile(f"data/{names}/{uuid}.json", text + "\n")


def _portable(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", name).rstrip(".") or "_"


def _model_id(result: ModelResult) -> str | None:
    """The public name of a result's model; ``None`` where only its name at a server is known."""
    provider, _, name = result.run.model.partition("/")
    if "/" in name:
        return name
    is_own = provider in ("openai", "anthropic") and result.run.record.endpoint is None
    return result.run.model if is_own else None


def _record(result: ModelResult, model: str, organization: str, time: int) -> JsonDict:
    developer, _, name = model.partition("/")
    is_first = organization.lower() == developer.lower()
    return {
        "schema_version": VERSION,
        "evaluation_id": f"{result.run.benchmark}/{model.replace('/', '_')}/{time}",
        "evaluation_timestamp": result.date,
        "retrieved_timestamp": str(time),
        "source_metadata": {
            "source_name": "eibench",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "first_party" if is_first else "third_party",
        },
        "eval_library": {"name": "eibench", "version": __version__},
        "model_info": {
            "name": name,
            "id": model,
            "developer": developer,
            "inference_platform": result.run.model.partition("/")[0],
            "additional_details": _deployment(result),
        },
        "evaluation_results": list(_rows(result)),
    }


def _deployment(result: ModelResult) -> JsonDict:
    run = result.run
    where = "unknown" if run.model.startswith("imported/") else "externally_managed"
    if is_local(run.addresses.get(run.record.party)):
        where = "self_deployed"
    known = {"name_in_run": run.name, "asked_as": run.model}
    return {"deployment_type": where, "model_availability": "unknown", **known}


def _rows(result: ModelResult) -> Iterator[JsonDict]:
    """A row for each metric that has a value; the others are named with the first."""
    document, name = result.document, result.run.benchmark
    without = [key for key, row in document["metrics"].items() if row["value"] is None]
    details = {"notes": "; ".join(result.notes()), "status": document["status"]}
    details |= {"metrics_without_a_value": ", ".join(without)} if without else {}
    source, scoring, generation = _source(result), _scoring(result), _generation(result)
    for metric, row in document["metrics"].items():
        if row["value"] is None:
            continue
        better = row["higher_is_better"]
        config: JsonDict = {"metric_id": f"{name}.{metric}"}
        config |= {"metric_name": metric.replace("_", " "), "lower_is_better": better is False}
        if better is None:
            config["additional_details"] = {"direction": "neither end is better"}
        scores: JsonDict = {"score": row["value"], "details": details}
        yield {
            "evaluation_result_id": f"{result.run.id}:{metric}",
            "evaluation_name": name,
            "source_data": source,
            "evaluation_timestamp": result.date,
            "metric_config": config | scoring,
            "score_details": scores | {"uncertainty": _uncertainty(row["n"], row["ci95"])},
            "generation_config": generation,
        }


def _scoring(result: ModelResult) -> JsonDict:
    """Who judged, if anybody did; the prompts are known by their digests alone."""
    document = result.document
    judge = judge_in(document)
    if judge is None:
        return {}
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    judges: list[JsonDict] = []
    for one in judge.judges:
        details = unknown | {"label": one.public.label}
        model: JsonDict = {
            "name": one.spec.name,
            "id": str(one.spec),
            "additional_details": details,
        }
        judges.append({"model_info": model})
    version = f"{result.run.benchmark} {result.run.record.benchmark_version}"
    scoring: JsonDict = {"judges": judges}
    scoring["input_prompt"] = f"the judge prompts of {version}, eibench"
    if rule := _AGGREGATION.get(judge.short):
        scoring["aggregation_method"] = rule
    scoring["additional_details"] = {"grader_sha256": str(document["grader"])}
    return {"llm_scoring": scoring}


def _source(result: ModelResult) -> JsonDict:
    pack = result.document["dataset"]
    facts = {"sha256": pack["sha256"], "items": str(pack["n_items"]), "pack": pack["name"]}
    source: JsonDict = {"dataset_name": f"{result.run.benchmark} ({pack['name']})"}
    urls = _official_urls(result) if pack["name"] == "official" else []
    source |= {"source_type": "url", "url": urls} if urls else {"source_type": "other"}
    return source | {"additional_details": facts}


def _official_urls(result: ModelResult) -> list[str]:
    """Where the files of the official pack are from; none where the benchmark is not installed."""
    try:
        data = result.run.plugin.data
    except UsageError:
        return []
    files = read_json(data / "manifest.json")["packs"]["official"]["files"] if data else ()
    lang = result.run.settings["all_options"].get("lang")
    return [file["url"] for file in files if file.get("lang") in (None, lang) and file.get("url")]


def _uncertainty(n: int, ci95: Sequence[float] | None) -> JsonDict:
    if not ci95:
        return {"num_samples": n}
    low, high = ci95
    ends: JsonDict = {"lower": low, "upper": high, "confidence_level": 0.95}
    ends["method"] = "over families of items (docs/results.md)"
    return {"num_samples": n, "confidence_interval": ends}


def _generation(result: ModelResult) -> JsonDict:
    document, stored = result.document, result.run.settings["sampling"]
    sent: JsonDict = {name: value for name, value in stored.items() if value is not None}
    sent |= document["sampling"]
    args: JsonDict = {name: value for name, value in sent.items() if name in _ARGUMENTS}
    more: JsonDict = {name: str(value) for name, value in sent.items() if name not in args}
    more |= {f"option_{name}": str(value) for name, value in document["options"].items()}
    more["iterations"] = str(document["iterations"])
    return {"generation_args": args, "additional_details": more}
