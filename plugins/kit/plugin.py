"""Registers `bench plugin`, imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, hookimpl


@hookimpl
def register_commands(register: Callable[[OnDemand], None]) -> None:
    """`bench plugin`."""
    title = "Begin a plugin, and check it before others use it."
    register(OnDemand(f"{__package__}.plugin_command:plugin_command", "plugin", title))
