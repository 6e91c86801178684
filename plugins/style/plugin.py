"""Registers the command, imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_commands(register: Callable[[OnDemand], None]) -> None:
    """`bench style`."""
    title = "Count how texts are written, without a judge: slop, repetition, vocabulary."
    register(OnDemand(f"{__package__}.style_command:style_command", "style", title))
