"""Boards from cached results: the same numbers as when every row is read, whatever changed."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eibench import Score
from eibench.core.compare.board_results import BoardResults
from eibench.core.compare.boards import Board, Boards
from eibench.core.journal import AskedParties, CachedResult, CallTotals, Failure, Journal, RunRecord
from eibench.core.journal.schema import CALLS
from eibench.core.journal.tables import quoted
from eibench.core.parties.graders import Panel
from eibench.core.parties.party import Party
from eibench.core.plugins import code_digest, installed
from eibench.core.settings.run_config import Endpoint, RunConfig, grader, with_judges
from eibench.plugins.eqbench_v1.benchmark import EQBenchV1
from tests.checksums import add_functions

Bench = Callable[..., Any]
Change = Callable[[Bench], object]
RUN = ("run", "eqbench-v1", "--dataset", "pack.json", "--model")
BOARD = ("leaderboard", "eqbench-v1", "--json")


@pytest.fixture
def board(bench: Bench, questions: Callable[..., Path]) -> Bench:
    """The board of two demo models, which somebody has looked at before."""
    questions("1,2,3")
    for model in ("weak", "strong"):
        assert bench(*RUN, f"demo/{model}").code == 0
    assert bench(*BOARD).code == 0
    assert cached() == 2
    return bench


def database(sql: str, *values: object) -> list[Any]:
    """What a program that is not ours does with the file."""
    with closing(sqlite3.connect("runs/demo/bench.sqlite")) as connection, connection:
        return connection.execute(sql, values).fetchall()


def cached() -> int:
    """How many runs have a cached result."""
    return int(database("SELECT count(*) FROM board_cache")[0][0])


@contextmanager
def stored() -> Iterator[tuple[Journal, RunRecord]]:
    """The journal with the run of the weak model."""
    with Journal(Path("runs/demo")) as journal:
        yield journal, journal.runs()[0]


def graded_anew(bench: Bench) -> None:
    """As `bench rescore` does where a reader has changed."""
    with stored() as (journal, run):
        ((by, _),) = journal.graders(run)
        journal.add_grade(run, by, "2", 1, Score({"first_pass": 1.0}))


def failed(bench: Bench) -> None:
    """A sample of a longer run that has failed."""
    with stored() as (journal, run):
        journal.add_failure(run, Failure("3", 2, "connection", "refused", 3))


def asked_further(bench: Bench) -> None:
    """A longer run that was killed after one reply."""
    with closing(sqlite3.connect("runs/demo/bench.sqlite")) as connection, connection:
        add_functions(CALLS, connection)
        columns = {name: f'"{name}"' for name in CALLS.columns} | {"iteration": "2"}
        again, names = ", ".join(columns.values()), quoted(CALLS.columns)
        connection.execute(
            f"INSERT INTO calls (run, {names}, crc) SELECT run, {again}, calls_crc({again})"
            " FROM calls WHERE run = 1 LIMIT 1"
        )


CHANGES: dict[str, Change] = {
    "a grade": graded_anew,
    "a failure": failed,
    "a reply": asked_further,
    "another iteration": lambda bench: bench(*RUN, "demo/weak", "--iterations", 2),
    "another run of the model": lambda bench: bench(*RUN, "demo/weak", "--temperature", 0.5),
    "a grade less": lambda _: database("DELETE FROM grades WHERE run = 1 AND item_id = '1'"),
    "a cost": lambda _: database("UPDATE calls SET cost_usd = 7 WHERE run = 1"),
    "another name": lambda _: database("UPDATE runs SET name = 'new' WHERE n = 1"),
    "another run's reply": lambda _: database("UPDATE calls SET run = 2 WHERE run = 1"),
    "a run less": lambda _: (
        database("PRAGMA foreign_keys = ON") or database("DELETE FROM runs WHERE n = 1")
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_shown_as_if_nothing_were_cached(board: Bench, change: Change) -> None:
    """Whoever makes it, with our program or another."""
    before = board(*BOARD).out
    change(board)
    after = board(*BOARD).out
    database("DELETE FROM board_cache")
    assert board(*BOARD).out == after != before


def test_what_is_cached_is_not_computed_again(
    board: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is a call read for it; of the one run that changed everything is."""
    summarised, totalled = list[object](), list[object]()
    summarise, call_totals = EQBenchV1.summarise, Journal.call_totals

    def counted(*given: Any) -> Any:
        summarised.append(given)
        return summarise(*given)

    def counted_totals(*given: Any) -> Iterator[CallTotals]:
        totalled.append(given)
        return call_totals(*given)

    monkeypatch.setattr(EQBenchV1, "summarise", counted)
    monkeypatch.setattr(Journal, "call_totals", counted_totals)
    board(*BOARD)
    assert (len(summarised), len(totalled)) == (0, 0)
    failed(board)
    board(*BOARD)
    assert (len(summarised), len(totalled)) == (1, 1)


