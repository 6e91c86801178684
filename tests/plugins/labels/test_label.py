"""`bench label`: blinded sets for people, and their answers."""

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import eibench

from .conftest import Studied, handed_in, quality, reply_of

SCALE = ("--scale", "-1,-0.5,0.5,1")


def like_quality(entry: dict[str, Any]) -> float:
    """A person who says what is so."""
    return quality(*reply_of(entry))


def draw(studied: Studied, *options: object) -> None:
    """A set in the folder `set`."""
    done = studied.bench("label", "care", *options, "-o", "set")
    assert done.code == 0, done.err


def key() -> dict[str, Any]:
    """The one set of the runs folder."""
    (path,) = Path("runs/labels").glob("*.json")
    value: dict[str, Any] = json.loads(path.read_text())
    return value


def test_a_set_is_drawn_blind_and_its_key_stays_behind(studied: Studied) -> None:
    """Ten items bring a reply of each model; page and table name no model, run or score."""
    draw(studied, *studied.runs.values(), "--number", "10", *SCALE, "--seed", "3")
    labels, page = key(), Path("set/page.html").read_text()
    (path,) = Path("runs/labels").glob("*.json")
    assert path.stat().st_mode & 0o77 == 0, "no other user of the machine may look"
    once = [entry for entry in labels["entries"] if not entry["repeats"]]
    assert (len(once), len(labels["entries"]), labels["population"]) == (20, 22, 24)
    counts = Counter(entry["item_id"] for entry in once)
    assert len(counts) == 10 and set(counts.values()) == {2}
    assert {entry["probability"] for entry in once} == {10 / 24}
    for text in (page, Path("set/table.csv").read_text()):
        assert "I say: a" in text and "[a model]" in text
        hidden = (*studied.runs, *studied.runs.values(), "OpenAI", "openai", labels["salt"])
        assert [word for word in hidden if word in text] == []


def test_strata_give_as_many_of_each_and_keep_their_probabilities(studied: Studied) -> None:
    """Three of eight each, by the judge's mean score of both models."""
    draw(studied, "--number", "9", "--strata", "3", *SCALE)
    entries = [entry for entry in key()["entries"] if not entry["repeats"]]
    counts = Counter(entry["stratum"] for entry in entries)
    assert counts == {"1 of 3": 6, "2 of 3": 6, "3 of 3": 6}
    assert {entry["probability"] for entry in entries} == {3 / 8}


def test_answers_are_kept_with_a_pseudonym(studied: Studied) -> None:
    """Rating, probability and how the person was found; the code is nowhere."""
    draw(studied, "--number", "10", *SCALE)
    paths = [handed_in("set", name, like_quality) for name in ("ann-17", "bob-18")]
    done = studied.bench("label", "read", *paths, "--json")
    assert [row["missing"] for row in done.json["people"]] == [0, 0]
    with eibench.runs("runs") as runs:
        labels = [(run, label) for run in runs for label in run.labels]
    models = {run_id: model for model, run_id in studied.runs.items()}
    assert len(labels) == 2 * 22 and len({label.person for _, label in labels}) == 2
    for run, label in labels:
        assert label.rating == quality(models[run.id], int(label.item_id[1:]))
        assert (label.probability, label.recruited) == (10 / 24, "a notice")
    stored = b"".join(path.read_bytes() for path in Path("runs").rglob("*") if path.is_file())
    assert b"ann-17" not in stored and b"bob-18" not in stored


def test_pairs_are_shuffled_and_read_as_wins_of_the_run_on_the_left(studied: Studied) -> None:
    """Whoever always says left has won for either model about as often."""
    draw(studied, "--pairs", "--number", "20", "--repeats", "4")
    studied.bench("label", "read", handed_in("set", "ann", lambda entry: "left"))
    entries = {entry["id"]: entry for entry in key()["entries"]}
    lefts = Counter(entry["run"] for entry in entries.values())
    assert min(lefts.values()) >= 4
    again = [entry for entry in entries.values() if entry["repeats"]]
    assert len(again) == 4
    assert all(entry["run"] == entries[entry["repeats"]]["run_b"] for entry in again)
    with eibench.runs("runs") as runs:
        rows = [(run.id, one) for run in runs for one in run.labels]
    assert len(rows) == 24 and {one.rating for _, one in rows} == {1.0}
    assert all(one.run_b not in (None, run_id) and one.value == "win" for run_id, one in rows)


