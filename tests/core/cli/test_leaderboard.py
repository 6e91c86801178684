"""`bench leaderboard` and `bench rate --benchmark`: a benchmark's models beside each other."""

import csv
import io
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eibench import HasPublished, Pack, PackSource
from eibench.core.plugins import installed
from eibench.data import folder
from tests.core.cli.conftest import ITEMS

Bench = Callable[..., Any]
Demos = Callable[..., list[Any]]
V1 = ("run", "eqbench-v1", "--dataset", "bundled", "--limit", "6")


def eqbench3(bench: Bench, model: str, *more: object) -> Any:
    """A demo model on the first items of the bundled pack."""
    run = ("run", "eqbench3", "--dataset", "bundled", "--items", ITEMS, "--model", f"demo/{model}")
    done = bench(*run, "--json", *more)
    assert done.code == 0, done.err
    return done.json


def plain(text: str) -> str:
    """A table without what changes with the data: digests, and the exact width."""
    return re.sub(r"\([0-9a-f]{12}\)", "(digest)", text)


def test_a_board_of_three_demo_models(bench: Bench, demos: Demos, snapshot: object) -> None:
    """Ranked, with intervals and ties, every row marked partial, and DEMO above them."""
    demos()
    done = bench("leaderboard", "eqbench3", "--demo")
    assert (done.code, done.err) == (0, "")
    assert plain(done.out) == snapshot


def test_the_note_explains_what_the_table_has(bench: Bench) -> None:
    """On two items there are no intervals, and so no ranks in parentheses."""
    for model in ("weak", "strong"):
        assert bench("run", "eqbench3", "--limit", "2", "--model", f"demo/{model}").code == 0
    shown = bench("leaderboard", "eqbench3").out
    assert "an interval needs items with 8 different texts, here are 2" in shown
    assert "in parentheses" not in shown


def test_the_document_of_a_board(bench: Bench, demos: Demos) -> None:
    """As the design has it: rows with rating, metrics, items and cost."""
    documents = demos(2)
    board = bench("leaderboard", "eqbench3", "--json").json
    assert board.keys() == {
        "benchmark", "dataset", "judge", "demo", "engine", "engine_version", "anchors", "rows",
        "conclusions", "others", "warnings", "metric", "baselines", "statement",
    }  # fmt: skip
    assert board["dataset"] == documents[0]["dataset"]
    assert (board["judge"], board["engine"]) == ("demo/judge", "glicko2")
    strong, weak = board["rows"]
    assert (strong["model"], strong["rank"], weak["rank"]) == ("demo/strong", 1, 2)
    assert strong["run_id"] == documents[1]["run_id"]
    assert strong["metrics"] == documents[1]["metrics"]
    assert strong["items"] == documents[1]["items"]
    assert (board["demo"], strong["partial"], strong["cost_usd"]) == (True, True, 0.0)
    rated = documents[1]["ratings"][0]
    assert {name: strong[name] for name in rated} == rated
    assert "published" not in board


def test_a_run_without_a_rating_is_on_the_board_too(bench: Bench, demos: Demos) -> None:
    """Below those that have one."""
    demos(2)
    eqbench3(bench, "medium", "--no-elo")
    rows = bench("leaderboard", "eqbench3", "--json").json["rows"]
    assert [row["model"] for row in rows] == ["demo/strong", "demo/weak", "demo/medium"]
    assert (rows[2]["rating"], rows[2]["rank"], rows[2]["comparisons"]) == (None, None, 0)
    assert rows[2]["metrics"]["rubric_score"]["value"] is not None
    assert bench("leaderboard", "eqbench3").code == 0


def test_a_whole_run_is_not_called_partial(bench: Bench, questions: Callable[..., Path]) -> None:
    """All items, all scored; fewer are."""
    pack = questions("1,2,3")
    run = ("run", "eqbench-v1", "--dataset", pack, "--model")
    bench(*run, "demo/strong")
    bench(*run, "demo/weak", "--limit", "2")
    rows = {row["model"]: row for row in bench("leaderboard", "eqbench-v1", "--json").json["rows"]}
    assert {name: row["partial"] for name, row in rows.items()} == {
        "demo/strong": False, "demo/weak": True,
    }  # fmt: skip
    shown = bench("leaderboard", "eqbench-v1").out
    assert "demo/weak (partial)" in shown
    assert "demo/strong (partial)" not in shown


