"""`bench correlate`: from files, from runs, and what it refuses."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from eibench.core.journal import Journal
from eibench.core.parties.party import Party
from eibench.data import folder

Bench = Callable[..., Any]
FACTS = folder("eqbench_v1")
TABLES_3_AND_4 = FACTS / "published_other_benchmarks.csv"
TABLE_5 = FACTS / "published_seceu_comparison.csv"
SCORES = "model,a,b,c,how\nx,1,2,5,direct\ny,2,4,5,direct\nz,3,5,5,prompted\nw,4,,5,direct\n"
PACK = {"name": "official", "sha256": "ab" * 32, "n_items": 4}


@pytest.fixture
def scores() -> Path:
    """A small file of scores."""
    path = Path("scores.csv")
    path.write_text(SCORES)
    return path


def add_run(benchmark: str, name: str, value: float | None, **changes: Any) -> str:
    """Put a finished run with a result into the journal; its id."""
    settings = {"system": changes.pop("system", None)}
    demo, endpoint = changes.pop("demo", False), changes.pop("endpoint", None)
    with Journal(Path("runs/demo" if demo else "runs")) as journal:
        run_id = f"{len(journal.runs()) + 1:08x}"
        result: Any = {
            **document(benchmark, name, value),
            "run_id": run_id,
            "demo": demo,
            **changes,
        }
        run = journal.add_run(
            run_id=run_id,
            identity=f"{run_id:0>32}",
            ordinal=1,
            benchmark=benchmark,
            benchmark_version=result.get("benchmark_version", "1"),
            model=f"openai/{name}",
            name=name,
            demo=demo,
            pack_name="official",
            pack_sha256="ab" * 32,
            endpoint=endpoint,
            settings=settings,
        )
        journal.end_run(run, result["status"], seconds=1, finished=True, document=result)
    return run_id


def document(benchmark: str, name: str, value: float | None) -> dict[str, Any]:
    """What is read of a result document (docs/results.md)."""
    higher = benchmark != "distances"
    metric = {"value": value, "ci95": None, "n": 4, "higher_is_better": higher}
    return {
        "benchmark": benchmark,
        "benchmark_version": "1",
        "name": name,
        "status": "complete",
        "invalid": None,
        "judge": None,
        "judge_endpoint": None,
        "judged_by": None,
        "options": {"parser": "strict"},
        "sampling": {"temperature": 0.01},
        "dataset": PACK,
        "iterations": 1,
        "metrics": {"score": metric, "gain": {**metric, "value": 1.0}},
        "items": counts(),
        **OTHERWISE,
    }


OTHERWISE: dict[str, Any] = {
    **dict.fromkeys(("imported", "model", "endpoint", "grader")),
    "main": True,
    "not_sent": [],
    "metric_groups": {},
    "metric_notes": {},
    "flags": {},
    "conclusions": [],
    "comparability": "beside nothing",
    "metric_labels": {name: ["", ""] for name in ("score", "gain")},
    "baselines": {},
    "unscored": [],
    "failed": [],
    "calls": dict.fromkeys(("model", "judge", "replayed", "retries"), 0),
    "tokens": dict.fromkeys(("input", "cached", "output", "reasoning")),
    "cost_usd": None,
    "elapsed_s": 0,
    "notes": {},
    "comparisons": {},
    "ratings": [],
    "warnings": [],
}
"""What every result has and nothing here looks at."""


def counts(scored: int = 4, **changes: int) -> dict[str, int]:
    """Counts of samples."""
    rest = dict.fromkeys(("unscored", "failed", "truncated", "pending", "absent"), 0)
    return {"total": 4, "scored": scored, **rest, **changes}


def add_runs(benchmark: str, values: Sequence[float], **changes: Any) -> list[str]:
    """Runs of models m1, m2, ... with these scores."""
    return [add_run(benchmark, f"m{n}", v, **changes) for n, v in enumerate(values, start=1)]


# Files


def test_all_correlations_of_the_v1_paper(bench: Bench) -> None:
    """One column against all others: n and r of each, with intervals that hold the value."""
    rows = bench("correlate", TABLES_3_AND_4, "eq_bench", "--json").json["correlations"]
    # The two printed digits of Paech (2023), sections 2.4, 5.1, 5.2, and more of the tables' own.
    expected = {
        "arena_elo": (11, 0.9377),
        "mt_bench": (12, 0.9089),
        "mmlu": (16, 0.9703),
        "alpaca_eval": (8, 0.7990),
        "arc": (10, 0.8506),
        "hellaswag": (10, 0.9147),
        "truthfulqa": (11, 0.4365),
        "seceu_eq": (8, 0.2242),
    }
    assert {r["y"]: (r["n"], round(r["pearson"]["value"], 4)) for r in rows} == expected
    for row in rows:
        for name in ("pearson", "spearman"):
            low, high = row[name]["ci95"]
            assert low < row[name]["value"] < high
        assert len(row["pairs"]) == row["n"]


def test_the_odd_cell_of_the_v1_paper_is_found_and_left_out(bench: Bench) -> None:
    """The one model without which r is .9054, which the paper prints as .91."""
    words = ("correlate", TABLES_3_AND_4, "eq_bench", "alpaca_eval")
    (row,) = bench(*words, "--json").json["correlations"]
    odd = "mistralai/Mistral-7B-Instruct-v0.1"
    assert row["leave_one_out"]["high"]["without"] == odd
    (without,) = bench(*words, "--without", odd, "--json").json["correlations"]
    assert (without["n"], round(without["pearson"]["value"], 4)) == (7, 0.9054)
    assert row["leave_one_out"]["high"]["value"] == pytest.approx(without["pearson"]["value"])
    assert odd not in {pair["model"] for pair in without["pairs"]}


def test_table_2_of_the_v1_paper(bench: Bench) -> None:
    """Its ten numbers (59.48 64.71 .52 14.71 -.68; 45.75 47.44 .74 53.81 .13), from appendix D."""
    (row,) = bench("correlate", TABLE_5, "seceu_eq", "eq_bench", "--json").json["correlations"]
    names = ("mean", "median", "cv_sample", "iqr_linear", "skewness_population")
    for side, expected in {
        "x": (59.477, 64.706, 0.5238, 14.706, -0.6824),
        "y": (45.754, 47.436, 0.7415, 53.808, 0.1296),
    }.items():
        found = [row["distribution"][side][f"min_max_{name}"] for name in names]
        assert found == pytest.approx(expected, abs=5e-4)
        assert row["distribution"][side]["n"] == 9


def test_what_a_person_sees_of_one_pair(bench: Bench, snapshot: SnapshotAssertion) -> None:
    """Coefficients with intervals, the shapes, the plot, and each model's name."""
    done = bench("correlate", TABLE_5, "seceu_eq", "eq_bench")
    assert (done.code, done.err) == (0, "")
    assert done.out.replace(str(FACTS), "FACTS") == snapshot


