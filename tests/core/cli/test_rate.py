"""`bench rate`: ratings from a file of comparisons."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import Comparison
from eibench.core.ratings.reading import comparison_lines
from eibench.testing import Tournament

Bench = Callable[..., Any]


@pytest.fixture(scope="module")
def tournament() -> Tournament:
    """Six models, a unit of ability apart."""
    return Tournament([float(i) for i in range(6)], seed=2)


@pytest.fixture
def played(empty_place: Path, tournament: Tournament) -> Path:
    """300 items in both orders."""
    return write("played.jsonl", list(tournament.rows(tournament.random_calls(300))))


def write(name: str, rows: list[Comparison]) -> Path:
    """A file of comparisons in the working directory."""
    path = Path(name)
    path.write_bytes(b"".join(comparison_lines(rows)))
    return path


ANCHORS = ("--anchor", "model-5=1500", "--anchor", "model-0=200")


def test_the_document_has_the_ratings_the_best_first(bench: Bench, played: Path) -> None:
    """In the form of the design, with finite numbers only."""
    done = bench("rate", played, *ANCHORS, "--json")
    document = done.json
    assert (done.code, done.err) == (0, "")
    assert document["engine"] == "glicko2"
    assert [row["model"] for row in document["ratings"]] == [f"model-{i}" for i in range(5, -1, -1)]
    best = document["ratings"][0]
    assert (best["rating"], best["ci95"], best["rank"]) == (1500, None, 1)
    assert document["anchors"] == [
        {"model": "model-5", "rating": 1500}, {"model": "model-0", "rating": 200},
    ]  # fmt: skip
    middle = document["ratings"][3]
    assert middle["ci95"][0] < middle["rating"] < middle["ci95"][1]
    assert document["demo"] is False


def test_the_table_shows_what_the_document_says(bench: Bench, played: Path) -> None:
    """Rank, interval, ties, and what the scale stands on."""
    done = bench("rate", played, *ANCHORS)
    assert (done.code, done.err) == (0, "")
    for text in ("95 % interval", "rank alone", "tied with", "comparisons", "26 families"):
        assert text in done.out
    assert "anchored: model-5 = 1500, model-0 = 200" in done.out


def test_without_anchors_there_is_a_warning(bench: Bench, played: Path) -> None:
    """In the table and in the document; no error."""
    done = bench("rate", played)
    assert done.code == 0
    assert "warning: ratings are around 1500, on a scale of this board alone" in done.out
    warnings = bench("rate", played, "--json").json["warnings"]
    assert warnings[-1] == (
        "ratings are around 1500, on a scale of this board alone: no anchors are given"
    )


@pytest.mark.parametrize("engine", ["glicko2", "fractional-logit", "trueskill"])
def test_each_engine_finds_the_order(bench: Bench, played: Path, engine: str) -> None:
    """It is as clear as can be."""
    document = bench("rate", played, "--engine", engine, "--json").json
    assert document["engine"] == engine
    assert document["ratings"][0]["model"] == "model-5"
    assert [row["rank"] for row in document["ratings"]] == [1, 2, 3, 4, 5, 6]


def test_length_adjusted_ratings_stand_beside_the_default(bench: Bench, played: Path) -> None:
    """Where all lengths are known; else there is no such column, and that is said."""
    assert "length adjusted" in bench("rate", played).out
    row = bench("rate", played, "--json").json["ratings"][0]
    assert row["ci95_length_adjusted"][0] < row["rating_length_adjusted"]
    rows = [json.loads(line) for line in played.read_text().splitlines()]
    for row in rows:
        row.pop("len_a")
    Path("short.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert "length adjusted" not in bench("rate", "short.jsonl").out
    row = bench("rate", "short.jsonl", "--json").json["ratings"][0]
    assert row["rating_length_adjusted"] is None


def test_a_packed_file_is_rated_alike(bench: Bench, played: Path) -> None:
    """Gzip."""
    Path("played.jsonl.gz").write_bytes(gzip.compress(played.read_bytes()))
    assert bench("rate", "played.jsonl.gz", "--json").json == bench("rate", played, "--json").json


def test_lines_in_another_order_print_the_same(bench: Bench, played: Path) -> None:
    """To the last digit."""
    lines = played.read_text().splitlines()
    Path("sorted.jsonl").write_text("\n".join(sorted(lines)))
    assert bench("rate", "sorted.jsonl", "--json").out == bench("rate", played, "--json").out


def test_a_bad_line_is_one_line_with_its_number(bench: Bench, played: Path) -> None:
    """Exit 3 and no table."""
    with played.open("a") as file:
        file.write('{"item": "1", "a": "x"}\n')
    done = bench("rate", played)
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    number = len(played.read_text().splitlines())
    assert done.err.startswith(f"Error: played.jsonl, line {number}: needs")


def test_repeats_are_an_error(bench: Bench, played: Path) -> None:
    """With both lines."""
    text = played.read_text()
    Path("twice.jsonl").write_text(text + text.splitlines()[0] + "\n")
    done = bench("rate", "twice.jsonl")
    assert done.code == 3
    assert "as in line 1; take one of the two out" in done.err


def test_judges_are_rated_apart(bench: Bench, empty_place: Path, tournament: Tournament) -> None:
    """Two in one file: choose."""
    rows = list(tournament.rows(tournament.random_calls(60)))
    path = write("two.jsonl", [*rows, *(row._replace(judge="other") for row in rows[:40])])
    done = bench("rate", path)
    assert done.code == 2
    assert "comparisons by 2 judges never meet in one rating" in done.err
    assert bench("rate", path, "--judge", "other").code == 0


def test_one_order_is_enough_for_the_default_engine(
    bench: Bench, empty_place: Path, tournament: Tournament
) -> None:
    """It estimates what the place is worth."""
    rows = list(tournament.rows(tournament.random_calls(200, orders="one")))
    document = bench("rate", write("one.jsonl", rows), "--json").json
    assert document["engine"] == "glicko2"
    assert document["diagnostics"]["position"]["standard_error"] > 0
    assert all(row["ci95"] for row in document["ratings"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--anchor", "model-5"), "give MODEL=RATING, such as o3=1500"),
        (("--anchor", "model-5=high"), "give MODEL=RATING, such as o3=1500"),
        (("--anchor", "model-5=nan"), "give MODEL=RATING, such as o3=1500"),
        (("--anchor", "=1500"), "give MODEL=RATING, such as o3=1500"),
        (("--anchor", "model-5=1500"), "a scale has two anchors, not 1"),
        (("--engine", "glicko"), "did you mean 'glicko2'?"),
        (("--judge", "nobody"), "no comparison by judge 'nobody'"),
        (("--dataset", "bundled"), "--dataset is for the journal"),
        (("--benchmark", "eqbench3"), "name a benchmark, for the journal's comparisons, or a file"),
    ],
)
def test_wrong_options_are_usage_errors(
    bench: Bench, played: Path, args: tuple[str, ...], message: str
) -> None:
    """Exit 2, one line."""
    done = bench("rate", played, *args)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err


def test_a_missing_file_is_told(bench: Bench) -> None:
    """Also an empty one."""
    assert bench("rate", "none.jsonl").code == 3
    Path("empty.jsonl").write_text("")
    done = bench("rate", "empty.jsonl")
    assert (done.code, done.err) == (3, "Error: empty.jsonl: holds no comparisons\n")


def test_demo_models_are_marked(bench: Bench, empty_place: Path, tournament: Tournament) -> None:
    """Wherever one is in a rating."""
    rows = tournament.rows(tournament.random_calls(60))
    path = write("demo.jsonl", [r._replace(a=f"demo/{r.a}", b=f"demo/{r.b}") for r in rows])
    assert "ratings by glicko2  DEMO" in bench("rate", path).out
    assert bench("rate", path, "--json").json["demo"] is True


def test_names_cannot_control_the_terminal(
    bench: Bench, empty_place: Path, tournament: Tournament
) -> None:
    """A model named with an escape sequence is shown harmless."""
    rows = tournament.rows(tournament.random_calls(60))
    path = write("evil.jsonl", [r._replace(a=f"\x1b[31m{r.a}", b=f"\x1b[31m{r.b}") for r in rows])
    assert "\x1b[31m" not in bench("rate", path).out


def test_the_command_loads_no_sdk(empty_place: Path, played: Path) -> None:
    """Numpy and rich are all it needs."""
    code = (
        "import sys; from eibench.core.cli import main\n"
        f"sys.argv = ['bench', 'rate', {str(played)!r}]\n"
        "try: main()\nexcept SystemExit as end: assert not end.code\n"
        "print(*sorted({n.split('.')[0] for n in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & {"openai", "anthropic", "litellm", "glicko2"}


def test_options_of_ratings_are_the_benchmarks(bench: Bench, played: Path) -> None:
    """`--analyses` is for the journal; a file has weights in its lines."""
    done = bench("rate", played, "--analyses", "full")
    assert done.code == 2
    assert "--analyses is for the journal; in a file each comparison has its own weight" in done.err
    assert "--analyses" in bench("rate", "--help").out
    assert "--analyses" in bench("leaderboard", "--help").out


def test_one_comparison_is_no_plural(bench: Bench, empty_place: Path) -> None:
    """In the table's note."""
    shown = bench("rate", write("one.jsonl", [Comparison("i", 1, "x", "y", "a", {"c": 2})])).out
    assert "1 comparison, 1 item, 1 family\n" in shown


