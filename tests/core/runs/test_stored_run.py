"""Stored runs in Python: which run is meant, and what is known of it."""

import gc
import hashlib
import importlib
from collections.abc import Callable
from contextvars import Context
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import JournalError, RunSet, StoredRun, UsageError

Bench = Callable[..., Any]


@pytest.fixture
def runs(invoke: Bench) -> RunSet:
    """A rated run of each of two demo models, and a scored one."""
    for model in ("demo/medium", "demo/strong"):
        invoke("run", "eqbench3", "--limit", 2, "--model", model)
    invoke("run", "eqbench-v1", "--limit", 2, "--model", "demo/strong")
    return eibench.runs("runs")


@pytest.fixture
def rated(runs: RunSet) -> StoredRun:
    """The run that was compared with the other."""
    return runs.where(benchmark="eqbench3")["demo/strong"]


def test_a_run_is_named_by_its_id_or_its_model(runs: RunSet) -> None:
    """The beginning of an id; a model's name, or its end after a slash."""
    first, second, third = runs
    assert runs[first.id[:5]].id == runs["demo/medium"].id == runs["medium"].id == first.id
    assert (second.name, third.benchmark, len(runs)) == ("demo/strong", "eqbench-v1", 3)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("eqbench3", r"'eqbench3' could be 2 runs: [0-9a-f]{8} .eqbench3 on bundled.*; .*strong"),
        ("seceu", "no run of seceu in runs/demo; bench run seceu makes one"),
        ("nobody", r"no run 'nobody' in runs/demo; bench runs --demo lists them"),
        (" ", "name a run"),
    ],
)
def test_what_is_no_one_run_is_refused_with_what_there_is(
    runs: RunSet, start: str, message: str
) -> None:
    """No run is guessed."""
    with pytest.raises(UsageError, match=message):
        Context().run(runs.__getitem__, start)  # as where no command is under way


def test_runs_are_chosen_by_what_they_have(runs: RunSet) -> None:
    """By all that is given; there may be none."""
    assert [run.benchmark for run in runs.where(judge="demo/judge")] == ["eqbench3"] * 2
    assert len(runs.where(model="demo/strong", dataset="bundled")) == 2
    none = runs.where(benchmark="seceu")
    assert len(none) == 0
    with pytest.raises(UsageError, match="there is no run here"):
        none.only()
    for wrong, message in (
        ({"model": "demo/weak"}, "demo/weak: no such model in runs/demo"),
        ({"model": "medium", "benchmark": "eqbench-v1"}, "no run 'medium' with --benchmark eqb"),
        ({"benchmark": "eqbench-3"}, "did you mean 'eqbench3'"),
    ):
        with pytest.raises(UsageError, match=message):
            runs.where(**wrong)


def test_words_restrict_each_other(runs: RunSet) -> None:
    """The newest runs of what all have; a benchmark among them restricts, alone it means all."""
    first, second, third = (run.id for run in runs)
    assert runs["strong"].id == third
    for words, wanted in (
        (("medium", "strong"), [[first, second]]),
        (("eqbench3", "strong"), [[second]]),
        (("eqbench3",), [[first, second]]),
        (("strong", "demo/strong"), [[second, second], [third, third]]),
        ((first, third), [[first, third]]),
    ):
        assert [[run.id for run in alike] for alike in runs.alike(words)] == wanted
    for wrong, message in (
        (["eqbench-v1", "medium"], "no run 'medium' with --benchmark eqbench-v1; others: 1 run"),
        (["eqbench-v1", "eqbench3", "strong"], "eqbench-v1 and eqbench3: name one benchmark"),
    ):
        with pytest.raises(UsageError, match=message):
            runs.alike(wrong)