def test_what_a_person_sees_of_all_pairs(bench: Bench, scores: Path) -> None:
    """A row for each other column of numbers, the reason where there is none, what is left out."""
    done = bench("correlate", scores, "a")
    assert done.code == 0
    (row,) = [text for text in done.out.splitlines() if text.startswith("│ b ")]
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        "b", "3", "0.9820", "–", "1.0000", "–",
    ]  # fmt: skip
    assert "c: 'c' is constant: all 4 models have 5" in done.out
    assert "left out: column 'how': scores.csv, line 2: 'direct'" in done.out


def test_pairs_are_written_and_read_again(bench: Bench, scores: Path) -> None:
    """Only scores that stand in a pair; the same correlations come from the file."""
    done = bench("correlate", scores, "a", "b", "c", "-o", "pairs.csv", "--json")
    assert "the pairs are in pairs.csv" in done.err
    assert Path("pairs.csv").read_text() == "model,a,b,c\nx,1,2,5\ny,2,4,5\nz,3,5,5\nw,4,,5\n"
    again = bench("correlate", "pairs.csv", "a", "b", "c", "--json")
    assert again.json["correlations"] == done.json["correlations"]
    bench("correlate", scores, "b", "a", "-o", "pairs.csv")
    assert Path("pairs.csv").read_text() == "model,b,a\nx,2,1\ny,4,2\nz,5,3\n"


