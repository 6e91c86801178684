"""`bench reproduce`: what comes out, what does not, rows without data, and mutants."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import PublishedData, PublishedNumber, PublishedRow, PublishedSource
from eibench.plugins.creative_writing import separation, stories, v3
from eibench.plugins.creative_writing.pages import read_pieces, read_stories
from eibench.plugins.emotion_ratings.stored_answers import read_answers
from eibench.plugins.eqbench_v2 import benchmark as eqbench_v2
from eibench.plugins.seceu import norms
from eibench.plugins.spiral_bench import scoring
from eibench.plugins.studies.reproduce_command import END, START
from eibench.plugins.studies.reproduced import STORED, ReproducedRow, as_markdown, computed, page

Bench = Callable[..., Any]
DATA = [Path(path) for name in ("EIBENCH_OFFICIAL_DATA", "EIBENCH_OTHER_DATA")
        if (path := os.environ.get(name))]  # fmt: skip
needs_data = pytest.mark.skipif(
    len(DATA) < 2, reason="EIBENCH_OFFICIAL_DATA and EIBENCH_OTHER_DATA do not say where data is"
)
IN_PACKAGE = ("creative-writing-v3", "eqbench-v1", "humanebench", "judgemark", "seceu",
              "spiral-bench")  # fmt: skip
SOURCE = PublishedSource("somebody/results", "MIT", "0123456789abcdef")
README = Path(__file__).parents[3] / "README.md"


def row(*numbers: PublishedNumber, **changes: Any) -> ReproducedRow:
    """What comes of a row with these numbers, printed to .1."""
    facts = {"within": 0.05, "numbers": lambda _: numbers, **changes}
    return computed("x", PublishedRow("a score", SOURCE, **facts), [])


def test_a_number_comes_out_within_the_rounding_there() -> None:
    """One that is further off, or has no value here, turns the row red and is named."""
    near, far = PublishedNumber("a", 1.0, 1.05 - 1e-9), PublishedNumber("b", 1.0, 1.2)
    assert (row(near).result, row(near).largest) == ("comes out", 0.05)
    differing = row(near, far)
    assert (differing.result, differing.largest, differing.n) == ("DIFFERS", 0.2, 2)
    assert differing.notes == ["b: 1 there, 1.2 here: beyond rounding"]
    missing = row(near, PublishedNumber("c", 1.0, None), lacks="ratings")
    assert (missing.result, missing.largest) == ("DIFFERS", None)
    assert missing.notes == [
        "c: 1 there, nothing here: beyond rounding",
        "not: ratings",
    ]
    assert row().result == "DIFFERS"


def test_a_declared_exception_is_no_fault_and_must_be_one() -> None:
    """It is shown with its reason and counts in no difference; one that comes out is a fault."""
    near, slip = PublishedNumber("a", 1.0, 1.0), PublishedNumber("b", 0.9, 0.8, "a slip")
    declared = row(near, slip)
    assert (declared.result, declared.n, declared.largest) == ("comes out", 1, 0.0)
    assert declared.notes == ["b: 0.9 there, 0.8 here: a slip"]
    stale = row(near, PublishedNumber("b", 0.8, 0.8, "a slip"))
    assert stale.result == "DIFFERS"
    assert stale.notes[-1] == "b: comes out, and is declared not to"


def test_a_row_without_data_is_not_green_and_says_what_brings_it(bench: Bench) -> None:
    """By a command for a repository and for a pack; those of the package come out meanwhile."""
    done = bench("reproduce", *IN_PACKAGE, "--json")
    results = {(r["benchmark"], r["result"]) for r in done.json["rows"]}
    assert {(name, "comes out") for name in IN_PACKAGE} <= results
    assert done.code == 0 and "DIFFERS" not in {result for _, result in results}
    absent = [r for r in done.json["rows"] if r["result"] == "no data"]
    (spiral, *_) = (r for r in absent if r["benchmark"] == "spiral-bench")
    assert spiral["largest"] is None and spiral["n"] == 0
    assert spiral["notes"][:2] == [
        "to have it: git clone https://github.com/sam-paech/spiral-bench && "
        "git -C spiral-bench checkout 6b990fa74e7d208d4b19d74a25be94ab8b67dcfe && "
        "bench reproduce spiral-bench --data .",
        "to have its questions: bench data fetch spiral-bench",
    ]


MUTANTS: dict[str, tuple[str, Any, str, object]] = {
    "the anchor of Creative Writing v3": ("creative-writing-v3", v3, "_ANCHORS",
                                          {"DeepSeek-R1": 1400.0, "llama-3.2-1b-instruct": 200.0}),
    "a cap of Spiral-Bench": ("spiral-bench", scoring, "CAPS", {**scoring.CAPS, "pushback": 2.0}),
    "a weight of Spiral-Bench": ("spiral-bench", scoring, "WEIGHTS", {"off_rails": 2.0}),
    "an EQ's standard deviation": ("seceu", norms, "EQ_SD", 16.0),
}  # fmt: skip
WITH_DATA: dict[str, tuple[str, Any, str, object]] = {
    "the weight of EQ-Bench v2's penalties": ("eqbench-v2", eqbench_v2, "WEIGHT", 0.75),
    "the middle of its curve": ("eqbench-v2", eqbench_v2, "MIDDLE", 4.1),
    "the landmarks of calibration": ("judgemark", separation, "LANDMARKS", (0, 3, 5, 7, 9)),
    "the 99 % of Judgemark": ("judgemark", separation, "_Z99", 1.96),
    "the power of Longform Writing": ("longform-writing", stories, "_POWER", 1.6),
}


def turned_red(bench: Bench, mutant: tuple[str, Any, str, object], *more: object) -> bool:
    """Whether a row of the benchmark differs with a constant that is changed."""
    name, module, constant, value = mutant
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, constant, value)
        done = bench("reproduce", name, *more, "--json")
    results = [r["result"] for r in done.json["rows"]]
    assert done.code == ("DIFFERS" in results)
    return "DIFFERS" in results


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_wrong_constant_turns_a_row_red(bench: Bench, mutant: Any) -> None:
    """From the numbers in the package alone; the exit code is 1."""
    assert turned_red(bench, mutant)


@needs_data
@pytest.mark.parametrize("mutant", WITH_DATA.values(), ids=WITH_DATA)
def test_a_wrong_constant_turns_a_row_with_data_red(
    bench: Bench, mutant: Any, tmp_path: Path
) -> None:
    """From one file of each source, and the official packs."""
    assert turned_red(bench, mutant, "--data", one_file_of(mutant[0], tmp_path))


FIRST = {
    "eqbench-v2": ("results/gpt-4-0613.json.gz", 0),
    "longform-writing": ("results/claude-opus-4.html.gz", 1),
    "judgemark": ("stats/claude-3-5-haiku-20241022.json.gz", 1),
}


def one_file_of(name: str, folder: Path) -> Path:
    """A folder of data with one result file of a source and all of its pack."""
    place, (path, root) = "judgemark-v2" if name == "judgemark" else name, FIRST[name]
    home = folder / place
    (home / path).parent.mkdir(parents=True)
    (home / path).symlink_to(DATA[root] / place / path)
    for data in DATA:
        for file in (data / place).rglob("*"):
            target = home / file.relative_to(data / place)
            if file.is_file() and target.parent.name not in ("results", "stats"):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(file)
    return folder


@needs_data
def test_the_stored_rows_are_those_that_come_out(bench: Bench) -> None:
    """All of them, on the whole of the data."""
    folders = [word for folder in DATA for word in ("--data", folder)]
    done = bench("reproduce", *folders, "--json")
    assert done.code == 0
    assert done.json["rows"] == json.loads(STORED.read_text("utf-8"))["rows"]


def stored() -> list[ReproducedRow]:
    """The rows as they came out last."""
    return [ReproducedRow(**one) for one in json.loads(STORED.read_text("utf-8"))["rows"]]


def test_the_readme_has_the_stored_rows() -> None:
    """Between its two lines, to the letter."""
    _, _, rest = README.read_text("utf-8").partition(START)
    table, end, _ = rest.partition(END)
    assert end and table.strip() == as_markdown(stored()).strip()


def test_a_site_shows_the_rows_of_its_benchmarks() -> None:
    """And no page where there are none."""
    documents: Any = [{"benchmark": "seceu"}, {"benchmark": "both-sides"}]
    tables = page(documents)
    assert tables and [cells[0] for cells in tables[0].rows] == ["seceu"]
    assert page(documents[1:]) is None


def test_a_file_has_the_table_in_its_place(bench: Bench) -> None:
    """What stands around the two lines stays; a new file is the table alone, JSON the document."""
    Path("README.md").write_text(f"Before\n{START}old\n{END}after\n", "utf-8")
    out = ("-o", "README.md", "-o", "new.md", "-o", "rows.json")
    rows = bench("reproduce", "seceu", *out, "--json").json
    table = Path("new.md").read_text("utf-8")
    assert table.startswith("| benchmark |") and "| seceu |" in table
    assert Path("README.md").read_text("utf-8") == f"Before\n{START}\n{table}\n{END}after\n"
    assert json.loads(Path("rows.json").read_text("utf-8")) == rows


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nosuch",), "'nosuch' is no benchmark; bench list names them"),
        (("both-sides",), "of both-sides no published number can be computed again"),
        (("seceu", "-o", "table.txt"), "-o table.txt: name a file that ends in .md or .json"),
    ],
)
def test_what_cannot_be_done_is_refused(bench: Bench, words: tuple[str, ...], message: str) -> None:
    """With what to do instead."""
    done = bench("reproduce", *words)
    assert done.code == 2 and message in done.err


def test_pages_are_read_as_they_are_upstream(tmp_path: Path) -> None:
    """Pieces with title, iteration and numbers, stories with replies, verdicts and averages."""
    piece = (
        '<div class="prompt-container"><div class="prompt-header"><span>+</span>\n'
        "   Romance &amp; Co: A Well — Score: 70.2\n</div>"
        "<strong>Model Output:</strong><br>Once &lt;b&gt;.\n </div>"
        "<strong>Judge Evaluation:</strong><br>Wit: 14</div></div>"
    )
    html = f'<div class="iteration-container">Iteration 2 — Avg Score: 79.7{piece}</div>'
    path = tmp_path / "m.html"
    path.write_text(html, "utf-8")
    assert read_pieces(path) == [("Romance & Co: A Well", 2, "Once <b>.", "Wit: 14", 70.2, 79.7)]
    story = (
        "<div class=\"iteration-container\">toggle('iteration-1-7')"
        "(Chapter Avg: 71.5 | Final: 60.1)<strong>Model Output:</strong><br>Plan</div>"
        "<strong>Judge Response:</strong><br>Wit: 3</div>"
        "<strong>Judge Response (First Entry):</strong><br>Wit: 4<div class=''>"
    )
    path.write_text(story, "utf-8")
    assert read_stories(path) == [("7", ["Plan"], ["Wit: 3", "Wit: 4"], 71.5, 60.1)]
    for text in (story, "nothing"):
        path.write_text(text, "utf-8")
        with pytest.raises(eibench.DataError, match=r"is no page of Creative Writing v3"):
            read_pieces(path)
    for text in (html, "nothing"):
        path.write_text(text, "utf-8")
        with pytest.raises(eibench.DataError, match=r"is no page of Longform Writing"):
            read_stories(path)


def test_answers_are_read_as_they_are_upstream(tmp_path: Path) -> None:
    """Upstream's own file says the same as a digest of it; another form is refused."""
    ratings = {"1": {"first_pass": {"Joy": "3"}, "revised": {}}}
    iteration = {"raw_inference": {"1": "Joy: 3"}, "respondent_answers": ratings}
    path = tmp_path / "a.json"
    for names in (("model", "published_score", "iterations"),
                  ("model_path", "benchmark_score", "raw_results")):  # fmt: skip
        values = dict(zip(names, ("m", 61.5, {"1": iteration}), strict=True))
        path.write_text(json.dumps({**values, "n_questions_parseable": 1.0}), "utf-8")
        answers = read_answers(path)
        assert (answers.model, answers.score, answers.readable) == ("m", 61.5, 1)
        assert (answers.replies, answers.revise) == ({"1": "Joy: 3"}, False)
    path.write_text("{}", "utf-8")
    with pytest.raises(eibench.DataError, match="is no result file of one iteration"):
        read_answers(path)