def test_of_several_runs_the_newest_whole_one_counts(board: Bench) -> None:
    """Cached or not."""
    board(*RUN, "demo/weak", "--temperature", 0.5)
    board(*RUN, "demo/weak", "--temperature", 0.7, "--items", "1")
    shown = [board(*BOARD).json["rows"] for _ in range(2)]
    assert shown[0] == shown[1]
    (weak,) = (row for row in shown[0] if row["model"] == "demo/weak")
    (newest_whole,) = database("SELECT run_id FROM runs WHERE settings LIKE '%0.5%'")[0]
    assert (weak["run_id"], weak["items"]["scored"]) == (newest_whole, 3)


@pytest.mark.parametrize("name", ["grading", "version"])
def test_other_reading_is_not_mixed_with_what_is_cached(
    board: Bench, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Of a `grading` or a version that was raised: no number of before is shown."""
    monkeypatch.setattr(EQBenchV1, name, "99")
    done = board(*BOARD)
    if name == "grading":
        assert done.json["rows"] == []
        assert len(done.json["warnings"]) == 2
    else:
        assert (done.code, "no scored run" in done.err) == (2, True)


def test_each_judge_has_its_own_numbers(bench: Bench) -> None:
    """Of one run that two have graded, whoever's board is looked at first."""
    assert bench("run", "emotionqueen", "--model", "demo/medium", "--limit", 2).code == 0
    with stored() as (journal, run):
        ((own, _),) = journal.graders(run)
        other = replace(own, judge=Party.of("demo/other"))
        samples = {item: item for item, _ in journal.samples_done(run)}
        for given in list(journal.grades(run, own, samples)):
            worst = replace(given.score, values=dict.fromkeys(given.score.values, 1.0))
            journal.add_grade(run, other, given.item_id, 1, worst)
        journal.add_asked(run, AskedParties(run.run_id, "judge", Party.of("demo/other")))
    first, second = (
        {judge: judged_by(bench, judge) for judge in ("demo/judge", "demo/other")} for _ in range(2)
    )
    assert first == second
    assert first["demo/judge"] != first["demo/other"]
    assert 1.0 in first["demo/other"].values()


def test_panels_of_one_name_and_another_quorum_are_two_graders(bench: Bench) -> None:
    """Of two runs on one board, each is read by its own."""
    assert bench("run", "emotionqueen", "--model", "demo/medium", "--limit", 1).code == 0
    benchmark, judges = installed().benchmark("emotionqueen"), ("demo/a", "demo/b", "demo/c")
    with stored() as (journal, _):
        board = Board("bundled", "", None)
        results = BoardResults(Boards(journal, installed(), benchmark), board, {})
        asked = [Endpoint.of(Party.of(judge)) for judge in judges]
        plain = RunConfig(benchmark, asked[0], {o.name: o.default for o in benchmark.options})
        panels = [with_judges(replace(plain, panel=Panel((), quorum=n)), asked) for n in (1, 2)]
        assert [results._today_of(each) for each in panels] == [grader(each) for each in panels]


def judged_by(bench: Bench, judge: str) -> dict[str, float]:
    """What the board of a judge says of the one model."""
    (row,) = bench("leaderboard", "emotionqueen", "--judge", judge, "--json").json["rows"]
    return {name: metric["value"] for name, metric in row["metrics"].items()}


def test_an_imported_run_is_read_anew(board: Bench) -> None:
    """Its file brings nothing that is cached, and what it adds to a run is seen."""
    (run_id,) = database("SELECT run_id FROM runs WHERE n = 1")[0]
    board("export", run_id, "-o", "short.jsonl")
    board(*RUN, "demo/weak", "--iterations", 2)
    board("export", run_id, "-o", "long.jsonl")
    whole = board(*BOARD).json["rows"]
    for file in ("short", "long"):
        assert board("import", f"{file}.jsonl", "--runs-dir", "there").code == 0
        rows = board(*BOARD, "--runs-dir", "there").json["rows"]
        assert [row["iterations"] for row in rows] == [1 if file == "short" else 2]
    assert rows[0]["metrics"] in [row["metrics"] for row in whole]


def test_a_damaged_grade_ends_the_command_as_ever(board: Bench) -> None:
    """It is read, as it was changed."""
    database("""UPDATE grades SET "values" = '{"first_pass": 100}' WHERE run = 1""")
    done = board(*BOARD)
    assert (done.code, "does not fit its checksum" in done.err) == (4, True)


@pytest.mark.parametrize(
    "change",
    [
        "result = replace(result, '0', '1')",
        "result = 'x', crc = 7",
        "key = 'another'",
        "result = x'ff'",
        "crc = 'x'",
    ],
)
def test_what_was_changed_in_the_cache_is_computed_again(board: Bench, change: str) -> None:
    """Nobody can put a number there."""
    before = board(*BOARD).out
    database(f"UPDATE board_cache SET {change}")
    assert board(*BOARD).out == before


def test_a_result_by_a_judge_is_computed_once(bench: Bench) -> None:
    """Beside what boards keep of the run; again, after a change, from its rows."""
    run = ("run", "eqbench3", "--dataset", "bundled", "--no-elo", "--model", "demo/weak", "--limit")
    run_id = bench(*run, "2", "--json").json["run_id"]
    assert bench("leaderboard", "eqbench3", "--json").code == 0
    show = ("show", run_id, "--judge", "demo/judge", "--json")
    first = bench(*show).out
    (kept,) = database("SELECT rowid, result FROM board_cache WHERE reader = 'judge'")
    assert cached() == 2
    assert bench(*show).out == first
    assert database("SELECT rowid, result FROM board_cache WHERE reader = 'judge'") == [kept]
    assert bench(*run, "3").code == 0
    assert bench(*show).json["items"]["scored"] == 3


def test_other_code_computes_again(board: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after an update, or a change in a plugin's file."""
    keys = database("SELECT key FROM board_cache")
    monkeypatch.setattr(code_digest, "_digest", lambda: "other code")
    board(*BOARD)
    assert not {*keys} & {*database("SELECT key FROM board_cache")}


def test_code_that_is_in_no_plugins_package_caches_nothing(
    board: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing would say that it has changed."""

    class Elsewhere(EQBenchV1):
        pass

    things = {**installed().benchmarks.things, "eqbench-v1": Elsewhere()}
    monkeypatch.setattr(installed().benchmarks, "things", things)
    database("DELETE FROM board_cache")
    assert board(*BOARD).code == 0
    assert cached() == 0


def test_a_files_change_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its size or time, also deep in a package, and that of one file."""
    inner = tmp_path / "package" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "single.py").write_text("1")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(code_digest, "_packages", lambda: {"package", "single"})
    seen = set()
    for path in (tmp_path / "single.py", tmp_path / "package" / "__init__.py", inner / "prompt.md"):
        path.write_text("other text")
        seen.add(code_digest._digest.__wrapped__())
    (tmp_path / "numpy-99.dist-info").mkdir()
    assert len({*seen, code_digest._digest.__wrapped__()}) == 4


ENTRY = {1: CachedResult("key", {"document": None, "changed": None})}


def test_nothing_is_cached_of_what_may_have_changed_meanwhile(board: Bench) -> None:
    """Somebody wrote while it was computed: it may be of what was before."""
    with stored() as (journal, _), journal.caching() as computed:
        computed |= ENTRY
        database("DELETE FROM board_cache")
    assert cached() == 0
    with stored() as (journal, _), journal.caching() as computed:
        computed |= ENTRY
    assert cached() == 1


def test_a_locked_journal_is_not_waited_for(board: Bench) -> None:
    """The board is shown, and computed again the next time."""
    database("DELETE FROM board_cache")
    with closing(sqlite3.connect("runs/demo/bench.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        assert board(*BOARD).code == 0
    assert cached() == 0


def test_what_json_cannot_hold_is_not_cached(board: Bench) -> None:
    """Such as a plugin's note; the rest is."""
    database("DELETE FROM board_cache")
    with stored() as (journal, _), journal.caching() as computed:
        computed |= ENTRY
        computed[2] = CachedResult("key", {"document": object(), "changed": "\ud800"})
    assert cached() == 1
