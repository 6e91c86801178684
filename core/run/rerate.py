"""The ratings of a result that is scored again: as they were, unless the engine has changed."""

from ..benchmark import Pack
from ..compare.rating_summary import engine_version
from ..compare.rerating import rated_again
from ..reports.evidence import ModelComparisons, kept_comparisons
from ..sample.context import RunContext
from ..types.result_document import RatingNotes


def rated_as_before(context: RunContext, pack: Pack) -> ModelComparisons | None:
    """The ratings of a run's stored result, for another document of it.

    Where the engine that made them has another version today, they are made anew.
    """
    kept = kept_comparisons(context.config, context.journal.document(context.run))
    if kept is None or not kept.ratings or _is_of_today(kept.notes):
        return kept
    today = rated_again(context.journal, context.run, context.config, pack, kept)
    return today if today.ratings else kept


def _is_of_today(notes: RatingNotes) -> bool:
    """Whether an engine is as it was; one that is not installed is left alone."""
    version = engine_version(str(notes.get("engine")))
    return version in (None, notes.get("engine_version", "1"))