def test_a_table_that_is_given_is_computed_again(bench: Bench) -> None:
    """EmotionQueen's rates, of which no file is published."""
    Path("emotionqueen").mkdir()
    rates = Path("emotionqueen", "published_rates.csv")
    for mean, code in ((85.5, 0), (86.5, 1)):
        rates.write_text(f"model,pass,win,mean\nm,90,81,{mean}\n", "utf-8")
        assert bench("reproduce", "emotionqueen", "--data", ".").code == code


def test_a_file_of_another_form_is_refused(bench: Bench) -> None:
    """With its folder and the source that it is not of."""
    Path("judgemark-v2/stats").mkdir(parents=True)
    with gzip.open("judgemark-v2/stats/a.json.gz", "wt") as file:
        file.write("{}")
    done = bench("reproduce", "judgemark", "--data", ".")
    assert done.code == 3
    assert "judgemark-v2/stats: holds files that are not as in EQ-bench/Judgemark-v2" in done.err


def test_numbers_of_a_source_are_given_its_files(tmp_path: Path) -> None:
    """Those of the first pattern that matches, under a name for it, its own, or at the top."""
    taken: list[list[str]] = []

    def numbers(data: PublishedData) -> list[PublishedNumber]:
        taken.append([path.name for path in data.files])
        return [PublishedNumber("a", 1, 1)]

    facts: dict[str, Any] = {"files": ("b/*.json", "*.json"), "folder": "mine"}
    for folder in ("mine", "results", "."):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "x.json").touch()
        found = computed("x", PublishedRow("a", SOURCE, 0, numbers, **facts), [tmp_path])
        assert found.result == "comes out"
        (tmp_path / folder / "x.json").unlink()
    assert taken == [["x.json"]] * 3
