"""The parts of Judgemark and its score, against published numbers."""

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eibench import folder
from eibench.plugins.creative_writing.separation import (
    SeparationParts,
    adjacent_overlap,
    interval,
    kendall_tau,
    kruskal_wallis,
    norm,
    order_tau,
    parts,
    repeats_tau,
)

PARTS = ("judgemark_score", "stability", "separability", "human_corr")
BOARDS = folder("judgemark") / "published_boards.json"
"""Score, stability, separability and agreement of each row of the boards v2.0 and v2.1."""


def test_overlap_is_that_of_intervals_of_99_percent() -> None:
    """Of 100 grades with a deviation of 1 they reach .258 to each side, those of 95 % .196."""
    grades = np.resize([-1.0, 1.0], 100) * np.sqrt(0.99)
    assert adjacent_overlap([grades, grades + 0.51]) == 1
    assert adjacent_overlap([grades, grades + 0.52]) == 0


def test_kruskal_wallis_by_hand() -> None:
    """Ranks 1, 2, 3.5 and 3.5, 5, 6 of two groups, with one tie of two.

    Sums 6.5 and 14.5: 12 / (6 * 7) * (6.5^2 + 14.5^2) / 3 - 21 = 3.0476; ties 1 - 6 / 210.
    """
    groups = [np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0, 5.0])]
    expected = (12 / 42 * (6.5**2 + 14.5**2) / 3 - 21) / (1 - 6 / 210)
    assert kruskal_wallis(groups) == pytest.approx(expected)
    assert kruskal_wallis([np.ones(3), np.ones(3)]) == 0


@pytest.mark.parametrize(
    ("kruskal", "overlap", "separability"),
    [(100, 0.85, 0), (1300, 0.4, 1), (700, 0.625, 0.5), (400, 0.85, 0.125), (1000, 0.4, 0.875)],
)
def test_separability_goes_from_end_to_end(
    kruskal: float, overlap: float, separability: float
) -> None:
    """H from 100 to 1,300, and the share of overlaps from .85 to .4, half each."""
    known = SeparationParts(kruskal, overlap, None, None)
    assert known.separability == pytest.approx(separability)


def test_kendall_by_hand() -> None:
    """Five of six pairs concordant: 4/6; the same throughout: 0."""
    assert kendall_tau([1, 2, 3, 4], [1, 2, 4, 3]) == pytest.approx(4 / 6)
    assert kendall_tau([1, 1, 1], [1, 2, 3]) == 0


@pytest.mark.parametrize("noise", [0.5, 2.0, 4.0])
def test_agreement_is_the_mean_of_each_repeat_s(noise: float) -> None:
    """As upstream's: pairs of writers in order less those that are not, repeat by repeat.

    17 writers, 24 texts and 5 repeats, a grade missing and a writer without a known worth.
    """
    rng, n = np.random.default_rng(7), 17
    table = np.linspace(5, 7, n)[:, None, None] + rng.normal(0, noise, (n, 24, 5))
    table[3, 4, 1] = np.nan
    order = [float("nan"), *range(1, n)]
    taus = []
    for repeat in range(5):
        means = [np.nanmean(table[writer, :, repeat]) for writer in range(1, n)]
        pairs = [(a, b) for a in range(n - 1) for b in range(a)]
        taus.append(sum(1 if means[a] > means[b] else -1 for a, b in pairs) / len(pairs))
    assert order_tau(table, order) == pytest.approx(sum(taus) / 5)
    assert parts(table, order).order == order_tau(table, order)


def _stats() -> list[dict[str, Any]]:
    data = os.environ.get("EIBENCH_OTHER_DATA")
    if not data:
        pytest.skip("EIBENCH_OTHER_DATA names no folder with judgemark-v2/stats")
    files = sorted(Path(data, "judgemark-v2", "stats").glob("*.gz"))
    return [json.loads(gzip.decompress(path.read_bytes())) for path in files]


def test_published_agreements_are_means_of_five_repeats() -> None:
    """Of 17 writers: each is a multiple of 2 / (5 * 136), and most are no tau of 136 pairs."""
    taus = [s[f"{of}_cross_model_stats"]["kendall_tau"] * 68
            for s in _stats() for of in ("raw", "calibrated")]  # fmt: skip
    assert len(taus) == 10
    assert [5 * tau for tau in taus] == pytest.approx([round(5 * tau) for tau in taus])
    assert sum(tau != pytest.approx(round(tau)) for tau in taus) == 6


def test_a_repeat_with_too_few_writers_is_no_agreement() -> None:
    """The other repeats stand for it; none at all is no number."""
    table = _table(1.5, 0.0, 1)
    whole = order_tau(table, list(range(12)))
    table[2:, :, 1] = np.nan
    assert order_tau(table, list(range(12))) == whole == 1
    assert order_tau(table[:2], [1, 2]) is None


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
