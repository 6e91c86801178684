"""Results for the Hugging Face Hub and for Every Eval Ever."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it comes without types
import pytest
import yaml

from eibench.testing import LoopbackServer, ReceivedRequest, uniform_ratings

Bench = Callable[..., Any]
HUB = ("export", "--format", "hf-eval", "-o", "out")
RECORDS = ("export", "--format", "every-eval-ever", "--organization", "Lab", "-o", "out")
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
MODEL = {
    "type": "object",
    "required": ["name", "id", "additional_details"],
    "properties": {
        "name": {"type": "string"},
        "id": {"type": "string"},
        "developer": {"type": "string"},
        "inference_platform": {"type": "string"},
        "additional_details": {
            **TEXTS,
            "required": ["deployment_type", "model_availability"],
            "properties": {
                "deployment_type": {"enum": ["self_deployed", "externally_managed", "unknown"]},
                "model_availability": {"enum": ["open_weights", "closed_weights", "unknown"]},
            },
        },
    },
}
NUMBERS = {"type": "number"}
RESULT = {
    "type": "object",
    "required": ["evaluation_name", "source_data", "metric_config", "score_details"],
    "properties": {
        "source_data": {
            "required": ["dataset_name", "source_type"],
            "properties": {"source_type": {"enum": ["url", "other"]}, "additional_details": TEXTS},
        },
        "metric_config": {
            "required": ["lower_is_better"],
            "properties": {
                "lower_is_better": {"type": "boolean"},
                "additional_details": TEXTS,
                "llm_scoring": {
                    "required": ["judges", "input_prompt"],
                    "properties": {
                        "judges": {"minItems": 1, "items": {"properties": {"model_info": MODEL}}},
                        "input_prompt": {"type": "string"},
                        "additional_details": TEXTS,
                    },
                },
            },
        },
        "score_details": {
            "required": ["score"],
            "properties": {
                "score": NUMBERS,
                "details": TEXTS,
                "uncertainty": {
                    "properties": {
                        "num_samples": {"type": "integer"},
                        "confidence_interval": {
                            "required": ["lower", "upper"],
                            "properties": {"lower": NUMBERS, "upper": NUMBERS},
                        },
                    }
                },
            },
        },
        "generation_config": {
            "properties": {
                "generation_args": {
                    "additionalProperties": False,
                    "properties": {
                        "temperature": NUMBERS,
                        "top_p": NUMBERS,
                        "max_tokens": {"type": "integer", "minimum": 1},
                    },
                },
                "additional_details": TEXTS,
            }
        },
    },
}
RECORD = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
        "eval_library", "evaluation_results",
    ],
    "properties": {
        "schema_version": {"const": "0.3.0"},
        "evaluation_id": {"type": "string"},
        "evaluation_timestamp": {"type": "string"},
        "retrieved_timestamp": {"type": "string", "pattern": "^[0-9]+$"},
        "source_metadata": {
            "required": ["source_type", "source_organization_name", "evaluator_relationship"],
            "properties": {
                "source_type": {"enum": ["documentation", "evaluation_run"]},
                "evaluator_relationship": {
                    "enum": ["first_party", "third_party", "collaborative", "other"]
                },
            },
        },
        "eval_library": {"required": ["name", "version"]},
        "model_info": MODEL,
        "evaluation_results": {"type": "array", "items": RESULT},
    },
}  # fmt: skip
"""What we use of schema 0.3.0 of Every Eval Ever, written down from its facts."""


@pytest.fixture
def bench(invoke: Bench) -> Bench:
    """Runs a command here."""
    return invoke


def judged(request: ReceivedRequest) -> str:
    """A model that says much, and judges that give each criterion a 5."""
    if request.model.startswith("j"):
        return json.dumps(dict.fromkeys(re.findall(r'"(\w+)": 0-', request.prompt), 5))
    return "It thinks of it, and of what came before it, and waits. " * 5


@pytest.fixture
def run(bench: Bench) -> dict[str, Any]:
    """The result of a real model on some of the bundled questions."""
    with LoopbackServer(uniform_ratings(1)) as server:
        model = ("--model", "openai/acme/small", "--base-url", server.base_url)
        document: dict[str, Any] = bench(
            "run", "eqbench-v1", "--dataset", "bundled", "--limit", 20, *model, "--json"
        ).json
    return document


def test_a_file_of_the_hub_has_the_main_metric(bench: Bench, run: dict[str, Any]) -> None:
    """With its dataset, task and date; the interval, n and that it is partial are in the notes."""
    named = ("--hub-dataset", "acme/eq-bench", "--source", "https://example.org/report")
    done = bench(*HUB, "--model", "openai/acme/small", *named)
    assert done.code == 0
    (entry,) = yaml.safe_load(Path("out/.eval_results/eqbench-v1.yaml").read_text())
    name, metric = next(iter(run["metrics"].items()))
    assert entry["dataset"] == {"id": "acme/eq-bench", "task_id": "eqbench-v1"}
    assert entry["value"] == metric["value"]
    assert re.match(r"\d{4}-\d\d-\d\dT", entry["date"])
    assert entry["source"] == {"url": "https://example.org/report", "name": "eibench"}
    low, high = metric["ci95"]
    assert entry["notes"].startswith(f"{name}, 95 % interval {low:.2f} … {high:.2f}, n = 20; ")
    assert "PARTIAL: 20 of 30 samples have a score" in entry["notes"]
    assert set(entry) == {"dataset", "value", "date", "source", "notes"}


def test_a_record_is_of_the_schema(bench: Bench, run: dict[str, Any]) -> None:
    """Every metric with its interval and n, in the datastore's folders, the same each time."""
    for _ in range(2):
        assert bench(*RECORDS, run["run_id"]).code == 0
    (path,) = Path("out/data/eqbench-v1/acme/small").iterdir()
    record = json.loads(path.read_text())
    jsonschema.Draft7Validator(RECORD).validate(record)
    scores = {
        one["metric_config"]["metric_id"].partition(".")[2]: one["score_details"]
        for one in record["evaluation_results"]
    }
    for name, metric in run["metrics"].items():
        if metric["value"] is None:
            assert name in next(iter(scores.values()))["details"]["metrics_without_a_value"]
            continue
        assert scores[name]["score"] == metric["value"]
        assert scores[name]["uncertainty"]["num_samples"] == metric["n"]
        found = scores[name]["uncertainty"].get("confidence_interval", {})
        assert [found.get("lower"), found.get("upper")] == (metric["ci95"] or [None, None])
        assert "PARTIAL" in scores[name]["details"]["notes"]
    assert record["model_info"]["id"] == "acme/small"
    assert record["model_info"]["additional_details"]["deployment_type"] == "self_deployed"


