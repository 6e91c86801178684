"""`bench export` and `bench import`: from one machine to another and back."""

import gzip
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eibench.core.journal import RunLock
from eibench.testing import LoopbackServer
from tests.checksums import bundle

Bench = Callable[..., Any]
Write = Callable[..., Path]
REPLY = (
    "First pass scores:\nAnger: 1\nRelief: 2\nHope: 3\nShame: 4\n\nCritique: none — \u2028 «é».\n\n"
    "Revised scores:\nAnger: 1\nRelief: 2\nHope: 3\nShame: 7\n\n[End of answer]"
)


def dump(folder: str) -> list[Any]:
    """All rows of all tables about demo runs."""
    with closing(sqlite3.connect(Path(folder, "demo", "bench.sqlite"))) as database:
        tables = ("runs", "calls", "grades", "failures")
        return [database.execute(f"SELECT * FROM {t} ORDER BY 1, 2, 3").fetchall() for t in tables]


@pytest.fixture
def run_ids(bench: Bench) -> list[str]:
    """Two finished demo runs in `runs`."""
    models = ("demo/medium", "demo/strong")
    command = ("run", "eqbench-v1", "--limit", 3, "--json")
    return [str(bench(*command, "--model", model).json["run_id"]) for model in models]


@pytest.mark.parametrize("file", ["runs.jsonl", "runs.jsonl.gz"])
def test_two_runs_move_and_again_change_nothing(
    bench: Bench, run_ids: list[str], file: str
) -> None:
    """The same result there, the same tables, the same files; nothing is doubled."""
    assert bench("export", *run_ids, "-o", file).code == 0
    first = bench("import", file, "--runs-dir", "there")
    assert (first.code, first.out) == (0, "")
    assert f"run {run_ids[0]} (eqbench-v1, demo/medium): new: 3 replies, 3 grades" in first.err
    assert dump("there") == dump("runs")
    second = bench("import", file, "--runs-dir", "there")
    assert second.err.count(": already there\n") == 2
    assert dump("there") == dump("runs")
    for run_id in run_ids:
        shown = [bench("show", run_id, "--json", "--runs-dir", d).json for d in ("runs", "there")]
        assert shown[0] == shown[1]
    files = [{p.name: p.read_text() for p in Path(d, "demo").glob("*.json")}
             for d in ("runs", "there")]  # fmt: skip
    assert files[0] == files[1]
    assert len(files[0]) == 2


def test_the_same_command_there_asks_nothing(bench: Bench, questions: Write) -> None:
    """A finished run of a real model prints its result, the words of its replies with it."""
    pack = questions("1,2")
    with LoopbackServer(REPLY) as server:
        command: tuple[str, ...] = (
            "run",
            "eqbench-v1",
            "--model",
            "openai/m",
            "--base-url",
            server.base_url,
        )
        command += ("--dataset", str(pack), "--yes", "--json")
        run_id = bench(*command).json["run_id"]
        sent = len(server.requests)
        bench("export", run_id, "-o", "run.gz")
        bench("import", "run.gz", "--runs-dir", "there")
        again = [bench(*command, "--runs-dir", d).json for d in ("runs", "there")]
        assert len(server.requests) == sent == 2
    assert again[0] == again[1]
    items = [bench("show", run_id, "1", "--json", "--runs-dir", d).json for d in ("runs", "there")]
    assert items[0] == items[1]
    assert items[1]["iterations"][0]["calls"][0]["text"] == REPLY
    assert bench("rescore", run_id, "--runs-dir", "there").code == 0


