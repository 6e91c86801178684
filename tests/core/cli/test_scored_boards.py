"""Boards without ratings: ranks with what is not sure, baselines, and published scores beside."""

import csv
import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import HasPublished, Pack, PackSource
from eibench.core.plugins import installed
from eibench.plugins.kit.responders import uniform_ratings
from eibench.testing import LoopbackServer

Bench = Callable[..., Any]
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
V1 = ("run", "eqbench-v1", "--dataset", "bundled", "--model")


@pytest.fixture
def board(bench: Bench) -> Bench:
    """Three demo models on the whole bundled pack, and a second one like the first."""
    for model in ("weak", "medium", "strong"):
        assert bench(*V1, f"demo/{model}").code == 0
    assert bench(*V1, "demo/medium", "--name", "another", "--seed", "3").code == 0
    return bench


def rows_of(bench: Bench, *more: str) -> dict[str, Any]:
    """The rows of the board by model."""
    document = bench("leaderboard", "eqbench-v1", "--json", *more).json
    return {row["model"]: row for row in document["rows"]}


def test_ranks_are_in_the_document_with_ties(board: Bench) -> None:
    """Two that answer alike share what they may be; one far below is told apart."""
    rows = rows_of(board)
    assert next(iter(rows)) == "demo/strong"
    assert (rows["demo/strong"]["rank"], rows["demo/weak"]["rank"]) == (1, 4)
    one, other = rows["demo/medium"], rows["another"]
    assert "another" in one["tied_with"]
    assert "demo/medium" in other["tied_with"]
    assert one["rank_ci95"][0] <= one["rank"] <= one["rank_ci95"][1]
    assert rows["demo/weak"]["rank_ci95"] == [4, 4]
    assert rows["demo/weak"]["tied_with"] == []


def test_ranks_are_in_the_table_and_in_the_csv(board: Bench) -> None:
    """With the ranks that a model may have."""
    rows = rows_of(board)
    cells = list(csv.DictReader(io.StringIO(board("leaderboard", "eqbench-v1", "--csv").out)))
    for row in cells:
        message = rows[row["model"]]
        assert int(row["rank"]) == message["rank"]
        assert [int(row["rank_low"]), int(row["rank_high"])] == message["rank_ci95"]
    shown = board("leaderboard", "eqbench-v1").out
    assert "│ 4 " in shown
    assert "all models of the board at once" in " ".join(shown.split())


def test_who_is_not_above_a_baseline_is_told(bench: Bench) -> None:
    """By the lower end of the interval, for each baseline of the pack."""
    with LoopbackServer(uniform_ratings(1)) as server:
        assert bench(*V1, "openai/random", "--base-url", server.base_url).code == 0
    bench(*V1, "demo/strong")
    assert rows_of(bench, "--demo")["demo/strong"]["not_above"] == []
    rows = rows_of(bench)
    assert set(rows["openai/random"]["not_above"]) == {"random", "uniform", "best_constant"}
    shown = " ".join(bench("leaderboard", "eqbench-v1").out.split())
    found = re.findall(r"not surely above ([a-z ]+) \((?:random )?-?\d+\.\d\): (\S+)", shown)
    names = "chance", "equal answers", "the best constant"
    assert dict(found) == dict.fromkeys(names, "openai/random")


def test_partial_runs_are_ranked_below_whole_ones(
    bench: Bench, questions: Callable[..., Path]
) -> None:
    """Whatever they score; the ranks go on from there. Three questions make no interval of one."""
    run = ("run", "eqbench-v1", "--dataset", questions("1,2,3"), "--model")
    bench(*run, "demo/weak")
    bench(*run, "demo/strong", "--limit", "2")
    rows = rows_of(bench)
    assert [(row["rank"], row["rank_ci95"]) for row in rows.values()] == [(1, None), (2, None)]


def test_a_board_with_ratings_ranks_by_them_alone(bench: Bench) -> None:
    """A model that was only scored has no rank among the rated ones."""
    few = ("--dataset", "bundled", "--limit", "9")
    for model in ("weak", "strong"):
        bench("run", "eqbench3", "--model", f"demo/{model}", *few)
    bench("run", "eqbench3", "--model", "demo/medium", "--no-elo", *few)
    rows = bench("leaderboard", "eqbench3", "--json").json["rows"]
    assert [row["rank"] for row in rows] == [1, 2, None]


PUBLISHED = {
    "eqbench-v1": (24, "score there", "Paech (2023)"),
    "eqbench-v2": (None, "score there", "EQ-Bench v2"),
    "seceu": (None, "EQ there", "Wang et al. (2023)"),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_scores_have_a_table_of_their_own(name: str) -> None:
    """Where results on the pack may stand beside them, and nowhere else; the best first."""
    count, column, source = PUBLISHED[name]
    benchmark = installed().benchmark(name)
    assert isinstance(benchmark, HasPublished)
    may = _may_stand(name)
    table = benchmark.published(Pack(PackSource("official", "0" * 64, {}), [], may))
    assert table is not None
    assert column in table.columns
    assert source in table.title
    assert count is None or len(table.rows) == count
    message = "not comparable with published scores: those are of the official pack"
    assert benchmark.published(Pack(PackSource("bundled", "0" * 64, {}), [], message)) is None


def _may_stand(name: str) -> str:
    from eibench.plugins.eqbench_v1.benchmark import MAY_STAND as V1_MAY
    from eibench.plugins.eqbench_v2.benchmark import MAY_STAND as V2_MAY
    from eibench.plugins.seceu.reading import MAY as SECEU_MAY

    return {"eqbench-v1": V1_MAY, "eqbench-v2": V2_MAY, "seceu": f"{SECEU_MAY} (a note)"}[name]


@pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
def test_the_board_and_the_result_agree_on_what_may_stand_beside(bench: Bench) -> None:
    """A whole run may, a part of one may not; the table is there for both."""
    pack = next((Path(str(OFFICIAL)) / "eqbench-v1").glob("*.json"))
    command = ("run", "eqbench-v1", "--dataset", pack, "--base-url")
    with LoopbackServer(uniform_ratings(1)) as server:
        whole = bench(*command, server.base_url, "--model", "openai/whole")
        part = bench(*command, server.base_url, "--model", "openai/part", "--limit", "40")
    assert "Among the 24 scores of table 1" in whole.out
    assert "Among the 24 scores" not in part.out
    document = bench("leaderboard", "eqbench-v1", "--published", "--json").json["published"]
    assert document["comparable"] == ["openai/whole"]
    assert (len(document["rows"]), "score" in document["rows"][0]) == (24, False)
    shown = " ".join(bench("leaderboard", "eqbench-v1", "--published").out.split())
    assert "The 24 scores of table 1 in Paech (2023)" in shown
    assert "comparable with these: openai/whole (bench show RUN says why)" in shown
