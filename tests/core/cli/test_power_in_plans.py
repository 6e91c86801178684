"""What a planned run can show stands in its plan, by the models of the journal."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from eibench.testing import LoopbackServer, uniform_ratings

Bench = Callable[..., Any]


def test_a_plan_says_the_difference_that_the_run_can_show(bench: Bench) -> None:
    """From two real models on; it is that of `bench power`, and half the items show less."""
    with LoopbackServer(uniform_ratings(1)) as one, LoopbackServer(uniform_ratings(2)) as other:
        run = ("run", "eqbench-v1", "--yes", "--model")
        bench(*run, "openai/a", "--base-url", one.base_url)
        third = (*run, "openai/c", "--base-url", one.base_url, "--dry-run")
        assert "can show" not in bench(*third).out + bench(*third).err
        bench(*run, "openai/b", "--base-url", other.base_url)
        plan = bench(*third)
        half = bench(*third, "--limit", "15")
        demo = bench("run", "eqbench-v1", "--dry-run")
    shown = [float(re.findall(r"can show a difference of ([\d.]+) \(80 %\)", p.out + p.err)[0])
             for p in (plan, half)]  # fmt: skip
    assert shown[0] < shown[1]
    assert "can show" not in demo.out + demo.err
    power = json.loads(bench("power", "eqbench-v1", "--difference", "5", "--json").out)
    assert shown[0] == pytest.approx(power["pairs"][0]["shows"], rel=0.05)