def test_an_unfinished_run_goes_on_there_and_comes_back(bench: Bench, questions: Write) -> None:
    """What was answered here is not asked there, and the result is the same in both places."""
    failing = iter([None, "400", "400"])
    with LoopbackServer(REPLY, faults=lambda request: next(failing, None)) as server:
        command: tuple[str, ...] = (
            "run",
            "eqbench-v1",
            "--model",
            "openai/m",
            "--base-url",
            server.base_url,
        )
        command += ("--dataset", str(questions("1,2,3")), "--concurrency", "1", "--yes", "--json")
        begun = bench(*command).json
        assert begun["items"]["failed"] == 2
        bench("export", begun["run_id"], "-o", "begun.gz")
        came = bench("import", "begun.gz", "--runs-dir", "there")
        assert "new: 1 reply, 1 grade, 2 failures" in came.err
        done = bench(*command, "--runs-dir", "there")
        assert (done.code, done.json["calls"]["replayed"]) == (0, 1)
        assert len(server.requests) == 5
        bench("export", begun["run_id"], "--runs-dir", "there", "-o", "done.gz")
        back = bench("import", "done.gz")
        assert "added: 2 replies, 2 grades, a later result" in back.err
        here = bench("show", begun["run_id"], "--json").json
        assert here == bench("show", begun["run_id"], "--json", "--runs-dir", "there").json
        assert here["items"]["scored"] == 3
        old = bench("import", "begun.gz")
        assert old.err.endswith(": already there\n")
        assert bench(*command).json["metrics"] == here["metrics"]
        assert len(server.requests) == 5


def lines_of(path: str) -> list[Any]:
    """The lines of an export."""
    return [json.loads(text) for text in Path(path).read_text().splitlines()]


def test_a_changed_reply_is_refused(bench: Bench, run_ids: list[str]) -> None:
    """Exit 3, one line, and not even the other run is imported."""
    bench("export", *run_ids, "-o", "all.jsonl")
    bench("export", run_ids[1], "-o", "one.jsonl")
    bench("import", "one.jsonl", "--runs-dir", "there")
    lines = lines_of("all.jsonl")
    call = next(row for row in lines if row.get("run") == run_ids[1] and row["kind"] == "call")
    call["text"] = "Last pass"
    Path("all.jsonl").write_text(bundle(lines))
    before = dump("there")
    done = bench("import", "all.jsonl", "--runs-dir", "there")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert (
        f"run {run_ids[1]} went on in two places (only here: call of item '1', iteration 1; "
        in done.err
    )
    assert dump("there") == before
    assert [p.name for p in Path("there/demo").glob("*.json")] == [f"demo-strong-{run_ids[1]}.json"]


def test_numbers_are_those_of_the_grades(bench: Bench, run_ids: list[str]) -> None:
    """What a file says beside them does not count, which a line says; honest ones need none."""
    bench("export", *run_ids, "-o", "runs.jsonl")
    lines = lines_of("runs.jsonl")
    run = next(row for row in lines if row.get("run_id") == run_ids[0])
    for metric in run["document"]["metrics"].values():
        metric["value"] = 99.9
    Path("runs.jsonl").write_text(bundle(lines))
    done = bench("import", "runs.jsonl", "--runs-dir", "there")
    assert done.err.count("warning") == 1
    assert f"warning: run {run_ids[0]}: its numbers are those of its grades" in done.err
    assert " instead of 99.90" in done.err
    for run_id in run_ids:
        here, there = (bench("show", run_id, "--json", "--runs-dir", d).json
                       for d in ("runs", "there"))  # fmt: skip
        assert here["metrics"] == there["metrics"]
    assert "99.9" not in "".join(path.read_text() for path in Path("there").glob("*.json"))


def test_a_key_is_not_in_the_file(bench: Bench, questions: Write) -> None:
    """Neither that of the run nor a header, though the server repeats them."""
    key, header = "sk-fake-0123456789abcdef", "sk-fake-fedcba9876543210"
    with LoopbackServer(f"{REPLY} {key}") as server:
        command: tuple[str, ...] = (
            "run",
            "eqbench-v1",
            "--model",
            "openai/m",
            "--base-url",
            server.base_url,
        )
        command += ("--dataset", str(questions("1")), "--json")
        command += ("--yes", "--api-key-env", "MY_KEY")
        run_id = bench(*command, env={"MY_KEY": key, "BENCH_HEADERS": f"X-Key={header}"}).json[
            "run_id"
        ]
    text = bench("export", run_id, "-o", "-").out
    assert "X-Key" not in text
    assert key not in text
    assert header not in text


def test_a_dash_prints(bench: Bench, run_ids: list[str]) -> None:
    """JSON lines on standard output; the beginning of an id and the whole name it once."""
    printed = bench("export", run_ids[0], run_ids[0][:6], "-o", "-")
    rows = [json.loads(text) for text in printed.out.splitlines()]
    assert [row.get("kind") for row in rows].count("run") == 1
    assert (rows[-1]["kind"], rows[-1]["lines"]) == ("end", len(rows))
    assert printed.err == ""


