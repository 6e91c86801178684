"""Which run a configuration means, and that it is ours alone while we work on it."""

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version

from ..benchmark import Pack
from ..endpoints.providers import host_of
from ..journal import Journal, RunLock, RunRecord
from ..lookup.runs import FoundRun
from ..settings.run_config import RunConfig, identity
from ..types import JsonDict, digest

PACKAGES = ("eibench", "aiohttp", "openai", "anthropic", "litellm", "numpy")


def package_versions() -> dict[str, str]:
    """Versions by name: Python's, and those of the packages that are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


ID_LENGTHS = (8, 16, 32)
"""Of the identity's digits in a run's id: as few as tell it from other runs."""


@contextmanager
def own_run(journal: Journal, found: FoundRun, pack: Pack, *, demo: bool) -> Iterator[RunRecord]:
    """The run that was found, or a new one, owned while the block runs.

    Raises:
        JournalError: Another process owns it.
    """
    config, meant = found.config, identity(found.config, pack)
    run_identity, ordinal = digest(meant), 1
    if found.run is not None:
        run_id = found.run.run_id
    else:
        newest = journal.newest_run(run_identity)
        ordinal = newest.ordinal + 1 if newest else 1
        run_id = _run_id(journal, run_identity, ordinal)
    with RunLock(journal.folder, run_id).acquire():
        yield journal.find_run(run_id) or journal.add_run(
            run_id=run_id,
            identity=run_identity,
            ordinal=ordinal,
            demo=demo,
            settings=run_settings(config, meant),
            **_names(config, pack),
        )


def _run_id(journal: Journal, run_identity: str, ordinal: int) -> str:
    suffix = f"-{ordinal}" if ordinal > 1 else ""
    ids = [run_identity[:length] + suffix for length in ID_LENGTHS]
    there = {run_id: journal.find_run(run_id) for run_id in ids}
    return next(i for i, run in there.items() if run is None or run.identity == run_identity)


def _names(config: RunConfig, pack: Pack) -> JsonDict:
    base_url = config.model.base_url
    return {
        "benchmark": config.benchmark.name,
        "benchmark_version": config.benchmark.version,
        "model": str(config.model.spec),
        "name": config.display_name,
        "pack_name": pack.source.name,
        "pack_sha256": pack.source.sha256,
        "endpoint": host_of(base_url) if base_url else None,
    }


def run_settings(config: RunConfig, meant: JsonDict) -> JsonDict:
    """What the journal keeps of how a run was asked."""
    return {
        **meant,
        "all_options": dict(config.options),
        "dataset": config.dataset,
        "notes": dict(config.notes),
        "versions": package_versions(),
    }
