"""What a report is made from: a stored result with its samples, as its readers gave them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..journal import RunRecord
from ..reports.items import Items
from ..reports.transcripts import ItemDocument
from ..sections import Table
from ..types.result_document import ResultDocument


class ItemText(NamedTuple):
    """All that was said about an item, and by iteration the answer beside the reference."""

    record: ItemDocument
    beside: Mapping[int, Table | None]


class RunInput(NamedTuple):
    """One run.

    Attributes:
        run: Its record.
        document: Its result.
        items: What came of each item, the worst first.
        cut_off: Samples of which the token limit cut a reply, by item and iteration.
        sections: What plugins add about the result.
        command: What repeats the run.
        texts: All that was said, where that is wanted.
    """

    run: RunRecord
    document: ResultDocument
    items: Items
    cut_off: frozenset[tuple[str, int]]
    sections: Sequence[Table]
    command: str
    texts: Sequence[ItemText] = ()
