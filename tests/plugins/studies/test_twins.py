"""`bench twins`: packs of questions in other words, and models' scores on both wordings."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench import DataError, UsageError, folder
from eibench.plugins.studies.twins import AskedTwice, read_twins, twin_pack, twin_rows

Bench = Callable[..., Any]
ROOT = os.environ.get("EIBENCH_OFFICIAL_DATA")
needs_official = pytest.mark.skipif(
    ROOT is None, reason="EIBENCH_OFFICIAL_DATA does not say where the official data is"
)
FILES = {
    "eqbench-v1": "eqbench-v1/eq_bench_v1_questions_60.json",
    "eqbench-v2": "eqbench-v2/eq_bench_v2_questions_171.json",
}


def _runs_of_words(text: str) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9']+", text.lower())
    yield from (tuple(words[n : n + 6]) for n in range(len(words) - 5))


@needs_official
@pytest.mark.parametrize(("benchmark", "count"), [("eqbench-v1", 60), ("eqbench-v2", 118)])
def test_twins_share_no_six_words_with_their_originals(benchmark: str, count: int) -> None:
    """All have their emotions and ratings, other names, and a dialogue of other words."""
    official = Path(str(ROOT)) / FILES[benchmark]
    originals, pack = json.loads(official.read_text("utf-8")), twin_pack(benchmark, official)
    assert len(pack) == count
    for name, question in pack.items():
        original = originals[name]
        assert question["reference_answer"] == original["reference_answer"]
        one, other = (q["prompt"].split("[End dialogue]")[0] for q in (original, question))
        head = one.split("dialogue:")[0]
        shared = set(_runs_of_words(one[len(head) :])) & set(_runs_of_words(other[len(head) :]))
        assert not shared, (name, shared)
        asks = question["prompt"].split("[End dialogue]")[1].strip().splitlines()[0]
        assert asks != original["prompt"].split("[End dialogue]")[1].strip().splitlines()[0]


def test_a_benchmark_without_twins_says_which_have_some() -> None:
    """Bundled packs have none: nobody trained on them."""
    with pytest.raises(UsageError, match="eqbench-v1 and eqbench-v2 have"):
        read_twins("seceu")


def test_a_file_of_other_questions_is_refused(tmp_path: Path) -> None:
    """With the question that is not there, or is another one."""
    path = tmp_path / "q.json"
    path.write_text("{}", "utf-8")
    with pytest.raises(DataError, match="has no question 1"):
        twin_pack("eqbench-v1", path)
    path.write_text(json.dumps({"1": {"prompt": "dialogue:\nA: x\n[End dialogue]"}}), "utf-8")
    with pytest.raises(DataError, match="question 1 is not that of the official file"):
        twin_pack("eqbench-v1", path)


def asked_twice(name: str, gap: float, spread: float = 0.0, questions: int = 10) -> AskedTwice:
    """Twins at 50, published ones higher by the gap, and by the spread at every other one."""
    twins = {str(n): 50.0 for n in range(questions)}
    published = {n: 50.0 + gap + spread * (int(n) % 2) for n in twins}
    return AskedTwice(name, "run", "twin-run", published, twins)


def test_scores_and_gaps_by_hand() -> None:
    """Of the questions that all have, each its own family; nothing is concluded."""
    models = [asked_twice("a", 3, spread=1), asked_twice("b", 1), asked_twice("c", 2, questions=11)]
    families = {str(n): str(n) for n in range(11)}
    first, second, third = twin_rows(models, families)
    assert [row.gap.value for row in (first, second, third)] == [3.5, 1, 2]
    assert (first.published.value, first.twins.value) == (53.5, 50)
    low, high = first.gap.ci95 or (0, 0)
    assert 3 <= low < 3.5 < high <= 4


def test_too_few_models_or_questions_are_refused() -> None:
    """One model's gap may be that of the twins; below eight families there is no interval."""
    models = [asked_twice(name, 1.0) for name in "abc"]
    with pytest.raises(UsageError, match="name 3 models at least"):
        twin_rows(models[:2], {})
    with pytest.raises(UsageError, match="no question that all"):
        twin_rows([*models[:2], models[2]._replace(twins={})], {})
    (row, *_) = twin_rows(models, dict.fromkeys(map(str, range(10)), "one"))
    assert row.gap.ci95 is None and row.gap.reason


