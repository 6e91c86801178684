"""What plugins import."""

import subprocess
import sys

import pytest

import eibench.emotion_ratings
from eibench.plugins import emotion_ratings


def test_public_names_are_those_of_the_package() -> None:
    """Nothing is public in one place only."""
    assert eibench.emotion_ratings.__all__ == emotion_ratings.__all__
    for name in emotion_ratings.__all__:
        assert getattr(eibench.emotion_ratings, name) is getattr(emotion_ratings, name)


@pytest.mark.parametrize(
    "module",
    [
        "eibench.emotion_ratings",
        "eibench.plugins.eqbench_v1.plugin",
        "eibench.plugins.eqbench_v2.plugin",
    ],
)
def test_importing_needs_no_numpy(module: str) -> None:
    """Every command loads the plugins, so numpy waits until a score is wanted."""
    code = f"import sys, {module}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
