"""The result of a run by its panel, made anew once one of its judges was asked anew."""

from dataclasses import dataclass, replace
from typing import Any, Self

from ..errors import BenchError
from ..journal import Journal
from ..parties.graders import Panel
from ..runs.stored_run import StoredRun
from ..sample.context import RunContext, Sample
from ..sample.life import run_sample
from ..sample.workers import run_workers
from .outcome import Placement, RunOutcome
from .rescore import context_of
from .task import Regrade
from .unread import UnreadVerdicts


@dataclass(frozen=True, eq=False)
class _OfPanel(Regrade):
    """A panel's part of it; nobody is asked."""

    @property
    def asks_anew(self) -> bool:
        """Never."""
        return False

    def find(self, journal: Journal) -> Self:
        """The task as it is."""
        return self


async def renew_panel(context: RunContext, task: Regrade, unread: UnreadVerdicts) -> None:
    """Put what a judge said when it was asked anew into the score of the run's panel.

    Nothing is done where the run's own result is by no panel, or the judge is none of it.
    """
    journal, run, (judge,) = context.journal, context.run, context.config.judges
    journal.writer.flush()
    stored = StoredRun(journal, journal.find_run(run.run_id) or run)
    try:
        config = stored.config()
    except BenchError:  # the run's own result cannot be made here, with other data perhaps
        return
    if not isinstance(config.judge, Panel) or judge.party not in config.judge.judges:
        return
    pack = stored.pack_of(config)
    of_run = _OfPanel(replace(config, runs_dir=journal.folder), pack, stored.record)
    of_panel = context_of(stored, of_run, RunContext)
    items = {item.id: item for item in pack.items}
    samples = [Sample(items[item_id], n) for item_id, n in unread.samples if item_id in items]
    await run_workers(of_panel, iter(samples), 1, run_sample)
    of_run = replace(of_run, config=replace(of_run.config, **_selected(stored)))
    placement = Placement(anew=bool(unread.comparisons))
    RunOutcome(of_run, replace(of_panel, config=of_run.config), placement, None).sum_up(0.0, None)


def _selected(stored: StoredRun) -> dict[str, Any]:
    """What the run has begun, as a configuration asks for it."""
    selection = stored.selection
    return {
        "items": tuple(item.id for item in selection.items),
        "limit": None,
        "iterations": selection.iterations,
    }
