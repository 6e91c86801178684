"""`benchmarks.mutants`: that a change which no test sees is named, on a checkout of two files."""

from pathlib import Path

import pytest

from benchmarks.mutants import LIST, main, read_mutants

MUTANTS = """[[part]]
file = "limits.py"
tests = "test_limits.py"
mutants = [
  ["a seen number", "MOST = 3", "MOST = 4"],
  ["another number", "LEAST = 1", "LEAST = 2"],
  ["a text of long ago", "MOST = 5", "MOST = 6"],
  ["a twin", "LEAST = 1", "LEAST = 1.0", "they are equal"],
]
"""


def test_a_change_that_no_test_sees_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a text that is no longer there; one that nothing can see is none, and says why."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # each start takes a moment
    root = tmp_path / "checkout"
    root.mkdir()
    (root / "limits.py").write_text("MOST = 3\nLEAST = 1\n")
    (root / "test_limits.py").write_text(
        "from limits import MOST\n\n\ndef test_most() -> None:\n    assert MOST == 3\n"
    )
    (tmp_path / "mutants.toml").write_text(MUTANTS)
    assert main((), root, tmp_path / "mutants.toml") == 1
    *rows, last = capsys.readouterr().out.splitlines()
    assert [row.partition(" | ")[0] for row in rows] == [
        "killed", "! survived", "! stands 0 times", "survived: equivalent, they are equal"
    ]  # fmt: skip
    assert last == "4 changes, 2 of them not as they must be"
    assert (root / "limits.py").read_text() == "MOST = 3\nLEAST = 1\n"


def test_each_change_is_one() -> None:
    """Nothing is listed twice, and each text becomes another."""
    mutants = read_mutants(LIST)
    assert len({(m.file, m.old, m.new) for m in mutants}) == len(mutants)
    assert all(m.old != m.new for m in mutants)