def test_a_record_names_the_judges(bench: Bench) -> None:
    """Of a panel each, and how a score is made of theirs."""
    with LoopbackServer(judged) as server:
        model = ("--model", "openai/acme/small", "--base-url", server.base_url)
        judges = ("--judge", "openai/j1", "--judge", "openai/j2")
        panel = (*judges, "--judge-base-url", server.base_url, "--panel", "median")
        only = ("--no-elo", "--limit", 2, "--dataset", "bundled")
        bench("run", "eqbench3", *only, *model, *panel)
    assert bench(*RECORDS, "--model", "openai/acme/small").code == 0
    (path,) = Path("out/data/eqbench3/acme/small").iterdir()
    record = json.loads(path.read_text())
    jsonschema.Draft7Validator(RECORD).validate(record)
    scoring = record["evaluation_results"][0]["metric_config"]["llm_scoring"]
    infos = [judge["model_info"] for judge in scoring["judges"]]
    assert [info["id"] for info in infos] == ["j1", "j2"]  # of a server, nobody knows whose
    assert [info["additional_details"]["label"] for info in infos] == ["openai/j1", "openai/j2"]
    assert scoring["aggregation_method"] == "median"


@pytest.mark.skipif(
    shutil.which("every_eval_ever") is None,
    reason="every_eval_ever is not on PATH; it needs Python 3.12",
)
def test_the_validator_of_every_eval_ever_takes_records(bench: Bench, run: dict[str, Any]) -> None:
    """With its checks of what numbers mean; also one of answers made elsewhere."""
    elsewhere = saved(bench, "lab/a")
    assert bench(*RECORDS, run["run_id"], elsewhere["run_id"]).code == 0
    paths = [str(path.relative_to("out")) for path in Path("out/data").rglob("*.json")]
    command = ["every_eval_ever", "validate", *paths]
    done = subprocess.run(command, cwd="out", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(paths) == 2


def test_the_hub_reads_its_file(bench: Bench, run: dict[str, Any]) -> None:
    """By the package of the Hub, which gives back what it read."""
    hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    bench(*HUB, run["run_id"], "--hub-dataset", "acme/eq-bench")
    entries = yaml.safe_load(Path("out/.eval_results/eqbench-v1.yaml").read_text())
    (read,) = hub.parse_eval_result_entries(entries)
    assert (read.dataset_id, read.task_id) == ("acme/eq-bench", "eqbench-v1")
    assert hub.eval_result_entries_to_yaml([read]) == entries


def saved(bench: Bench, model: str) -> dict[str, Any]:
    """The result of answers to some of the bundled questions that were made elsewhere."""
    file = Path(f"{model.replace('/', '-')}.jsonl")
    bench("prompts", "eqbench-v1", "--dataset", "bundled", "--limit", 3, "-o", "prompts.jsonl")
    rows = [json.loads(line) for line in Path("prompts.jsonl").read_text().splitlines()]
    answers = [{"item_id": row["item_id"], "response": all_alike(row)} for row in rows]
    file.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    score = ("score", "eqbench-v1", file, "--dataset", "bundled", "--save", "--model", model)
    document: dict[str, Any] = bench(*score, "--json").json
    return document


def all_alike(row: dict[str, Any]) -> str:
    """An answer that gives each emotion a 5."""
    asked = row["messages"][0]["content"]
    (names,) = re.findall(r"each of these\?\n(.*?)\n\n", asked, re.S)
    ratings = "\n".join(f"{name}: 5" for name in names.splitlines())
    return f"First pass scores:\n{ratings}\n\nRevised scores:\n{ratings}\n"


def test_one_model_id_is_of_one_model(bench: Bench, run: dict[str, Any]) -> None:
    """Runs of several are refused; the words of the error choose one."""
    named = ("--benchmark", "eqbench-v1", "--model-id", "lab/a")
    saved(bench, "lab/a"), saved(bench, "lab/b")
    done = bench(*RECORDS, *named)
    assert done.code == 2 and "--model-id is of one model" in done.err
    assert "among openai/acme/small at local, imported/lab/a, imported/lab/b" in done.err
    assert not Path("out").exists()
    assert bench(*RECORDS, *named, "--model", "imported/lab/a").code == 0


def test_a_record_of_answers_made_elsewhere_says_no_more_than_is_known(bench: Bench) -> None:
    """No platform, and no time, which would be that of the import; nor does a file of the Hub."""
    run_id = saved(bench, "lab/a")["run_id"]
    bench(*RECORDS, run_id)
    (path,) = Path("out/data").rglob("*.json")
    record = json.loads(path.read_text())
    assert "evaluation_timestamp" not in {*record, *record["evaluation_results"][0]}
    assert "inference_platform" not in record["model_info"]
    bench(*HUB, run_id, "--hub-dataset", "acme/eq-bench")
    (entry,) = yaml.safe_load(Path("out/.eval_results/eqbench-v1.yaml").read_text())
    assert "date" not in entry


def test_each_run_has_an_id_that_stays(bench: Bench, run: dict[str, Any]) -> None:
    """Two of one model and benchmark have two; another export has the same."""
    with LoopbackServer(uniform_ratings(2)) as server:
        model = ("--model", "openai/acme/small", "--base-url", server.base_url)
        bench("run", "eqbench-v1", "--limit", 3, *model, "--temperature", 1)
    ids = []
    for out in ("one", "two"):
        bench(*RECORDS[:-1], out, "--model", "openai/acme/small")
        ids.append({json.loads(p.read_text())["evaluation_id"] for p in Path(out).rglob("*.json")})
    assert len(ids[0]) == 2 and ids[0] == ids[1]


def test_a_run_without_a_number_is_named_and_left_out(bench: Bench, run: dict[str, Any]) -> None:
    """Filters cannot leave it out; alone it is refused."""
    with LoopbackServer(lambda request: "I had rather not.") as server:
        model = ("--model", "openai/acme/small", "--base-url", server.base_url)
        failed = bench("run", "seceu", "--limit", 2, *model, "--json").json["run_id"]
    done = bench(*RECORDS, "--model", "openai/acme/small")
    assert done.code == 0
    assert f"left out: run {failed} (seceu, openai/acme/small) has no seceu_score" in done.err
    assert [path.name for path in Path("out/data").iterdir()] == ["eqbench-v1"]
    assert bench(*RECORDS, failed).code == 2


def test_a_file_of_the_hub_says_where_less_is_better(bench: Bench) -> None:
    """Its form has no direction."""
    with LoopbackServer(lambda request: "(1) 4; (2) 3; (3) 2; (4) 1") as server:
        model = ("--model", "openai/acme/small", "--base-url", server.base_url)
        shown = bench("run", "seceu", "--limit", 9, *model, "--json").json
    assert next(iter(shown["metrics"].values()))["higher_is_better"] is False
    assert bench(*HUB, shown["run_id"], "--hub-dataset", "a/b").code == 0
    (entry,) = yaml.safe_load(Path("out/.eval_results/seceu.yaml").read_text())
    assert "(less is better), " in entry["notes"]


def test_demo_runs_are_no_results(bench: Bench) -> None:
    """They say nothing of real models."""
    bench("run", "eqbench-v1", "--limit", 3)
    for command in (HUB, RECORDS):
        done = bench(*command, "--model", "demo/medium")
        assert done.code == 2 and "is of a demo model" in done.err
    assert not Path("out").exists()


def test_what_is_missing_is_asked_for(bench: Bench, run: dict[str, Any]) -> None:
    """The runs, the dataset, the organization, whose model it is; nothing is made up."""
    run_id = run["run_id"]
    with LoopbackServer(uniform_ratings(1)) as server:
        model = ("--model", "openai/small", "--base-url", server.base_url)
        other = bench("run", "eqbench-v1", "--limit", 3, *model, "--json").json["run_id"]
    assert "--hub-dataset eqbench-v1=OWNER/NAME is missing" in bench(*HUB, run_id).err
    assert "a repository is of one model" in bench(*HUB, run_id, other).err
    assert "Missing argument 'RUN...'" in bench(*HUB).err
    assert "--organization NAME is missing" in bench(*RECORDS[:3], "-o", "out", run_id).err
    assert "--model-id DEVELOPER/NAME says it" in bench(*RECORDS, other).err
    assert bench(*RECORDS, other, "--model-id", "acme/small").code == 0
    done = bench("export", run_id, "-o", "x", "--organization", "Lab")
    assert done.code == 2 and "--organization is for --format every-eval-ever" in done.err


def test_two_runs_of_a_benchmark_are_not_one_value(bench: Bench, run: dict[str, Any]) -> None:
    """The error names them."""
    with LoopbackServer(uniform_ratings(2)) as server:
        model = ("--model", "openai/acme/small", "--base-url", server.base_url)
        bench("run", "eqbench-v1", "--limit", 3, *model, "--temperature", 1)
    done = bench(*HUB, "--model", "openai/acme/small", "--hub-dataset", "a/b")
    assert done.code == 2 and "eqbench-v1 has 2 runs" in done.err
