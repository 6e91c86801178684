"""A benchmark's own view of a transcript, in a terminal and on pages, or what is wrong with it."""

from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import Item, PluginError, Quote, RecordedCall, Table, TranscriptView, Turn
from eibench.core.guard import guard
from tests.core.guard.conftest import Fine
from tests.core.html.browsing import Visit, chromium, needs_chromium
from tests.core.test_plugins import HEAD, Place

PLUGIN = """
class Letters(eibench.Benchmark):
    name, version, title = "letters", "1", "writes letters"
    fields = {"id": str, "who": str}
    values = (eibench.Value("length", range=(0, 99)),)

    async def generate(self, item, model, options):
        return await model.chat("Write to " + item.content["who"])

    async def grade(self, item, transcript, judge, options):
        return eibench.Score({"length": float(len(transcript.text))})

    def demo_reply(self, item, request, ability, rng):
        return "Dear friend, I miss you."

    def transcript_view(self, item, calls, score):
        (call,) = calls
        quotes = [eibench.Quote("miss you", "warm")]
        who = "the letter to " + item.content["who"]
        length = eibench.Table("Length", ("n",), [(score.values["length"],)])
        turn = eibench.Turn(who, call.text, "model", ["once <b>"], quotes, "I hope <i>")
        series = [eibench.Series("warmth", [(1, 2), (2, 4)])]
        plot = eibench.Plot("Course", series, "line", "warmth", "lines")
        return eibench.TranscriptView([turn], [length, plot])
"""
RUN = ("run", "letters", "--dataset", "rows.jsonl", "--model", "demo/strong")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A benchmark with a view of its own, and a run of it."""
    made = Place(tmp_path_factory.mktemp("letters"))
    made.install("letters", HEAD + PLUGIN)
    (made.path / "letters-1.2.dist-info" / "entry_points.txt").write_text(
        "[eibench]\nletters = letters:Letters\n"
    )
    (made.path / "rows.jsonl").write_text('{"id": "1", "who": "Ana"}\n')
    done = made.bench(*RUN)
    assert done.returncode == 0, done.stderr
    return made


def test_a_terminal_shows_the_view_in_place_of_the_messages(place: Place) -> None:
    """Turns with their notes and marked words, tables beside them; --full shows the messages."""
    shown = place.bench("show", "strong", "1").stdout
    assert "the letter to Ana" in shown and "“miss you”: warm" in shown and "once <b>" in shown
    assert "thinks (no judge sees this)" in shown and "I hope <i>" in shown
    assert "Course" in shown
    assert "Write to Ana" not in shown and "Length" in shown and "score: length 24" in shown
    assert "Write to Ana" in place.bench("show", "strong", "1", "--full").stdout


@needs_chromium
def test_a_page_shows_the_view_in_place_of_the_messages(place: Place) -> None:
    """The words are marked with a number that their note has too."""
    assert place.bench("report", "strong", "--transcripts", "-o", "r.html").returncode == 0
    with chromium() as browser:
        visit = Visit(browser, place.path).go("r.html")
        visit.tab.locator("details.sample summary").first.click()
        visit.tab.wait_for_selector("mark")
        assert visit.texts(".turn .who") == ["the letter to Ana"]
        assert visit.texts("mark") == ["miss you1"]
        assert visit.texts(".turn .note") == ["once <b>", "1: warm"]
        assert visit.texts(".grade h3")[:2] == ["Length", "Course"]
        assert visit.tab.locator(".grade svg.course polyline").count() == 1
        assert visit.texts(".turn summary") == ["thinks (no judge sees this)"]
        assert not visit.tab.locator(".turn details .said").is_visible()
        visit.end()


def viewed(view: object) -> TranscriptView | None:
    """What comes of a view that a benchmark returns."""
    made: Any = type("Viewed", (Fine,), {"transcript_view": lambda self, item, calls, score: view})
    call = RecordedCall("generate", [("user", "hello")], "hi", "")
    return guard(made()).transcript_view(Item("1"), [call], None)


def test_a_benchmark_without_a_view_has_none() -> None:
    """The messages are shown then, as where it returns None."""
    assert guard(Fine()).transcript_view(Item("1"), [], None) is None
    assert viewed(None) is None


@pytest.mark.parametrize(
    ("view", "message"),
    [
        ("text", "returned str, not an eibench.TranscriptView"),
        (TranscriptView([Turn("a", 1)]), "turn 1 has something else than texts"),  # type: ignore[arg-type]
        (TranscriptView([Turn("a", "b", "judge")]), "of kind 'judge': model, user or system"),  # type: ignore[arg-type]
        (
            TranscriptView([Turn("a", "b"), Turn("a", "b", quotes=[Quote("c")])]),
            "turn 2 does not have the words 'c' that it marks",
        ),
        (TranscriptView([], [Table("t", ("a",), [()])]), "a Table with a row of 0 cells"),
        (TranscriptView(1), "a TranscriptView that cannot be shown"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_view_is_refused(view: object, message: str) -> None:
    """With the method, the benchmark and what is wrong."""
    with pytest.raises(PluginError, match=r"^transcript_view of emobench ") as caught:
        viewed(view)
    assert message in str(caught.value)


def test_a_view_that_fails_leaves_the_messages(place: Place, tmp_path: Path) -> None:
    """A table says why, with the distribution."""
    own = Place(tmp_path)
    code = PLUGIN.replace("(call,) = calls", "1 / 0")
    own.install("letters", HEAD + code)
    (tmp_path / "letters-1.2.dist-info" / "entry_points.txt").write_text(
        "[eibench]\nletters = letters:Letters\n"
    )
    (tmp_path / "rows.jsonl").write_text('{"id": "1", "who": "Ana"}\n')
    assert own.bench(*RUN).returncode == 0
    shown = own.bench("show", "strong", "1").stdout
    assert "Write to Ana" in shown and "The benchmark's own view cannot be shown" in shown
    assert "transcript_view of letters (letters-dist 1.2) raised ZeroDivisionError" in " ".join(
        shown.replace("│", "").split()
    )


def test_a_class_with_the_method_has_the_ability() -> None:
    """As type checkers see it."""
    made: Any = type("Viewed", (Fine,), {"transcript_view": lambda self, item, calls, score: None})
    assert isinstance(made(), eibench.HasTranscriptView)
    assert not isinstance(Fine(), eibench.HasTranscriptView)
