"""A plugin that a test writes, installed as others are, for commands in this process."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eibench.core.hooks.on_demand import entries
from eibench.core.plugins import installed


@contextmanager
def install_plugin(
    name: str, text: str, entry: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """A module of that name and text with its entry point, while the test lasts."""
    (folder / f"{name}.py").write_text(text)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[eibench]\n{entry}\n")
    monkeypatch.syspath_prepend(folder)
    _forget(name)
    yield
    _forget(name)


def _forget(name: str) -> None:
    sys.modules.pop(name, None)
    entries.cache_clear()
    installed.cache_clear()
