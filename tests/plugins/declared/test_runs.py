"""Declared benchmarks run, and go on when their file is gone or another."""

import base64
import hashlib
import json
import shutil
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import eibench
from eibench import JournalError
from eibench.core.plugins import stored
from eibench.core.plugins.stored import packed, restored

Bench = Callable[..., Any]
Put = Callable[[str], Path]
JUDGED = ("apologies", "requests", "visits")


@pytest.mark.parametrize("name", ["feelings", *JUDGED])
def test_each_kind_runs_with_no_word_for_demos(name: str, declared: Put, bench: Bench) -> None:
    """Plan, form, demo words and verdicts follow from the kind; able models do better."""
    declared(name)
    scores = {}
    for model in ("demo/weak", "demo/strong"):
        done = bench("run", f"./{name}.toml", "--model", model, "--json")
        assert (done.code, done.json["status"]) == (0, "complete"), done.err
        (main, *_) = done.json["metrics"].values()
        scores[model] = main["value"]
    assert scores["demo/weak"] < scores["demo/strong"]


def test_the_file_may_be_gone(declared: Put, bench: Bench) -> None:
    """What is stored with a run goes on by the benchmark's name."""
    declared("apologies")
    for model in ("demo/weak", "demo/strong"):
        run = bench("run", "apologies.toml", "--model", model, "--json").json
    before = bench("leaderboard", "apologies", "--json").json
    for path in Path().iterdir():
        if path.name != "runs":
            path.unlink()
    assert bench("leaderboard", "apologies", "--json").json == before
    assert "forgot {it} 3" in bench("show", run["run_id"], "3").out
    again = bench("rescore", run["run_id"], "--json").json
    assert again["metrics"] == run["metrics"]
    rejudged = bench("rejudge", run["run_id"], "--judge", "demo/judge-b", "--json")
    assert rejudged.code == 0, rejudged.err
    assert bench("site", "-o", "site").code == 0
    resumed = bench("run", "apologies", "--model", "demo/strong", "--json")
    assert resumed.json["metrics"] == run["metrics"]
    gone = bench("run", "./apologies.toml")
    assert gone.code == 3
    assert "apologies.toml: no such file" in gone.err


def test_a_damaged_journal_is_no_unknown_benchmark(declared: Put, bench: Bench) -> None:
    """A name that only a journal knows is not said to be unknown when that cannot be read."""
    declared("feelings").unlink()
    Path("runs").mkdir()
    Path("runs", "bench.sqlite").write_bytes(b"no database" * 100)
    done = bench("leaderboard", "feelings")
    assert done.code == 4
    assert "bench.sqlite is damaged or no journal" in done.err


def test_another_word_for_the_judge_asks_only_the_judge(declared: Put, bench: Bench) -> None:
    """And one for the model is another run."""
    path = declared("apologies")
    first = bench("run", "apologies.toml", "--json").json
    template = path.with_name("judge.txt")
    template.write_text("Judge it.\n" + template.read_text())
    judged = bench("run", "apologies.toml", "--json").json
    assert judged["run_id"] == first["run_id"]
    assert judged["grader"] != first["grader"]
    shown = bench("show", first["run_id"], "3", "--json").json
    calls = [call["phase"] for call in shown["iterations"][0]["calls"]]
    assert calls == ["generate", "judge", "judge"]
    assert "Judge it." in bench("show", first["run_id"], "3", "--full").out
    path.write_text(path.read_text().replace("Apologise for it.", "Say sorry."))
    other = bench("run", "apologies.toml", "--model", "demo/weak", "--json").json
    board = bench("leaderboard", "apologies.toml", "--demo", "--json").json
    assert [row["run_id"] for row in board["rows"]] == [other["run_id"]]


def test_a_journal_that_was_sent_holds_the_benchmark(declared: Put, bench: Bench) -> None:
    """Exported and imported elsewhere, a run can be graded without its file."""
    declared("requests")
    run = bench("run", "requests.toml", "--json").json
    bench("export", run["run_id"], "-o", "run.jsonl")
    shutil.rmtree("runs")
    Path("requests.toml").unlink()
    assert bench("import", "run.jsonl").code == 0
    assert bench("rescore", run["run_id"], "--json").json["metrics"] == run["metrics"]


