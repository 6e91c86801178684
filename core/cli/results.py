"""A result printed as tables, and the exit code it stands for."""

from collections.abc import Mapping
from typing import Any

import click

from ..console.safe import line
from ..plugins import installed
from ..reports.files import as_text
from ..reports.sections import Table

EXIT = {"complete": 0, "fail": 1, "incomplete": 1, "budget": 5, "interrupted": 130}


def print_result(document: Mapping[str, Any], *, json_output: bool = False) -> None:
    """Print a result document: as it is, or as tables with the sections of plugins."""
    if json_output:
        click.echo(as_text(document))
        return
    from ..console import output, tables

    output.show(tables.result(document, sections(document)))


def sections(document: Mapping[str, Any]) -> list[Table]:
    """The sections that plugins add to a result; one that fails is named and left out."""
    registry = installed().report_sections
    found: list[Table] = []
    for section in registry:
        if section.benchmark != document["benchmark"]:
            continue
        try:
            table = section.build(document)
        except Exception as error:  # noqa: BLE001 - a plugin's; the result must be seen all the same
            origin = registry.origins[section.name]
            told = f"report section {section.name!r} of {origin} failed"
            click.echo(line(f"warning: {told}: {type(error).__name__}: {error}"), err=True)
            continue
        found += [table] if table else []
    return found
