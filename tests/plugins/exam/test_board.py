"""What a board says of its judge's exam."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eibench.judges import criteria_of
from eibench.plugins.eqbench3.demo import respondents
from eibench.testing import LoopbackServer, ReceivedRequest

Bench = Callable[..., Any]


def _reply(request: ReceivedRequest) -> str:
    """The model says something; the judge grades all alike and picks the first of two."""
    prompt = request.messages[-1]["content"]
    if request.model == "m":
        return "I would listen first, and then ask each of them what they had hoped for. " * 3
    codes = list(respondents(prompt))
    verdict = f'"{codes[0]}+"' if codes else "5"
    return "{" + ", ".join(f'"{name}": {verdict}' for name in criteria_of(prompt)) + "}"


def test_a_board_says_whether_its_judge_has_sat_the_exam(bench: Bench) -> None:
    """Not yet, with the command; then the day, the verdict and its reason; on the site too."""
    with LoopbackServer(_reply) as server:
        url = ("--base-url", server.base_url)
        judge = ("--judge", "openai/j", "--judge-base-url", server.base_url)
        run = ("run", "eqbench3", "--no-elo", "--limit", "2", "--model", "openai/m", *url, *judge)
        assert bench(*run).code == 0
        before = bench("leaderboard", "eqbench3")
        assert (
            "judge openai/j has not sat the exam: bench exam openai/j --base-url URL" in before.out
        )
        assert bench("exam", "openai/j", *url).code == 0
        (line,) = bench("leaderboard", "eqbench3", "--json").json["judge_exams"]
        bench("site", "-o", "site")
    assert re.match(
        r"judge openai/j sat the exam on \d{4}-\d\d-\d\d: not fit: picks the first", line
    )
    (page,) = Path("site/boards").glob("eqbench3*.html")
    assert "openai/j sat the exam" in page.read_text("utf-8")


def test_a_demo_board_says_nothing_of_exams(bench: Bench) -> None:
    """Its judge is known."""
    bench("run", "eqbench3", "--no-elo", "--limit", "2")
    assert "judge_exams" not in bench("leaderboard", "eqbench3", "--json").json


def test_a_board_says_which_part_by_whose_prompts(bench: Bench) -> None:
    """An exam by other prompts counts where there is none by its own; each judge has a line."""
    with LoopbackServer(_reply) as server:
        url = ("--base-url", server.base_url)
        judges = ("--judge", "openai/j", "--judge", "openai/k", "--judge-base-url", server.base_url)
        run = ("run", "humanebench", "--limit", "2", "--keep-going", "--model", "openai/m", *url)
        bench(*run, *judges)
        assert bench("exam", "openai/j", "--limit", "3", *url).code == 0
        lines = bench("leaderboard", "humanebench", "--json").json["judge_exams"]
    part = r"judge openai/j sat a part of the exam by the prompts of eqbench3 on [\d-]{10}: not fit"
    assert re.match(part, lines[0])
    assert lines[1] == "judge openai/k has not sat the exam: bench exam openai/k --base-url URL"
