"""`bench twins`: packs of questions in other words, and what a model's gap says."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.twins import share_named
from eibench import DataError, UsageError, folder
from eibench.plugins.studies.twins import read_twins, twin_gap, twin_pack

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


def test_a_gap_by_hand() -> None:
    """Ten questions, each its own family: a gap of 2 beyond references that gain 1 each."""
    names = [str(n) for n in range(10)]
    families = {name: name for name in names}
    model = {name: 3.0 + (int(name) % 2) for name in names}
    references = [dict.fromkeys(names, 1.0), dict.fromkeys(names, 2.0)]
    gap = twin_gap(model, references, families)
    assert (gap.gap, gap.alone, gap.items, gap.families) == (2.0, 3.5, 10, 10)
    assert gap.is_leak and gap.ci95[0] > 1.5
    with pytest.raises(UsageError, match="reference models at least"):
        twin_gap(model, references[:1], families)
    with pytest.raises(UsageError, match="families of questions"):
        twin_gap(model, references, dict.fromkeys(names, "one"))


def test_levels_and_power_in_simulation() -> None:
    """Without a leak 3 to 8 % of 400 worlds; .5 SD is found in most, with five references."""
    assert 0.02 <= share_named(400, 0.0, 5) <= 0.085
    assert share_named(200, 0.5, 5) >= 0.8


@needs_official
def test_from_the_pack_to_the_answer(bench: Bench) -> None:
    """The pack is written, models are run on both, and a planted leak is named."""
    official = Path(str(ROOT)) / FILES["eqbench-v1"]
    done = bench("twins", "eqbench-v1", "--dataset", str(official), "-o", "twins.json")
    assert done.code == 0, done.err
    assert "60 twins of 27 dialogues" in done.err
    models = ("strong", "medium", "weak")
    for dataset in (str(official), "twins.json"):
        for name in models:
            bench("run", "eqbench-v1", "--dataset", dataset, "--model", f"demo/{name}")
    ask = ("twins", "eqbench-v1", "--pack", "twins.json", "--model", "demo/weak")
    others = ("--reference", "demo/strong", "--reference", "demo/medium")
    answer = bench(*ask, *others, "--json").json
    assert (answer["items"], answer["families"]) == (60, 27)
    assert isinstance(answer["is_leak"], bool)
    assert "Relative to demo/strong" in bench(*ask, *others).out
    few = bench(*ask, *others[:2])
    assert few.code == 2
    none = bench("twins", "eqbench-v1", "--pack", "twins.json", "--model", "nobody", *others)
    assert none.code == 2


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
