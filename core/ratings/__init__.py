"""Rating engines: what turns comparisons of models into ratings."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class RatingEngine(Protocol):
    """What `register_rating_engines` takes.

    Attributes:
        name: What people type, such as ``glicko2``.
        title: One line for `bench list`.
    """

    name: str
    title: str

    def rate(self, comparisons: Sequence[Mapping[str, Any]]) -> Mapping[str, float]:
        """A rating per model from comparisons in the file form of docs/ratings.md."""
        ...
