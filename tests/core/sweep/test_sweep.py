"""`bench sweep`: models by benchmarks, each served while it is asked; folders that are watched."""

import json
import os
import shlex
import signal
import socket
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from eibench.core.served.machine import Needs
from eibench.core.sweep.sweep_file import read_sweep, unfit
from tests import processes
from tests.processes import Process

SERVER = f"exec {shlex.quote(sys.executable)} -m eibench.plugins.kit.server --port {{port}}"


def sweep_toml(folder: Path, text: str) -> str:
    """A file that asks two benchmarks for a few items."""
    head = 'benchmarks = ["eqbench-v1", "eqbench-v2"]\nrun = { limit = 4 }\n'
    (folder / "sweep.toml").write_text(f"{head}{text}", "utf-8")
    return "sweep.toml"


def served(name: str, seed: int, log: Path, more: str = "") -> str:
    """A model with a server of its own, whose answers are told by its seed."""
    command = f"{SERVER} --uniform-ratings --seed {seed} --requests-log {log}"
    return (
        f"\n[[models]]\nname = {name!r}\nmodel = 'openai/m'\nmemory_gb = 1\nserve = '''{command}'''"
        f"\n{more}\n"
    )


def values(done: processes.Done) -> dict[tuple[str, str], Any]:
    """The main value by model and benchmark, of a sweep's JSON."""
    return {
        (model["name"], run["benchmark"]): next(iter(run["metrics"].values()))["value"]
        for model in json.loads(done.stdout)["models"]
        for run in model["runs"]
        if "metrics" in run
    }


def requests(log: Path) -> list[str]:
    """The digest of each request that was answered."""
    rows = map(json.loads, log.read_text("utf-8").splitlines()) if log.exists() else ()
    return [row["digest"] for row in rows if row["outcome"] == "ok"]


def test_a_sweep_serves_each_model_and_goes_on_where_it_was(tmp_path: Path) -> None:
    """Two models side by side; each is what it is alone; a second time nobody is asked."""
    log, text = tmp_path / "log", "[machine]\nmemory_gb = 2\n"
    text += served("a@1", 1, log) + served("a@2", 2, log)
    file = sweep_toml(tmp_path, text)
    done = processes.run(["sweep", file, "--json"], tmp_path)
    assert done.returncode == 0, done.stderr
    asked = requests(log)
    alone = processes.run(
        ["run", "eqbench-v2", "--model", "openai/m", "--limit", "4", "--json", "--fresh",
         "--serve", f"{SERVER} --uniform-ratings --seed 2", "--runs-dir", "other"], tmp_path,
    )  # fmt: skip
    score = next(iter(json.loads(alone.stdout)["metrics"].values()))["value"]
    assert values(done)["a@2", "eqbench-v2"] == score
    again = processes.run(["sweep", file, "--json"], tmp_path)
    assert values(again) == values(done) and requests(log) == asked
    plan = processes.run(["sweep", file, "--dry-run", "--runs-dir", "new"], tmp_path).stderr
    assert "in all 4 runs; 16 to" in plan and "calls to models; about" in plan
    shown = processes.run(["sweep", file], tmp_path).stdout
    assert "a@1" in shown and "eqbench-v2" in shown and "bench leaderboard eqbench-v1" in shown


def test_a_sweep_is_of_demo_models_or_of_real_ones(tmp_path: Path) -> None:
    """As each command; nothing is asked."""
    text = served("a@1", 1, tmp_path / "log") + "\n[[models]]\nmodel = 'demo/weak'\n"
    done = processes.run(["sweep", sweep_toml(tmp_path, text), "--json"], tmp_path)
    assert done.returncode == 3 and requests(tmp_path / "log") == []
    assert "demo/weak is a demo model and a@1 is not: give each kind a sweep" in done.stderr