def test_an_unjudged_benchmark_has_a_board(bench: Bench) -> None:
    """By its main metric; no rating, no judge, no anchors, and of two items no rank."""
    for model in ("weak", "strong", "medium"):
        assert bench(*V1, "--model", f"demo/{model}").code == 0
    board = bench("leaderboard", "eqbench-v1", "--json").json
    assert [row["model"] for row in board["rows"]] == ["demo/strong", "demo/medium", "demo/weak"]
    assert (board["judge"], board["engine"], board["anchors"]) == (None, None, [])
    scores = [row["metrics"]["score"]["value"] for row in board["rows"]]
    assert scores == sorted(scores, reverse=True)
    shown = bench("leaderboard", "eqbench-v1").out
    assert "rating" not in shown
    rows = [line.split("│")[1].strip() for line in shown.splitlines() if line.startswith("│")]
    assert rows == ["rank", "–", "–", "–"]
    last = "DEMO: too few items for a ranking (8 different texts needed)"
    assert shown.splitlines()[-1] == board["statement"] == last


def test_rating_an_unjudged_benchmark_is_refused(bench: Bench) -> None:
    """There is nothing to rate; no traceback."""
    bench(*V1, "--model", "demo/strong")
    done = bench("rate", "--benchmark", "eqbench-v1")
    assert done.code == 2
    assert "eqbench-v1 does not compare models" in done.err
    assert "bench leaderboard eqbench-v1" in done.err


def test_the_newest_of_two_runs_counts(bench: Bench) -> None:
    """A model is on the board once."""
    bench(*V1, "--model", "demo/strong")
    bench(*V1, "--model", "demo/strong", "--fresh", "--seed", "5")
    rows = bench("leaderboard", "eqbench-v1", "--json").json["rows"]
    runs = bench("runs", "--json").json["runs"]
    assert [row["run_id"] for row in rows] == [runs[-1]["run_id"]]


def test_a_newer_trial_does_not_replace_a_whole_run(
    bench: Bench, questions: Callable[..., Path]
) -> None:
    """The newest whole run counts; a partial one only where there is no whole one."""
    run = ("run", "eqbench-v1", "--dataset", questions("1,2,3"), "--model", "demo/weak", "--json")
    trial = bench(*run, "--limit", "1", "--temperature", "0.5").json["run_id"]
    (row,) = bench("leaderboard", "eqbench-v1", "--json").json["rows"]
    assert (row["run_id"], row["partial"]) == (trial, True)
    whole = bench(*run).json["run_id"]
    bench(*run, "--limit", "2", "--temperature", "0.7")
    (row,) = bench("leaderboard", "eqbench-v1", "--json").json["rows"]
    assert (row["run_id"], row["partial"], row["changed"]) == (whole, False, None)


def test_a_partial_run_is_below_whole_ones(bench: Bench, questions: Callable[..., Path]) -> None:
    """Whatever its score, where nothing is rated; and it says how much of the pack is scored."""
    run = ("run", "eqbench-v1", "--dataset", questions("1,2,3"), "--model")
    bench(*run, "demo/weak")
    bench(*run, "demo/strong", "--limit", "1")
    rows = bench("leaderboard", "eqbench-v1", "--json").json["rows"]
    scores = {row["model"]: row["metrics"]["score"]["value"] for row in rows}
    assert scores["demo/strong"] > scores["demo/weak"]
    assert list(scores) == ["demo/weak", "demo/strong"]
    shown = bench("leaderboard", "eqbench-v1").out
    assert [m for line in shown.splitlines() for m in re.findall(r"\d/\d", line)] == ["3/3", "1/3"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--temperature", "0.5"), "temperature=0.5"),
        (("--top-p", "0.5"), "top_p=0.5"),
        (("--max-tokens", "50"), None),  # demo models are not cut off
        (("--system", "Be kind."), "own system prompt"),
        (("--extra-body", '{"top_k": 3}'), "extra_body={'top_k': 3}"),
        (("--seed", "5"), None),
    ],
)
def test_another_protocol_than_the_packs_is_marked(
    bench: Bench, given: tuple[str, ...], message: str | None
) -> None:
    """In the document, in the row and in a line below; a seed changes no protocol."""
    assert bench(*V1, "--model", "demo/strong", *given).code in {0, 1}
    (row,) = bench("leaderboard", "eqbench-v1", "--json").json["rows"]
    assert row["changed"] == message
    shown = bench("leaderboard", "eqbench-v1").out
    assert ("(changed)" in shown) == (message is not None)
    assert (f"changed: demo/strong: {message}" in shown) == (message is not None)
    (cells,) = csv.DictReader(io.StringIO(bench("leaderboard", "eqbench-v1", "--csv").out))
    assert cells["changed"] == (message or "")


