"""Controls of a board: numbers by hand, and the same on the site's page."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from eibench.core.statistics.adjusted import Floats, Replicates, replicates
from eibench.data import folder
from tests.core.html.browsing import Visit, chromium, needs_chromium

Bench = Callable[..., Any]
T = 2.364624  # Student's t, 97.5 %, 7 degrees of freedom


class AdjustedScore(NamedTuple):
    """A model's; interval and the ranks that it may have are ``None`` with too few families."""

    value: float
    ci95: tuple[float, float] | None
    rank: tuple[int, int] | None


def adjust(
    known: Replicates, scales: Sequence[float], strengths: Sequence[float]
) -> list[AdjustedScore]:
    """What the page computes: the scores with each control at its strength, from 0 to 1."""
    weights = np.array(scales) * np.array(strengths)
    points, again = (adjusted(rows, weights) for rows in (known.values, known.left_out))
    if known.t is None or known.t_pairs is None:
        return [AdjustedScore(float(point), None, None) for point in points]
    arms = known.t * error(again)
    gaps = points[:, None] - points
    apart = np.abs(gaps) > known.t_pairs * error(again[:, :, None] - again[:, None, :])
    above, below = ((apart & side).sum(axis=1) for side in (gaps < 0, gaps > 0))
    return [
        AdjustedScore(float(point), (float(point - arm), float(point + arm)),
                      (1 + int(up), len(points) - int(down)))
        for point, arm, up, down in zip(points, arms, above, below, strict=True)
    ]  # fmt: skip


def adjusted(rows: Floats, weights: Floats) -> Floats:
    """Scores times their factors, shape (..., n_models)."""
    measures = rows[..., 1:]
    mean = measures.mean(axis=-2, keepdims=True)
    relative = np.where(mean > 0, measures / np.where(mean > 0, mean, 1.0) - 1, 0.0)
    factors = np.prod(1 - weights * np.minimum(relative, 1.0), axis=-1)
    return np.asarray(rows[..., 0] * factors)


def error(again: Floats) -> Floats:
    """The standard error of what each family left out gives, over the first axis."""
    n = len(again)
    return np.asarray(np.sqrt((n - 1) / n * ((again - again.mean(axis=0)) ** 2).sum(axis=0)))


def means(*models: tuple[float, float], families: int = 8, spread: float = 0.0) -> Any:
    """Replicates of models with these means of score and measure; scores differ by family."""
    rows = np.array([models] * families, dtype=float)
    rows[:, :, 0] += spread * np.where(np.arange(families) % 2, 1, -1)[:, None]
    return replicates(rows, np.ones_like(rows))


def test_scores_intervals_and_ranks_are_as_worked_out_by_hand() -> None:
    """Means of 300 and 100 are half above and half below 200: 5 % at 100 %, 2.5 % at 50 %."""
    known = means((60, 300), (50, 100), spread=7.0)
    for strength, values in ((0, (60, 50)), (1, (57, 52.5)), (0.5, (58.5, 51.25))):
        assert [s.value for s in adjust(known, [0.1], [strength])] == pytest.approx(values)
    first, second = adjust(known, [0.1], [0.0])
    arm = T * 7 / 7**0.5  # of eight values 7 above and 7 below: sd 7 * (8 / 7) ** .5, by 8 ** .5
    assert first.ci95 == pytest.approx((60 - arm, 60 + arm), abs=1e-4)
    assert [first.rank, second.rank] == [(1, 1), (2, 2)]  # paired, the families fall out
    first, second = adjust(known, [0.9], [1.0])  # 60 * .55 = 33 and 50 * 1.45 = 72.5
    assert first.value == pytest.approx(33)
    assert [first.rank, second.rank] == [(2, 2), (1, 1)]
    (clipped, *_) = adjust(means((60, 900), (60, 0), (60, 0)), [0.1], [1.0])
    assert clipped.value == pytest.approx(54)  # thrice the mean loses no more than twice
    (few, _) = adjust(means((60, 300), (50, 100), families=7), [0.1], [1.0])
    assert few.value == pytest.approx(57)
    assert few.ci95 is few.rank is None


def test_ranks_are_shared_where_errors_are_larger_than_gaps() -> None:
    """Scores that differ by family in opposite ways do not tell two models apart."""
    rows = np.array([[(60.0, 1.0), (59.0, 1.0)]] * 8)
    rows[:, 0, 0] += np.where(np.arange(8) % 2, 9, -9)
    scores = adjust(replicates(rows, np.ones_like(rows)), [0.1], [0.0])
    assert [score.rank for score in scores] == [(1, 2), (1, 2)]