def test_what_is_wrong_with_a_model_does_not_stop_the_others(tmp_path: Path) -> None:
    """Each is an error with model and line: needs, a name given twice, a taken port, no health."""
    log = tmp_path / "log"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        text = (
            "[machine]\ngpus = 1\nmemory_gb = 4\n" + served("good", 1, log)
            + served("huge", 1, log, "gpus = 8") + served("good", 2, log)
            + served("late", 1, log, f"port = {port}")
            + "\n[[models]]\nname = 'never'\nmodel = 'openai/m'\nready = 0.5\n"
            "serve = 'sleep 600; {port}'\n"
            "[[models]]\nname = 'odd'\nmodel = 'openai/m'\ncolour = 3\n"
            "[[models]]\nname = 'nowhere'\nmodel = 'openai/m'\nbase_url = []\n"
        )  # fmt: skip
        done = processes.run(["sweep", sweep_toml(tmp_path, text), "--json"], tmp_path)
    lines = text.split("\n")
    huge, late, never, second = (
        n + 3
        for name in ("huge", "late", "never", "good")
        for n in [i for i, line in enumerate(lines) if line == f"name = {name!r}"][-1:]
    )
    assert done.returncode in (2, 3, 4)
    assert f"line {huge - 1}: huge needs 8 gpus, and there are 1" in done.stderr
    assert f"line {second}: is the second model named 'good'" in done.stderr
    assert f"late (line {late - 1}): port {port} is taken" in done.stderr
    assert f"never (line {never - 1}): the server was not healthy" in done.stderr
    assert f"line {lines.index('colour = 3') + 3}: [models] has no key 'colour'" in done.stderr
    assert f"line {lines.index('base_url = []') + 3}: base_url must be a text" in done.stderr
    assert values(done).keys() >= {("good", "eqbench-v1"), ("good", "eqbench-v2")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour = 1", "line 1: has no key 'colour'"),
        ("benchmarks = []", "line 1: benchmarks names none"),
        ("benchmarks = ['eqbench-v9']", "line 1: "),
        ("benchmarks = ['eqbench-v1']", "names no model"),
        ("benchmarks = ['eqbench-v1']\n[run]\nmodel = 'x'", "line 3: [run] model is said of each"),
        ("benchmarks = ['eqbench-v1']\n[run]\nlimits = 3", "line 3: [run] has no setting 'limits'"),
        ("benchmarks = ['eqbench-v1']\n[run]\nprice = '1,2'", "[run] price is not for a sweep"),
        ("benchmarks = ['eqbench-v1']\n[[models]]\nmodel = 1", "line 3: model must be a text"),
        ("benchmarks = ['eqbench-v1']\n[[models]]\nmodel = 'openai/x'\nserve = 'x'",
         "line 4: openai/x: serve needs {port}"),
        ("benchmarks = ['eqbench-v1']\n[[models]]\nmodel = 'openai/x'\ngpus = 1",
         "line 4: openai/x: gpus is about a server"),
        ("benchmarks = ['eqbench-v1']\n[watch]\nmodel = 'openai/x'", "line 2: [watch] needs serve"),
        ("benchmarks =", "not TOML"),
        (f"benchmarks = {'[' * 9999}", "not TOML: nested too deeply"),
        (f"{'a.' * 99}a = 1", "not TOML: nested too deeply"),
    ],
)  # fmt: skip
def test_a_broken_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With the line, and before anything is started."""
    (tmp_path / "sweep.toml").write_text(text, "utf-8")
    done = processes.run(["sweep", "sweep.toml"], tmp_path)
    assert done.returncode == 3 and message in done.stderr
    assert not (tmp_path / "runs").exists()


def test_a_key_is_not_sent_where_a_file_says(tmp_path: Path) -> None:
    """A sweep's file may come from anybody: a place that nobody approved gets no key."""
    text = "\n[[models]]\nmodel = 'openai/m'\napi_key_env = 'MINE'\nbase_url = 'https://a.test/v1'"
    env = {**os.environ, "MINE": "fake-key", "HOME": str(tmp_path)}
    done = processes.run(["sweep", sweep_toml(tmp_path, text)], tmp_path, env)
    assert done.returncode == 3 and "is not approved on this machine" in done.stderr


