"""Controls of a board: numbers by hand, on the command line, and the same on the site's page."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eibench.core.statistics.adjusted import adjust, replicates
from eibench.data import folder
from tests.core.html.browsing import Visit, chromium, needs_chromium

Bench = Callable[..., Any]
T = 2.364624  # Student's t, 97.5 %, 7 degrees of freedom


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


def test_the_leaderboard_shows_adjusted_scores_beside_its_own(bench: Bench) -> None:
    """With the measures of the board; at 0 they are its own, and bad values are refused."""
    words = ("leaderboard", *run(bench, lists=True))
    document = bench(*words, "--json", "--adjust", "slop=100", "--adjust", "length=0").json
    metrics = {row["model"]: row["metrics"] for row in document["rows"]}
    mean = sum(of["slop"]["value"] for of in metrics.values()) / 2
    assert mean > 0
    for row in document["adjusted"]["rows"]:
        own = metrics[row["model"]]
        expected = own["rubric_score"]["value"] * (
            1 - 0.1 * min(own["slop"]["value"] / mean - 1, 1)
        )
        assert row["value"] == pytest.approx(expected)
        assert row["unadjusted"] == own["rubric_score"]["value"] != row["value"]
    assert document["adjusted"]["absent"] == []
    at_zero = bench(*words, "--json", "--adjust", "slop=0").json["adjusted"]["rows"]
    assert [row["value"] for row in at_zero] == [
        pytest.approx(row["unadjusted"]) for row in at_zero
    ]
    assert "Adjusted: slop 100 %" in bench(*words, "--adjust", "slop=100").out
    for value, message in (
        ("slop=101", "give a number from 0 to 100"),
        ("slop=nan", "give a number from 0 to 100"),
        ("slop=x", "give a number from 0 to 100"),
        ("slob=5", "did you mean slop?"),
    ):
        refused = bench(*words, "--adjust", value)
        assert refused.code == 2 and message in refused.err
    assert "not with --csv" in bench(*words, "--adjust", "slop=5", "--csv").err


@needs_chromium
def test_a_slider_changes_score_interval_and_rank_and_is_kept_in_the_address(bench: Bench) -> None:
    """As the command line has them; 0 gives the board as it stands; slop is absent, with why."""
    words = ("leaderboard", *run(bench, lists=False))
    adjusted = ("--json", "--adjust", "vocabulary=100", "--adjust", "length=40")
    expected = bench(*words, *adjusted).json["adjusted"]
    assert "slop penalty: it needs the lists" in expected["absent"][0]
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
        shown = [
            [
                "\u2013".join(map(str, dict.fromkeys(row["rank_ci95_board"]))),
                f"{row['value']:.2f} ({row['unadjusted']:.2f})",
                "[{:.2f}, {:.2f}]".format(*row["ci95"]).replace("-", "\u2212"),
            ]
            for row in expected["rows"]
        ]
        assert after == [cell for row in shown for cell in row] != before
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
