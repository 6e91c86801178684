"""A judge on the scale of one that is gone."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eibench.judges import criteria_of
from eibench.statistics import fit_scale
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
WRITERS = {f"writer-{n}": n for n in range(8)}


def _judge(request: ReceivedRequest) -> str:
    """Grades a reply by the number in it: half of it and one."""
    prompt = request.messages[-1]["content"]
    quality = int(re.findall(r"quality (\d+)", prompt)[-1])
    rating = [-1, -0.5, 0.5, 1][min(3, quality // 2)]
    return json.dumps({"rating": rating, **dict.fromkeys(criteria_of(prompt), rating)})


def _file(bench: Bench, *, turned: bool = False, judge: str = "") -> Path:
    """Sixteen published replies of each writer, to the bundled messages of HumaneBench."""
    prompts = [json.loads(line) for line in bench("prompts", "humanebench").out.splitlines()]
    ids = list(dict.fromkeys(prompt["item_id"] for prompt in prompts))
    rows = [
        {
            "writer": writer,
            "item_id": item,
            "response": f"A reply of quality {quality}.",
            "published": 10 * (7 - quality if turned else quality),
            "judge": judge,
        }
        for writer, quality in WRITERS.items()
        for item in ids
    ]
    path = Path("published.jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def _exam(bench: Bench, server: LoopbackServer, path: Path) -> Any:
    url = ("--judge-base-url", server.base_url)
    return bench("exam", "openai/j", "--against", path, "--benchmark", "humanebench", *url, "--yes")


def test_published_texts_give_the_line_between_judges(bench: Bench) -> None:
    """Each writer beside what the others' line says; the replies are graded once."""
    with LoopbackServer(_judge) as server:
        path = _file(bench)
        done = _exam(bench, server, path)
        assert done.code == 0, done.err
        asked = len(server.answered)
        assert _exam(bench, server, path).code == 0
        assert len(server.answered) == asked
    assert "on the published scale" in done.out
    assert "rank correlation" in done.out
    assert "writer-7" in done.out


def test_a_board_says_what_a_score_is_on_the_published_scale(bench: Bench) -> None:
    """Of a model that nobody published; the site's board says the same."""
    with LoopbackServer(_judge) as judge, LoopbackServer(lambda _: "A reply of quality 5.") as mine:
        path = _file(bench, judge="old-judge")
        assert _exam(bench, judge, path).code == 0
        run = ("run", "humanebench", "--model", "openai/mine", "--base-url", mine.base_url)
        by = ("--judge", "openai/j", "--judge-base-url", judge.base_url, "--yes")
        assert bench(*run, *by).code == 0
    board = json.loads(bench("leaderboard", "humanebench", "--json").out)
    (scale,) = board["scales"]
    assert scale["judge"] == "old-judge"
    (model,) = scale["models"].values()
    assert model["ci95"][0] < model["value"] < model["ci95"][1]
    # by hand: grades -1, -.5, .5, 1 for 5, 25, 45, 65 on average: 35 + 28 x grade, at .5
    assert model["value"] == pytest.approx(49)
    assert "on the scale of old-judge, by 8 writers: openai/mine about 49" in bench(
        "leaderboard", "humanebench", "--details"
    ).out.replace("\n", " ")


def test_a_broken_scale_is_told(bench: Bench) -> None:
    """With the command that writes it."""
    with LoopbackServer(_judge) as server:
        assert _exam(bench, server, _file(bench)).code == 0
    (path,) = Path("runs/scales").iterdir()
    path.write_text("[]", "utf-8")
    done = bench("leaderboard", "humanebench")
    assert done.code == 3
    assert "is no scale of a judge; bench exam --against writes it anew" in done.err


def test_a_file_of_two_judges_is_refused(bench: Bench) -> None:
    """There is no one scale in it."""
    row = {"writer": "w", "item_id": "i", "response": "r", "published": 1, "judge": "a"}
    lines = [json.dumps(row), json.dumps({**row, "judge": "b"})]
    Path("p.jsonl").write_text("\n".join(lines), "utf-8")
    done = bench("exam", "openai/j", "--against", "p.jsonl")
    assert done.code == 3
    assert "has several judges: a, b; keep one" in done.err


def test_judges_that_disagree_have_no_common_scale(bench: Bench) -> None:
    """The rank correlation is told, and nothing is fitted."""
    with LoopbackServer(_judge) as server:
        done = _exam(bench, server, _file(bench, turned=True))
    assert done.code == 2
    assert "under 0.8 there is no common scale" in done.err


def test_a_line_and_its_interval() -> None:
    """Planted: 3 + 2 x, exactly; with noise a new writer lies in the interval in 95 %."""
    names = [str(n) for n in range(12)]
    exact = fit_scale({n: float(n) for n in names}, {n: 3 + 2 * float(n) for n in names})
    assert exact.published(20.0) == pytest.approx((43, 43, 43))
    assert exact.error == pytest.approx(0, abs=1e-9)
    rng, held = np.random.default_rng(1), 0
    for _ in range(300):
        x = rng.normal(50, 10, 13)
        y = 3 + 0.8 * x + rng.normal(0, 0.5, 13)
        judge, published = (dict(zip(names, of[:12].tolist(), strict=True)) for of in (x, y))
        _, low, high = fit_scale(judge, published).published(float(x[12]))
        held += low <= y[12] <= high
    assert 0.92 <= held / 300 <= 0.98


@pytest.mark.parametrize(
    ("writers", "says"), [(5, "5 writers have grades"), (8, "gives every writer the same")]
)
def test_too_little_gives_no_line(writers: int, says: str) -> None:
    """Fewer than six writers, or a judge without opinions."""
    judge = {str(n): float(n if writers == 5 else 1) for n in range(writers)}
    with pytest.raises(ValueError, match=says):
        fit_scale(judge, {name: float(name) for name in judge})


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"writer": "w", "item_id": "i", "response": "r"}, 'needs "published", a number'),
        ({"writer": "w", "item_id": "i", "published": 1}, 'needs "response", a text'),
        ([1], "is no JSON object"),
    ],
)
def test_a_broken_file_is_refused(bench: Bench, row: Any, says: str) -> None:
    """With the line."""
    Path("p.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    done = bench("exam", "openai/j", "--against", "p.jsonl")
    assert done.code != 0
    assert says in done.err
    assert "line 1" in done.err
