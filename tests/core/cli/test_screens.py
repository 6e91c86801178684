"""The first screens of results: twelve lines of a small terminal, and in plain words."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eibench.core import console
from eibench.testing import LoopbackServer, ReceivedRequest, uniform_ratings
from tests.conftest import TERMINAL, enter_empty_place, run_here

Demos = Callable[..., list[Any]]
FILL = uniform_ratings(1)
WIDTH, LINES = 80, 12
SIZE = {name: TERMINAL[name] for name in ("COLUMNS", "LINES")}
JARGON = re.compile(
    r"families|joint|length.adjusted|anchored|\bkin\b|rough|tied with|quorum|engine", re.IGNORECASE
)
SITUATIONS = {
    "complete": "run eqbench-v1 --dataset bundled --model openai/flat",
    "few items": "run eqbench-v1 --dataset bundled --limit 4 --model openai/four",
    "partial": "run seceu --limit 9 --model openai/nine",
    "failed": "run eqbench-v1 --dataset bundled --keep-going --model openai/vague",
    "panel": "run eqbench3 --dataset bundled --limit 9 --no-elo --model openai/flat "
    + " ".join(f"--judge openai/{name}-judge-of-a-panel" for name in "abcde"),
    "matrix": "run seceu eqbench-v1 --limit 8 --model openai/flat --model openai/vague "
    "--model openai/a-long-name-of-a-model-that-was-tuned-for-days-checkpoint-000100",
    "prompts": "run seceu --limit 8 --model openai/flat --system Warm. --system Cold. --system ''",
}


def reply(request: ReceivedRequest) -> str:
    """Models that answer alike, or not at all, and judges, one of whom never does."""
    if criteria := re.findall(r'"(\w+)": 0-10', request.prompt):
        grade = {"a": 2, "b": 9}.get(request.model[:1] if request.model else "", 5)
        return (
            "No."
            if request.model == "e-judge-of-a-panel"
            else json.dumps(dict.fromkeys(criteria, grade))
        )
    if request.model == "vague":
        return "I would rather not put numbers on people."
    if "Divide them among the four options" in request.prompt:
        return "(1) 3; (2) 2; (3) 3; (4) 2"
    filled = FILL(request)
    assert isinstance(filled, str)
    return filled


def rows(text: str) -> list[str]:
    """The lines of a terminal that a text takes."""
    return [line[i : i + WIDTH] for line in text.splitlines()
            for i in range(0, max(len(line), 1), WIDTH)]  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which all of it is run once; the server goes on."""
    with pytest.MonkeyPatch.context() as patch, LoopbackServer(reply) as server:
        folder = enter_empty_place(tmp_path_factory.mktemp("screens"), patch)
        Path("bench.toml").write_text(
            f'[run]\nbase_url = "{server.base_url}"\njudge_base_url = "{server.base_url}"\n'
            "max_retries = 0\n"
        )
        for command in SITUATIONS.values():
            done = run_here(*words(command))
            assert done.code in (0, 1), done.err
        yield folder


def words(command: str) -> list[str]:
    """A command's words; two quotes are the empty one."""
    return [word.strip("'") for word in command.split()]


