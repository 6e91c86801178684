"""Which run of each model several judges are compared on."""

from collections.abc import Collection
from dataclasses import replace

from ..benchmark import Benchmark
from ..errors import UsageError
from ..reports.choosing import is_pack
from ..reports.judges import JudgedModel, JudgesDocument, study
from ..reports.suggestions import bench
from .run_set import RunSet
from .words import model_names


def compare_judges(
    runs: RunSet,
    benchmark: Benchmark,
    dataset: str | None = None,
    *,
    named: Collection[str] = (),
) -> JudgesDocument:
    """How the judges of a benchmark's models compare, by the run of each model that counts.

    Args:
        runs: Among which.
        benchmark: Theirs.
        dataset: A pack's name, or the beginning of its SHA-256; ``None`` for any.
        named: Only these judges; all where none is named.

    Raises:
        UsageError: There is no judged run, runs are of several packs, or there are fewer than two
            judges, no grades by a named one, or no sample that all could read.
    """
    return study(benchmark, _models(runs, benchmark, dataset), named)


def _models(runs: RunSet, benchmark: Benchmark, dataset: str | None) -> list[JudgedModel]:
    """The run of each model that counts, as its judges graded it."""
    judged = [
        run
        for run in runs
        if run.benchmark == benchmark.name
        and is_pack(run.record.pack_name, run.record.pack_sha256, dataset)
        and run.all_graders
    ]
    if not judged:
        message = f"no judged run of {benchmark.name} on this pack"
        raise UsageError(f"{message}; {bench('run', benchmark.name, '--judge', 'SPEC')} makes one")
    packs = {
        r.pack_sha256: f"{r.pack_name} ({r.pack_sha256[:12]})" for r in (r.record for r in judged)
    }
    if len(packs) > 1:
        listed = ", ".join(sorted(packs.values()))
        raise UsageError(f"runs are of several packs: {listed}; choose one with --dataset")
    by_size = sorted(judged, key=lambda run: (max(g.grades for g in run.all_graders), run.record.n))
    names = model_names([run.record for run in judged])
    counted = {names[run.id]: run for run in by_size}.items()
    return [run.judged()._replace(run=replace(run.record, name=name)) for name, run in counted]
