"""Twelve real models on one board, and each two of them by themselves."""

import gzip
import json
import os
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from eibench.core.compare.board_reader import read_leaderboard
from eibench.core.compare.boards import Boards
from eibench.core.compare.pairs import graded_pair
from eibench.core.journal import Journal
from eibench.core.plugins import installed
from eibench.core.reports.pairing import Compared, main_difference
from eibench.core.runs.stored_run import StoredRun
from eibench.statistics import paired_difference

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
pytestmark = pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")

DATA = Path(OFFICIAL or ".").absolute() / "eqbench-v2"
Bench = Callable[..., Any]


@pytest.fixture
def twelve(bench: Bench, tmp_path: Path) -> Path:
    """Their answers, saved as runs that may all revise, as seven of them did."""
    for path in sorted((DATA / "results").glob("*.json.gz")):
        document = json.loads(gzip.decompress(path.read_bytes()))
        answers = document["iterations"]["1"]["raw_inference"]
        file = tmp_path / f"{path.name}.jsonl"
        rows = ({"item_id": item, "response": reply} for item, reply in answers.items())
        file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        name = document["model"]
        bench("score", "eqbench-v2", file, "--dataset", DATA, "--save", "--name", name, "--revise")
    return Path("runs")


def test_the_board_tells_apart_what_each_two_alone_do(twelve: Path) -> None:
    """Of 66 pairs 57 at 5 % each, and 52 of these with all pairs at once.

    The test of two alone is one number, from the board's scores of items and in `compare`.
    """
    catalogue = installed()
    benchmark = catalogue.benchmark("eqbench-v2")
    with Journal(twelve, create=False) as journal:
        board = read_leaderboard(Boards(journal, catalogue, benchmark))
        alone, joint = [], []
        clusters = {item.id: item.cluster for item in board.pack.items}
        first, *others = board.documents
        graded = {}
        for name in others:
            _, (graded[first], graded[name]) = graded_pair(
                [StoredRun(journal, board.runs[n]) for n in (first, name)]
            )
        for pair in combinations(board.documents, 2):
            main = main_difference(Compared(benchmark, board.pack, *(graded[n] for n in pair)))
            a, b = (board.scores[name] or {} for name in pair)
            common = [item for item in clusters if item in a and item in b]
            found = paired_difference(
                [a[i][0] for i in common], [b[i][0] for i in common], [clusters[i] for i in common]
            )
            assert main is not None
            assert main.row.p == pytest.approx(found.p, abs=1e-12)
            alone += [pair] * ((main.row.p or 1.0) < 0.05)
            joint += [pair] * bool(board.told_apart(*pair))
    assert set(joint) <= set(alone)
    assert (len(alone), len(joint)) == (57, 52)
