"""What would settle which of two models is better: on a site as `bench compare` says it."""

import json
from pathlib import Path

from tests.conftest import run_here


def test_the_plan_of_a_pair_is_that_of_the_command(tmp_path: Path) -> None:
    """Of two demo runs that are not told apart, in the very words."""
    runs, site = tmp_path / "runs", tmp_path / "site"
    for seed in (1, 2):
        more = ("--seed", seed, "--name", f"m{seed}", "--runs-dir", runs)
        done = run_here("run", "eqbench-v1", "--model", "demo/medium", *more)
        assert done.code == 0, done.err
    found = run_here("compare", "m1", "m2", "--runs-dir", runs, "--json").json["settle"]
    assert found["plan"]["more_items"] or found["plan"]["error"]
    assert run_here("site", "-o", site, "--runs-dir", runs).code == 0
    (pairs,) = site.glob("boards/*-pairs.js")
    data = json.loads(pairs.read_text().partition(",")[2].rpartition(")")[0])
    assert data["settle"] == {"0": found["text"]}
