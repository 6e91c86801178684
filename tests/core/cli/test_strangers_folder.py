"""A folder of somebody else's: whatever its files name, nothing is sent that was not approved.

The files in it are harmless: a server on this machine stands for the stranger's, where it counts
what it is asked, and an address for documentation (RFC 5737) for one that must not be called.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.testing import LoopbackServer, uniform_ratings

Bench = Callable[..., Any]
ELSEWHERE = "https://192.0.2.1/v1"
DECLARED = """
schema = 1
[benchmark]
name = "theirs"
title = "A benchmark of theirs"
[data]
file = "rows.jsonl"
[ask]
user = {user}
[score]
kind = "choice"
right = "answer"
choices = ["a", "b"]
"""
SERVER, MINE = "SERVER", "MINE"
"""What stands in these files for the server's address, and for the user's own folder."""


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    """The stranger's, on this machine."""
    with LoopbackServer(uniform_ratings(3)) as one:
        yield one


@pytest.fixture(autouse=True)
def theirs(empty_place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stranger's folder, beside the files of the user's own, of which a link leads to one."""
    mine, theirs = empty_place / "mine", empty_place / "theirs"
    mine.mkdir()
    theirs.mkdir()
    for name in ("diary.txt", "diary.jinja", "people.jsonl", "pack.json"):
        (mine / name).write_text("my diary", "utf-8")
    (mine / "own.toml").write_text(DECLARED.format(user='"{question}"'), "utf-8")
    (theirs / "link.txt").symlink_to(mine / "diary.txt")
    (theirs / "rows.jsonl").write_text('{"question": "Which?", "answer": "a"}\n', "utf-8")
    monkeypatch.chdir(theirs)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(empty_place / "settings"))
    return theirs


AT_SERVER = '[run]\nmodel = "openai/m"\nbase_url = "SERVER"\n'
IN_RUN = {
    "a system prompt": 'system = "@../mine/diary.txt"',
    "one by its whole path": 'system = ["@MINE/diary.txt"]',
    "one by a link": 'system = "@link.txt"',
    "one of the machine's": 'system = "@/etc/hostname"',
    "a template": 'completions = true\ntemplate = "../mine/diary.jinja"',
    "a pack": 'dataset = "../mine/pack.json"',
    "people of the exam": 'people = "MINE/people.jsonl"',
}


def write(name: str, text: str, server: LoopbackServer) -> None:
    """Put a file of the stranger's in place."""
    mine = str(Path("..", "mine").resolve())
    Path(name).write_text(text.replace(SERVER, server.base_url).replace(MINE, mine), "utf-8")


@pytest.mark.parametrize("setting", IN_RUN.values(), ids=IN_RUN)
def test_settings_take_no_file_out_of_their_folder(
    bench: Bench, server: LoopbackServer, setting: str
) -> None:
    """Neither under [run] nor in a suite; no request is made, whatever the command."""
    suite = f'[suite.s]\nbenchmarks = ["eqbench-v1"]\n{setting}\n'
    for text, command in (
        (f"{AT_SERVER}{setting}\n", ("eqbench-v1", "--limit", 1)),
        (f"{AT_SERVER}{suite}", ("--suite", "s")),
    ):
        write("bench.toml", text, server)
        done = bench("run", *command)
        assert done.code == 3 and "is not in this file's folder" in done.err, done.err
        assert setting.partition(" ")[0] in done.err or "template" in done.err
    assert not server.requests


def test_a_suite_takes_no_benchmark_out_of_its_folder(bench: Bench, server: LoopbackServer) -> None:
    """Its rows are the user's; nor does a file of options for one benchmark."""
    for suite in (
        'benchmarks = ["../mine/own.toml"]',
        'benchmarks = ["judge-exam"]\noptions.judge-exam.people = "../mine/people.jsonl"',
    ):
        write("bench.toml", f"{AT_SERVER}[suite.s]\n{suite}\n", server)
        done = bench("run", "--suite", "s")
        assert done.code == 3 and "is not in this file's folder" in done.err, done.err
    assert not server.requests


def test_files_in_the_folder_are_used(bench: Bench, server: LoopbackServer) -> None:
    """Also where the settings file is named from elsewhere; what the user names is the user's."""
    Path("kind.txt").write_text("Be kind.", "utf-8")
    write("bench.toml", f'{AT_SERVER}system = "@kind.txt"\n', server)
    run = ("run", "eqbench-v1", "--limit", 1)
    assert bench(*run).code == 0
    assert bench(*run, "--system", "@../mine/diary.txt").code == 0
    os.chdir("..")
    write("theirs/bench.toml", f'{AT_SERVER}system = "@theirs/kind.txt"\n', server)
    assert bench(*run, "--config", "theirs/bench.toml", "--fresh").code == 0
    sent = [request.messages[0]["content"] for request in server.requests]
    assert sent == ["Be kind.", "my diary", "Be kind."]


HOSTS = {
    "the model's": f'[run]\nmodel = "openai/m"\nbase_url = "{ELSEWHERE}"\n',
    "one of several": f'[run]\nmodel = "openai/m"\nbase_url = ["SERVER", "{ELSEWHERE}"]\n',
    "an endpoint's": f'[run]\nmodel = "openai/m"\nbase_url = "e"\n[endpoints.e]\n'
    f'base_url = "{ELSEWHERE}"\n',
    "the judge's": f'{AT_SERVER}judge = "openai/j"\njudge_base_url = "{ELSEWHERE}"\n',
    "a role's": f'{AT_SERVER}[roles.person]\nmodel = "openai/u"\nbase_url = "{ELSEWHERE}"\n',
    "with a key": f'[run]\nmodel = "openai/m"\nbase_url = "{ELSEWHERE}"\napi_key_env = "HOME"\n',
}


@pytest.mark.parametrize("text", HOSTS.values(), ids=HOSTS)
def test_a_host_that_settings_name_is_asked_nothing(
    bench: Bench, server: LoopbackServer, text: str
) -> None:
    """Not even the questions of a benchmark, before it was approved; --yes is no approval."""
    write("bench.toml", text, server)
    benchmark = "confidant" if "roles" in text else "eqbench3"
    done = bench("run", benchmark, "--limit", 1, "--yes")
    assert done.code == 3 and "that is not approved on this machine" in done.err, done.err
    assert "192.0.2.1" in done.err and not server.requests


SWEEPS = {
    "a template": 'run = { completions = true, template = "../mine/diary.jinja" }',
    "a pack": 'run = { dataset = "MINE/pack.json" }',
    "an option": 'options.judge-exam.people = "../mine/people.jsonl"',
    "a benchmark": 'benchmarks = ["../mine/own.toml"]',
    "a host": f'models = [{{ model = "openai/m", base_url = "{ELSEWHERE}" }}]',
    "one of several": f'models = [{{ model = "openai/m", base_url = ["SERVER", "{ELSEWHERE}"] }}]',
}


@pytest.mark.parametrize("text", SWEEPS.values(), ids=SWEEPS)
def test_a_sweep_sends_nothing_either(bench: Bench, server: LoopbackServer, text: str) -> None:
    """By the same two rules."""
    rows = {"benchmarks": 'benchmarks = ["judge-exam", "eqbench-v1"]',
            "models": 'models = [{ model = "openai/m", base_url = "SERVER" }]'}  # fmt: skip
    more = "\n".join(row for key, row in rows.items() if not text.startswith(key))
    write("sweep.toml", f"{more}\n{text}\n", server)
    done = bench("sweep", "sweep.toml", "--yes")
    assert done.code == 3, done.err
    assert "is not in this file's folder" in done.err or "not approved on this" in done.err
    assert not server.requests


@pytest.mark.parametrize("file", ["../mine/diary.txt", "link.txt", "MINE/diary.txt", "/etc/hosts"])
def test_a_declared_benchmark_asks_no_text_of_the_user_s(
    bench: Bench, server: LoopbackServer, file: str
) -> None:
    """Its files lie beside it."""
    write("b.toml", DECLARED.format(user=f'{{ file = "{file}" }}'), server)
    done = bench("run", "b.toml", "--model", "openai/m", "--base-url", server.base_url)
    assert done.code == 3 and "is not in this file's folder" in done.err, done.err
    assert not server.requests


def test_a_bundle_has_nothing_asked(bench: Bench, server: LoopbackServer) -> None:
    """Its runs are read and shown; the address that they name is provenance, and is not called."""
    run = ("run", "eqbench-v1", "--limit", 1, "--model", "openai/m")
    made = ("--runs-dir", "../made")
    done = bench(*run, "--base-url", server.base_url, *made, "--json")
    exported = bench("export", done.json["run_id"], *made, "-o", "bundle.jsonl")
    assert exported.code == 0, exported.err
    asked = len(server.requests)
    assert bench("import", "bundle.jsonl").code == 0
    (row,) = bench("runs", "--json").json["runs"]
    for command in ("show", "rescore"):
        assert bench(command, row["run_id"]).code == 0, command
    assert bench("leaderboard", "eqbench-v1").code == 0
    assert len(server.requests) == asked