def test_hostile_names_are_harmless(bench: Bench) -> None:
    """In the terminal, in JSON, and in the file that is written."""
    name, column = "=cmd|' /C calc'!A1\x1b[2J[bold]", "@a\u202e"
    with Path("evil.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [["model", column, "b"], [name, 1, 2], ["y", 2, 1], ["z\x1b]0;t\x07", 3, 5]]
        )
    done = bench("correlate", "evil.csv", column, "b", "-o", "out.csv")
    text = done.out + done.err + Path("out.csv").read_text()
    assert done.code == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "[bold]" in done.out
    with Path("out.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+-@"]
    printed = bench("correlate", "evil.csv", column, "b", "--json")
    assert not {"\x1b", "\x07", "\u202e"} & set(printed.out)
    assert printed.json["correlations"][0]["x"] == column


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("none.csv", "a", "b"), 3, "none.csv: no such file"),
        (("scores.csv",), 2, "name a column of scores.csv: a, b, c, how"),
        (("scores.csv", "A", "b"), 2, "scores.csv has no column 'A'; did you mean a?"),
        (("scores.csv", "a", "hwo"), 2, "has no column 'hwo'; did you mean how? (its columns: a, "),
        (("scores.csv", "a", "how"), 3, "scores.csv, line 2: 'direct' in column 'how' is no numbe"),
        (("scores.csv", "a", "a"), 2, "'a' is named twice"),
        (("scores.csv", "a", "c"), 3, "scores.csv: 'c' is constant: all 4 models have 5"),
        (("scores.csv", "c", "a"), 3, "scores.csv: 'c' is constant: all 4 models have 5"),
        (("scores.csv", "a", "b", "--without", "x"), 3, "only 2 models have both 'a' and 'b'; a c"),
        (("scores.csv", "a", "b", "--without", "X"), 2, "no such model; did you mean x?"),
        (("scores.csv", "a", "b", "-o", "scores.csv"), 2, "is the file that is read"),
        (("scores.csv", "a", "b", "-o", "./x.txt"), 2, "name a file that ends in .csv"),
        (("scores.csv", "a", "b", "-o", "no/x.csv"), 3, "no/x.csv: cannot be written"),
        (("scores.csv", "a", "b", "--dataset", "official"), 2, "--dataset chooses among runs"),
        (("scores.csv", "a", "b", "--judge", "demo/judge"), 2, "--judge chooses among runs"),
        (("scores.csv", "a", "b", "--run", "7a"), 2, "--run chooses among runs"),
        (("twice.csv", "a", "b"), 3, "twice.csv, line 4: 'x' stands on line 2 already"),
        (("ragged.csv", "a", "b"), 3, "ragged.csv, line 3: has 2 cells where the heading has 3"),
        (("one.csv", "a"), 2, "there is nothing but 'a'"),
        (("eqbench-v1",), 4, "no runs in runs"),
        (("scroes", "a"), 2, "'scroes' is neither a file nor a benchmark"),
        ((), 2, "Missing argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)  # fmt: skip
def test_what_cannot_be_is_one_line(
    bench: Bench, scores: Path, args: tuple[str, ...], code: int, message: str
) -> None:
    """With the file and line, the nearest name, or the reason; nothing is printed or written."""
    Path("twice.csv").write_text("model,a,b\nx,1,2\ny,2,3\nx,3,4\n")
    Path("ragged.csv").write_text("model,a,b\nx,1,2\ny,2\n")
    Path("one.csv").write_text("model,a\nx,1\ny,2\nz,4\n")
    before = {path: path.read_text() for path in Path().glob("*")}
    done = bench("correlate", *args)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1), done.err
    assert message in done.err
    assert {path: path.read_text() for path in Path().glob("*")} == before


