"""A third party's benchmark that compares: what it must do, and what it cannot break."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from eibench import (
    Benchmark,
    Item,
    Metric,
    Model,
    Options,
    Pack,
    PackSource,
    PairScore,
    Pairwise,
    SampleScore,
    Score,
    Summary,
)
from eibench.core.errors import JudgeError
from eibench.core.journal import Journal

if TYPE_CHECKING:
    from tests.core.conftest import Lab

KEY = "sk-fake-0123456789abcdefghij0123456789"


class Duel(Benchmark, Pairwise):
    """The longer reply wins; no option of its own."""

    name = "duel"
    version = "1"
    title = "A benchmark of the tests"
    judged = True
    given: Any = None
    """What `compare` returns, or raises, instead."""

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """Is given packs ready-made."""
        raise NotImplementedError

    async def generate(self, item: Item, model: Model, options: Options) -> str:
        """One reply."""
        return (await model.chat(f"speak of {item.id}")).text

    async def grade(
        self, item: Item, transcript: str, judge: Model | None, options: Options
    ) -> Score:
        """Nothing."""
        return Score()

    def summarise(self, pack: Pack, scores: Sequence[SampleScore], options: Options) -> Summary:
        """How many there are."""
        return Summary({"count": Metric(float(len(scores)), n=len(scores))})

    def compares(self, options: Options) -> bool:
        """Always."""
        return True

    async def compare(
        self, item: Item, first: str, second: str, judge: Model, options: Options
    ) -> PairScore:
        """Asks the judge, and does not care what it says."""
        await judge.chat(f"{item.id}: {first} or {second}?")
        if isinstance(self.given, Exception):
            raise self.given
        if self.given is not None:
            return self.given  # type: ignore[no-any-return]
        return PairScore({"length": 2 if int(first) > int(second) else -2})

    def planned_calls(self, item: Item, options: Options) -> dict[str, int]:
        """One, and none to the judge."""
        return {"model": 1}


@pytest.fixture
def duel(lab: "Lab") -> Duel:
    """The benchmark, in the lab."""
    lab.benchmark = benchmark = Duel()
    return benchmark


async def run(lab: "Lab", model: str) -> Any:
    """The result of a run of a model."""
    return await lab.run(model=lab.endpoint(model))


async def test_three_methods_make_a_tournament(lab: "Lab", duel: Duel) -> None:
    """Everything in both orders, on the default schedule, without an option of the plugin."""
    lab.take_items(10)
    await run(lab, "one")
    document = await run(lab, "two")
    assert document["status"] == "complete"
    assert document["comparisons"]["read"] == 20
    # Later requests have higher numbers, so the second model always wins.
    assert [row["model"] for row in document["ratings"]] == ["openai/two", "openai/one"]
    assert document["notes"]["rating"]["engine"] == "glicko2"


WRONG = {
    "an error": (RuntimeError("oh"), "RuntimeError: oh"),
    "a text": ("A wins", "returned str, not a PairScore"),
    "nothing": (PairScore({}), "neither margins nor a reason"),
    "both": (PairScore({"x": 1}, "unread"), "both margins and a reason"),
    "too much": (
        PairScore({"x": 0, "y": 6}),
        "returned 6 as the margin of 'y', which is no whole number from -5 to 5",
    ),
    "a half": (PairScore({"x": 1.5}), "the margin of 'x'"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize(("given", "message"), WRONG.values(), ids=WRONG)
async def test_what_is_no_comparison_is_told_and_not_counted(
    lab: "Lab", duel: Duel, given: Any, message: str
) -> None:
    """The run is incomplete; when the plugin is mended, the replies are used that were paid."""
    await run(lab, "one")
    duel.given = given
    document = await run(lab, "two")
    assert document["status"] == "incomplete"
    assert document["comparisons"]["read"] == document["comparisons"]["unread"] == 0
    assert document["comparisons"]["planned"] > 0
    assert any(message in warning for warning in document["warnings"])
    paid = document["calls"]["judge"]
    duel.given = None
    document = await run(lab, "two")
    assert document["status"] == "complete"
    assert document["comparisons"]["read"] == 8
    assert document["calls"]["judge"] == 8
    assert document["calls"]["replayed"] == 4 + paid


@pytest.mark.parametrize("kind", [RuntimeError, JudgeError])
async def test_a_key_in_an_error_is_not_stored(
    lab: "Lab", duel: Duel, kind: type[Exception]
) -> None:
    """As with an error in grading."""
    await run(lab, "one")
    duel.given = kind(f"refused: {KEY}")
    document = await run(lab, "two")
    assert any("refused: [key]" in warning for warning in document["warnings"])
    assert KEY not in str(document)


async def test_whole_margins_are_stored_as_such(lab: "Lab", duel: Duel) -> None:
    """Whatever type of number a plugin gives: a file with another would not be imported."""
    await run(lab, "one")
    duel.given = PairScore({"x": 2.0, "y": True})  # type: ignore[dict-item]
    await run(lab, "two")
    with Journal(lab.runs_dir) as journal:
        margins = [row.margins for row in journal.comparisons()]
    assert {type(value) for row in margins for value in row.values()} == {int}


@pytest.mark.parametrize("margin", [[1], "1", 1.5, 6, float("nan")])
async def test_what_is_no_margin_is_told(lab: "Lab", duel: Duel, margin: object) -> None:
    """The comparison stays to be made."""
    await run(lab, "one")
    duel.given = PairScore({"x": margin})  # type: ignore[dict-item]
    document = await run(lab, "two")
    assert any(f"returned {margin!r} as the margin of 'x'" in w for w in document["warnings"])


async def test_lengths_that_are_left_out_are_not_known(lab: "Lab", duel: Duel) -> None:
    """They are no lengths of 0, and a warning says that nobody looked at them."""
    await run(lab, "one")
    document = await run(lab, "two")
    with Journal(lab.runs_dir) as journal:
        rows = list(journal.comparisons())
    assert {(row.len_a, row.len_b) for row in rows} == {(None, None)}
    assert "no lengths: what the judge likes of length was not looked at" in document["warnings"]
    assert {row["rating_length_adjusted"] for row in document["ratings"]} == {None}


async def test_an_unread_comparison_keeps_its_reason(lab: "Lab", duel: Duel) -> None:
    """And is never asked again."""
    await run(lab, "one")
    duel.given = PairScore({}, "it sang", ("re-asked twice",))
    document = await run(lab, "two")
    assert (document["status"], document["ratings"]) == ("incomplete", [])
    assert document["comparisons"]["unread"] == 8
    assert "8 comparisons could not be read" in " ".join(document["warnings"])
    with Journal(lab.runs_dir) as journal:
        rows = list(journal.comparisons())
    assert {(row.reason, row.flags, row.status) for row in rows} == {
        ("it sang", ("re-asked twice",), "unread")
    }
    again = await run(lab, "two")
    assert again["comparisons"] == document["comparisons"]
    assert again["calls"]["judge"] == 8


async def test_comparisons_go_through_the_connection_of_the_verdicts(
    lab: "Lab", duel: Duel
) -> None:
    """So what was learnt of the judge's limits holds on, and one model has one rate."""
    await run(lab, "one")
    await run(lab, "two")
    assert len(lab.sessions[-1].progress.callers) == 2
