"""The page of a board: what it says, and what it says once."""

from typing import Any

from eibench.core.html.board_page import board_page
from eibench.core.html.rendering import rendered

from .browsing import document, row


def criterion(name: str, group: str, better: bool | None = True) -> Any:
    """A column."""
    return {"name": name, "label": name, "group": group, "higher_is_better": better,
            "low": 0.0, "high": 10.0}  # fmt: skip


def page(board: Any) -> str:
    """Its text."""
    return rendered(board_page(board)).content.decode()


def test_numbers_that_stand_above_are_not_repeated() -> None:
    """A profile of one criterion has that criterion's numbers, and says whose they are."""
    criteria = [criterion("tact", "criteria"), criterion("warmth", "criteria"),
                criterion("empathy", "profile"), criterion("both", "profile")]  # fmt: skip
    rows = [
        row(name, 1500.0, None, criteria={"tact": n, "warmth": 7.0, "empathy": n, "both": n / 2})
        for n, name in ((6.25, "a"), (7.25, "b"))
    ]
    text = page(document(rows, criteria=criteria))
    assert text.count(">6.25<") == 1
    assert "The same numbers as above have empathy (tact)." in text
    assert text.count(">3.12<") == 1


def test_a_criterion_without_a_better_end_is_grey() -> None:
    """And the caption says what grey means."""
    rows = [row("a", 1500.0, None, criteria={"tact": 6.0, "length": 6.0})]
    criteria = [criterion("tact", "criteria"), criterion("length", "criteria", None)]
    text = page(document(rows, criteria=criteria))
    assert text.count('class="num hot a6 b0"') == 1
    assert text.count('class="num hot a6 b0 grey"') == 1
    assert "grey: neither end is better" in text


def test_a_board_of_failed_runs_says_why_and_draws_nothing() -> None:
    """No axis without a number on it."""
    why = "FAIL: only 0 of 30 answers could be read"
    nothing = {"rating": None, "score": None, "rank": None, "status": "fail", "completeness": why}
    rows = [row("a", 0.0, None) | nothing]
    text = page(document(rows, rated=False))
    assert f'<td class="drawn">{why}</td>' in text
    assert 'class="axis"' not in text
    assert "95 % interval, and the ranks" not in text
