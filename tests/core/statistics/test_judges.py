"""How far a ranking hangs on its judges, held against a published board and planted likings."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from eibench.core.statistics.bootstrap import Floats
from eibench.core.statistics.judges import Bools, liking_for_kin, study_judges

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")


def simulated(rng: np.random.Generator, liking: float, models: int = 12) -> Floats:
    """Three judges' means: strictness, tastes for single models, and a liking of the first."""
    table = (
        rng.normal(5, 1, models)[:, None] + rng.normal(0, 0.5, 3) + rng.normal(0, 0.3, (models, 3))
    )
    table[:3, 0] += liking
    return table


def kin(models: int = 12) -> Bools:
    """The first three models are of the first judge's family, the next three of the second's."""
    own = np.zeros((models, 3), dtype=bool)
    own[:3, 0] = own[3:6, 1] = True
    return own


def test_a_planted_liking_is_found() -> None:
    """One point of ten for its own family: the interval covers it in about 95 %."""
    rng, covered = np.random.default_rng(1), 0
    for _ in range(400):
        found = liking_for_kin(simulated(rng, 1.0), kin(), 0)
        assert found.interval is not None
        covered += found.interval.low <= 1.0 <= found.interval.high
    assert 0.92 <= covered / 400 <= 0.98


def test_where_none_is_planted_few_are_found() -> None:
    """At the 5 % level, also where a judge has tastes for single models."""
    rng, wrong = np.random.default_rng(2), 0
    for _ in range(600):
        found = liking_for_kin(simulated(rng, 0.0), kin(), 0)
        assert found.interval is not None
        wrong += not found.interval.low <= 0.0 <= found.interval.high
    assert 0.03 <= wrong / 600 <= 0.07


def test_without_kin_a_planted_liking_moves_no_rank() -> None:
    """Models in their true order, of which three are lifted by their kin."""
    strength = np.arange(12, dtype=float)
    table = strength[:, None] + np.array([0.0, -1.0, 0.5])
    table[:3, 0] += 6.0
    study = study_judges(table, kin())
    assert study.ranks_without_kin is not None
    assert study.ranks_without_kin.tolist() == list(range(12, 0, -1))
    assert study.ranks.tolist() != study.ranks_without_kin.tolist()


def test_strictness_alone_changes_nothing() -> None:
    """A judge that gives all models less: same ranks, no spread, no liking."""
    strength = np.array([1.0, 4.0, 2.0, 3.0, 7.0, 5.0])
    table = strength[:, None] + np.array([0.0, -2.0, 1.0])
    study = study_judges(table, np.eye(6, 3, dtype=bool))
    assert study.spread == pytest.approx(0)
    assert [one.value for one in study.kin] == pytest.approx([0, 0, 0])
    assert all(one.rho == pytest.approx(1) and not one.moved for one in study.without)


@pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
def test_the_published_judges_agree_as_published() -> None:
    """Rank correlations of the EQ-Bench 4 board: .9661, .9409, .9206, and with the pool."""
    path = Path(str(OFFICIAL)).parent / "published" / "eqbench4_judges.csv"
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    names = ("pooled_elo", "elo_claude_opus_4_6", "elo_gemini_3_1_pro", "elo_gpt_5_5")
    table = np.array([[float(row[name]) for name in names] for row in rows])
    study = study_judges(table, np.zeros(table.shape, dtype=bool))
    found = {round(study.pairs[pair].value or 0, 4) for pair in ((1, 2), (1, 3), (2, 3))}
    assert found == {0.9661, 0.9409, 0.9206}
    with_pool = {round(study.pairs[0, n].value or 0, 4) for n in (1, 2, 3)}
    assert with_pool == {0.9885, 0.9737, 0.9754}
