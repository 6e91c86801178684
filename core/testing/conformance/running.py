"""Makes the checks of a plugin."""

from collections.abc import Collection, Iterator

from .checks import CHECKS, CheckResult, Conformance, Finding
from .subject import Subject
from .targets import CheckTarget


def results_of(
    target: CheckTarget,
    *,
    dataset: str | None = None,
    only: Collection[str] = (),
    skip: Collection[str] = (),
) -> Iterator[CheckResult]:
    """The result of each check of what a plugin adds, as it comes."""
    if target.broken:
        todo = "mend what it says, and check again"
        findings = (Finding(target.broken, todo=todo),)
        yield CheckResult("K01", CHECKS["K01"].title, Conformance.FAIL, findings)
        return
    subject = Subject(target.thing, target.name, target.project, dataset)
    for one in CHECKS.values():
        if one.kind == target.kind and (not only or one.id in only) and one.id not in skip:
            yield one.run(subject)
