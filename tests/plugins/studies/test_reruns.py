"""Reruns of a judged benchmark: whose verdicts they are, and which runs may stand together."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from eibench import Item, Options, Pack, PackSource
from eibench.core.datasets import find_pack
from eibench.core.errors import UsageError
from eibench.core.journal import Journal
from eibench.core.plugins import Catalogue
from eibench.core.runs.run_set import RunSet
from eibench.core.statistics.steadiness import steadiness_of
from eibench.plugins.studies.reruns import Reruns, reruns_of_runs
from eibench.statistics import share_interval


@pytest.fixture
def judged(lab: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The lab, with a benchmark that reads its pack from a file."""
    path = tmp_path / "pack.json"
    path.write_text("{}")

    def read_pack(source: PackSource, options: Options) -> Pack:
        pack: Pack = lab.pack
        return replace(pack, source=source)

    monkeypatch.setattr(lab.benchmark, "read_pack", read_pack)
    options = {option.name: option.default for option in lab.benchmark.options}
    lab.pack = read_pack(find_pack(lab.benchmark, str(path), options), options)
    return lab


async def run(lab: Any, judge: Any, **changes: Any) -> dict[str, Any]:
    """The result of two iterations, or more, by a judge."""
    path = str(next(iter(lab.pack.source.files.values())))
    given = {"judge": judge, "iterations": 2, "dataset": path, **changes}
    document: dict[str, Any] = await lab.run(**given)
    return document


def reruns(lab: Any, judge: str | None = None) -> Reruns:
    """The reruns of all runs of the lab."""
    catalogue = Catalogue()
    catalogue.benchmarks.add(lab.benchmark, "the tests")
    with Journal(lab.runs_dir) as journal:
        return reruns_of_runs(RunSet(journal, catalogue=catalogue), None, judge)


def mean(shown: Reruns) -> float:
    """The mean of the reruns' main metric; they have as many samples each."""
    return fmean(value for r in shown.reruns if (value := r.values["mean"]) is not None)


async def test_the_verdicts_are_those_of_one_result(judged: Any) -> None:
    """Of two judges, whose numbers differ, that of the own result, or the one that is named."""
    one, two = judged.endpoint("judge"), judged.endpoint("other")
    first, other = await run(judged, one), await run(judged, two)
    values = [document["metrics"]["mean"]["value"] for document in (first, other)]
    assert values[0] != values[1]
    assert mean(reruns(judged)) == pytest.approx(values[0])
    assert mean(reruns(judged, "openai/other")) == pytest.approx(values[1])
    longer = await run(judged, one, iterations=3)
    assert mean(reruns(judged)) == pytest.approx(longer["metrics"]["mean"]["value"])
    assert [rerun.source["iteration"] for rerun in reruns(judged).reruns] == [1, 2, 3]


async def test_a_judge_at_another_endpoint_is_another_judge(judged: Any) -> None:
    """The result says where the judge is, so that two that bench.toml names are told apart."""
    here = judged.endpoint("judge")
    document = await run(judged, here)
    assert (document["judge"], document["judge_endpoint"]) == ("openai/judge", "local")
    there = replace(here, base_url=judged.url.replace("127.0.0.1", "localhost"), name="there")
    second = await run(judged, there, fresh=True)
    assert second["judge"] == document["judge"]
    with pytest.raises(UsageError, match="that cannot be combined: judge openai/judge at local"):
        reruns(judged)


async def test_verdicts_of_another_judge_are_not_taken_for_the_last_one_s(
    judged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a judge whose verdicts all failed there are none to compare."""
    await run(judged, judged.endpoint("judge"))

    def fail(phase: str, item: Item) -> None:
        if phase == "grade":
            raise ValueError("no verdict")

    monkeypatch.setattr(judged.benchmark, "broken", fail)
    assert (await run(judged, judged.endpoint("other")))["judge"] == "openai/other"
    with pytest.raises(UsageError, match="no grades by the judge openai/other"):
        reruns(judged, "openai/other")


def test_steadiness_by_hand() -> None:
    """Three items asked twice: who flips, and what passes in both, which is the worst of two.

    Where no is better the worst is another number, with the interval of a share too.
    """
    by_item = {"a": [1.0, 1.0], "b": [1.0, 0.0], "c": [0.0, 0.0], "d": [1.0]}
    rows = {row.what: row for row in steadiness_of("m", "right", by_item, {})}
    assert {what: row.value for what, row in rows.items()} == pytest.approx(
        {"flips": 1 / 3, "pass^k": 1 / 3}
    )
    nine = {str(n): [0.0, 0.0] for n in range(9)} | {"x": [0.0, 1.0]}
    worst, *_ = steadiness_of("m", "lost", nine, {}, less_is_better=True)
    assert (worst.what, worst.value) == ("worst of k", 0.1)
    assert worst.ci95 == share_interval([0] * 9 + [1])
    assert (rows["flips"].k, rows["flips"].items) == (2, 3)
    (alone,) = steadiness_of("m", "grade", {"a": [3.0, 5.0]}, {}, less_is_better=True)
    assert (alone.what, alone.value) == ("worst of k", 5)
    assert steadiness_of("m", "grade", {"a": [3.0]}, {}) == []


def test_repeat_says_how_steady_a_run_is(bench: Callable[..., Any]) -> None:
    """From its iterations, with intervals over items; once-asked runs have no such table."""
    bench("run", "emotionqueen", "--limit", "20", "--iterations", "2")
    done = bench("repeat", "demo/medium")
    assert "From one iteration to the next" in done.out
    assert "pass^k" in done.out and "flips" in done.out
    rows = bench("repeat", "demo/medium", "--json").json["steadiness"]
    assert {row["k"] for row in rows} == {2}


def test_show_and_boards_say_how_steady_a_run_is(bench: Callable[..., Any]) -> None:
    """In `show --details`, and in the JSON of a board, for models that were asked twice."""
    bench("run", "emotionqueen", "--limit", "20", "--iterations", "2")
    bench("run", "emotionqueen", "--limit", "20", "--model", "demo/strong")
    shown = bench("show", "demo/medium", "--details").out
    assert "From one iteration to the next" in shown and "pass^k" in shown
    assert "From one iteration" not in bench("show", "demo/strong", "--details").out
    assert "From one iteration" not in bench("leaderboard", "emotionqueen").out
    rows = bench("leaderboard", "emotionqueen", "--json").json["steadiness"]
    assert [(row["metric"], row["what"]) for row in rows] == [("pass_win_mean", "worst of k")]
    repeat = bench("repeat", "demo/medium", "--json").json["steadiness"]
    assert rows == [row for row in repeat if row["metric"] == repeat[0]["metric"]]
