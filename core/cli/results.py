"""A result printed as tables, and the exit code it stands for."""

import click

from .. import console
from ..errors import BenchError
from ..guard import Called, call
from ..plugins import installed
from ..reports.panels import panel_table
from ..result_document import ResultDocument
from ..sections import Table
from ..text import as_text, line

EXIT = {"complete": 0, "fail": 1, "incomplete": 1, "budget": 5, "interrupted": 130}


def print_result(
    document: ResultDocument, *, json_output: bool = False, another: str = "", later: str = ""
) -> None:
    """Print a result document: as it is, or as tables with the sections of plugins.

    Args:
        document: The result.
        json_output: As it is.
        another: The command that asks another model the same.
        later: What became of the rating after the result, where it has none.
    """
    if json_output:
        click.echo(as_text(document))
        return

    console.output.show(console.tables.result(document, sections(document), another, later))


def sections(document: ResultDocument) -> list[Table]:
    """A panel's section and those of plugins; one that fails is named and left out."""
    found = [table] if (table := panel_table(document)) else []
    for section in installed().report_sections:
        if section.benchmark != document["benchmark"]:
            continue
        called = Called(section, "build")
        try:
            table = call(called, section.build, document)
            if table is not None and not isinstance(table, Table):
                called.refuse(f"returned {type(table).__name__}, not a Table")
        except BenchError as error:  # the result must be seen all the same
            click.echo(line(f"warning: {error}"), err=True)
            continue
        found += [table] if table else []
    return found