def test_a_file_of_demo_models_and_real_ones_is_refused(bench: Bench, empty_place: Path) -> None:
    """Unless either kind is left out; --demo chooses among runs."""
    met = ("demo/weak", "demo/strong"), ("demo/strong", "y"), ("demo/weak", "y")
    file = write("demo.jsonl", [Comparison("i", 1, a, b, "a", {"c": 2}) for a, b in met])
    refused = bench("rate", file)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "has demo models (demo/strong, demo/weak) beside real ones" in refused.err
    rated = bench("rate", file, "--without", "y", "--json").json
    assert (rated["demo"], {row["model"] for row in rated["ratings"]}) == (
        True, {"demo/strong", "demo/weak"},
    )  # fmt: skip
    refused = bench("rate", file, "--without", "y", "--demo")
    assert refused.code == 2 and "--demo chooses among runs" in refused.err


def test_ratings_are_whole_points_as_on_a_board(bench: Bench, played: Path) -> None:
    """An interval of a hundred points leaves nothing to say of their tenths."""
    rated = bench("rate", played, *ANCHORS, "--json").json["ratings"][3]
    ends = " … ".join(f"{end:.0f}" for end in rated["ci95"])
    assert (
        f"│ {rated['model']} │ {rated['rating']:>6.0f} │ {ends}"
        in bench("rate", played, *ANCHORS).out
    )