def test_settings_for_new_runs_do_not_choose_among_old_ones(bench: Bench, scores: Path) -> None:
    """A dataset and a judge in bench.toml or the environment are wishes for bench run."""
    Path("bench.toml").write_text('[run]\ndataset = "bundled"\njudge = "openai/judge"\n')
    assert bench("correlate", scores, "a", "b", env={"BENCH_JUDGE": "openai/j"}).code == 0


# Runs


def test_benchmarks_are_correlated_over_models_of_one_name(bench: Bench) -> None:
    """Main metrics by default; a model without both is in no pair."""
    add_runs("feelings", [10, 20, 40, 30])
    add_runs("distances", [3.0, 2.5, 1.0])
    found = bench("correlate", "feelings", "distances", "--json").json
    (row,) = found["correlations"]
    assert [(p["model"], p["x"], p["y"]) for p in row["pairs"]] == [
        ("m1", 10, 3.0),
        ("m2", 20, 2.5),
        ("m3", 40, 1.0),
    ]
    # By hand: deviations -40/3 -10/3 50/3 and 5/6 1/3 -7/6: -95/3 / sqrt(1400/3 * 13/6).
    assert row["pearson"]["value"] == pytest.approx(-95 / 3 / (1400 / 3 * 13 / 6) ** 0.5)
    assert found["source"] == "runs in runs"
    assert found["warnings"] == ["distances: the lower score the better"]
    assert found["demo"] is False


def test_a_metric_without_a_better_end_is_not_called_the_lower_the_better(bench: Bench) -> None:
    """Such as a share that only describes."""
    add_runs("feelings", [10, 20, 40, 30])
    metric = {"ci95": None, "n": 4, "higher_is_better": None}
    for n in (1, 2, 3):
        add_run("shares", f"m{n}", None, metrics={"score": {**metric, "value": n}})
    assert bench("correlate", "feelings", "shares", "--json").json["warnings"] == []


def test_another_metric_is_named_after_a_colon(bench: Bench) -> None:
    """An unknown one is refused with those that there are."""
    for n in (1, 2, 3):
        extra = document("feelings", f"m{n}", 10.0 * n)["metrics"]
        extra["gain"]["value"] = n**2
        add_run("feelings", f"m{n}", 10.0 * n, metrics=extra)
    (row,) = bench("correlate", "feelings", "feelings:gain", "--json").json["correlations"]
    assert [(p["x"], p["y"]) for p in row["pairs"]] == [(10, 1), (20, 4), (30, 9)]
    done = bench("correlate", "feelings", "feelings:gian")
    assert done.code == 2
    assert "feelings has no metric 'gian'; there are: score, gain" in done.err


