"""The parts of Judgemark and its score, against published numbers."""

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eibench.plugins.creative_writing.separation import (
    adjacent_overlap,
    calibrated,
    interval,
    kendall_tau,
    kruskal_wallis,
    norm,
    parts,
    published_score,
    repeats_tau,
)

PARTS = ("judgemark_score", "stability", "separability", "human_corr")
BOARDS = Path(__file__).parents[2] / "data" / "judgemark_boards.json"
"""Score, stability, separability and agreement of each row of the boards v2.0 and v2.1."""


@pytest.mark.parametrize(("board", "rows"), [("v2.0", 41), ("v2.1", 22)])
def test_published_scores_follow_from_their_parts(board: str, rows: int) -> None:
    """All rows of both boards within .045, as far as their parts are printed."""
    known = json.loads(BOARDS.read_text("utf-8"))[board]
    assert len(known) == rows
    for score, stability, separability, agreement in known:
        assert published_score(stability, separability, agreement) == pytest.approx(
            score, abs=0.045
        )


def _stats() -> list[dict[str, Any]]:
    data = os.environ.get("EIBENCH_OTHER_DATA")
    if not data:
        pytest.skip("EIBENCH_OTHER_DATA names no folder with judgemark-v2/stats")
    files = sorted(Path(data, "judgemark-v2", "stats").glob("*.gz"))
    return [json.loads(gzip.decompress(path.read_bytes())) for path in files]


_SIX = ("std_dev_between_models", "kruskall_wallis", "ci99_adjacent_overlap", "score_range",
        "intra_model_ci95", "earth_movers_distance")  # fmt: skip


def test_the_older_formula_gives_the_raw_scores_of_the_files() -> None:
    """To four decimals, of each file with parts; calibrated scores do not follow from theirs."""
    with_parts = [s for s in _stats() if "final_judgemark_score_elements_raw" in s]
    assert len(with_parts) == 4
    for stats in with_parts:
        of = stats["final_judgemark_score_elements_raw"]
        separation = sum(of[f"norm_{name}"] for name in _SIX) / len(_SIX)
        both = of["norm_stability_between_iterations"] + of["norm_correlation_with_lmsys_arena"]
        score = (both + 4 * separation) / 6
        assert score == pytest.approx(stats["final_judgemark_score_raw"], abs=5e-5)


def test_overlap_of_the_files_follows_from_means_and_deviations() -> None:
    """`adjacent_overlap_fraction` of each file, from 120 grades a writer of that mean and SD."""
    for stats in _stats():
        groups = []
        for of in stats["raw_model_stats"].values():
            half = np.resize([-1.0, 1.0], of["count"])
            groups.append(of["mean"] + half * of["stdev"] * np.sqrt((len(half) - 1) / len(half)))
        published = stats["separability_metrics"]["raw"]["adjacent_overlap_fraction"]
        assert adjacent_overlap(groups) == pytest.approx(published)


def test_overlap_is_that_of_intervals_of_99_percent() -> None:
    """Of 100 grades with a deviation of 1 they reach .258 to each side, those of 95 % .196."""
    grades = np.resize([-1.0, 1.0], 100) * np.sqrt(0.99)
    assert adjacent_overlap([grades, grades + 0.51]) == 1
    assert adjacent_overlap([grades, grades + 0.52]) == 0


def test_calibration_follows_the_landmarks_of_a_file() -> None:
    """Least, quartiles and highest of the grades are at 0, 3, 5, 7 and 10."""
    for stats in _stats():
        of = stats["raw_score_distribution"]
        marks = np.array([of["min"], of["p25"], of["median"], of["p75"], of["max"]])
        assert list(calibrated(marks)) == [0, 3, 5, 7, 10]
        landmarks = stats["calibration_config"]["in_landmarks"]
        assert landmarks == pytest.approx(list(marks), abs=0.02)


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