def test_rating_and_rubric_score_are_of_one_run(bench: Bench, demos: Demos) -> None:
    """That whose comparisons are rated, though a newer run has another rubric score."""
    _, rated = demos(2)
    newer = eqbench3(bench, "strong", "--no-elo", "--fresh", "--temperature", "0.1")
    assert newer["run_id"] != rated["run_id"]
    row = bench("leaderboard", "eqbench3", "--json").json["rows"][0]
    assert row["rating"] == rated["ratings"][0]["rating"]
    assert (row["run_id"], row["metrics"]) == (rated["run_id"], rated["metrics"])


def test_a_trial_does_not_replace_the_rated_run(bench: Bench, empty_place: Path) -> None:
    """Of two compared runs of a model the whole one is rated and scored, in every command."""
    pack = empty_place / "pack"
    shutil.copytree(folder("eqbench3") / "bundled", pack)
    scenarios = (pack / "scenarios.toml").read_text(encoding="utf-8").split("[[scenario]]")
    (pack / "scenarios.toml").write_text("[[scenario]]".join(["", *scenarios[-9:]]), "utf-8")
    run = ("run", "eqbench3", "--dataset", pack, "--json", "--model")
    bench(*run, "demo/weak")
    rated = bench(*run, "demo/strong").json
    trial = bench(*run, "demo/strong", "--limit", "8", "--temperature", "0.1").json
    assert trial["run_id"] != rated["run_id"]
    row = bench("leaderboard", "eqbench3", "--json").json["rows"][0]
    assert (row["run_id"], row["partial"], row["changed"]) == (rated["run_id"], False, None)
    assert row["rating"] == pytest.approx(rated["ratings"][0]["rating"])
    later = bench(*run, "demo/medium").json
    assert next(r for r in later["ratings"] if r["model"] == "demo/strong")["comparisons"] == (
        row["comparisons"] * 2
    )


def test_a_rank_has_its_interval(bench: Bench, demos: Demos) -> None:
    """In the table, as in the document."""
    demos(2)
    row = bench("leaderboard", "eqbench3", "--json").json["rows"][0]
    low, high = row["rank_ci95"]
    message = f"{row['rank']}" + (f" ({low}–{high})" if low != high else "")
    assert f"│ {message} " in bench("leaderboard", "eqbench3").out


def test_a_path_that_a_run_took_names_its_board(
    bench: Bench, questions: Callable[..., Path]
) -> None:
    """By its contents, so another file with these is the same pack."""
    for pack in (questions(), questions("2", name="other.json")):
        assert bench("run", "eqbench-v1", "--dataset", pack).code == 0
    found = bench("leaderboard", "eqbench-v1", "--dataset", "other.json", "--json").json
    assert [row["model"] for row in found["rows"]] == ["demo/medium"]
    assert found["dataset"]["n_items"] == 1


def test_several_packs_are_several_boards(bench: Bench, questions: Callable[..., Path]) -> None:
    """The newest is meant; the others are named with the options that choose them."""
    bench(*V1, "--model", "demo/strong")
    bench("run", "eqbench-v1", "--dataset", questions("1,2"), "--model", "demo/weak")
    done = bench("leaderboard", "eqbench-v1", "--json").json
    assert [row["model"] for row in done["rows"]] == ["demo/weak"]
    (other,) = done["others"]
    assert other == {"options": "--dataset bundled", "dataset": "bundled", "models": 1}
    shown = bench("leaderboard", "eqbench-v1").out
    assert "1 other board: 1 model: --dataset bundled (bundled)" in shown
    old = bench("leaderboard", "eqbench-v1", *other["options"].split(), "--json").json
    assert [row["model"] for row in old["rows"]] == ["demo/strong"]
    digest = done["dataset"]["sha256"][:12]
    (row,) = bench("leaderboard", "eqbench-v1", "--dataset", digest, "--json").json["rows"]
    assert row["model"] == "demo/weak"
    done = bench("leaderboard", "eqbench-v1", "--dataset", "official")
    assert (done.code, "has no such board" in done.err) == (2, True)


