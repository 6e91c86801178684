"""The journal of a runs folder, put together from what is done with each of its tables."""

from .board_cache import BoardCache
from .calls import CallStore
from .comparisons import ComparisonStore
from .grades import GradeStore
from .runs import RunStore


class Journal(RunStore, CallStore, GradeStore, ComparisonStore, BoardCache):
    """The journal of one runs folder.

    Args:
        folder: Is made if it does not exist.
        create: Make the file if there is none; else its absence is an error.

    Raises:
        JournalError: The folder cannot be written to, or the file is damaged, foreign, or of a
            newer program.
    """
