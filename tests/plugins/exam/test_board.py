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


def test_a_board_names_the_exam_of_its_judge(bench: Bench) -> None:
    """Not examined, with the command; then the day, the verdict and its reason; on the site too."""
    with LoopbackServer(_reply) as server:
        url = ("--base-url", server.base_url)
        judge = ("--judge", "openai/j", "--judge-base-url", server.base_url)
        run = ("run", "eqbench3", "--no-elo", "--limit", "2", "--model", "openai/m", *url, *judge)
        assert bench(*run).code == 0
        before = bench("leaderboard", "eqbench3")
        assert "judge openai/j not examined: bench exam openai/j" in before.out
        assert bench("exam", "openai/j", *url).code == 0
        (line,) = bench("leaderboard", "eqbench3", "--json").json["judge_exams"]
        bench("site", "-o", "site")
    assert re.match(r"judge openai/j examined \d{4}-\d\d-\d\d: not fit: picks the first", line)
    (page,) = Path("site/boards").glob("eqbench3*.html")
    assert "openai/j examined" in page.read_text("utf-8")


def test_a_demo_board_says_nothing_of_exams(bench: Bench) -> None:
    """Its judge is known."""
    bench("run", "eqbench3", "--no-elo", "--limit", "2")
    assert "judge_exams" not in bench("leaderboard", "eqbench3", "--json").json
