"""Demo runs have a journal of their own, in the folder ``demo`` of the runs folder."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eibench
from eibench import JournalError, UsageError
from tests.checksums import bundle

from .test_score import answer, responses

Bench = Callable[..., Any]
Write = Callable[..., Path]
DEMO = ("run", "eqbench-v1", "--dataset", "pack.json", "--model")


def save(bench: Bench, name: str = "far") -> str:
    """The id of a run of a real model, of answers made elsewhere."""
    file = responses(*({"item_id": str(n), "response": answer()} for n in range(1, 9)))
    score = ("score", "eqbench-v1", file, "--dataset", "pack.json", "--save", "--model", name)
    return str(bench(*score, "--json").json["run_id"])


@pytest.fixture
def pack(questions: Write) -> Path:
    """A pack of eight questions."""
    return questions("1,2,3,4,5,6,7,8")


@pytest.fixture
def demo(bench: Bench, pack: Path) -> str:
    """The id of a demo run."""
    return str(bench(*DEMO, "demo/weak", "--json").json["run_id"])


@pytest.fixture
def real(bench: Bench, pack: Path) -> str:
    """The id of a run of a real model."""
    return save(bench)


def test_a_demo_run_is_kept_in_a_folder_of_its_own(bench: Bench, pack: Path) -> None:
    """Which is the one that is printed; the real journal is not even made."""
    done = bench(*DEMO, "demo/weak")
    (document,) = Path("runs/demo").glob("*.json")
    assert f"saved in {document}" in done.out + done.err
    assert Path("runs/demo/bench.sqlite").exists() and not Path("runs/bench.sqlite").exists()


def test_the_folder_of_demo_runs_can_be_named(bench: Bench, demo: str) -> None:
    """It is itself, with no other within."""
    assert bench(*DEMO, "demo/strong", "--runs-dir", "runs/demo").code == 0
    assert len(bench("runs", "--runs-dir", "runs/demo", "--json").json["runs"]) == 2
    assert not Path("runs/demo/demo").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("demo/weak", "--model", "openai/x"), "--model demo/weak: a demo model is not run beside"),
        (("openai/x", "--runs-dir", "runs/demo"), "--runs-dir runs/demo is a folder of demo runs"),
        (("openai/x", "--runs-dir", "kept"), "kept holds demo runs, and no folder holds both"),
    ],
)
def test_no_command_makes_runs_of_both_kinds(
    bench: Bench, demo: str, more: tuple[str, ...], message: str
) -> None:
    """Nor puts one beside those of the other kind, wherever these were copied to."""
    shutil.copytree("runs/demo", "kept")
    done = bench(*DEMO, *more, "--yes", env={"OPENAI_API_KEY": "x"})
    assert done.code == 2 and message in done.err.splitlines()[-1]


def test_the_demo_judge_judges_no_real_run(bench: Bench) -> None:
    """As no demo player talks with a real model."""
    for words in (("emotionqueen", "--judge", "demo/judge"),
                  ("mediation-live", "--judge", "openai/j", "--role",
                   "disputants=demo/disputants")):  # fmt: skip
        done = bench("run", *words, "--model", "openai/x")
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert "demo" in done.err and not Path("runs").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("show", "ID", "--json"),
        ("show", "ID", "1", "--json"),
        ("rescore", "ID", "--dry-run", "--json"),
        ("report", "ID", "-o", "page.html"),
        ("export", "ID", "-o", "runs.jsonl"),
        ("cite", "ID"),
        ("compare", "ID", "ID", "--json"),
        ("delete", "ID", "--yes"),
    ],
)
def test_a_run_is_found_in_either_folder(
    bench: Bench, demo: str, real: str, words: tuple[str, ...]
) -> None:
    """By its id, and by its model's name, without an option."""
    for names in ((demo, real), ("weak", "far (imported)")):
        for name in names if words[0] != "delete" or names[0] == "weak" else ():
            done = bench(*(name if word == "ID" else word for word in words))
            assert done.code == 0, done.err
            assert "no runs of real models" not in done.err
    if words[0] == "delete":
        assert bench("show", demo).code == bench("show", real).code == 2


