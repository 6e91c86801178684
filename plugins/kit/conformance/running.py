"""Makes the checks of a plugin: for a command, and as a test of its own."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from eibench import Benchmark, Provider
from eibench.checking import Finding, Subject

from .checks import CHECKS, CheckResult, Conformance, ConformanceCheck


def results_of(subject: Subject, only: Collection[str] = ()) -> Iterator[CheckResult]:
    """The result of each check of what a plugin adds, as it comes."""
    if subject.broken:
        todo = "mend what it says, and check again"
        findings = (Finding(subject.broken, todo=todo),)
        yield CheckResult("K01", CHECKS["K01"].title, Conformance.FAIL, findings)
        return
    for one in checks_of(subject.kind):
        if not only or one.id in only:
            yield one.run(subject)


def checks_of(kind: str) -> list[ConformanceCheck]:
    """The checks of a kind of plugin, in the order of their ids."""
    return sorted((one for one in CHECKS.values() if one.kind == kind), key=lambda one: one.id)


def conformance(
    thing: object,
    *,
    skip: Collection[str] = (),
    reason: str = "",
    dataset: str | None = None,
    lock: Path | None = None,
    verdicts: Path | None = None,
) -> Callable[[str], None]:
    """A test for pytest with a case for each check, to be called ``test_conforms``.

    Args:
        thing: A benchmark, a provider or a rating engine.
        skip: Ids of checks that are left out.
        reason: Why; it is needed where some are.
        dataset: The pack of a benchmark that bundles none.
        lock: The file of digests (default: conformance.lock in the working directory).
        verdicts: Published verdicts, as JSON lines (check K21).

    Raises:
        ValueError: No check has such an id, or it is left out without a reason.
    """
    import pytest

    if unknown := set(skip) - CHECKS.keys():
        raise ValueError(f"no check is called {min(unknown)!r}; there are {', '.join(CHECKS)}")
    if skip and not reason.strip():
        raise ValueError(f"say why {', '.join(skip)} is left out: reason=...")
    kind = "rating engine"
    if isinstance(thing, Benchmark | Provider):
        kind = "benchmark" if isinstance(thing, Benchmark) else "provider"
    name = str(getattr(thing, "name", type(thing).__name__))
    subject = Subject(thing, name, kind, dataset=dataset, lock=lock, verdicts=verdicts)
    marks = {one: [pytest.mark.skip(reason=reason)] for one in skip}
    ids = [one.id for one in checks_of(kind)]

    @pytest.mark.parametrize("check", [pytest.param(i, marks=marks.get(i, [])) for i in ids])
    def test_conforms(check: str) -> None:
        """The plugin passes the check of that id."""
        result = CHECKS[check].run(subject)
        if result.verdict is Conformance.SKIP:
            pytest.skip(result.reason)
        text = "\n".join(map(str, result.findings))
        if result.verdict is Conformance.FAIL:
            pytest.fail(f"{result.id}: {result.title}\n{text}", pytrace=False)

    return test_conforms
