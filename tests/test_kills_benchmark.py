"""`benchmarks.kills` with a few kills: what is billed is journalled, but for what was in flight."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.kills
def test_a_few_kills_lose_nothing_and_pay_for_nothing_twice() -> None:
    """Rated runs, also with judges that refuse, and talks with a role: the program is content."""
    command = [sys.executable, "-m", "benchmarks.kills", "6"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()]
    _, _, *kinds = rows
    for _, kills, _, _, billed, journalled, in_flight, *_ in kinds:
        assert kills == "2"
        assert int(billed) == int(journalled) + int(in_flight) > 100
