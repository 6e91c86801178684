"""Checks of what a plugin declares: that it registers, and what its files are."""

from collections.abc import Iterator

from ...plugins import declared
from .checks import Finding, check, place_of
from .subject import Subject


@check("K01", "declare it as docs/plugins.md says (What a benchmark says)")
def declares(subject: Subject) -> Iterator[Finding]:
    """Types, names, parameters, options, values and fields are as eibench takes them."""
    if wrong := declared.benchmark(subject.thing):
        yield Finding(wrong, where=place_of(subject.thing, "__init__"))
    title = getattr(subject.thing, "title", "")
    if len(title) > 100:
        yield Finding(f"its title has {len(title)} characters", todo="say it in at most 100")
