"""Values that are more than means: in results, beside another model, on a board.

A mean of group means, a formula over means, weights of items, and values by option.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tests.plugin_folder import install_plugin

Bench = Callable[..., Any]
PLUGIN = '''
"""Kindness by principle."""
import eibench


class Kind(eibench.Benchmark):
    name, version, title = "kind", "1", "is kind"
    fields = {"id": str, "principle": str}
    values = (eibench.Value("humane", range=(0, 10), macro="principle", by=("principle",)),)

    async def generate(self, item, model, options):
        return await model.chat(f"Be kind: {item.id}")

    async def grade(self, item, transcript, judge, options):
        return eibench.Score({"humane": float(transcript.text)})

    def demo_reply(self, item, request, ability, rng):
        level = {"care": 2, "truth": 5, "time": 7}[item.content["principle"]]
        return str(round(level + 2 * ability + rng.random() / 2, 3))


class Balance(eibench.Benchmark):
    name, version, title = "balance", "1", "is warm and does no harm"
    fields = {"id": str, "weight": float}
    options = (eibench.Option("task", "all", "Which.", ("all", "warmth"), in_grades=True),)
    values = (
        eibench.Derived("score", of=("warmth", "harm"), range=(-1, 1), when={"task": "all"},
                        formula=lambda m: (m["warmth"] - m["harm"]) / (m["warmth"] + m["harm"])),
        eibench.Value("warmth", range=(0, 9)),
        eibench.Value("harm", range=(0, 9), higher_is_better=False, when={"task": ("all",)}),
    )

    async def generate(self, item, model, options):
        return await model.chat(f"Be warm: {item.id}")

    async def grade(self, item, transcript, judge, options):
        warmth, harm = map(float, transcript.text.split())
        harm = {} if options["task"] == "warmth" else {"harm": harm}
        return eibench.Score({"warmth": warmth, **harm})

    def demo_reply(self, item, request, ability, rng):
        return f"{3 + 5 * ability + rng.random():.3f} {2 - ability + rng.random():.3f}"
'''
SIZES = {"care": 20, "truth": 8, "time": 5}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both benchmarks."""
    with install_plugin(
        "kind", PLUGIN, "kind = kind:Kind\nbalance = kind:Balance", tmp_path, monkeypatch
    ):
        yield


@pytest.fixture
def runs(bench: Bench, installed: None) -> list[Any]:
    """The documents of three models."""
    ids = ((n, p) for p, size in SIZES.items() for n in range(size))
    rows = [f'{{"id": "{p}-{n}", "principle": "{p}"}}\n' for n, p in ids]
    Path("rows.jsonl").write_text("".join(rows))
    run = ("run", "kind", "--dataset", "rows.jsonl", "--json", "--model")
    return [bench(*run, f"demo/{m}").json for m in ("strong", "medium", "weak")]


def test_each_group_counts_alike(bench: Bench, runs: list[Any]) -> None:
    """The metric is the mean of those by tag, with a word about it; few are warned of."""
    metrics = runs[0]["metrics"]
    by_tag = [metrics[f"humane_{p}"]["value"] for p in SIZES]
    assert metrics["humane"]["value"] == pytest.approx(fmean(by_tag))
    assert metrics["humane"]["n"] == 33
    low, high = metrics["humane"]["ci95"]
    assert high - low < 0.2  # the groups lie 5 apart, which is no part of it
    assert runs[0]["metric_notes"]["humane"] == "humane: the mean of the means by principle"


def test_a_group_without_a_score_is_named(bench: Bench, runs: list[Any]) -> None:
    """The mean over two of three is another number."""
    document = bench(
        "run", "kind", "--dataset", "rows.jsonl", "--limit", "28", "--model", "demo/weak", "--json"
    ).json
    warned = "humane: the mean over 2 of 3 of principle; without a score: time"
    assert warned in document["warnings"]


def test_differences_and_ranks_are_of_the_same_mean(bench: Bench, runs: list[Any]) -> None:
    """`compare` and the board, whose pairs both tell apart."""
    strong, _, weak = (of["metrics"]["humane"]["value"] for of in runs)
    document = bench("compare", runs[0]["run_id"], runs[2]["run_id"], "--json").json
    row = document["main"]["row"]
    assert row["difference"] == pytest.approx(strong - weak)
    assert (row["mean_a"], row["mean_b"]) == (pytest.approx(strong), pytest.approx(weak))
    assert row["ci95"][0] > 0 and row["share_a_higher"] == 1
    assert document["differences"]["humane"]["difference"] == pytest.approx(strong - weak)
    board = bench("leaderboard", "kind", "--demo", "--json").json
    assert [row["rank_ci95_board"] for row in board["rows"]] == [[1, 1], [2, 2], [3, 3]]


def balances(bench: Bench, *more: str) -> list[Any]:
    """The documents of two models on 20 items, the last of which weighs four times as much."""
    rows = [f'{{"id": "{n}", "weight": {4 if n == 19 else 1}}}\n' for n in range(20)]
    Path("rows.jsonl").write_text("".join(rows))
    run = ("run", "balance", "--dataset", "rows.jsonl", "--json", *more, "--model")
    return [bench(*run, f"demo/{m}").json for m in ("strong", "weak")]


def test_models_are_told_apart_by_a_formula_over_means(bench: Bench, installed: None) -> None:
    """By what each sample adds to first order; items count by their weight in all of it."""
    runs = balances(bench)
    found = []
    for run in runs:
        score, warmth, harm = (run["metrics"][n]["value"] for n in ("score", "warmth", "harm"))
        assert score == pytest.approx((warmth - harm) / (warmth + harm))
        low, high = run["metrics"]["score"]["ci95"]
        assert low < score < high
        found.append(score)
    document = bench("compare", runs[0]["run_id"], runs[1]["run_id"], "--json").json
    row = document["main"]["row"]
    assert row["difference"] == pytest.approx(found[0] - found[1])
    assert row["ci95"][0] > 0 and row["p"] < 0.01
    board = bench("leaderboard", "balance", "--demo", "--json").json
    assert [row["rank_ci95_board"] for row in board["rows"]] == [[1, 1], [2, 2]]


def test_a_value_that_an_option_leaves_out_is_in_no_result(bench: Bench, installed: None) -> None:
    """Neither as an empty row, nor in a score."""
    run, _ = balances(bench, "--task", "warmth")
    assert (run["status"], list(run["metrics"])) == ("complete", ["warmth"])