def test_one_benchmark_alone_meets_all_others_that_have_runs(bench: Bench) -> None:
    """In the order of the runs; a benchmark without runs is refused with the nearest."""
    add_runs("feelings", [1, 2, 4])
    add_runs("events", [1, 3, 4])
    add_runs("distances", [9, 5, 6])
    found = bench("correlate", "feelings", "--json").json["correlations"]
    assert [(row["x"], row["y"]) for row in found] == [
        ("feelings", "events"),
        ("feelings", "distances"),
    ]
    done = bench("correlate", "feeling", "events")
    assert done.code == 2
    assert "no runs of 'feeling' in runs; did you mean feelings? (there are runs of: " in done.err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dataset": {**PACK, "name": "bundled", "sha256": "cd" * 32}}, "pack official (abababab"),
        ({"judged_by": Party.of("openai/other").as_json()}, "judge openai/judge: runs 00000001"),
        (
            {"judged_by": Party.of("openai/judge", "10.0.0.1:80").as_json()},
            "judge openai/judge at 10.0.0.1:80: run 00000004",
        ),
        ({"options": {"parser": "reference"}}, "option parser strict: runs 00000001"),
        ({"benchmark_version": "2"}, "version 1: runs 00000001"),
        ({"sampling": {"temperature": 0.7}}, "temperature 0.01: runs 00000001"),
        ({"sampling": {}}, "temperature not set: run 00000004"),
        ({"system": "Be warm."}, "system prompt none: runs 00000001, 00000002, 00000003; system"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_never_mixes_is_refused(bench: Bench, change: dict[str, Any], message: str) -> None:
    """The message says what differs, which runs are which, and how to choose."""
    judge = {"judge": "openai/judge", "judged_by": Party.of("openai/judge").as_json()}
    add_runs("feelings", [1, 2, 4], **judge)
    add_runs("events", [1, 3, 4, 5])
    odd = add_run("feelings", "m4", 5, **{**judge, **change})
    done = bench("correlate", "feelings", "events")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "results of feelings that cannot be combined: " in done.err
    assert message.replace("00000004", odd) in done.err
    assert "choose with --dataset, --judge or --run" in done.err


def test_seeds_do_not_part_results(bench: Bench) -> None:
    """A seed repeats what the protocol would give anyway."""
    add_runs("feelings", [1, 2])
    add_run("feelings", "m3", 4, sampling={"temperature": 0.01, "seed": 7})
    add_runs("events", [1, 3, 4])
    (row,) = bench("correlate", "feelings", "events", "--json").json["correlations"]
    assert row["n"] == 3


def test_a_pack_or_a_judge_is_chosen(bench: Bench) -> None:
    """By the pack's name or its SHA-256, by the judge's spec; what has no judge stays."""
    other = {**PACK, "name": "bundled", "sha256": "cd" * 32}
    add_runs("feelings", [1, 2, 4])
    add_runs("feelings", [7, 9, 8, 6], dataset=other)
    for spec, values in {"openai/a": [1, 2, 3], "openai/b": [3, 1, 2]}.items():
        add_runs("events", values, judge=spec, judged_by=Party.of(spec).as_json())
    judge = ("--judge", "openai/b")
    for wanted in ("official", "ababab"):
        found = bench("correlate", "feelings", "events", "--dataset", wanted, *judge, "--json").json
        assert [(p["x"], p["y"]) for p in found["correlations"][0]["pairs"]] == [
            (1, 3), (2, 1), (4, 2),
        ]  # fmt: skip
    assert found["left_out"] == [
        "feelings: 4 of 7 results, of another pack or judge",
        "events: 3 of 6 results, of another pack or judge",
    ]
    for wanted in ("none", "ab"):  # too few digits could be anyone's
        done = bench("correlate", "feelings", "events", "--dataset", wanted, *judge)
        assert done.code == 3
        assert "only 0 models have both" in done.err
    assert "left out: feelings: 7 of 7 results" in done.err


def test_runs_are_chosen_by_their_ids(bench: Bench) -> None:
    """Only these count, so what is not named cannot be mixed in."""
    other = {**PACK, "name": "bundled", "sha256": "cd" * 32}
    ids = add_runs("feelings", [1, 2, 4]) + add_runs("events", [1, 3, 2])
    add_runs("feelings", [7, 9, 8], dataset=other)
    chosen = [word for run_id in ids for word in ("--run", run_id)]
    found = bench("correlate", "feelings", "events", *chosen, "--json").json
    assert [p["x"] for p in found["correlations"][0]["pairs"]] == [1, 2, 4]
    assert bench("correlate", "feelings", "events", "--run", "zz").code == 2


def test_of_several_runs_of_a_model_the_latest_whole_one_counts(bench: Bench) -> None:
    """The others are told; a partial one counts only where there is no whole one."""
    add_runs("feelings", [1, 2, 4])
    later = add_run("feelings", "m1", 3)
    partial = add_run("feelings", "m1", 9, status="incomplete", items=counts(3, failed=1))
    add_runs("events", [1, 2, 3])
    found = bench("correlate", "feelings", "events", "--json").json
    assert [p["x"] for p in found["correlations"][0]["pairs"]] == [3, 2, 4]
    (message,) = found["warnings"]
    assert f"run {later} counts, not 00000001, {partial}" in message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"items": counts(3, failed=1), "status": "incomplete"}, "3 of 4"),
        ({"items": counts(2, pending=2), "status": "interrupted"}, "2 of 4"),
        ({"items": {**counts(2), "total": 2}}, "2 of 4"),
        ({"iterations": 2}, "4 of 8"),
    ],
    ids=["failed", "interrupted", "limit", "iterations"],
)
def test_partial_runs_count_and_are_flagged(
    bench: Bench, change: dict[str, Any], message: str
) -> None:
    """On the screen, in JSON and in the file; unread answers alone make nothing partial."""
    add_runs("feelings", [1, 2], items=counts(3, unscored=1))
    add_run("feelings", "m3", 4, **change)
    add_runs("events", [1, 3, 2])
    done = bench("correlate", "feelings", "events", "-o", "pairs.csv", "--json")
    flags = [pair["flags"] for pair in done.json["correlations"][0]["pairs"]]
    assert flags == [[], [], [f"feelings partial ({message} samples)"]]
    assert (
        f"m3  feelings partial ({message} samples)" in bench("correlate", "feelings", "events").out
    )
    written = Path("pairs.csv").read_text()
    assert written == (
        f"model,feelings,events,flags\nm1,1,1,\nm2,2,3,\nm3,4,2,"
        f"feelings partial ({message} samples)\n"
    )


