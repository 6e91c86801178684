"""Replies that say nothing: what judges make of them, and what boards say of it."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from eibench.core.compare.canaries import most_possible, p_above
from eibench.judges import criteria_of
from eibench.plugins.eqbench3.demo import respondents
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]
OFFICIAL = os.environ.get("EIBENCH_OFFICIAL_DATA")
THOUGHTS = "chain_of_thought_reasoning"
_WORDS = "I would listen first, and then ask each of them what they had hoped for. " * 3


def _verdict(prompt: str, of: Callable[[str], int]) -> str:
    """A verdict by what `of` makes of texts: of each respondent's, or of the one transcript."""
    texts = respondents(prompt)
    if texts:
        first, second = texts
        lead = of(texts[first]) - of(texts[second])
        value = f'"{first if lead > 0 else second}+++"'
    else:
        value = str(of(prompt))
    grades = {name: value for name in criteria_of(prompt) if name != THOUGHTS}
    lines = ", ".join(f'"{name}": {value}' for name, value in grades.items())
    return f'{{"{THOUGHTS}": "My own view of it.", {lines}}}'


def _fair(text: str) -> int:
    """More for what looks at people."""
    return 7 if "listen first" in text else 5 if re.search("I wonder|I notice|Perhaps", text) else 1


def _nothing_first(text: str) -> int:
    """A judge that likes empty replies best."""
    return 9 if re.search("this space empty|N/A|No reply|Placeholder", text) else 4


def _replies(of: Callable[[str], int]) -> Callable[[ReceivedRequest], str]:
    """What the model `m` and its judge say."""

    def reply(request: ReceivedRequest) -> str:
        return _WORDS if request.model == "m" else _verdict(request.messages[-1]["content"], of)

    return reply


def _run(server: LoopbackServer, *more: str, judge: str = "openai/j") -> tuple[str, ...]:
    """A run of model `m` with a judge, both at the server."""
    return (
        *("run", "eqbench3", "--model", "openai/m", "--base-url", server.base_url),
        *("--judge", judge, "--judge-base-url", server.base_url, *more),
    )


