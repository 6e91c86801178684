"""Versions that a result may depend on, for the run's record."""

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("eibench", "aiohttp", "openai", "anthropic", "litellm", "numpy")


def package_versions() -> dict[str, str]:
    """Versions by name: Python's, and those of the packages that are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