def test_what_has_no_score_is_left_out_and_told(bench: Bench) -> None:
    """A failed validity rule, no value, and no result."""
    add_runs("feelings", [1, 2, 4])
    invalid = add_run("feelings", "m4", 50, status="fail", invalid="only 3 of 4 could be read")
    empty = add_run("feelings", "m5", None)
    with Journal(Path("runs")) as journal:
        run = journal.find_run(empty)
        assert run is not None
        columns = {n: getattr(run, n) for n in ("benchmark", "benchmark_version", "model", "demo",
                   "pack_name", "pack_sha256", "endpoint", "settings")}  # fmt: skip
        journal.add_run(run_id="00ff", identity="0" * 32, ordinal=1, name="m6", **columns)
    add_runs("events", [1, 3, 2, 4, 5, 6])
    found = bench("correlate", "feelings", "events", "--json").json
    assert found["correlations"][0]["n"] == 3
    assert sorted(found["left_out"]) == sorted(
        [
            f"run {invalid} (feelings, m4): FAIL: only 3 of 4 could be read",
            f"run {empty} (feelings, m5): score has no value",
            "run 00ff (feelings, m6): no result yet",
        ]
    )
    assert (
        "left out: run 00ff (feelings, m6): no result yet"
        in bench("correlate", "feelings", "events").out
    )


def test_demo_runs_are_marked(bench: Bench) -> None:
    """In the title, beside each name, in JSON and in the file."""
    for model in ("weak", "medium", "strong"):
        bench("run", "eqbench-v1", "--model", f"demo/{model}", "--limit", 3)
    words = ("correlate", "eqbench-v1:first_pass", "eqbench-v1:revised")
    found = bench(*words, "-o", "pairs.csv", "--json").json
    assert found["demo"] is True
    (row,) = found["correlations"]
    assert row["n"] == 3
    assert all(pair["flags"][0] == "DEMO" for pair in row["pairs"])
    out = bench(*words).out
    assert out.splitlines()[0].endswith("DEMO")
    assert out.count("DEMO") == 4
    assert Path("pairs.csv").read_text().count("DEMO") == 3


def test_demo_runs_stand_apart(bench: Bench) -> None:
    """They are meant with --demo, or where they are named."""
    for benchmark in ("feelings", "events"):
        add_runs(benchmark, (1, 2, 4))
        for n in range(4):
            add_run(benchmark, f"demo/{n}", 2.0**n, demo=True)
    words = ("correlate", "feelings:score", "events:score", "--json")
    plain = bench(*words).json
    assert (plain["correlations"][0]["n"], plain["demo"]) == (3, False)
    demo = bench(*words, "--demo").json
    assert (demo["correlations"][0]["n"], demo["demo"], demo["left_out"]) == (4, True, [])
    named = [part for n in range(4) for part in ("--run", f"demo/{n}")]
    assert bench(*words, *named).json["correlations"] == demo["correlations"]


def test_demo_models_of_a_file_are_rows_like_others(bench: Bench, scores: Path) -> None:
    """--demo chooses among runs."""
    done = bench("correlate", scores, "a", "b", "--demo")
    assert done.code == 2
    assert "--demo chooses among runs" in done.err
