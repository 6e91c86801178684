"""Runs as the parts of a page for others take them: no host, no folder, no system prompt."""

from ..parties.sites import without_hosts
from ..types.result_document import ResultDocument
from .gather import SiteRun
from .inputs import RunInput
from .policy import Policy
from .repeating import command_that_repeats


def input_of(run: SiteRun, document: ResultDocument, policy: Policy) -> RunInput:
    """A run on a board with its result there, without texts and sections."""
    document, items = _without_places(document), policy.masker.value(run.items)
    command = command_that_repeats(run.run, run.document, public=True)
    return RunInput(run.run, document, items, frozenset(), (), command)


def published_input(given: RunInput, policy: Policy) -> RunInput:
    """A run as a report for others takes it."""
    document = _without_places(policy.masker.value(given.document))
    return given._replace(
        document=document,
        items=policy.masker.value(given.items),
        sections=policy.masker.value(given.sections),
        texts=[policy.published(text) for text in given.texts],
        command=policy.masker.text(command_that_repeats(given.run, given.document, public=True)),
    )


def _without_places(document: ResultDocument) -> ResultDocument:
    judge = without_hosts(document["judge"])
    made = {**document, "judge": judge, "endpoint": None, "judge_endpoint": None}
    if roles := document.get("roles"):
        made["roles"] = {name: {**who, "endpoint": None} for name, who in roles.items()}
    return made  # type: ignore[return-value]  # the same fields
