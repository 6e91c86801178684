"""The ratings of a result that is scored again: as they were, unless the engine has changed."""

from ..benchmark import Pack
from ..compare.contest import Contest
from ..compare.rating_summary import RatingSummary, engine_version, find_standing
from ..reports.evidence import ModelComparisons, kept_comparisons
from ..sample.context import RunContext
from ..types.result_document import RatingNotes


def rated_as_before(context: RunContext, pack: Pack) -> ModelComparisons | None:
    """The ratings of a run's stored result, for another document of it.

    Where the engine that made them has another version today, they are made anew of all
    comparisons that there are.
    """
    kept = kept_comparisons(context.config, context.journal.document(context.run))
    if kept is None or not kept.ratings or _is_of_today(kept.notes):
        return kept
    today = _rated_today(context, pack, kept)
    if not today.ratings:
        return kept
    return kept._replace(
        ratings=today.ratings,
        conclusions=today.conclusions,
        notes={**kept.notes, **today.details},
        warnings=today.warnings,
    )


def _is_of_today(notes: RatingNotes) -> bool:
    """Whether an engine is as it was; one that is not installed is left alone."""
    version = engine_version(str(notes.get("engine")))
    return version in (None, notes.get("engine_version", "1"))


def _rated_today(context: RunContext, pack: Pack, kept: ModelComparisons) -> RatingSummary:
    journal, config = context.journal, context.config
    met = Contest(journal, config, pack, run=context.run).met()
    engine = str(kept.notes.get("engine"))
    return find_standing(
        config.benchmark, pack, met, run=context.run, engine=engine, options=config.options
    )
