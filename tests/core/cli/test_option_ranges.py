"""The range of a benchmark's own option holds wherever a value comes from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import Option, UsageError
from eibench.core.journal import Journal
from eibench.core.plugins import installed
from eibench.core.settings.rules import fitting
from tests.core.guard.conftest import Fine

Bench = Callable[..., Any]


class Ranged(Fine):
    """Two options with ranges and one without."""

    name = "ranged"
    options = (
        Option("permutations", 3, "How many orders.", min=1, max=24, in_grades=True),
        Option("share", 0.5, "How much.", min=0),
        Option("points", 1.0, "How many."),
        Option("hint", None, "What to say."),
        Option("stop", "", "Where to end."),
    )


@pytest.fixture
def ranged(monkeypatch: pytest.MonkeyPatch, empty_place: Path) -> None:
    """The benchmark, among those that are installed."""
    monkeypatch.setitem(installed().benchmarks.things, "ranged", Ranged())
    monkeypatch.setitem(installed().benchmarks.origins, "ranged", "ranged-dist 1")
    (empty_place / "data.txt").write_text("data")


RUN = ("run", "ranged", "--dataset", "data.txt")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--permutations", 0), "'0' is not a whole number from 1 to 24"),
        (("--permutations", 25), "'25' is not a whole number from 1 to 24"),
        (("--permutations", "abc"), "'abc' is not a whole number from 1 to 24"),
        (("--limit", "1.5"), "'1.5' is not a whole number from 1 on"),
        (("--share", -0.1), "'-0.1' is not a number from 0 on"),
        (("--timeout", "0"), "'0' is not a number above 0"),
        (("--top-p", "x"), "'x' is not a number from 0 to 1"),
        (("--share", "nan"), "'nan' is not a finite number"),
        (("--points", "inf"), "'inf' is not a finite number"),
    ],
)
def test_a_value_out_of_range_is_refused(
    bench: Bench, ranged: None, args: tuple[Any, ...], message: str
) -> None:
    """Exit 2, with the range."""
    done = bench(*RUN, *args)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_value_of_the_file_is_held_to_the_range(bench: Bench, ranged: None) -> None:
    """bench.toml is no way round it."""
    Path("bench.toml").write_text("[run]\npermutations = 0\n")
    done = bench(*RUN)
    assert (done.code, done.out) == (3, "")
    assert "permutations" in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"permutations": 0}, "permutations must be a whole number from 1 to 24, not 0"),
        ({"permutations": 10**400}, "permutations must be a whole number from 1 to 24"),
        ({"share": -1}, "share must be a number from 0 on, not -1"),
        ({"points": float("nan")}, "points must be a finite number, not nan"),
    ],
)
def test_python_s_values_are_held_to_the_range(
    empty_place: Path, options: dict[str, Any], message: str
) -> None:
    """`eibench.run` says the same."""
    with pytest.raises(UsageError) as caught:
        eibench.run(Ranged(), options=options)
    assert message in str(caught.value)


def test_what_is_in_range_is_taken(bench: Bench, ranged: None) -> None:
    """Both ends belong to it; an option without a default may stay without a value."""
    unset = {"hint": None, "stop": ""}
    for n in (1, 24):
        document = bench(*RUN, "--permutations", n, "--share", 0, "--json").json
        assert document["options"] == {"permutations": n, "share": 0.0, "points": 1.0, **unset}


def test_a_new_grading_option_is_held_to_the_range() -> None:
    """`bench rescore --set permutations=0`."""
    permutations, _, points, *_ = Ranged.options
    assert fitting("permutations", permutations.rule, "24", is_text=True) == 24
    for option, text in ((permutations, "0"), (points, "nan")):
        with pytest.raises(UsageError, match=rf"{option.name} must be .*, not '{text}'"):
            fitting(option.name, option.rule, text, is_text=True)


def test_an_own_option_is_no_setting_of_ours(bench: Bench, ranged: None) -> None:
    """Though a part of the sampling, which no option of ours sets, has its name."""
    document = bench(*RUN, "--stop", "Bye.", "--json").json
    assert document["options"]["stop"] == "Bye."
    with Journal(Path("runs/demo"), create=False) as journal:
        run = journal.find_run(document["run_id"])
    assert run is not None and "stop" not in run.settings["sampling"]
