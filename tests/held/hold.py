"""Results that are held, so that no number moves unannounced.

`runs.jsonl.gz` holds a small run of each benchmark with its result, `comparisons.jsonl` comparisons
for the rating engines, and `numbers.json` the versions that made the numbers, and the ratings.
A number that is meant to move: raise the benchmark's `grading` or the engine's `version`, write it
in changes/NAME.numbers.md, and run `python tests/held/hold.py`.
"""

import gzip
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from eibench import Comparisons
from eibench.core.cli.app import app
from eibench.core.compare.rating_summary import engine_version, rate_with
from eibench.core.journal import Journal
from eibench.core.plugins import installed
from eibench.core.ratings.reading import comparison_lines, read_comparisons
from eibench.core.ratings.settings import RatingSettings
from eibench.core.reports.changes import changes_of
from eibench.testing import Tournament

FOLDER = Path(__file__).parent
RUNS, NUMBERS = FOLDER / "runs.jsonl.gz", FOLDER / "numbers.json"
COMPARISONS = FOLDER / "comparisons.jsonl"
ANEW = "python tests/held/hold.py holds the numbers of today"


def numbers() -> dict[str, Any]:
    """What is held beside the runs."""
    found: dict[str, Any] = json.loads(NUMBERS.read_text(encoding="utf-8"))
    return found


def comparisons() -> Comparisons:
    """Those that engines are held to."""
    return read_comparisons(COMPARISONS, by_criterion=True)


def ratings_by(engine: str) -> dict[str, float]:
    """Each model's rating of the held comparisons."""
    made = rate_with(engine, comparisons(), RatingSettings())
    return {row.model: row.rating for row in made.rows}


def grading_of(benchmark: str) -> str:
    """Today's."""
    return installed().benchmark(benchmark).grading


def moved_at_import(folder: Path) -> Iterator[dict[str, Any]]:
    """Held runs whose numbers an import into a folder computed otherwise, as of `rescore --all`."""
    with gzip.open(RUNS, "rt", encoding="utf-8") as lines:
        rows = [row for line in lines if (row := json.loads(line)).get("kind") == "run"]
    with Journal(folder, create=False) as journal:
        for row in rows:
            run = journal.find_run(row["run_id"])
            today = run and journal.document(run)
            changes = [one._asdict() for one in changes_of(row["document"], today)] if today else []
            numbers = [
                {**one, "old": one["old"]._asdict(), "new": one["new"]._asdict()} for one in changes
            ]
            yield {"benchmark": row["benchmark"], "changes": numbers, "reason": None}