@pytest.fixture
def asking(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """`bench`, with canaries."""
    monkeypatch.delenv("BENCH_NO_CANARIES")
    return bench


def _asked(server: LoopbackServer, model: str) -> int:
    return sum(request.model == model for request in server.requests)


def test_a_fair_judge_s_board_has_one_line(asking: Bench) -> None:
    """How many canaries won, and how many more may; ranks stay."""
    with LoopbackServer(_replies(_fair)) as server:
        done = asking(*_run(server, "--no-elo"))
        assert done.code == 0, done.err
        board = asking("leaderboard", "eqbench3")
    words = "0 of 20 graded as high as openai/m (95 %: up to 14 %)"
    assert words in " ".join(done.out.split())
    assert " ".join(board.out.split()).count("canaries") == 1
    assert "withheld" not in board.out


def test_a_canary_that_wins_withholds_ranks(asking: Bench) -> None:
    """Result, board and page say so first, and no row has a rank; `--fail-under` can name it."""
    with LoopbackServer(_replies(_nothing_first)) as server:
        done = asking(*_run(server, "--no-elo", "--fail-under", "canaries=100"))
        board = asking("leaderboard", "eqbench3", "--json").json
        text = asking("leaderboard", "eqbench3").out
        shown = asking("show", board["rows"][0]["run_id"], "--json").json
        asking("site", "-o", "site")
    first = "ranks are withheld: judge openai/j grades a reply that says nothing above openai/m"
    assert done.code == 1
    assert "fail: eqbench3 openai/m: ranks are withheld" in done.err
    assert done.out.startswith(f"warning: {first}")
    assert text.startswith(f"warning: {first}")
    assert board["statement"].startswith(first)
    assert board["rows"][0]["rank"] is None
    assert shown["canaries"]["withheld"].startswith(first)
    (page,) = Path("site/boards").glob("eqbench3*.html")
    assert "anks are withheld: judge openai/j grades a reply" in page.read_text("utf-8")


def test_canaries_are_asked_once_for_a_judge(asking: Bench) -> None:
    """A second model with the same judge and prompts asks none, and has the same line."""
    with LoopbackServer(_replies(_fair)) as server:
        asking(*_run(server, "--no-elo", "--limit", "2"))
        before = _asked(server, "j")
        done = asking(*_run(server, "--no-elo", "--limit", "2", "--name", "other"))
        assert _asked(server, "j") - before == 2
    assert "0 of 20 graded as high as other" in " ".join(done.out.split())


def test_comparisons_have_canaries_too(asking: Bench) -> None:
    """With comparisons there are 20 in pairs, and the plan says both with their price."""
    with LoopbackServer(_replies(_fair)) as server:
        plan = asking(*_run(server, "--limit", "2", "--dry-run"))
        done = asking(*_run(server, "--limit", "2"))
    assert plan.err.count("judge-canaries: 20 samples") == 2
    assert "--no-canaries leaves them out" in plan.err
    assert re.search(r"\d+ of 20 preferred to an answer", " ".join(done.out.split()))


@pytest.mark.skipif(OFFICIAL is None, reason="EIBENCH_OFFICIAL_DATA is not set")
def test_an_official_pack_beside_the_cache_has_canaries(asking: Bench) -> None:
    """Named by its path, on a machine that has not fetched it."""
    with LoopbackServer(_replies(_fair)) as server:
        data = ("--dataset", f"{OFFICIAL}/eqbench3", "--no-elo", "--limit", "2")
        done = asking(*_run(server, *data))
        assert done.code == 0, done.err
        assert _asked(server, "j") == 2 + 20 + 1  # and whether it answers


def test_a_flag_leaves_them_out(asking: Bench) -> None:
    """With `--no-canaries` the judge is asked about the model alone."""
    with LoopbackServer(_replies(_fair)) as server:
        done = asking(*_run(server, "--no-elo", "--limit", "2", "--no-canaries"))
        assert _asked(server, "j") == 2 + 1  # and whether it answers
    assert "canaries" not in done.out


def test_demo_judges_are_asked_none(asking: Bench) -> None:
    """They are no evidence of anything."""
    done = asking("run", "eqbench3", "--no-elo", "--limit", "2")
    assert "canaries" not in done.out + done.err


def test_a_limit_on_canaries_needs_some(asking: Bench) -> None:
    """Where none were asked, `--fail-under canaries=N` fails and says so."""
    done = asking("run", "eqbench3", "--no-elo", "--limit", "2", "--fail-under", "canaries=90")
    assert done.code == 1
    assert "no canaries were asked" in done.err


def test_every_judged_benchmark_has_canaries(asking: Bench) -> None:
    """Its own judge's prompt holds them."""
    for name in ("emotionqueen", "mediation-live", "buzzbench", "humanebench"):
        done = asking("run", "judge-canaries", "--model", "demo/judge", "--prompts-of", name)
        assert re.search(r"what they were graded|what_they", done.out), (name, done.err)


def test_what_no_miss_leaves_possible() -> None:
    """One-sided: statistics of 20, 45 and 59 without a miss, and of 2 in 40 (exact binomial)."""
    assert [round(most_possible(0, n), 3) for n in (20, 45, 59)] == [0.139, 0.064, 0.05]
    assert most_possible(2, 40) == pytest.approx(0.1492, abs=2e-4)


def test_equal_numbers_beat_nobody() -> None:
    """Without any spread a larger number is above, and an equal one is not."""
    assert p_above([5, 5], 4, 0) == 0
    assert p_above([5, 5], 5, 0) == 1


def test_the_level_of_the_test() -> None:
    """Canaries as good as the model beat it in no more than 5 % of 2,000 draws, about."""
    rng = Random(1)
    false = sum(
        p_above([rng.gauss(0, 1) for _ in range(4)], rng.gauss(0, 0.2), 0.2) < 0.05
        for _ in range(2000)
    )
    assert false / 2000 < 0.065
