"""The journal of a runs folder, put together from what is done with each of its tables."""

from .batches import BatchStore
from .board_cache import BoardCache
from .calls import CallStore
from .comparisons import ComparisonStore
from .counts import CountStore
from .grades import GradeStore
from .labels import LabelStore
from .runs import RunStore


class Journal(
    RunStore,
    CallStore,
    CountStore,
    GradeStore,
    ComparisonStore,
    LabelStore,
    BatchStore,
    BoardCache,
):
    """The journal of one runs folder, which is made, with its file, if need be and `create`."""
