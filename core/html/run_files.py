"""The data files of a run: what came of its items, and its transcripts, an item a file."""

from .board_files import put_file
from .gather import SiteBoard, SiteRun
from .policy import Policy
from .shapes import FilePart
from .slugs import Address, slug
from .transcripts import ItemText, packed


def run_file(board: SiteBoard, run: SiteRun, policy: Policy) -> FilePart:
    """The items of a run by the grader of a board, as the script that compares reads them.

    Of each the values of its samples, and `texts`: the file of its transcripts, if there is one.
    """
    texts = policy.shows(board.board.pack.source.facts)
    items = [
        {
            "item": row.item_id,
            "samples": [sample.values for sample in row.samples],
            "texts": text_name(run, row.item_id) if texts else None,
        }
        for row in run.items.items
    ]
    document = policy.masked({"value": run.items.value, "items": items})
    return put_file(f"runs/{board.key}/{run.run.run_id}", document)


def graded_name(run: SiteRun) -> Address:
    """A run as one grader graded it, which is what stands on a board: its name in addresses."""
    grader = run.document["grader"]
    return Address(f"{run.run.run_id}-{grader[:6]}" if grader else run.run.run_id)


def text_name(run: SiteRun, item_id: str) -> Address:
    """The name of an item's transcripts."""
    return Address(f"texts/{graded_name(run)}/{slug(item_id)}")


def text_file(run: SiteRun, item: ItemText) -> FilePart:
    """The transcripts of an item in all iterations, compressed."""
    return put_file(text_name(run, item.record["item_id"]), packed(item))
