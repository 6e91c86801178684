"""Which run of each model several judges are compared on."""

from ..benchmark import Benchmark
from ..errors import UsageError
from ..reports.choosing import is_pack
from ..reports.judges import JudgedModel
from ..reports.suggestions import bench
from .run_set import RunSet


def read_judged(
    runs: RunSet, benchmark: Benchmark, dataset: str | None, *, demo: bool
) -> list[JudgedModel]:
    """The run of each model of one pack that counts, as its judges graded it.

    Args:
        runs: Among which.
        benchmark: Theirs.
        dataset: A pack's name, or the beginning of its SHA-256; ``None`` for any.
        demo: Demo models count beside real ones; else only where there are no others.

    Raises:
        UsageError: There is none, or runs are of several packs.
    """
    judged = [
        run
        for run in runs
        if run.benchmark == benchmark.name
        and is_pack(run.record.pack_name, run.record.pack_sha256, dataset)
        and run.all_graders
    ]
    real = [run for run in judged if not run.demo]
    judged = judged if demo or not real else real
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
    return [run.judged() for run in {run.name: run for run in by_size}.values()]