def test_a_path_may_stand_for_a_name(declared: Put, bench: Bench) -> None:
    """In each command that takes one, and in Python."""
    folder = declared("feelings").parent / "own"
    folder.mkdir()
    shutil.copy("feelings.toml", folder / "benchmark.toml")
    shutil.copy("scenes.jsonl", folder)
    for named in ("./feelings.toml", "feelings.toml", "own", str(folder / "benchmark.toml")):
        assert bench("info", named, "--json").json["name"] == "feelings"
    result = eibench.run(Path("own"), model="demo/medium", options={"topic": "home"})
    assert result.metrics["right"].n == 2
    assert bench("leaderboard", "own", "--topic", "home", "--demo").code == 0
    assert bench("prompts", "own", "--shuffles", "1", "-o", "asked.jsonl").code == 0
    asked = [json.loads(line) for line in Path("asked.jsonl").read_text().splitlines()]
    answers = [
        json.dumps({"item_id": row["item_id"], "response": '{"feeling": "A", "reason": "A"}'})
        for row in asked
    ]
    Path("answers.jsonl").write_text("\n".join(answers))
    scored = bench("score", "own", "answers.jsonl", "--shuffles", "1", "--json")
    assert scored.json["items"]["scored"] == 10, scored.err


def test_rows_may_be_fetched(declared: Put, bench: Bench) -> None:
    """From an address, checked; what is missing is named with the command that gets it."""
    path = declared("requests")
    rows = path.with_name("requests.jsonl").read_bytes()
    served = partial(SimpleHTTPRequestHandler, directory=str(path.parent / "served"))
    path.with_name("served").mkdir()
    path.with_name("requests.jsonl").rename("served/rows.jsonl")
    with ThreadingHTTPServer(("127.0.0.1", 0), served) as server:
        Thread(target=server.serve_forever).start()
        url = f"http://127.0.0.1:{server.server_port}/rows.jsonl"
        entry = f'url = "{url}"\nsha256 = "{hashlib.sha256(rows).hexdigest()}"\nsize = {len(rows)}'
        path.write_text(path.read_text().replace("\nlicence", f"\n{entry}\nlicence", 1))
        missing = bench("run", "./requests.toml")
        assert missing.code == 3
        assert "bench data fetch requests.toml gets it" in missing.err
        assert bench("data", "fetch", "./requests.toml").code == 0
        server.shutdown()
    run = bench("run", "./requests.toml", "--json")
    assert run.code == 0, (run.out, run.err)
    path.unlink()
    assert bench("rescore", run.json["run_id"], "--json").json["metrics"] == run.json["metrics"]


def test_a_declared_benchmark_is_cited(declared: Put, bench: Bench) -> None:
    """By its path, by its runs, and by its name where there are runs."""
    declared("feelings")
    run = bench("run", "feelings.toml", "--topic", "home", "--json").json["run_id"]
    for named in ("./feelings.toml", run, "feelings"):
        out = bench("cite", named).out
        assert "@misc{arxiv-0000.00000," in out  # the key of every benchmark of that paper
        assert "eprint = {0000.00000}" in out


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "no base64",
        base64.b64encode(b"no zlib").decode(),
        packed({}),
        packed({"../up.toml": "schema = 1"}),
        packed({"/etc/up.toml": "schema = 1"}),
        packed({"big.toml": "x" * 2**17}),
    ],
    ids=["nothing", "text", "bytes", "no file", "up", "root", "bomb"],
)
def test_what_a_run_keeps_of_its_benchmark_is_not_trusted(
    kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An imported run may hold anything: it leaves no folder, and fills no memory."""
    monkeypatch.setattr(stored, "_MOST", 2**16)
    with pytest.raises(JournalError, match="benchmark cannot be read from it"):
        restored(kept)
