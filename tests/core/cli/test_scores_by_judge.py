"""A board of scores by a panel: what each of its judges alone comes to, from stored grades."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., Any]
JUDGES = ("demo/judge", "demo/judge-b", "demo/judge-length")


@pytest.fixture
def runs(invoke: Bench) -> dict[str, str]:
    """Runs of two models by a panel of three demo judges, by model."""
    panel = [word for judge in JUDGES for word in ("--judge", judge)]
    return {
        model: invoke("run", "emotionqueen", "--model", model, *panel, "--limit", 4, "--json")
        .json["run_id"]
        for model in ("demo/weak", "demo/strong")
    }  # fmt: skip


def test_each_judge_alone_stands_beside_the_panel(invoke: Bench, runs: dict[str, str]) -> None:
    """The numbers are those of each run's own result; nothing else is on the board for it."""
    board = invoke("leaderboard", "emotionqueen", "--demo", "--json").json
    scores = {row["judge"]: row["scores"] for row in board["judges"]}
    assert list(scores) == sorted(JUDGES)
    metric = board["metric"]["name"]
    for model, run_id in runs.items():
        own = invoke("show", run_id, "--json").json["judges"]
        assert {row["judge"]: row["metrics"][metric] for row in own} == {
            judge: models[model] for judge, models in scores.items()
        }
    shown = invoke("leaderboard", "emotionqueen", "--demo", "--details").out
    table = shown[shown.index("Scores by each judge alone") :]
    assert re.search(
        r"model .* the panel .* demo/judge .* demo/judge-b .* demo/judge-length", table
    )
    strong = scores["demo/judge-b"]["demo/strong"]
    assert f"{strong['value']:.2f}" in next(li for li in table.splitlines() if "demo/strong" in li)
    one = invoke("leaderboard", "emotionqueen", "--demo", "--judge", "demo/judge", "--json").json
    assert "judges" not in one


def test_a_page_has_a_view_by_each_judge(invoke: Bench, runs: dict[str, str]) -> None:
    """Among the views of its board, with values and without ranks."""
    assert invoke("site", "-o", "site").code == 0
    paths = Path("site/boards").glob("*.json")
    boards = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    (board,) = (one for one in boards if (one["judge"] or "").startswith("mean("))
    views = {view["name"]: view for view in board["views"]}
    shown = invoke("leaderboard", "emotionqueen", "--demo", "--json").json["judges"]
    scores = {row["judge"]: row["scores"] for row in shown}
    ids = {row["id"]: row["model"] for row in board["rows"]}
    for judge in JUDGES:
        view = views[f"only {judge}"]
        values = {ids[n]: value for n, value in view["values"].items()}
        assert values == {
            model: [row["value"], *(row["ci95"] or (None, None))]
            for model, row in scores[judge].items()
        }
        assert view["ranks"] == {}