def test_samples_are_those_of_the_result(rated: StoredRun) -> None:
    """Their mean is the metric, by default and by the name of the judge."""
    samples = rated.samples()
    mean = sum(s.value or 0 for s in samples) / len(samples)
    metrics = rated.result()["metrics"]
    assert mean == pytest.approx(next(iter(metrics.values()))["value"])
    assert samples == rated.samples("demo/judge") == rated.samples(rated.graders()[0])
    with pytest.raises(UsageError, match="no grades by the judge openai/x; there are: demo/judge"):
        rated.samples("openai/x")


def test_samples_that_have_no_number_say_why(invoke: Bench) -> None:
    """One that failed elsewhere; its values have the names of the others."""
    Path("a.jsonl").write_text('{"item_id": "1", "error": "boom"}')
    invoke("score", "eqbench-v1", "a.jsonl", "--save")
    (run,) = eibench.runs("runs")
    (sample,) = run.samples()
    assert (sample.status, sample.value) == ("failed", None)
    assert sample.reason == "answered elsewhere: boom"


def test_a_transcript_has_its_calls_and_its_score(rated: StoredRun) -> None:
    """Of one iteration; what is not there is refused."""
    sample = rated.samples()[0]
    row = rated.transcript(sample.item_id)
    assert row["score"] and row["score"]["values"]["rubric"] == sample.value
    assert {call["phase"] for call in row["calls"]} == {"generate", "judge", "compare"}
    with pytest.raises(UsageError, match="holds nothing about iteration 2"):
        rated.transcript(sample.item_id, 2)
    with pytest.raises(UsageError, match="holds nothing about item 'x'"):
        rated.transcript("x")


def test_a_run_has_its_configuration_and_its_data(rated: StoredRun) -> None:
    """As the command would give them; of the pack the part that was asked."""
    config = rated.config()
    assert (str(config.model.spec), str(config.judge)) == ("demo/strong", "demo/judge")
    assert (rated.selection.total, len(rated.samples())) == (2, 2)
    assert len(rated.pack.items) > 2


def test_the_result_by_a_judge_is_that_of_the_run(rated: StoredRun) -> None:
    """Computed anew from all that is stored, to the last digit."""
    assert rated.result("demo/judge")["metrics"] == rated.result()["metrics"]


def test_comparisons_are_those_that_the_run_asked_for(runs: RunSet, rated: StoredRun) -> None:
    """The other model's run asked for none."""
    own = rated.comparisons()
    assert len(own) == rated.result()["comparisons"]["read"]
    assert {(row.a, row.b) for row in own} == {("demo/strong", "demo/medium")}
    assert runs["demo/medium"].comparisons() == []


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_samples_make_a_dataframe(rated: StoredRun, package: str) -> None:
    """A row a sample, a column a fact, as they are."""
    frame = pytest.importorskip(package).DataFrame(rated.samples())
    assert list(frame.columns) == list(rated.samples()[0]._fields)
    assert list(frame["value"]) == [sample.value for sample in rated.samples()]


def test_reading_writes_nothing(rated: StoredRun) -> None:
    """Not even where a result is computed anew."""
    before = hashlib.sha256(Path("runs/demo/bench.sqlite").read_bytes()).digest()
    rated.result("demo/judge"), rated.samples(), rated.pack, list(rated.left_out())
    assert hashlib.sha256(Path("runs/demo/bench.sqlite").read_bytes()).digest() == before


def test_a_journal_is_closed_by_the_block_or_with_its_last_run(runs: RunSet) -> None:
    """A run that is still held can be read; after the block it cannot."""
    run = next(iter(eibench.runs("runs")))
    gc.collect()
    assert run.samples()
    with runs:
        held = next(iter(runs))
    with pytest.raises(
        JournalError, match=r"bench.sqlite was closed; what was not read before needs it$"
    ):
        held.samples()


def test_a_folder_without_runs_is_refused() -> None:
    """With the command that starts one."""
    with pytest.raises(JournalError, match="no runs in nowhere"):
        eibench.runs("nowhere")
    assert importlib.import_module("eibench.core.runs.folders").runs is eibench.runs
