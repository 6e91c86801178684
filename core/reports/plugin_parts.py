"""What plugins show beside our own, built and looked at; what fails is told and left out."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..errors import BenchError
from ..guard import Called, call
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


def sections_of(document: ResultDocument, catalogue: Catalogue, tell: Tell) -> list[Part]:
    """A panel's table, and the sections of plugins about a result.

    Args:
        document: The result, which is seen whatever fails.
        catalogue: Has the plugins.
        tell: Is told why a section fails.
    """
    found: list[Part] = [table] if (table := panel_table(document)) else []
    for section in catalogue.report_sections:
        if section.benchmark in (None, document["benchmark"]):
            found += _built(section, document, tell)
    return found


def pages_of(
    documents: Sequence[ResultDocument], catalogue: Catalogue, tell: Tell
) -> Iterator[BuiltPage]:
    """The pages that plugins make of some results."""
    for page in catalogue.pages:
        about = [d for d in documents if page.benchmark in (None, d["benchmark"])]
        if about and (built := _built(page, about, tell)):
            yield BuiltPage(page.name, page.title, built)


def _built(thing: ReportSection | ReportPage, given: object, tell: Tell) -> list[Part]:
    called = Called(thing, "build")
    try:
        return parts(called, call(called, thing.build, given))
    except BenchError as error:
        tell(str(error))
        return []
