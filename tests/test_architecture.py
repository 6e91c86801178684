"""docs/architecture.md leads along modules that there are."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^(\d+)\. `([\w/]+\.py)`", TEXT, re.MULTILINE)


def test_the_walk_leads_along_modules_that_there_are() -> None:
    """Each is named once."""
    paths = [path for _, path in STEPS]
    assert [path for path in paths if not (ROOT / path).is_file()] == []
    assert len(set(paths)) == len(paths)


def test_the_walk_is_short() -> None:
    """A score is reached in 22 modules, a rating in 13 more."""
    assert [int(n) for n, _ in STEPS] == list(range(1, len(STEPS) + 1))
    to_score, _, _ = TEXT.partition("From there to a rating")
    assert len(re.findall(r"^\d+\. `", to_score, re.MULTILINE)) <= 22
    assert len(STEPS) <= 35