def run(bench: Bench, lists: bool) -> list[str]:
    """Two demo writers on the bundled prompts, in a folder with lists of slop or without."""
    pack, name = Path("pack"), "creative_writing_prompts.json"
    pack.mkdir()
    prompts = folder("creative_writing_legacy") / "bundled" / name
    (pack / name).write_bytes(prompts.read_bytes())
    if lists:
        (pack / "slop_list.json").write_text(json.dumps([["heart"], ["silence"], ["testament"]]))
        (pack / "slop_list_trigrams.json").write_text(json.dumps([["barely above whisper"]]))
    words = ["creative-writing-legacy", "--dataset", "pack"]
    for model in ("strong", "weak"):
        bench("run", *words, "--iterations", "1", "--model", f"demo/{model}")
    return words


def expected_cells(document: Any, **percent: float) -> list[str]:
    """Rank, score with the unadjusted one, and interval of each row of a board, best first."""
    known = document["adjusting"]
    strengths = [percent.get(control["name"], 0) / 100 for control in known["controls"]]
    scales = [control["scale"] for control in known["controls"]]
    values, left_out = (np.array(known[name]) for name in ("values", "left_out"))
    replicate = Replicates(values, left_out, known["t"], known["t_pairs"])
    own = {row["id"]: row["score"] for row in document["rows"]}
    scores = zip(known["models"], adjust(replicate, scales, strengths), strict=True)
    cells = []
    for model, score in sorted(scores, key=lambda row: -row[1].value):
        assert score.rank and score.ci95
        cells += [
            "\u2013".join(map(str, dict.fromkeys(score.rank))),
            f"{score.value:.2f} ({own[model]:.2f})",
            "[{:.2f}, {:.2f}]".format(*score.ci95).replace("-", "\u2212"),
        ]
    return cells


def test_the_site_has_what_the_sliders_of_a_board_work_on(bench: Bench) -> None:
    """Each model's score and its means of the measures of the board; nothing is absent."""
    document_of = bench("leaderboard", *run(bench, lists=True), "--json").json
    own = {row["model"]: row["metrics"] for row in document_of["rows"]}
    bench("site", "-o", "site")
    (path,) = Path("site/boards").glob("*.json")
    document = json.loads(path.read_text("utf-8"))
    known, names = document["adjusting"], {row["id"]: row["model"] for row in document["rows"]}
    assert known["absent"] == []
    slop = 1 + [control["value"] for control in known["controls"]].index("slop")
    for model, values in zip(known["models"], known["values"], strict=True):
        metrics = own[names[model]]
        assert values[0] == pytest.approx(metrics["rubric_score"]["value"])
        assert values[slop] == pytest.approx(metrics["slop"]["value"])


@needs_chromium
def test_a_slider_changes_score_interval_and_rank_and_is_kept_in_the_address(bench: Bench) -> None:
    """By the rule; 0 gives the board as it stands; slop is absent, with why."""
    run(bench, lists=False)
    bench("site", "-o", "site")
    (board,) = Path("site/boards").glob("*.html")
    cells = "#board tbody td.rank, #board tbody td.num:nth-child(-n+5)"
    with chromium() as browser:
        visit = Visit(browser, Path("site")).go(f"boards/{board.name}")
        before = visit.texts(cells)
        assert "There is no slop penalty: it needs the lists" in visit.texts("#result")[0]
        visit.tab.locator("[data-adjust=vocabulary]").fill("100")
        visit.tab.locator("[data-adjust=length]").fill("40")
        visit.tab.wait_for_selector("#board .muted")
        after = visit.texts(cells)
        document = json.loads(board.with_suffix(".json").read_text("utf-8"))
        assert after == expected_cells(document, vocabulary=100, length=40) != before
        address = visit.tab.url
        assert address.endswith("#adjust-vocabulary=100&adjust-length=40")
        visit.go(f"boards/{address.rpartition('/')[2]}")
        visit.tab.wait_for_selector("#board .muted")
        assert visit.texts(cells) == after
        for name in ("vocabulary", "length"):
            visit.tab.locator(f"[data-adjust={name}]").fill("0")
        visit.tab.wait_for_selector("#board .muted", state="detached")
        assert visit.texts(cells) == before and "#" not in visit.tab.url
        visit.end()
