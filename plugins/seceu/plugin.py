"""Registers SECEU, its tables, and the command that norms a test."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from eibench import Benchmark, ReportSection, hookimpl

from .benchmark import Seceu
from .published import PUBLISHED, STORIES

if TYPE_CHECKING:
    import click


@hookimpl
def register_benchmarks(register: Callable[[Benchmark], None]) -> None:
    """SECEU."""
    register(Seceu())


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """Where a score stands among the published ones, and the stories furthest off."""
    register(PUBLISHED)
    register(STORIES)


@hookimpl
def register_commands(register: "Callable[[click.Command], None]") -> None:
    """`bench norm`."""
    from .norm_command import norm_command

    register(norm_command)