def test_a_run_that_is_owned_is_exported_as_it_is(bench: Bench, run_ids: list[str]) -> None:
    """What is committed is in the file, and the owner is named."""
    bench("export", run_ids[0], "-o", "before.jsonl")
    with RunLock(Path("runs/demo"), run_ids[0]).acquire():
        done = bench("export", run_ids[0], "-o", "during.jsonl")
    assert done.code == 0
    assert f"run {run_ids[0]} is owned by process" in done.err
    assert Path("during.jsonl").read_bytes() == Path("before.jsonl").read_bytes()
    assert "owned" not in bench("export", run_ids[0], "-o", "after.jsonl").err


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("export", "-o", "f"), 2, "Missing argument 'RUN...'"),
        (("export", "ID"), 2, "Missing option '-o'"),
        (("export", "zzz", "-o", "f"), 2, "no run 'zzz' in runs/demo"),
        (("export", "ID", "-o", "f", "--runs-dir", "none"), 4, "no runs in none"),
        (("export", "ID", "-o", "runs/demo/bench.sqlite"), 2, "belongs to the journal itself"),
        (("export", "ID", "-o", "runs/demo/bench.sqlite-wal"), 2, "belongs to the journal itself"),
        (("export", "ID", "-o", "no/such/place"), 3, "cannot be written: No such file"),
        (("export", "ID", "-o", "."), 3, "cannot be written: Is a directory"),
        (("import",), 2, "Missing argument 'FILE'"),
        (("import", "none.gz"), 3, "none.gz: cannot be read: No such file"),
        (("import", "."), 3, "cannot be read: Is a directory"),
        (("import", "runs/demo/bench.sqlite"), 3, "line 1: is not JSON"),
        (("import", "cut.gz"), 3, "damaged or cut off"),
        (("import", "good.gz", "--runs-dir", "good.gz"), 4, "cannot keep runs in good.gz"),
    ],
)
def test_what_cannot_be_is_one_line(
    bench: Bench, run_ids: list[str], args: tuple[str, ...], code: int, message: str
) -> None:
    """With an exit code for the command, the file or the journal; nothing is changed."""
    bench("export", run_ids[0], "-o", "good.gz")
    Path("cut.gz").write_bytes(Path("good.gz").read_bytes()[:-20])
    before = dump("runs")
    done = bench(*(run_ids[0] if arg == "ID" else arg for arg in args))
    assert (done.code, done.err.count("\n"), done.out) == (code, 1, "")
    assert message in done.err
    assert dump("runs") == before


def test_a_hostile_name_is_shown_harmless(bench: Bench, run_ids: list[str]) -> None:
    """What is printed about a file's runs moves no cursor, and names no file outside."""
    text = bench("export", run_ids[0], "-o", "-").out.replace('"name":"demo', EVIL)
    evil = bundle([json.loads(row) for row in text.splitlines()])
    Path("evil.gz").write_bytes(gzip.compress(evil.encode()))
    done = bench("import", "evil.gz", "--runs-dir", "there")
    assert done.code == 0
    assert "\x1b" not in done.err
    assert [p.parent for p in Path().rglob("*evil*.json")] == [Path("there/demo")]


EVIL = r'"name":"../../evil\u001b[2J'


def test_settings_for_new_runs_do_not_go_with_an_import(bench: Bench, run_ids: list[str]) -> None:
    """A judge and a dataset in bench.toml are wishes for bench run."""
    assert bench("export", *run_ids, "-o", "runs.jsonl").code == 0
    Path("bench.toml").write_text('[run]\ndataset = "official"\njudge = "openai/judge"\n')
    done = bench("import", "runs.jsonl", "--runs-dir", "there")
    assert done.code == 0, done.err


def test_an_export_to_a_closed_output_is_one_line(run_ids: list[str]) -> None:
    """As with ``-o - >&-``."""
    bench = [sys.executable, "-c", "from eibench.core.cli import main; main()"]
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *bench, "export", run_ids[0], "-o", "-"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 3
    assert done.stderr == "Error: standard output: is closed; name a file with -o\n"