@needs_official
def test_from_the_pack_to_both_scores(bench: Bench) -> None:
    """Of the runs on both; others, on another pack or asked otherwise, change nothing."""
    official = str(Path(str(ROOT)) / FILES["eqbench-v1"])
    done = bench("twins", "eqbench-v1", "--dataset", official, "-o", "twins.json")
    assert done.code == 0, done.err
    assert "60 twins of 27 dialogues" in done.err
    models = ("demo/weak", "demo/strong", "demo/medium")
    named = [word for name in models for word in ("--model", name)]
    ask = ["twins", "eqbench-v1", "--dataset", official, *named]
    for dataset in (official, "twins.json"):
        for name in models:
            bench("run", "eqbench-v1", "--dataset", dataset, "--model", name)
    before = bench(*ask, "--json").json
    assert (before["items"], before["families"]) == (60, 27)
    for row in before["models"]:
        gap = row["published"]["value"] - row["twins"]["value"]
        assert row["gap"]["value"] == pytest.approx(gap)
    shown = bench(*ask).out
    assert all(name in shown for name in models) and before["models"][0]["run_id"] in shown
    bench("run", "eqbench-v1", "--dataset", "bundled", "--model", "demo/weak")
    bench("run", "eqbench-v1", "--dataset", official, "--model", "demo/weak", "--no-revise")
    assert bench(*ask, "--json").json == before
    few = bench(*ask[:-2])
    assert few.code == 2 and "name 3 models at least" in few.err
    none = bench(*ask, "--model", "nobody")
    assert none.code == 2 and "--model nobody: no such model in runs/demo" in none.err


@needs_official
def test_a_model_that_was_asked_otherwise_is_named(bench: Bench) -> None:
    """With the run and what of it is unlike."""
    official = str(Path(str(ROOT)) / FILES["eqbench-v1"])
    bench("twins", "eqbench-v1", "--dataset", official, "-o", "twins.json")
    bench("run", "eqbench-v1", "--dataset", "twins.json")
    bench("run", "eqbench-v1", "--dataset", official, "--temperature", "1")
    done = bench("twins", "eqbench-v1", "--dataset", official, "--model", "demo/medium")
    assert done.code == 2
    assert "of demo/medium on the official questions was made with other sampling" in done.err


@needs_official
def test_readers_rate_twins_as_they_rate_originals() -> None:
    """The figures of docs/twins.md, from the raw answers and the official reference ratings."""
    rows = json.loads((folder("eqbench_v1") / "twins_readings.json").read_text("utf-8"))
    official = {
        key: json.loads((Path(str(ROOT)) / FILES[f"eqbench-{key}"]).read_text("utf-8"))
        for key in ("v1", "v2")
    }
    distances: dict[str, list[float]] = {"twin": [], "original": []}
    by_dialogue: dict[int, list[float]] = {}
    for row in rows["readings"]:
        key = "v2" if "v2" in row else "v1"
        answer = official[key][row[key]]["reference_answer"]
        reference = [float(answer[f"emotion{n}_score"]) for n in range(1, 5)]
        for wording, values in distances.items():
            pairs = zip(row[wording], reference, strict=True)
            values.append(sum(abs(a - b) for a, b in pairs) / 4)
        gap = distances["twin"][-1] - distances["original"][-1]
        by_dialogue.setdefault(row["dialogue"], []).append(gap)
    assert len(distances["twin"]) == 123 and len(by_dialogue) == 45
    assert sum(distances["twin"]) / 123 == pytest.approx(1.56, abs=0.005)
    assert sum(distances["original"]) / 123 == pytest.approx(1.53, abs=0.005)
    gaps = [sum(values) / len(values) for values in by_dialogue.values()]
    assert sum(gaps) / 45 == pytest.approx(0.02, abs=0.005)