@pytest.fixture
def terminal(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In that folder, on a terminal of 80 x 24, without details."""
    monkeypatch.chdir(place)
    monkeypatch.delenv("BENCH_DETAILS", raising=False)
    for name, value in TERMINAL.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("kind", SITUATIONS)
def test_the_result_of_a_run_is_half_a_screen(kind: str) -> None:
    """With what is said beside it; of several runs the table is, under a line for each."""
    command = SITUATIONS[kind]
    done = run_here(*words(command))
    beside = [line for line in done.err.splitlines() if line.startswith(("saved", "next"))]
    shown = done.out
    if several := re.search(r"^\d+ runs$", shown, re.MULTILINE):
        shown, beside = shown[several.start() :], []
    assert len(rows(shown) + rows("\n".join(beside))) <= LINES
    assert not JARGON.search(done.out)
    assert "all: bench " in " ".join(shown.split())


@pytest.mark.usefixtures("terminal")
def test_what_is_shown_of_each_run_is_half_a_screen() -> None:
    """Whatever came of it, and in plain words."""
    for run in run_here("runs", "--json").json["runs"]:
        shown = run_here("show", run["run_id"]).out
        assert len(rows(shown)) <= LINES and not JARGON.search(shown), shown
        assert "--details" in shown and run["name"][:10] in "".join(shown.splitlines()[-3:])


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("benchmark", ["eqbench-v1", "seceu", "eqbench3"])
def test_a_board_is_half_a_screen(benchmark: str) -> None:
    """With the number of what is left out and the command for it; the file has all."""
    shown = run_here("leaderboard", benchmark).out
    assert len(rows(shown)) <= LINES and not JARGON.search(shown), shown
    assert f"all: bench leaderboard {benchmark} --details" in " ".join(shown.split())


def test_of_many_models_and_runs_the_first_and_the_newest_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And says how many others there are; a file has them all."""
    monkeypatch.delenv("BENCH_DETAILS")
    run = ("run", "eqbench-v1", "--dataset", "bundled", "--limit", "8", "--model")
    for n in range(12):
        assert run_here(*run, "demo/strong", "--name", f"strong-{n}", "--seed", n).code == 0
    assert run_here(*run, "demo/weak").code == 0
    shown = run_here("leaderboard", "eqbench-v1", env=TERMINAL).out
    names = re.findall(r"strong-\d+|demo/weak", shown.split("not shown: ")[0])
    assert names[-1] == "demo/weak" and 1 < len(names) < 13
    assert f"not shown: {13 - len(names)} models" in shown
    for env in ({}, SIZE):  # a size is no terminal
        whole = run_here("leaderboard", "eqbench-v1", env=env).out
        assert len({*re.findall(r"strong-\d+|demo/weak", whole)}) == 13
    shown = run_here("show", "demo/strong", env=TERMINAL).out
    left = re.search(r"not shown: (\d+) runs; all: bench runs --demo\n", shown)
    assert left and len(rows(shown)) <= LINES and "strong-11 DEMO: score" in shown
    assert int(left[1]) + shown.count("bench show") == 12
    assert len(run_here("show", "demo/strong").out.splitlines()) == 12


@pytest.mark.usefixtures("terminal")
def test_twelve_ratings_and_strong_findings_fit(
    demo_stages: list[tuple[Path, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """The rows around the top, the model's own, and the judge in the last line."""
    document = json.loads(json.dumps(demo_stages[-1][1]))
    (first, *_), own = document["ratings"], document["ratings"][-1]
    others = [first | {"model": f"openai/model-{n}"} for n in range(11)]
    document["ratings"] = [*others, own | {"model": document["name"]}]
    document["conclusions"] = [
        {"about": about, "verdict": "strong", "text": "so much of it " * 12}
        for about in ("place", "length", "flips")
    ]
    document["warnings"] *= 4
    short = console.short.short(document)
    console.screen.show(short, console.short.last(document), "bench show x --details")
    shown = capsys.readouterr().out
    assert len(rows(shown)) <= LINES and re.search(r"^\d+ +demo/medium ", shown, re.M), shown
    assert re.search(r"not shown: \d+ models", shown)
    assert "3 strong findings" in " ".join(shown.split())


@pytest.mark.usefixtures("terminal")
def test_several_system_prompts_are_runs_beside_each_other() -> None:
    """Each a row of its own on the board; what has none is the run that it was without them."""
    command = words(SITUATIONS["prompts"])
    plan = run_here(*command, "--dry-run", "--json").json
    names = ["openai/flat system 1", "openai/flat system 2", "openai/flat"]
    assert [run["name"] for run in plan["runs"]] == names
    board = run_here("leaderboard", "seceu", "--json").json
    assert {row["model"] for row in board["rows"]} >= set(names)
    alone = run_here(*words("run seceu --limit 8 --model openai/flat --dry-run --json")).json
    assert alone["runs"][0]["samples"]["left"] == 0


@pytest.mark.usefixtures("terminal")
def test_a_system_prompt_of_a_file_is_called_after_it(tmp_path: Path) -> None:
    """With several models each gets each; one prompt alone changes no name; none is given twice."""
    (tmp_path / "warm.txt").write_text("Be warm.")
    warm = f"@{tmp_path}/warm.txt"
    command = ["run", "seceu", "--model", "openai/a", "--model", "openai/b", "--dry-run", "--json"]
    plans = run_here(*command, "--system", warm, "--system", "").json["runs"]
    assert [plan["name"] for plan in plans] == [
        "openai/a warm",
        "openai/a",
        "openai/b warm",
        "openai/b",
    ]
    alone = run_here(*command, "--system", warm).json["runs"]
    assert [plan["name"] for plan in alone] == ["openai/a", "openai/b"]
    twice = run_here(*command, "--system", warm, "--system", "Be warm.")
    assert twice.code == 2 and "is given twice" in twice.err


@pytest.mark.usefixtures("terminal")
def test_system_prompts_of_a_file_and_of_a_variable() -> None:
    """A list of bench.toml makes several; a variable holds one, blanks and all."""
    settings = Path("bench.toml").read_text() + 'system = ["Be warm.", ""]\n'
    Path("several.toml").write_text(settings)
    command = ("run", "seceu", "--model", "openai/a", "--dry-run", "--json")
    plans = run_here(*command, "--config", "several.toml").json["runs"]
    assert [plan["name"] for plan in plans] == ["openai/a system 1", "openai/a"]
    one = run_here(*command, env={"BENCH_SYSTEM": "Be warm and short."}).json["runs"]
    assert [plan["name"] for plan in one] == ["openai/a"]


@pytest.mark.usefixtures("terminal")
def test_prompts_and_data_have_one_system_prompt() -> None:
    """Several are refused where one run is made."""
    twice = ("--system", "a", "--system", "b")
    for command in (
        "prompts eqbench-v1 -o p.jsonl",
        "statements --model openai/a -n 5 -o m.jsonl",
    ):
        done = run_here(*words(command), *twice)
        assert done.code == 2 and "--system is given twice" in done.err, done.err
