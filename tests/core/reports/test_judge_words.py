"""What judges set beside each other say, in sentences."""

from typing import Any

import numpy as np
import pytest

from eibench.core.parties.party import Party
from eibench.core.reports.judges import JudgedTable, JudgesDocument, document_of
from eibench.core.statistics.estimate import Estimate

JUDGES = tuple(map(Party.of, ("openai/gpt-4o", "anthropic/claude-x", "google/gemini-y")))
THREE_VOTES = Estimate(2.0, (1.8, 2.3), None)


class Run:
    """What is asked of a run here."""

    def __init__(self, model: str) -> None:
        self.party, self.run_id = Party.of(model), model


def judged(n: int, liking: float, votes: Estimate = THREE_VOTES) -> JudgesDocument:
    """So many models, the first two of the first judge's family, which it likes."""
    names = ["openai/gpt-1", "openai/gpt-2", *(f"qwen/qwen-{i}" for i in range(2, n))][:n]
    means = [[i + liking * (i < 2), i + 0.1 * (i % 2), i - 0.1 * (i % 3)] for i in range(n)]
    runs: Any = {name: Run(name) for name in names}
    return document_of(JudgedTable("b", "pack", "v", JUDGES, runs, means, votes, ()))


def verdicts(document: JudgesDocument) -> dict[str, str]:
    """The grade of each sentence, by what it is about."""
    return {row["about"]: row["verdict"] for row in document.conclusions}


def test_neutral_judges_leave_little_to_say() -> None:
    """All grades are the lowest, but that of the votes."""
    assert verdicts(judged(12, 0.0)) == {
        "order of models": "none",
        "openai/gpt-4o and its kin": "none",
        "one judge less": "none",
        "ranking without kin": "none",
        "disputed models": "none",
        "shared errors": "weak",
    }


def test_a_liking_is_strong_and_changes_the_first() -> None:
    """With its interval, and never as taken out."""
    document = judged(12, 40.0)
    found = verdicts(document)
    assert found["openai/gpt-4o and its kin"] == "strong"
    assert found["ranking without kin"] == found["one judge less"] == "strong"
    text = {row["about"]: row["text"] for row in document.conclusions}
    assert "estimated assuming that judges differ in" in text["openai/gpt-4o and its kin"]
    assert text["shared errors"].startswith(
        "3 judges count as at most 2.0 votes [1.8, 2.3]; errors that"
    )


@pytest.mark.parametrize(
    ("votes", "grade"),
    [
        (Estimate(3.0, None, "no two judges stand out by errors that they share"), "not shown"),
        (Estimate(2.8, (2.6, 3.0), None), "not shown"),
        (Estimate(1.8, (1.5, 2.0), None), "strong"),
    ],
)
def test_judges_are_never_said_to_share_no_errors(votes: Estimate, grade: str) -> None:
    """What all of them share cannot be seen, and that is said beside it."""
    (row,) = (r for r in judged(12, 0.0, votes).conclusions if r["about"] == "shared errors")
    assert row["verdict"] == grade
    assert row["text"].endswith("errors that all judges share cannot be seen")


def test_a_liking_that_is_not_shown_says_how_large_it_may_be() -> None:
    """Judges with tastes of their own: an interval about 0, as wide as half of what models are."""
    names = [f"openai/gpt-{i}" if i < 3 else f"qwen/qwen-{i}" for i in range(12)]
    tastes = np.random.default_rng(4).normal(0, 0.6, (12, 3))
    means = (np.arange(12)[:, None] + tastes).tolist()
    runs: Any = {name: Run(name) for name in names}
    found = document_of(JudgedTable("b", "pack", "v", JUDGES, runs, means, THREE_VOTES, ()))
    (row,) = (r for r in found.conclusions if r["about"] == "openai/gpt-4o and its kin")
    assert row["verdict"] == "not shown"
    assert row["ci95"] is not None
    most = max(map(abs, row["ci95"]))
    assert row["text"].endswith(f"liking for kin alone; up to {most:.2f} is possible")


@pytest.mark.parametrize(("n", "about"), [(1, "ranking"), (3, "order of models")])
def test_what_cannot_be_tested_says_what_it_needs(n: int, about: str) -> None:
    """So many models."""
    document = judged(n, 0.0, Estimate(None, None, "needs 3 judges, here are 2"))
    rows = {row["about"]: row for row in document.conclusions}
    assert rows[about]["verdict"] == rows["shared errors"]["verdict"] == "not tested"
    assert rows[about]["text"].startswith("needs ")
