"""How far a ranking hangs on its judges, held against a published board and planted likings."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from eibench.core.statistics.judges import study_judges
from eibench.core.statistics.kin import Bools

OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")


def kin(models: int = 12) -> Bools:
    """The first three models are of the first judge's family, the next three of the second's."""
    own = np.zeros((models, 3), dtype=bool)
    own[:3, 0] = own[3:6, 1] = True
    return own


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
