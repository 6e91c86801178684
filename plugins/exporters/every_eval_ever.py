"""Results as records of Every Eval Ever, schema 0.3.0: one JSON file for each run.

The schema is that of https://github.com/evaleval/every_eval_ever. Bounds of a metric are not
known here, so no `score_type` is given; whether weights are open is not known either.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from eibench import (
    ExportFile,
    ExportRequest,
    JsonDict,
    StoredRun,
    UsageError,
    __version__,
    judge_in,
    read_json,
)
from eibench.providers import ModelSpec, is_local
from eibench.text import as_text

from .results import ModelResult, check_one_model, results_of

VERSION = "0.3.0"
_ARGUMENTS = ("temperature", "top_p", "max_tokens")
_AGGREGATION = {"mean": "average", "median": "median", "majority": "majority_vote"}


def files(request: ExportRequest) -> Iterator[ExportFile]:
    """One file for each run, in the folders of the datastore; always the same for one run."""
    options: Any = request.options
    if not options["organization"]:
        raise UsageError("--organization NAME is missing: who ran the evaluation?")
    results = results_of(request)
    if options["model_id"]:
        check_one_model(results, "--model-id")
    for result in results:
        model = options["model_id"] or _public_name(*_asked(result))
        if not re.fullmatch(r"[^/]+/[^/]+", model):
            message = f"whose model is {result.run.name}? --model-id DEVELOPER/NAME says it"
            raise UsageError(message)
        record = _record(result, model, options["organization"], int(request.time))
        id = hashlib.sha256(str(record["evaluation_id"]).encode()).digest()[:16]
        names = "/".join(map(_portable, (result.run.benchmark, *model.split("/"))))
        path = f"data/{names}/{UUID(bytes=id, version=4)}.json"
        yield ExportFile(path, as_text(record) + "\n")


def _portable(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", name).rstrip(".") or "_"


def _asked(result: ModelResult) -> tuple[ModelSpec, str | None]:
    party = result.run.record.party
    return party.spec, party.endpoint


def _public_name(spec: ModelSpec, endpoint: str | None) -> str:
    """What a model is known by; its name at a server, without a slash, where no more is known."""
    return str(spec) if _platform(spec, endpoint) else spec.name


def _platform(spec: ModelSpec, endpoint: str | None) -> str | None:
    """The provider, where its own host was asked; a server's address says no more."""
    is_own = spec.provider in ("openai", "anthropic") and endpoint is None
    return spec.provider if is_own and "/" not in spec.name else None


def _record(result: ModelResult, model: str, organization: str, time: int) -> JsonDict:
    developer, _, name = model.partition("/")
    is_first = organization.lower() == developer.lower()
    run, platform = result.run, _platform(*_asked(result))
    return {
        "schema_version": VERSION,
        "evaluation_id": f"{run.benchmark}/{model.replace('/', '_')}/{_unique(run)}",
        **_when(result),
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
            **({"inference_platform": platform} if platform else {}),
            "additional_details": _deployment(result),
        },
        "evaluation_results": list(_rows(result)),
    }


def _unique(run: StoredRun) -> str:
    """A run's id with when it was begun, as others that begin alike have the same id."""
    return f"{run.id}-{int(datetime.fromisoformat(run.record.created_at).timestamp())}"


def _when(result: ModelResult) -> JsonDict:
    return {"evaluation_timestamp": result.date} if result.date else {}


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
            "evaluation_result_id": f"{_unique(result.run)}:{metric}",
            "evaluation_name": name,
            "source_data": source,
            **_when(result),
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
            "id": _public_name(one.spec, one.endpoint),
            "additional_details": details,
        }
        judges.append({"model_info": model})
    prompts = f"the judge prompts of {result.run.benchmark} {result.run.record.benchmark_version}"
    asked_here = f"{prompts}, eibench"
    asked_there = "unknown: those of the program that the verdicts were imported from"
    scoring: JsonDict = {"judges": judges}
    scoring["input_prompt"] = asked_there if result.judged_elsewhere else asked_here
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