def test_runs_of_both_kinds_are_not_named_together(bench: Bench, demo: str, real: str) -> None:
    """In one sentence."""
    for words in (("compare", demo, real), ("export", real, demo, "-o", "x"), ("report", demo, real,
                  "-o", "x"), ("label", "eqbench-v1", demo, real)):  # fmt: skip
        done = bench(*words)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert f"'{demo}' is a demo run and '{real}' is not" in done.err


def test_a_word_for_runs_of_both_kinds_is_refused(bench: Bench, demo: str, pack: Path) -> None:
    """As nobody can know which is meant."""
    save(bench, "lab/weak")
    done = bench("show", "weak")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "'weak' could be a run in runs or one in runs/demo" in done.err


def test_a_journal_is_of_real_runs_unless_demo_ones_are_asked_for(
    bench: Bench, demo: str, real: str
) -> None:
    """Neither kind is on the board of the other."""
    board = ("leaderboard", "eqbench-v1", "--json")
    for more, models in ((), ["far (imported)"]), (("--demo",), ["demo/weak"]):
        shown = bench(*board, *more)
        assert [row["model"] for row in shown.json["rows"]] == models
        assert (shown.json["demo"], shown.err) == (more == ("--demo",), "")
    assert len(bench("runs", "--json").json["runs"]) == 1
    assert bench("rescore", "--all").out.startswith("1 result looked at")
    shown = bench("runs", "--demo").out
    assert shown.startswith("1 run in runs/demo  DEMO\n")


def test_demo_runs_are_shown_where_there_are_no_others(bench: Bench, demo: str, real: str) -> None:
    """And one line says so, also once the last real run was deleted."""
    assert bench("delete", real, "--yes").code == 0
    for words in (("runs",), ("leaderboard", "eqbench-v1"), ("rescore", "--all"),
                  ("site", "--dry-run")):  # fmt: skip
        done = bench(*words)
        assert done.code == 0
        assert done.err == "no runs of real models in runs; demo runs: runs/demo\n"


def test_an_import_goes_where_its_runs_belong(bench: Bench, demo: str, real: str) -> None:
    """Demo runs into the folder of demo runs; a file of both kinds nowhere."""
    for run_id in (demo, real):
        assert bench("export", run_id, "-o", f"{run_id}.jsonl").code == 0
        assert bench("import", f"{run_id}.jsonl", "--runs-dir", "other").code == 0
    for folder, run_id in ("other/demo", demo), ("other", real):
        with eibench.runs(folder) as runs:
            assert [run.id for run in runs] == [run_id]
        assert list(Path(folder).glob(f"*{run_id}.json"))
    files = (Path(f"{run_id}.jsonl").read_text().splitlines() for run_id in (demo, real))
    first, second = ([json.loads(line) for line in lines] for lines in files)
    Path("both.jsonl").write_text(bundle([*first[:-1], *second[1:-1], first[-1]]))
    done = bench("import", "both.jsonl", "--runs-dir", "third")
    assert done.code == 3 and "holds demo runs and runs of real models" in done.err
    assert not Path("third").exists()


def test_python_reads_either_kind(bench: Bench, demo: str, real: str) -> None:
    """By a name, by `demo`, or what there is."""
    with eibench.runs("runs") as runs:
        assert [run.id for run in runs] == [real]
    with eibench.runs("runs", demo=True) as runs:
        assert [run.id for run in runs] == [demo]
    with eibench.runs("runs", "demo/weak") as runs:
        assert runs["weak"].id == demo
    with pytest.raises(UsageError, match="never stand beside each other"):
        eibench.runs("runs", demo, real)
    shutil.rmtree("runs/demo")
    with pytest.raises(JournalError, match="no runs in runs/demo"):
        eibench.runs("runs", demo=True)
