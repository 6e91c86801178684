"""Which grades of stored runs may stand beside each other.

Grades by different graders never meet in one number; what differs is told, with the command that
makes it alike.
"""

from collections.abc import Sequence

from ..errors import UsageError
from ..journal import RunRecord
from .hints import bench


def refuse_unlike(runs: Sequence[RunRecord]) -> None:
    """Check that all runs are of one benchmark, version and pack.

    Raises:
        UsageError: They are not; the message says what differs and what to do.
    """
    first = runs[0]
    for run in runs[1:]:
        if differing := _differing(first, run):
            what, todo = differing
            message = f"runs {first.run_id} and {run.run_id} cannot be compared: {what}"
            raise UsageError(f"{message}; {todo}")


def _differing(one: RunRecord, two: RunRecord) -> tuple[str, str] | None:
    if one.benchmark != two.benchmark:
        todo = f"name runs of one benchmark; {bench('runs')} lists them"
        return f"one is of {one.benchmark}, the other of {two.benchmark}", todo
    if one.benchmark_version != two.benchmark_version:
        what = f"{one.benchmark} is of version {one.benchmark_version} in one and "
        todo = "the command of the older one, given again, makes a run of the new version"
        return f"{what}{two.benchmark_version} in the other", todo
    if one.pack_sha256 != two.pack_sha256:
        packs = (f"{run.pack_name} ({run.pack_sha256[:12]})" for run in (one, two))
        if message := _languages(one, two):
            return message, "give the command of one again with the --lang of the other"
        todo = "give the command of one again with the --dataset of the other"
        return f"their packs are {' and '.join(packs)}", todo
    return None


def _languages(one: RunRecord, two: RunRecord) -> str | None:
    """What differs where two runs are of one pack in two languages."""
    first, second = (run.settings.get("all_options", {}).get("lang") for run in (one, two))
    if one.pack_name != two.pack_name or first == second:
        return None
    return f"their packs are {one.pack_name} in {first} and in {second}"


def is_pack(name: str, sha256: str, wanted: str | None) -> bool:
    """Whether a pack is wanted: by its name, or by six digits or more of its SHA-256."""
    if wanted is None or wanted == name:
        return True
    return len(wanted) >= 6 and sha256.startswith(wanted)