def faults_of_runs(checked: Sequence[Mapping[str, Any]], held: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the held runs, and what to do.

    Args:
        checked: As `bench rescore --all --dry-run --json` tells of them.
        held: `grading` by benchmark.
    """
    for one in checked:
        name = one["benchmark"]
        if one["reason"]:
            yield f"{name}: {one['reason']}: {ANEW}"
        for change in one["changes"]:
            yield _fault(name, change, held.get(name))


def _fault(name: str, change: Mapping[str, Any], held: str | None) -> str:
    """What is wrong with a number of a run."""
    metric, old, new = (change[key] for key in ("metric", "old", "new"))
    if old["value"] == pytest.approx(new["value"], rel=1e-9):
        move = f"{metric}: interval {old['ci95']} -> {new['ci95']}"
        return f"{name}: {move}: write it in changes/NAME.numbers.md, and {ANEW}"
    move = f"{metric} {old['value']} -> {new['value']}"
    if metric == "rating":
        return _moved(name, move, "the engine's version", raised=False)
    return _moved(name, move, "its grading", raised=grading_of(name) != held)


def faults_of_engines(held: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the held ratings, and what to do.

    Args:
        held: `version` and `ratings` by engine.
    """
    for name in installed().rating_engines.things:
        if name not in held:
            yield f"{name}: no numbers of it are held: {ANEW}"
            continue
        for model, rating in ratings_by(name).items():
            before = held[name]["ratings"].get(model)
            if rating != pytest.approx(before, rel=1e-7):
                raised = engine_version(name) != held[name]["version"]
                yield _moved(name, f"{model} {before} -> {rating}", "its version", raised=raised)


def _moved(name: str, move: str, version: str, *, raised: bool) -> str:
    if raised:
        return f"{name}: {move}: {version} is raised: {ANEW}"
    return (
        f"{name}: {move}, with {version} as before: raise it, write the change in "
        f"changes/NAME.numbers.md, and {ANEW}"
    )


LIMITS = {
    "both-sides": "8",
    "confidant": "4",
    "diplobench": "1",
    "creative-writing-legacy": "8",
    "creative-writing-v3": "8",
    "emotionqueen": "10",
    "eqbench3": "3",
    "humanebench": "16",
    "judge-exam": "2",
    "longform-writing": "2",
    "mediation-live": "8",
    "spiral-bench": "3",
}
MORE = {
    "buzzbench": ("--iterations", "1"),
    "judgemark": ("--iterations", "1"),
    "creative-writing-legacy": ("--iterations", "1"),
    "creative-writing-v3": ("--iterations", "1", "--no-elo"),
    "mediation-live": ("--exchanges", "1"),
    "diplobench": ("--max-years", "1"),
}
COMPARED = "eqbench3"


def bench(*args: object) -> str:
    """What a command prints."""
    done = CliRunner().invoke(app, [str(arg) for arg in args])
    if done.exit_code != 0:
        raise SystemExit(f"bench {' '.join(map(str, args))}: {done.output}")
    return done.stdout


def unannounced(folder: Path) -> list[str]:
    """Numbers that moved with no version raised."""
    held = numbers() if NUMBERS.exists() else {"benchmarks": {}, "engines": {}}
    faults = list(faults_of_engines(held["engines"]))
    if RUNS.exists():
        bench("import", RUNS, "--runs-dir", folder)
        message = bench("rescore", "--all", "--dry-run", "--json", "--runs-dir", folder)
        rows = [*moved_at_import(folder / "demo"), *json.loads(message)["runs"]]
        faults += faults_of_runs(rows, held["benchmarks"])
    return [fault for fault in faults if "as before: raise it" in fault]


def hold_runs(folder: Path) -> None:
    """A small run of a demo model on each benchmark, of two where models are compared."""
    ids = []
    for benchmark in installed().benchmarks.things:
        for model in ("demo/weak", "demo/strong")[: 1 + (benchmark == COMPARED)]:
            limit = LIMITS.get(benchmark, "9")  # from 8 on there are intervals
            run = ("run", benchmark, "--dataset", "bundled", "--limit", limit, "--model", model)
            more = (*MORE.get(benchmark, ()), "--json", "--runs-dir", folder)
            ids.append(json.loads(bench(*run, *more))["run_id"])
    bench("export", *ids, "-o", RUNS, "--runs-dir", folder)


def hold_comparisons() -> None:
    """Five models of known strength; both orders, but for replies that could not be read."""
    played = Tournament([0.0, 0.3, 0.6, 0.9, 1.4], seed=5, family_sizes=(2, *[1] * 9), criteria=2)
    rows = played.rows(played.random_calls(60))
    (COMPARISONS).write_bytes(b"".join(comparison_lines(rows)))


def hold_numbers() -> None:
    """The versions, and the ratings."""
    engines: dict[str, Any] = {
        name: {"version": engine_version(name), "ratings": ratings_by(name)}
        for name in installed().rating_engines.things
    }
    gradings = {name: grading_of(name) for name in installed().benchmarks.things}
    text = json.dumps({"benchmarks": gradings, "engines": engines}, indent=1)
    NUMBERS.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Hold everything anew."""
    with tempfile.TemporaryDirectory() as folder:
        if (COMPARISONS).exists() and (faults := unannounced(Path(folder) / "was")):
            sys.exit("\n".join(faults))
        hold_runs(Path(folder) / "is")
    if not (COMPARISONS).exists():
        hold_comparisons()
    hold_numbers()


if __name__ == "__main__":
    main()
