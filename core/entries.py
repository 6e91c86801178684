"""Which plugins are installed, known without importing any."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from . import __version__

GROUP = "eibench"
_UNKNOWN = "an unknown distribution"


def _is_ours(entry: EntryPoint) -> bool:
    return entry.value.startswith("eibench.")


def distribution_of(entry: EntryPoint) -> str:
    """The distribution that a plugin is from, with its version."""
    if _is_ours(entry):
        return f"eibench {__version__}"  # without reading a file: every command comes by here
    try:
        return f"{entry.dist.name} {entry.dist.version}" if entry.dist else _UNKNOWN
    except Exception:  # noqa: BLE001 - its metadata are damaged; that is no reason to stop
        return _UNKNOWN


@cache
def entries() -> tuple[EntryPoint, ...]:
    """All plugins, ours first, so that in a clash it is the newcomer that is refused."""
    found = entry_points(group=GROUP)
    return tuple(sorted(found, key=lambda e: (not _is_ours(e), e.name, e.value)))


def others() -> bool:
    """Whether there is any plugin that is not ours; imports none."""
    return not all(_is_ours(entry) for entry in entries())