def test_wishes_for_new_runs_choose_no_board(bench: Bench, empty_place: Path) -> None:
    """A judge or a dataset in the environment or in bench.toml."""
    bench(*V1, "--model", "demo/strong")
    wishes = {"BENCH_JUDGE": "openai/x", "BENCH_DATASET": "official"}
    assert bench("leaderboard", "eqbench-v1", env=wishes).code == 0
    settings = '[run]\njudge = "openai/x"\ndataset = "official"\nruns_dir = "elsewhere"\n'
    (empty_place / "bench.toml").write_text(settings)
    Path("runs").rename("elsewhere")
    done = bench("leaderboard", "eqbench-v1")
    assert done.code == 0, done.err
    assert "Error: eqbench-v1 does not" in bench("rate", "--benchmark", "eqbench-v1").err


def test_an_empty_folder_has_no_board(bench: Bench) -> None:
    """Nor has a benchmark without runs; each with what to do."""
    done = bench("leaderboard", "eqbench-v1")
    assert (done.code, "no runs in runs" in done.err) == (4, True)
    bench(*V1, "--model", "demo/strong")
    done = bench("leaderboard", "eqbench3")
    assert done.code == 2
    assert "no scored run of eqbench3 yet; start one: bench run eqbench3" in done.err


def test_csv_has_a_row_per_model_and_every_metric(bench: Bench, demos: Demos) -> None:
    """With the ends of each interval, and empty cells where there is no number."""
    demos(2)
    eqbench3(bench, "medium", "--no-elo")
    board = bench("leaderboard", "eqbench3", "--json").json
    done = bench("leaderboard", "eqbench3", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["model"] for row in rows] == ["demo/strong", "demo/weak", "demo/medium"]
    for row, message in zip(rows, board["rows"], strict=True):
        assert row["rating"] == ("" if message["rating"] is None else row["rating"])
        if message["rating"] is not None:
            assert float(row["rating"]) == pytest.approx(message["rating"])
            assert float(row["rating_low"]) == pytest.approx(message["ci95"][0])
        for name, metric in message["metrics"].items():
            found = row[name] or None
            assert (found is None) == (metric["value"] is None), name
            if found is not None:
                assert float(found) == pytest.approx(metric["value"])
        assert row["partial"] == "true"


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-2", "@sum", '=HYPERLINK("x")'])
def test_no_cell_is_a_formula(bench: Bench, name: str) -> None:
    """Whatever a model is called."""
    assert bench(*V1, "--model", "demo/strong", f"--name={name}").code == 0
    done = bench("leaderboard", "eqbench-v1", "--csv")
    (row,) = csv.DictReader(io.StringIO(done.out))
    assert not row["model"].lstrip("'").startswith(("\t",))
    assert row["model"][0] not in "=+-@"
    assert name in row["model"]


def test_a_name_with_markup_is_shown_as_it_is(bench: Bench) -> None:
    """No colour, no control character, no column more."""
    assert bench(*V1, "--model", "demo/strong", "--name", "[red]x[/red]\x1b[31m|").code == 0
    done = bench("leaderboard", "eqbench-v1")
    assert "[red]x[/red]" in done.out
    assert "\x1b" not in done.out


def test_no_published_board_stands_beside_our_pack(bench: Bench) -> None:
    """It is told, and null in the document."""
    eqbench3(bench, "strong")
    done = bench("leaderboard", "eqbench3", "--published")
    assert done.code == 0
    assert "no published board is comparable with eqbench3 on this pack" in " ".join(
        done.out.split()
    )
    assert bench("leaderboard", "eqbench3", "--published", "--json").json["published"] is None


def test_the_published_board_has_a_table_of_its_own() -> None:
    """64 models or so with their printed intervals, the best first, and whose scale it is."""
    benchmark = installed().benchmark("eqbench3")
    assert isinstance(benchmark, HasPublished)
    table = benchmark.published(Pack(PackSource("official", "0" * 64, {}), [], ""))
    assert table is not None
    assert table.columns == (
        "rank", "model", "rating there", "printed interval", "rubric (0-100)",
    )  # fmt: skip
    ratings = [float(row[2] or 0) for row in table.rows]
    assert ratings == sorted(ratings, reverse=True)
    by_model = {row[1]: row for row in table.rows}
    assert by_model["o3"][2] == 1500
    assert "llama-3.2-1b-instruct = 200" in table.note
    assert "another scale" in table.title


@pytest.fixture
def gone(bench: Bench, questions: Callable[..., Path]) -> Path:
    """A pack that was there for a run and is not any more."""
    pack = questions("1,2")
    assert bench("run", "eqbench-v1", "--dataset", pack, "--model", "demo/strong").code == 0
    pack.unlink()
    return pack


