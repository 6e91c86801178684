"""Registers SECEU, its tables, and the command that norms a test: each imported on demand."""

from collections.abc import Callable

from eibench import OnDemand, ReportSection, hookimpl


@hookimpl
def register_benchmarks(register: Callable[[OnDemand], None]) -> None:
    """SECEU."""
    title = "share out ten points among four emotions; distance to people's mean (Wang et al. 2023)"
    register(OnDemand("eibench.plugins.seceu.benchmark:Seceu", "seceu", title, "ratings"))


@hookimpl
def register_report_sections(register: Callable[[ReportSection], None]) -> None:
    """Where a score stands among the published ones, and the stories furthest off."""
    standing = OnDemand("eibench.plugins.seceu.published:standing")
    register(ReportSection("seceu-published", "seceu", standing))
    furthest = OnDemand("eibench.plugins.seceu.published:furthest")
    register(ReportSection("seceu-stories", "seceu", furthest))


@hookimpl
def register_commands(register: Callable[[OnDemand], None]) -> None:
    """`bench norm`."""
    title = "Make a norm of people's answers, and a pack that can be run."
    register(OnDemand("eibench.plugins.seceu.norm_command:norm_command", "norm", title))
