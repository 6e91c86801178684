"""Registers the commands, each imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportPage, hookimpl

_TITLES = {
    "judge-report": "Audit a judge on its comparisons: of a file, or of the journal.",
    "judges": "Say how far a ranking hangs on who judges, and how well two judges agree.",
    "correlate": "Correlate benchmarks over models, from a CSV file or from runs.",
    "items": "Say which items are hard and which tell models apart, and choose a smaller pack.",
    "power": "Say what it takes to tell two models apart, before anything is asked.",
    "twins": "Show models' scores on published questions and on the same in other words.",
    "reproduce": "Compute published numbers again, by the code that scores and imports.",
    "repeat": "Say how far reruns of a model differ: iterations of runs, or rows of a CSV file.",
}


@hookimpl
def register_commands(register: Callable[[OnDemand], None]) -> None:
    """Each command, in a module of its own."""
    for name, title in _TITLES.items():
        module = f"{name.replace('-', '_')}_command"
        register(OnDemand(f"{__package__}.{module}:{module}", name, title))


@hookimpl
def register_pages(register: Callable[[ReportPage], None]) -> None:
    """Published numbers that were computed again."""
    build = OnDemand(f"{__package__}.reproduced:page")
    register(ReportPage("reproduced", "Published numbers, computed again", build))