def write_checkpoint(folder: Path, step: int, seed: int) -> None:
    """A checkpoint whose weights are a seed."""
    path = folder / f"step-{step}"
    path.mkdir(parents=True, exist_ok=True)
    (path / "weights").write_text(str(seed), "utf-8")
    (path / "DONE").touch()


def watch_toml(folder: Path) -> str:
    """Serves each checkpoint with its weights as the seed of all answers."""
    command = f"{SERVER} --uniform-ratings --seed $(cat {{path}}/weights) --requests-log ../log"
    text = (
        "[machine]\nmemory_gb = 4\n[watch]\nmodel = 'openai/m'\nmemory_gb = 1\npattern = 'step-*'"
        f"\ndone = 'DONE'\nserve = '''{command}'''\n"
    )
    return sweep_toml(folder, text)


@pytest.mark.parametrize("steps", [pytest.param(40, marks=pytest.mark.kills), 5])
def test_each_checkpoint_that_appears_is_run_once(tmp_path: Path, steps: int) -> None:
    """While the command is killed again and again; half-written ones wait, others are run anew."""
    folder, runs = tmp_path / "checkpoints", tmp_path / "work"
    runs.mkdir()
    folder.mkdir()
    args = ["sweep", watch_toml(runs), "--watch", str(folder)]
    kills = 10 if steps > 5 else 2
    written = iter(range(1, steps + 1))
    (folder / "step-99").mkdir()
    (folder / "step-99" / "weights").write_text("half", "utf-8")
    for kill in range(kills):
        for step in islice(written, steps // kills):
            write_checkpoint(folder, step, step)
        with Process(args, runs) as process:
            time.sleep(0.3 + 0.13 * kill)
            process.kill()
    for step in written:
        write_checkpoint(folder, step, step)
    done = processes.run([*args, "--idle", "1.5", "--json"], runs, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "step-99 was not run: it lacks DONE" in done.stderr
    before = values(done)
    assert len(before) == 2 * steps
    asked = requests(tmp_path / "log")
    write_checkpoint(folder, 2, 77)
    done = processes.run([*args, "--idle", "1.5", "--json"], runs, timeout=300)
    after = values(done)
    assert {key for key in after if after[key] != before[key]} <= {
        ("step-2", "eqbench-v1"), ("step-2", "eqbench-v2"),
    }  # fmt: skip
    assert after["step-2", "eqbench-v2"] != before["step-2", "eqbench-v2"]
    more = len(requests(tmp_path / "log")) - len(asked)
    assert 8 <= more <= 40, "the one that was written over, and no other"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_servers_and_the_same_command_goes_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    """What is in flight is waited for; no process is left."""
    log = tmp_path / "log"
    file = sweep_toml(tmp_path, served("a", 1, log).replace("--seed", "--latency 0.3 --seed"))
    with Process(["sweep", file], tmp_path) as process:
        end = time.monotonic() + 60
        while not requests(log) and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(number)
        assert process.wait() == 130
    assert len(requests(log)) < 8
    done = processes.run(["sweep", file, "--json"], tmp_path)
    assert done.returncode == 0 and len(values(done)) == 2
    asked = requests(log)
    assert len(asked) == len(set(asked)), "nothing was asked twice"


def test_a_key_goes_to_no_node(tmp_path: Path) -> None:
    """A served model with a key fits this machine, and no node of a cluster."""
    text = served("a", 1, tmp_path / "log", 'api_key_env = "NODE_KEY"')
    sweep = read_sweep(tmp_path / sweep_toml(tmp_path, text), lambda name: name)
    (model,) = sweep.models
    assert list(unfit(model, Needs(memory_gb=2), sweep.path)) == []
    (error,) = unfit(model, None, sweep.path)
    assert "line 4: a: api_key_env would send its key to a node, not encrypted" in str(error)
