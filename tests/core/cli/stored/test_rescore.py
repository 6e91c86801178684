"""`bench rescore --all`: the stored results whose numbers would be others today."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eibench import Ratings, Sampling, Score
from eibench.core.journal import Journal
from eibench.core.plugins import installed

Bench = Callable[..., Any]
V1 = ("run", "eqbench-v1", "--dataset", "bundled", "--limit", 4)


def stored() -> dict[str, bytes]:
    """What a runs folder holds: the journal and the results."""
    return {p.name: p.read_bytes() for p in Path("runs/demo").iterdir() if p.suffix in STORED}


STORED = (".json", ".sqlite")


@pytest.fixture
def doubled(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Changes `eqbench-v1` so that its scores are twice as high, when called."""
    kind = type(installed().benchmark("eqbench-v1"))
    before = kind.grade

    async def grade(self: Any, *args: Any) -> Score:
        score = await before(self, *args)
        values = {name: value and 2 * value for name, value in score.values.items()}
        return Score(values, detail=score.detail)

    def change() -> None:
        monkeypatch.setattr(kind, "grade", grade)
        monkeypatch.setattr(kind, "grading", "9")

    return change


def test_nothing_changes_while_nothing_has_changed(bench: Bench) -> None:
    """Not a digit."""
    bench(*V1)
    done = bench("rescore", "--all", "--dry-run")
    assert (done.code, done.out) == (0, "1 result looked at, 0 would change\n")


def test_a_dry_run_lists_what_would_change_and_stores_nothing(
    bench: Bench, doubled: Callable[[], None]
) -> None:
    """Benchmark, run, metric, old and new; not a byte of the runs folder is another one."""
    document = bench(*V1, "--json").json
    doubled()
    before = stored()
    message = bench("rescore", "--all", "--dry-run", "--json").json
    assert (message["dry_run"], message["checked"]) == (True, 1)
    (one,) = message["runs"]
    assert (one["benchmark"], one["run_id"]) == ("eqbench-v1", document["run_id"])
    score = next(change for change in one["changes"] if change["metric"] == "score")
    assert score["old"]["value"] == document["metrics"]["score"]["value"]
    assert score["new"]["value"] == pytest.approx(2 * score["old"]["value"])
    shown = bench("rescore", "--all", "--dry-run").out
    assert "│ eqbench-v1 │ demo/medium │ score " in shown
    assert shown.endswith("1 result looked at, 1 would change; bench rescore --all changes them\n")
    assert stored() == before


def test_all_are_rescored_and_then_nothing_is_left(
    bench: Bench, doubled: Callable[[], None]
) -> None:
    """The run's own result is the new one, in its file too; a result that stays is not touched."""
    document = bench(*V1, "--json").json
    other = bench("run", "seceu", "--dataset", "bundled", "--limit", 3, "--json").json
    doubled()
    done = bench("rescore", "--all")
    assert (done.code, done.out.splitlines()[-1]) == (0, "2 results looked at, 1 changed")
    shown = bench("show", document["run_id"], "--json").json
    old = document["metrics"]["score"]["value"]
    assert shown["metrics"]["score"]["value"] == pytest.approx(2 * old)
    (path,) = Path("runs/demo").glob(f"*-{document['run_id']}.json")
    assert json.loads(path.read_text())["metrics"] == shown["metrics"]
    assert bench("show", other["run_id"], "--json").json == other
    assert bench("rescore", "--all").out == "2 results looked at, 0 changed\n"


def test_a_result_whose_replies_were_never_made_is_left_as_it_is(
    bench: Bench, court: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another sampling of the judge needs other verdicts; offline there are none."""
    court.grade("strict", "alpha", *range(1, 10))
    run_id = court.run("alpha", "strict")
    kind = type(installed().benchmark("eqbench3"))
    monkeypatch.setattr(kind, "judge_sampling", Sampling(temperature=0.5))
    shown = bench("show", run_id, "--json").json["metrics"]
    (one,) = bench("rescore", "--all", "--json").json["runs"]
    assert one["reason"].startswith("9 samples need replies that were never made")
    assert (one["changes"], one["rescored"]) == ([], False)
    assert bench("show", run_id, "--json").json["metrics"] == shown
    assert f"left as it is: {run_id} " in bench("rescore", "--all", "--dry-run").out


def test_ratings_of_another_version_of_the_engine_are_made_anew(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of this version stay, whatever was compared since."""
    run = ("run", "eqbench3", "--dataset", "bundled", "--limit", 3, "--json", "--model")
    bench(*run, "demo/weak")
    bench(*run, "demo/strong")
    engine = installed().rating_engines.things["glicko2"]
    before = engine.rate

    def higher(*args: Any) -> Ratings:
        made = before(*args)
        rows = tuple(row._replace(rating=row.rating + 100) for row in made.rows)
        return Ratings(made.engine, rows, diagnostics=made.diagnostics)

    monkeypatch.setattr(engine, "rate", higher, raising=False)
    assert bench("rescore", "--all", "--dry-run", "--json").json["runs"] == []
    monkeypatch.setattr(engine, "version", "9", raising=False)
    (one,) = bench("rescore", "--all", "--json").json["runs"]
    (change,) = one["changes"]
    assert change["metric"] == "rating"
    assert change["new"]["value"] == pytest.approx(change["old"]["value"] + 100)
    shown = bench("show", one["run_id"], "--json").json
    assert shown["notes"]["rating"]["engine_version"] == "9"
    assert bench("rescore", "--all", "--dry-run", "--json").json["runs"] == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "name a RUN, or --all"),
        (("abc", "--all"), "name a RUN, or --all"),
        (("--all", "--set", "parser=reference"), "is for one RUN, not for --all"),
    ],
)
def test_what_is_rescored_is_named_once(bench: Bench, args: tuple[str, ...], message: str) -> None:
    """One run, or all."""
    done = bench("rescore", *args)
    assert done.code == 2 and message in done.err


def test_one_run_may_be_tried_too(bench: Bench, doubled: Callable[[], None]) -> None:
    """With --dry-run the result is printed and not stored."""
    document = bench(*V1, "--json").json
    doubled()
    before = stored()
    tried = bench("rescore", document["run_id"], "--dry-run", "--json").json
    old, new = (d["metrics"]["score"]["value"] for d in (document, tried))
    assert new == pytest.approx(2 * old)
    assert stored() == before


def test_runs_that_were_only_compared_or_generated_are_looked_at_too(bench: Bench) -> None:
    """No judge has replied with a verdict, and nothing has changed."""
    run = ("run", "eqbench3", "--dataset", "bundled", "--limit", 2, "--no-rubric", "--model")
    bench(*run, "demo/weak", "--no-elo")
    bench(*run, "demo/strong")
    done = bench("rescore", "--all", "--json")
    assert (done.code, done.json) == (0, {"dry_run": False, "checked": 2, "runs": []})


def test_a_result_is_left_while_a_longer_run_has_not_ended(
    bench: Bench, doubled: Callable[[], None]
) -> None:
    """The journal holds samples of the longer one, whose own command sums them up."""
    short = bench(*V1, "--json").json
    bench(*V1[:-1], 6)
    with Journal(Path("runs/demo")) as journal:
        (run,) = journal.runs()
        journal.end_run(run, "interrupted", seconds=0, finished=False, document=short)
    doubled()
    (one,) = bench("rescore", "--all", "--json").json["runs"]
    assert (one["rescored"], "its own command sums them up" in one["reason"]) == (False, True)
    assert bench("show", short["run_id"], "--json").json["metrics"] == short["metrics"]
