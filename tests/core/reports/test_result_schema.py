"""docs/result.schema.json: what others may rely on of a result document."""

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it comes without types
import pytest

from eibench import ResultDocument
from eibench.core.journal.shapes import shape_of
from eibench.core.plugins import installed
from tests.core.reports.result_schema import PATH, as_text, result_schema
from tests.held.hold import RUNS

Bench = Callable[..., Any]
SCHEMA = json.loads(PATH.read_text(encoding="utf-8"))


def faults(document: object) -> list[str]:
    """Where a document does not fit."""
    checked = jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)
    return [f"{fault.json_path}: {fault.message}" for fault in checked]


def held() -> Iterator[dict[str, Any]]:
    """The results of the held runs, as files of earlier versions have them."""
    with gzip.open(RUNS, "rt", encoding="utf-8") as lines:
        yield from (row["document"] for line in lines if "document" in (row := json.loads(line)))


def test_the_file_is_made_of_the_type() -> None:
    """Nobody edits one of them alone; the program beside this file writes it."""
    assert PATH.read_text(encoding="utf-8") == as_text(result_schema())
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("benchmark", sorted(installed().benchmarks.things))
def test_results_fit(invoke: Bench, benchmark: str) -> None:
    """Those of demo runs, the second of which is compared where models are."""
    for model in ("demo/weak", "demo/strong"):
        done = invoke("run", benchmark, "--model", model, "--limit", 9, "--json")
        assert not faults(done.json), done.err
        assert shape_of(ResultDocument)(done.json) is None


def test_scored_answers_fit(invoke: Bench, tmp_path: Any) -> None:
    """Nobody was asked, and samples are absent."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"item_id": "1", "response": "I cannot say."}\n')
    document = invoke("score", "eqbench-v1", answers, "--json").json
    assert document["scores"] and document["items"]["absent"]
    assert not faults(document)


def test_results_of_earlier_versions_fit() -> None:
    """Also those that lack what was not said yet."""
    documents = list(held())
    assert len(documents) >= len(installed().benchmarks.things)
    assert not [fault for document in documents for fault in faults(document)]


@pytest.mark.parametrize(
    ("change", "where", "message"),
    [
        ({"status": "nearly"}, "$.status", '"status" must be one of'),
        ({"cost_usd": "2"}, "$.cost_usd", '"cost_usd" must be a number'),
        ({"iterations": 0}, "$.iterations", '"iterations" must be a whole number from 1'),
        ({"dataset": {"name": "x", "sha256": "y"}}, "$.dataset", '"dataset" needs "n_items"'),
        ({"warnings": [1]}, "$.warnings[0]", '"warnings" holds one that must be a text'),
        ({"ratings": [{}]}, "$.ratings[0]", '"ratings" holds one that needs "model"'),
        ({"metric_labels": {"x": ["one"]}}, "$.metric_labels.x", "must be a list of 2"),
    ],
)
def test_a_field_that_is_wrong_is_named(change: dict[str, Any], where: str, message: str) -> None:
    """By the schema, and by the check of what is read."""
    document = {**next(held()), **change}
    assert faults(document)[0].startswith(where)
    assert message in str(shape_of(ResultDocument)(document))


def test_what_is_not_known_is_let_through() -> None:
    """A later version may say more."""
    document = {**next(held()), "mood": "fine"}
    assert not faults(document) and shape_of(ResultDocument)(document) is None
