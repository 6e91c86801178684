"""`bench site --only` and `--without`: what is left out leaves no trace, and no number."""

import base64
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., Any]
SITE = Path("site")


@pytest.fixture
def runs(bench: Bench, demos: Callable[..., Any]) -> Bench:
    """Three demo models compared with each other, and two with scores on another benchmark."""
    demos(3)
    for model in ("weak", "medium"):
        done = bench("run", "eqbench-v1", "--model", f"demo/{model}", "--dataset", "bundled")
        assert done.code == 0, done.err
    return bench


def build(bench: Bench, *more: str) -> Any:
    """The site, of what is named."""
    done = bench("site", "-o", SITE, "--texts", "all", *more)
    assert done.code == 0, done.err
    return done


def everything() -> dict[str, str]:
    """All files with their paths as text, what is packed in them unpacked."""
    texts = {}
    for path in SITE.rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        for packed in re.findall(r'"(H4sI[^"]+)"', text):
            text += gzip.decompress(base64.b64decode(packed)).decode()
        texts[str(path)] = f"{path}\n{text}"
    return texts


def boards() -> dict[str, Any]:
    """The boards of the site by their benchmark."""
    documents = (json.loads(path.read_text()) for path in SITE.glob("boards/*.json"))
    return {document["benchmark"]: document for document in documents}


def test_a_model_that_is_left_out_leaves_no_trace(runs: Bench) -> None:
    """Neither its name nor its run's id is in a file of the site, nor its files of before."""
    build(runs)
    ids = [
        run["run_id"] for run in runs("runs", "--json").json["runs"] if run["name"] == "demo/weak"
    ]
    traces = ["demo/weak", "demo-weak", *ids]
    assert all(any(trace in text for text in everything().values()) for trace in traces)
    build(runs, "--without", "demo/weak")
    found = [(path, t) for path, text in everything().items() for t in traces if t in text]
    assert (found, len(ids)) == ([], 2)


def test_the_others_are_rated_as_if_it_had_never_been_run(runs: Bench) -> None:
    """As `bench leaderboard --without` rates and ranks them; the board and the entry say so."""
    build(runs, "--without", "medium")
    wanted = runs("leaderboard", "eqbench3", "--without", "demo/medium", "--json").json["rows"]
    board = boards()["eqbench3"]
    assert [(r["model"], r["rating"], r["rating_ci95"], r["rank"]) for r in board["rows"]] == [
        (r["model"], r["rating"], r["ci95"], r["rank_ci95_board"]) for r in wanted
    ]
    assert [w for w in board["warnings"] if w.startswith("not all models are shown")]
    assert "Not all models are shown" in (SITE / "index.html").read_text(encoding="utf-8")


def test_a_site_of_some_is_of_these_alone(runs: Bench) -> None:
    """Benchmarks and models each narrow it; what stands on no board then says nothing."""
    build(runs, "--only", "eqbench3", "--only", "demo/weak", "--only", "strong")
    assert {name: [r["model"] for r in b["rows"]] for name, b in boards().items()} == {
        "eqbench3": ["demo/strong", "demo/weak"]
    }
    assert not [text for text in everything().values() if "demo/medium" in text]
    assert 'id="absent"' not in (SITE / "index.html").read_text(encoding="utf-8")


def test_a_benchmark_that_is_left_out_changes_no_number(runs: Bench) -> None:
    """Nor is anything said of models that are not shown."""
    build(runs)
    before = boards()
    build(runs, "--without", "eqbench3")
    assert boards() == {"eqbench-v1": before["eqbench-v1"]}
    assert "ot all models" not in (SITE / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--without", "demo/mediun"), "--without demo/mediun: no such benchmark or model; "
         "did you mean demo/medium?"),
        (("--only", "eqbench-3"), "--only eqbench-3: no such benchmark or model; did you mean "
         "eqbench3?"),
        (("--only", "eqbench-v2"), "--only and --without leave nothing to show"),
        (("--without", "demo"), "--without demo: no such benchmark or model"),
        (("--only", "weak", "--without", "demo/weak"), "leave nothing to show"),
    ],
)  # fmt: skip
def test_what_names_nothing_is_refused(runs: Bench, words: tuple[str, ...], message: str) -> None:
    """With the nearest name; nothing is written."""
    done = runs("site", "-o", SITE, *words)
    assert (done.code, SITE.exists()) == (2, False)
    assert message in " ".join(done.err.split())


def test_the_end_of_several_names_is_refused(runs: Bench, tmp_path: Path) -> None:
    """As nobody can know which is meant."""
    more = ("--model", "demo/strong", "--name", "lab/weak", "--dataset", "bundled", "--limit", "1")
    assert runs("run", "eqbench-v1", *more).code == 0
    done = runs("site", "-o", SITE, "--without", "weak")
    assert done.code == 2
    assert "--without weak may be any of demo/weak, lab/weak; write the whole name" in done.err
    build(runs, "--without", "lab/weak")
    assert not [text for text in everything().values() if "lab/weak" in text]


def test_a_preview_tells_who_is_left_out(runs: Bench) -> None:
    """On the terminal alone."""
    done = runs("site", "--dry-run", "--without", "demo/weak", "--without", "eqbench-v1")
    assert done.code == 0
    assert "left out: 1 model (demo/weak)" in done.out
    assert "eqbench-v1" not in done.out


def test_a_warning_that_has_the_letters_of_a_name_stays(bench: Bench) -> None:
    """A model called ``base`` is left out; that intervals are based on few texts is said still."""
    for model, name in (("weak", "base"), ("medium", "tuned")):
        done = bench("run", "seceu", "--model", f"demo/{model}", "--name", name)
        assert done.code == 0, done.err
    build(bench, "--without", "base")
    assert "based on 16 different texts" in Path(SITE, "models", "tuned.html").read_text()
