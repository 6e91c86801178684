"""Making more data: what a command of a plugin runs by `bench_run`.

A maker is a benchmark of one item: its `generate` asks a model for new items, as
many calls as it takes, and its `grade` keeps what came of them. So every reply is
journalled before it is used, a run that was stopped goes on, and what may be
spent is limited, as in any other run. Makers are not in the catalogue.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..types import Json, JsonObject, Score
from . import Benchmark, Option

COUNT = Option("count", 20, "How many to make.", in_grades=True, min=1)
ATTEMPTS = Option("attempts", 5, "How often to ask for each until it fits.", in_grades=True, min=1)


class Generated(NamedTuple):
    """What a maker's run gave.

    Attributes:
        lines: The new items, one JSON object each, in the order of the file.
        missing: Why there are fewer than were asked for; ``None`` when all are there.
        details: What else is worth knowing about how they came to be, as plain JSON values.
    """

    lines: Sequence[JsonObject]
    missing: str | None = None
    details: Mapping[str, Json] = {}


class DataMaker(Benchmark):
    """Makes new items for packs of another benchmark.

    Its pack is what the new items are kept apart from: the bundled one.
    """

    single_turn = False
    asks_again = True
    options = (COUNT, ATTEMPTS)

    @abstractmethod
    def generated(self, score: Score, model: str) -> Generated:
        """What a run gave.

        Args:
            score: Of its only sample.
            model: Who was asked, for the items to say so.
        """
