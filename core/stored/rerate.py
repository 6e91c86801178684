"""The ratings of a result that is scored again: as they were, unless the engine has changed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..benchmark import Pack
from ..compare.comparison_pool import pool_of, read_met
from ..compare.rating_summary import RatingSummary, engine_version, find_standing
from ..journal import Journal, RunRecord
from ..lookup.demo_apart import Company, is_demo
from ..lookup.views import keep_ratings
from ..settings.run_config import RunConfig


def rate_as_before(
    journal: Journal, run: RunRecord, config: RunConfig, pack: Pack, document: dict[str, Any]
) -> None:
    """Put the ratings of a run's stored result into another document of it.

    Where the engine that made them has another version today, they are made anew of all
    comparisons that there are.
    """
    earlier = journal.document(run) or {}
    keep_ratings(document, earlier)
    rating = document["notes"].get("rating")
    if not rating or not document["ratings"] or _is_of_today(rating):
        return
    standing = _rated_today(journal, run, config, pack, document)
    if standing.ratings:
        document["ratings"] = standing.ratings
        document["conclusions"] = list(standing.conclusions)
        document["notes"]["rating"] = {**rating, **standing.details}
        document["warnings"] += standing.warnings


def _is_of_today(rating: Mapping[str, Any]) -> bool:
    """Whether an engine is as it was; one that is not installed is left alone."""
    version = engine_version(str(rating.get("engine")))
    return version in (None, rating.get("engine_version", "1"))


def _rated_today(
    journal: Journal,
    run: RunRecord,
    config: RunConfig,
    pack: Pack,
    document: Mapping[str, Any],
) -> RatingSummary:
    here = {other.name: other for other in journal.runs()}
    names = [row["model"] for row in document["ratings"]]
    mixed = len({is_demo(name, here.get(name)) for name in names}) > 1
    config = replace(config, mixed=mixed)
    met = read_met(journal, pool_of(journal, config, pack), pack, Company.of(config))
    engine = str(document["notes"]["rating"]["engine"])
    given: dict[str, Any] = {"own": run, "engine": engine, "options": config.options}
    return find_standing(config.benchmark, pack, met, **given)
