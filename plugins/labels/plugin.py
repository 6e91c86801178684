"""Registers the commands, each imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl

_TITLES = {
    "label": "Have people rate transcripts, blinded, or take a test; read their answers.",
    "calibrate": "Say how far judges go with people, and correct their scores by what people say.",
}


@hookimpl
def register_commands(register: Callable[[OnDemand], None]) -> None:
    """Each command, in a module of its own."""
    for name, title in _TITLES.items():
        register(OnDemand(f"{__package__}.{name}_command:{name}_command", name, title))