def test_a_table_that_was_filled_in_is_read_as_the_page_s_file(studied: Studied) -> None:
    """Person and consent in its first line; an empty answer is missing."""
    draw(studied, "--number", "8", *SCALE)
    rows = list(csv.DictReader(Path("set/table.csv").read_text().splitlines()))
    rows[0] |= {"person": "ann", "consent": "yes", "recruited": "a friend"}
    for row in rows[:-1]:
        row["answer"] = "-0.5"
    with Path("ann.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    done = studied.bench("label", "read", "ann.csv", "--json")
    assert (done.json["people"][0]["answers"], done.json["people"][0]["missing"]) == (17, 1)


REFUSED: list[tuple[Callable[[str], str], str]] = [
    (lambda t: t.replace('"set": "', '"set": "0'), "line 4: is of the set"),
    (lambda t: t.replace('"q03"', '"q99"'), "line 11: answers 'q99', which is no question"),
    (
        lambda t: t.replace('"entry": "q04", "shown": "', '"entry": "q04", "shown": "x'),
        "line 12: answers q04, but another text was shown",
    ),
    (lambda t: t.replace('"answer": 0.5', '"answer": 0.7', 1), "a rating is one of -1, -0.5"),
    (lambda t: t.replace('"answer": 0.5', '"answer": 1' + "0" * 400, 1), "a rating is one of -1"),
    (lambda t: t.replace('"answer": 0.5', '"answer": NaN', 1), "a rating is one of -1"),
    (lambda t: t.replace('"q03"', '"q02"'), "line 11: answers q02, but another text"),
    (lambda t: t.replace(line_of(t, "q03"), line_of(t, "q02")), "line 11: answers q02 twice"),
    (lambda t: t.replace('"consent": true', '"consent": false'), "says of no consent"),
    (lambda t: t.replace('"person": "ann"', '"person": " "'), "has no code of the person"),
    (lambda t: t.replace('"version": 1', '"version": 2'), "has the form 2; 1 is read"),
    (lambda t: t[:-9], "line 30: is not JSON"),
    (lambda t: "[]", "line 1: is no file that a page of bench label saved"),
]


def line_of(text: str, entry: str) -> str:
    """The line of an answer, without the comma at its end."""
    return next(one for one in text.splitlines() if f'"{entry}"' in one).rstrip(",")


def test_a_file_that_does_not_belong_is_refused_with_its_line(studied: Studied) -> None:
    """And nothing is kept, nor of the good file beside it."""
    draw(studied, "--number", "10", *SCALE)
    good, bad = (handed_in("set", name, like_quality) for name in ("good", "ann"))
    text = bad.read_text()
    for change, message in REFUSED:
        bad.write_text(change(text))
        done = studied.bench("label", "read", good, bad)
        assert done.code == 3 and "ann.json" in done.err and message in done.err, done.err
    with eibench.runs("runs") as runs:
        assert [label for run in runs for label in run.labels] == []


def test_a_person_s_second_file_is_refused(studied: Studied) -> None:
    """Beside the first, and after it."""
    draw(studied, "--number", "10", *SCALE)
    path = handed_in("set", "ann", like_quality)
    Path("again.json").write_text(path.read_text())
    done = studied.bench("label", "read", path, "again.json")
    assert done.code == 3 and "another file here" in done.err
    assert studied.bench("label", "read", path).code == 0
    done = studied.bench("label", "read", "again.json")
    assert done.code == 3 and "again.json" in done.err and "were read before" in done.err


def test_labels_of_a_transcript_that_has_changed_are_refused(studied: Studied) -> None:
    """What people saw is not what the run holds."""
    draw(studied, "--number", "24", *SCALE)
    (path,) = Path("runs/labels").glob("*.json")
    labels = json.loads(path.read_text())
    labels["entries"][4]["transcript"] = "0" * 16
    path.write_text(json.dumps(labels))
    done = studied.bench("label", "read", handed_in("set", "ann", like_quality))
    assert done.code == 3 and "line 13: q05: the transcript of m" in done.err, done.err
    assert "has changed since people saw it" in done.err


UNDRAWABLE = [
    (("--number", "25"), "there are 24 items to draw from"),
    (("--scale", "1"), "--scale takes two numbers or more"),
    (("--take", "--pairs"), "--take is about the benchmark's items"),
    (("--take",), "people cannot take care"),
    (("--pairs", "--scale", "0,1"), "--pairs needs two runs or more"),
    (("--strata", "9", "--number", "3"), "--number 3 is less than the 9 strata"),
]


def test_what_cannot_be_drawn_is_refused(studied: Studied) -> None:
    """And nothing is written."""
    for options, message in UNDRAWABLE:
        done = studied.bench("label", "care", *options, "-o", "set")
        assert done.code == 2 and message in done.err
    assert not Path("set").exists() and not Path("runs/labels").exists()
