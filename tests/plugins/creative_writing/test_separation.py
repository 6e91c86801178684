"""The parts of Judgemark and its score, against published numbers."""

import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eibench import folder
from eibench.plugins.creative_writing.separation import (
    interval,
    kendall_tau,
    kruskal_wallis,
    norm,
    parts,
    repeats_tau,
)

PARTS = ("judgemark_score", "stability", "separability", "human_corr")
BOARDS = folder("judgemark") / "published_boards.json"
"""Score, stability, separability and agreement of each row of the boards v2.0 and v2.1."""


def test_kruskal_wallis_by_hand() -> None:
    """Ranks 1, 2, 3.5 and 3.5, 5, 6 of two groups, with one tie of two.

    Sums 6.5 and 14.5: 12 / (6 * 7) * (6.5^2 + 14.5^2) / 3 - 21 = 3.0476; ties 1 - 6 / 210.
    """
    groups = [np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0, 5.0])]
    expected = (12 / 42 * (6.5**2 + 14.5**2) / 3 - 21) / (1 - 6 / 210)
    assert kruskal_wallis(groups) == pytest.approx(expected)
    assert kruskal_wallis([np.ones(3), np.ones(3)]) == 0


def test_kendall_by_hand() -> None:
    """Five of six pairs concordant: 4/6; the same throughout: 0."""
    assert kendall_tau([1, 2, 3, 4], [1, 2, 4, 3]) == pytest.approx(4 / 6)
    assert kendall_tau([1, 1, 1], [1, 2, 3]) == 0


def _table(spread: float, noise: float, seed: int, items: int = 24) -> Any:
    rng = np.random.default_rng(seed)
    writers = np.linspace(-spread, spread, 12)[:, None, None]
    text = rng.normal(0, 0.6, (12, items, 1))
    return 6 + writers + text + rng.normal(0, noise, (12, items, 3))


def test_a_judge_of_less_noise_has_more_of_each_part() -> None:
    """Separability, stability and agreement; repeats that are equal have a tau of 1."""
    order = list(range(12))
    sharp, dull = (parts(_table(1.5, noise, 1), order) for noise in (0.3, 3.0))
    assert sharp.separability > dull.separability
    assert (sharp.stability or 0) > (dull.stability or 0)
    assert (sharp.agreement or 0) >= (dull.agreement or 0)
    assert repeats_tau(_table(1.5, 0.0, 1)) == pytest.approx(1)
    assert repeats_tau(_table(1.5, 0.3, 1)[:, :, :1]) is None
    assert norm(5, (0.85, 0.4)) == 0


def test_the_point_lies_inside_its_interval() -> None:
    """In the middle of it, and none with fewer than eight items."""
    table = _table(1.0, 1.0, 2)
    ends = interval(table, lambda of: parts(of).separability)
    assert ends is not None
    assert (ends[0] + ends[1]) / 2 == pytest.approx(parts(table).separability)
    assert interval(table[:, :7], lambda of: parts(of).separability) is None


def test_boards_are_those_published() -> None:
    """The numbers beside this test are the published ones."""
    data = os.environ.get("EIBENCH_OFFICIAL_DATA")
    if not data:
        pytest.skip("EIBENCH_OFFICIAL_DATA is unset; the published boards lie beside it")
    for board, rows in json.loads(BOARDS.read_text("utf-8")).items():
        path = Path(data).parent / "published" / f"judgemark_{board}.csv"
        lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
        known = [[float(row[name]) for name in PARTS] for row in csv.DictReader(lines)]
        assert rows == known
