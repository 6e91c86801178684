"""Prompts of a run that its servers cut in silence, as the journal tells."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..journal import Journal, RunRecord
from ..reading.cut_prompts import CutPrompts, PromptCount, PromptsBefore, doubtful_in, find_cut
from ..sample.prompts import told_cut

if TYPE_CHECKING:
    from ..parties.graders import Judge
    from ..parties.party import Party

CUT = "prompt cut by the server"
"""The flag of a sample."""

Cut = Mapping[tuple[str, "Party"], CutPrompts]
"""What was cut, by phase and party."""


def cut_in(
    journal: Journal,
    run: RunRecord,
    judge: "Judge | None",
    inside: Callable[[str, int], bool],
) -> Cut:
    """What was cut of the model's prompts, those of roles and of a judge, of samples `inside`."""
    talks: dict[tuple[str, Party], list[list[PromptCount]]] = {}
    for one in list(journal.doubtful_prompts(run, judge)):
        if inside(one.item_id, one.iteration):
            talks.setdefault((one.phase, one.asked), []).append(journal.prompts_of(run, one))
    by_party = {
        party: find_cut(
            [doubtful for talk in of_party for doubtful in doubtful_in(talk)],
            PromptsBefore(journal.first_prompts(run, *party)),
        )
        for party, of_party in talks.items()
    }
    cuts = {party: cut for party, cut in by_party.items() if cut}
    addresses = journal.addresses(run) if cuts else {}
    return {
        (phase, asked): cut._replace(address=addresses.get(asked, ""))
        for (phase, asked), cut in cuts.items()
    }


def cut_warnings(cut: Cut) -> list[str]:
    """One line for each party."""
    return [told_cut(phase, asked, prompts) for (phase, asked), prompts in cut.items()]
