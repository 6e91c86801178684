"""That a check of bundled data lists every offender, with its file and line."""

from pathlib import Path

import pytest

from tests.data.bundled import each, lines_of


def test_every_offender_is_listed_with_where_it_stands() -> None:
    """One that the check refuses and one that it cannot read; not the good one between them."""
    rows = {"a.json:2": ({"n": 12},), "a.json:3": ({"n": 1},), "a.json:4": ({},)}

    @each(rows)
    def test_small(row: dict[str, int]) -> None:
        """At most 9."""
        assert row["n"] <= 9

    with pytest.raises(AssertionError) as failure:
        test_small()
    message = str(failure.value)
    assert "a.json:2: AssertionError: assert 12 <= 9" in message
    assert "a.json:4: KeyError: 'n'" in message
    assert "a.json:3" not in message
    assert (test_small.__name__, test_small.__doc__) == ("test_small", "At most 9.")


def test_nothing_is_raised_where_all_are_good() -> None:
    """A check of good rows passes."""
    seen = []
    each({"a.json:1": (1, 2)})(lambda *row: seen.append(row))()
    assert seen == [(1, 2)]


def test_a_line_is_counted_from_one(tmp_path: Path) -> None:
    """As editors count."""
    path = tmp_path / "a.json"
    path.write_text('{\n  "1": {\n  },\n  "2": {\n', encoding="utf-8")
    assert lines_of(path, {"1": '"1": {', "2": '"2": {'}) == {"1": "a.json:2", "2": "a.json:4"}
