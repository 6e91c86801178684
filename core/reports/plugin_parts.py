"""Plugins' sections and pages about results, built and checked; what fails is told and left out."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..errors import BenchError
from ..guard import PluginCall, call
from ..guard.parts import parts
from ..hooks.sections import Part, ReportPage, ReportSection
from ..plugins import Catalogue
from ..types.result_document import ResultDocument
from .panels import panel_table

Tell = Callable[[str], object]


class BuiltPage(NamedTuple):
    """A page that a plugin adds to a site."""

    name: str
    title: str
    parts: Sequence[Part]


def sections_of(
    document: ResultDocument, runs: Sequence[object], catalogue: Catalogue, tell: Tell
) -> list[Part]:
    """A panel's table, and the sections of plugins about a result; `tell` gets each failure.

    With runs (`StoredRun`), that of the result first, only the sections that read them.
    """
    table = None if runs else panel_table(document)
    sections: list[Part] = [table] if table else []
    args = (document, runs) if runs else (document,)
    for section in catalogue.report_sections:
        if section.benchmark in (None, document["benchmark"]) and section.reads_runs == bool(runs):
            sections += _built(section, args, tell)
    return sections


def pages_of(
    documents: Sequence[ResultDocument], catalogue: Catalogue, tell: Tell
) -> Iterator[BuiltPage]:
    """The pages that plugins make of some results, without empty ones; `tell` gets each failure."""
    for page in catalogue.pages:
        results = [d for d in documents if page.benchmark in (None, d["benchmark"])]
        if results and (built := _built(page, (results,), tell)):
            yield BuiltPage(page.name, page.title, built)


def _built(thing: ReportSection | ReportPage, args: Sequence[object], tell: Tell) -> list[Part]:
    """What a plugin builds, checked; nothing where it fails."""
    called = PluginCall(thing, "build")
    try:
        return parts(called, call(called, thing.build, *args))
    except BenchError as error:
        tell(str(error))
        return []
