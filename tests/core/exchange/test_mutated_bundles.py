"""Bundles that somebody changed, by the program of `benchmarks/mutated_bundles.py`."""

from pathlib import Path
from random import Random

import pytest

from benchmarks.mutated_bundles import mutated, outcome
from eibench.core.exchange.bundles import make_bundle
from eibench.core.journal import Journal
from eibench.core.journal.lines import read_line
from tests.conftest import run_here


@pytest.mark.usefixtures("empty_place")
def test_none_is_accepted_with_other_numbers() -> None:
    """Each of twelve is refused, named, or has the numbers of its original; none fails."""
    assert run_here("run", "seceu", "--model", "demo/weak").code == 0
    with Journal(Path("runs/demo"), create=False) as journal:
        original = [read_line(raw) for raw in make_bundle(journal, journal.runs()).lines[:-1]]
    rng, path = Random(2), Path("mutated.eib")
    outcomes = set[str]()
    for _ in range(12):
        path.write_bytes(mutated(original, rng))
        outcomes.add(outcome(path, original))
    assert "named" in outcomes