def test_a_board_whose_data_is_gone_says_so(bench: Bench, gone: Path) -> None:
    """With what to do."""
    done = bench("leaderboard", "eqbench-v1")
    assert done.code == 3
    assert "the data of run" in done.err
    assert "--dataset PATH" in done.err
    assert not gone.exists()


def test_user_anchors_come_before_the_packs(bench: Bench, demos: Demos) -> None:
    """`--anchor` twice fixes the scale; once is refused."""
    demos()
    anchors = ("--anchor", "demo/strong=1500", "--anchor", "weak=200")
    board = bench("leaderboard", "eqbench3", *anchors, "--json").json
    ratings = {row["model"]: row["rating"] for row in board["rows"]}
    assert (ratings["demo/strong"], ratings["demo/weak"]) == (1500, 200)
    assert board["anchors"] == [
        {"model": "demo/strong", "rating": 1500}, {"model": "demo/weak", "rating": 200},
    ]  # fmt: skip
    rated = bench("rate", "--benchmark", "eqbench3", *anchors, "--json").json
    assert {row["model"]: row["rating"] for row in rated["ratings"]} == ratings
    refused = bench("leaderboard", "eqbench3", "--anchor", "demo/strong=1500")
    assert refused.code == 2


@pytest.mark.parametrize("engine", ["glicko2", "fractional-logit", "trueskill"])
def test_another_engine_gives_another_scale(bench: Bench, demos: Demos, engine: str) -> None:
    """And the board says which; an unknown one is refused with those that there are."""
    demos(2)
    board = bench("leaderboard", "eqbench3", "--engine", engine, "--json").json
    assert board["engine"] == engine
    assert [row["model"] for row in board["rows"]] == ["demo/strong", "demo/weak"]
    refused = bench("leaderboard", "eqbench3", "--engine", "elo")
    assert refused.code == 2, refused.err
    assert "glicko2" in refused.err


def test_rate_takes_a_file_or_a_benchmark_and_not_both(bench: Bench) -> None:
    """Nor neither."""
    for given in ((), ("x.jsonl", "--benchmark", "eqbench3")):
        done = bench("rate", *given)
        assert (done.code, "or a file of them" in done.err) == (2, True)


def test_a_single_model_has_nothing_to_be_rated_by(bench: Bench) -> None:
    """`bench rate --benchmark` says how to get there; the board shows its rubric score."""
    eqbench3(bench, "strong")
    done = bench("rate", "--benchmark", "eqbench3")
    assert (done.code, "bench run eqbench3 on two models" in done.err) == (2, True)
    (row,) = bench("leaderboard", "eqbench3", "--json").json["rows"]
    assert (row["rating"], row["metrics"]["rubric_score"]["n"]) == (None, 9)


def test_a_run_of_another_version_is_left_out_with_a_warning(bench: Bench) -> None:
    """Its scores are of other rules."""
    for model in ("strong", "weak"):
        bench(*V1, "--model", f"demo/{model}")
    with closing(sqlite3.connect("runs/demo/bench.sqlite")) as journal, journal:
        journal.execute("UPDATE runs SET benchmark_version = '0' WHERE name = 'demo/weak'")
    board = bench("leaderboard", "eqbench-v1", "--json").json
    assert [row["model"] for row in board["rows"]] == ["demo/strong"]
    assert any("(demo/weak) is of version 0" in message for message in board["warnings"])


def test_the_document_holds_no_number_that_is_none(bench: Bench) -> None:
    """JSON without NaN, also where nothing could be rated."""
    eqbench3(bench, "strong")
    text = bench("leaderboard", "eqbench3", "--json").out
    assert json.loads(text, parse_constant=lambda name: pytest.fail(name))["rows"]


def test_a_model_that_was_compared_and_has_no_score_says_how_its_run_ended(
    bench: Bench, demos: Demos
) -> None:
    """It stands among the ratings, as its comparisons were made, and is not taken for whole."""
    first = demos(2)[0]["run_id"]
    with closing(sqlite3.connect("runs/demo/bench.sqlite")) as journal, journal:
        journal.execute(
            "DELETE FROM grades WHERE run = (SELECT n FROM runs WHERE run_id = ?)", (first,)
        )
        journal.execute("UPDATE runs SET status = 'interrupted' WHERE run_id = ?", (first,))
    assert "demo/weak (interrupted)" in bench("leaderboard", "eqbench3").out
