"""The ratings of a result, made anew of the comparisons that a journal holds."""

from typing import cast

from ..benchmark import Pack
from ..errors import UsageError
from ..journal import Journal, RunRecord
from ..reports.evidence import ModelComparisons
from ..settings.run_config import RunConfig
from ..types.result_document import RatingNotes
from .contest import Contest
from .rating_summary import engine_version, find_standing


def rated_again(
    journal: Journal, run: RunRecord, config: RunConfig, pack: Pack, kept: ModelComparisons
) -> ModelComparisons:
    """What a run's result said of comparisons, with the ratings that its engine gives today.

    They are made of the comparisons between the models that it has rated: others came later.

    Raises:
        UsageError: The engine is not installed.
    """
    engine = str(kept.notes.get("engine"))
    if engine_version(engine) is None:
        raise UsageError(f"the rating engine {engine!r} is not installed")
    met = Contest(journal, config, pack, run=run).met()
    met = met.without(met.runs.keys() - {row["model"] for row in kept.ratings})
    standing = find_standing(
        config.benchmark, pack, met, run=run, engine=engine, options=config.options
    )
    notes = {name: note for name, note in kept.notes.items() if name != "by_judge"}
    opponents = sorted({row["model"] for row in standing.ratings} - {run.name})
    return kept._replace(
        counts={**standing.comparisons, "opponents": opponents},
        ratings=standing.ratings,
        conclusions=standing.conclusions,
        notes=cast(RatingNotes, {**notes, **standing.details}),
        warnings=standing.warnings,
    )
