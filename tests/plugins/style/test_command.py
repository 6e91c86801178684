"""`bench style`, of files and of runs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., Any]


def write(path: Path, *rows: object) -> Path:
    """A JSON-lines file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """Lists of a user's own."""
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / "slop_list.json").write_text('[["gaze"], "Whisper"]', "utf-8")
    (folder / "slop_list_trigrams.json").write_text('[["a long gaze"]]', "utf-8")
    return folder


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Ten texts of each of two models, of which one gazes."""
    rows = [
        {"model": model, "id": f"i{n}", "text": f"Item {n} {words} Rain fell."}
        for model, words in (("plain", "ends."), ("gazer", "has a long gaze, a whisper."))
        for n in range(10)
    ]
    return write(tmp_path / "texts.jsonl", *rows)


def test_a_file_of_two_models_with_lists(bench: Bench, texts: Path, lists: Path) -> None:
    """Rates and scores by hand, intervals over items, and what sets the models apart."""
    document = bench("style", texts, "--lists", lists, "--json").json
    plain, gazer = document["models"]
    assert (gazer["texts"], gazer["families"], gazer["words"]) == (10, 10, 90)
    words = gazer["measures"]["slop_words"]
    assert words["value"] == pytest.approx(2000 / 9)
    assert words["ci95"] is None  # all texts are alike, and a rate has no end
    assert gazer["slop_trigrams"] == {"a long gaze": 10}
    assert gazer["slop_words"] == {"gaze": 10, "whisper": 10}
    nothing = plain["measures"]["slop_words"]
    assert (nothing["value"], nothing["ci95"]) == (0, None) and "none was" in nothing["reason"]
    assert plain["measures"]["mattr_500"] == {
        "value": None, "ci95": None, "reason": "no text of 500 words"
    }  # fmt: skip
    assert plain["slop_score_among"] is None  # without any contrast there are no limits
    # 0.6 (222.2 - low) / (high - low) and so on, with the limits of November 2025
    by_hand = 100 * (0.6 * 5.265153 + 0.25 * 0.0351422 + 0.15 * 88.45670)
    assert gazer["slop_score"]["value"] == pytest.approx(by_hand, rel=1e-4)
    phrases = {p["phrase"]: p for p in gazer["phrases"]}
    longest = phrases["has a long"]
    assert (longest["times"], longest["texts"], longest["elsewhere"]) == (10, 10, 0)
    assert longest["examples"] == ["i0", "i1", "i2"]
    assert "rain" not in phrases
    assert any("are not the published ones" in warning for warning in document["warnings"])


def test_a_screen_says_what_needs_lists(bench: Bench, texts: Path) -> None:
    """Without lists there are no slop words; the other measures stand."""
    done = bench("style", texts)
    assert "(needs lists: --lists DIR)" in done.out
    assert "words per sentence" in done.out and "What sets gazer apart" in done.out
    assert "Slop score" not in done.out


def test_a_score_moves_when_a_model_joins_and_the_other_does_not(
    bench: Bench, tmp_path: Path, lists: Path
) -> None:
    """The same texts beside one more model: the fixed score stays."""
    rows = [
        {"model": "a", "text": "It was not a gaze. It was a wall and a door and a long gaze."},
        {"model": "b", "text": "A whisper of rain."},
        {"model": "c", "text": "He was not old, but a long gaze. Gaze. " * 3},
    ]
    two = bench("style", write(tmp_path / "2.jsonl", *rows[:2]), "--lists", lists, "--json").json
    three = bench("style", write(tmp_path / "3.jsonl", *rows), "--lists", lists, "--json").json
    first, again = two["models"][0], three["models"][0]
    assert first["slop_score"] == again["slop_score"]
    assert first["slop_score_among"] != pytest.approx(again["slop_score_among"])


def test_runs_are_read_by_sample(bench: Bench) -> None:
    """All replies of a sample are one text; a phrase names the command that shows it."""
    for model in ("demo/strong", "demo/weak"):
        assert bench("run", "creative-writing-legacy", "--limit", 3, "--model", model).code == 0
    models = bench("style", "--benchmark", "creative-writing-legacy", "--json").json["models"]
    assert {m["model"] for m in models} == {"demo/strong", "demo/weak"}
    for model in models:
        assert (model["texts"], model["families"], model["demo"]) == (30, 3, True)
        assert model["measures"]["vocabulary"]["reason"].startswith("an interval needs")
        for phrase in model["phrases"]:
            assert phrase["examples"][0].startswith(f"bench show {model['runs'][0]} ")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"text": "Fine."}, {"text": " "}], "line 2: 'text' is empty"),
        ([{"text": "Fine."}, {"text": "雨。"}], "line 2: 'text' has no English word"),
        ([{"texts": "Fine."}], "line 1: 'text' is missing or no text"),
        ([["Fine."]], "line 1: is no JSON object"),
        ([{"text": "Fine.", "model": ""}], "line 1: 'model' is empty"),
        ([{"text": "A.", "id": "x"}, {"text": "B.", "id": "x"}], "has the id 'x' on line 1 too"),
        ([], "holds no texts"),
    ],
)
def test_bad_lines_are_named(
    bench: Bench, tmp_path: Path, rows: list[object], message: str
) -> None:
    """Nothing is passed over: the error has file, line and field."""
    done = bench("style", write(tmp_path / "bad.jsonl", *rows))
    assert done.code == 3 and "bad.jsonl" in done.err and message in done.err


def test_a_file_and_runs_do_not_mix(bench: Bench, texts: Path) -> None:
    """Neither do a file and an option that chooses runs; something has to be named."""
    assert "not both" in bench("style", texts, "7a3c").err
    assert "is for runs" in bench("style", texts, "--model", "m").err
    assert "Missing argument" in bench("style").err
