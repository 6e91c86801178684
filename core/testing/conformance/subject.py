"""A benchmark that is checked."""

from dataclasses import dataclass
from pathlib import Path

from ...benchmark import Benchmark

PATIENCE_S = 30.0
"""How long one check may take."""


@dataclass
class Subject:
    """A plugin's object, and what its author says of it."""

    thing: object
    name: str
    project: Path | None = None
    dataset: str | None = None
    patience_s: float = PATIENCE_S

    @property
    def benchmark(self) -> Benchmark:
        """It, as a benchmark."""
        assert isinstance(self.thing, Benchmark)
        return self.thing
