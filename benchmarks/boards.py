"""How long commands take that read every run of a journal.

    python -m benchmarks.boards --runs 1000

Makes a journal of so many runs of a benchmark, each the copy of a demo model's
replies and grades under a name of its own, and times the commands that look at
all of them as whole processes. `--models` lets several runs be of one model,
`--judges` has each graded by so many judges who say the same; the board is the first one's.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import eibench
from eibench import ResultDocument
from eibench.core.journal import Journal, RunRecord
from eibench.core.parties.party import Party
from eibench.core.types import ChatRequest

from .measuring import BENCH, clean_environment, run, table

BASES = ("weak", "medium", "strong")


def make_journal(
    folder: Path, benchmark: str, n_runs: int, n_models: int, n_judges: int = 1
) -> None:
    """A journal of that many runs, oldest first, the models in turn."""
    bases = folder / "bases"
    for name in BASES:
        eibench.run(benchmark, model=f"demo/{name}", dataset="bundled", runs_dir=bases)
    with Journal(bases / "demo") as given, Journal(folder / "runs") as made:
        copied = given.runs()
        for n in range(n_runs):
            model, base = f"openai/m{n % n_models}", copied[n % len(copied)]
            asyncio.run(_copy(given, base, made, n, model, n_judges))


async def _copy(
    given: Journal, base: RunRecord, made: Journal, n: int, model: str, n_judges: int
) -> None:
    """One run, with all its replies and grades."""
    columns = {name: getattr(base, name) for name in _KEPT}
    settings = {**base.settings, "model": model}
    run_id = f"{n:08x}"
    own = made.add_run(
        **columns, run_id=run_id, identity=run_id, ordinal=1, model=model, name=model,
        demo=False, settings=settings,
    )  # fmt: skip
    await asyncio.gather(
        *(
            made.add_call(
                own, c.item_id, c.iteration, c.key, own.party, ChatRequest(c.messages),
                replace(c.response, latency_s=0.0),
            )
            for c in given.calls(base)
        )
    )  # fmt: skip
    for by, _ in given.graders(base):
        samples = {call.item_id: call.item_id for call in given.calls(base)}
        for extra in range(n_judges):
            other = replace(by, judge=Party.of(f"openai/judge{extra}")) if extra else by
            for score in given.grades(base, by, samples):
                made.add_grade(own, other, score.item_id, score.iteration, score.score)
    if earlier := given.document(base):
        document: ResultDocument = {
            **earlier,
            "run_id": run_id,
            "name": model,
            "model": model,
            "demo": False,
        }
        made.end_run(own, "complete", seconds=0.0, finished=True, document=document)


_KEPT = ("benchmark", "benchmark_version", "pack_name", "pack_sha256", "endpoint")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row per command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--models", type=int, help="default: as many as runs")
    parser.add_argument("--judges", type=int, default=1)
    parser.add_argument("--benchmark", default="eqbench-v1")
    parser.add_argument("--keep", type=Path, help="a folder to make the journal in, and to leave")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        if not (folder / "runs").exists():
            n_models = options.models or options.runs
            make_journal(folder, options.benchmark, options.runs, n_models, options.judges)
        print(table(("command", "wall s", "CPU s", "peak MB"), _measured(folder, options)))
    return 0


def _measured(folder: Path, options: argparse.Namespace) -> list[list[str]]:
    where, environment = ("--runs-dir", str(folder / "runs")), clean_environment(folder)
    rows, which = [], ("--judge", "demo/judge") if options.judges > 1 else ()
    for name, *command in (
        ("leaderboard, the first time", "leaderboard", options.benchmark, *which),
        ("leaderboard", "leaderboard", options.benchmark, *which),
        ("leaderboard --json", "leaderboard", options.benchmark, "--json", *which),
        ("runs", "runs"),
        ("runs --json", "runs", "--json"),
        ("correlate", "correlate", options.benchmark, f"{options.benchmark}:first_pass"),
    ):
        cost = run([BENCH, *command, *where], env=environment)
        numbers = (f"{cost.wall_s:.2f}", f"{cost.cpu_s:.2f}", f"{cost.peak_mb:.0f}")
        rows.append([name, *numbers])
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
