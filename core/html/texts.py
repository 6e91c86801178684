"""Transcripts of a run, in parts of several items: a page reads one, and the list searches all."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from .board_files import graded_name, part_name, parts_on, put_file
from .gather import SiteBoard, SiteRun
from .policy import Policy
from .shapes import FilePart
from .slugs import slug
from .transcripts import contents, pack, texts_of

AHEAD = 4
"""Parts that are compressed while what comes next is read."""


def text_files(board: SiteBoard, run: SiteRun, policy: Policy) -> Iterator[FilePart]:
    """The transcripts of a run, all parts, also those in which it has no item."""
    items: dict[str, list[str]] = {str(n + 1): [] for n in range(parts_on(board))}
    for row in run.items.items:
        items[part_name(board, row.item_id).partition("#")[0]].append(row.item_id)
    waiting = deque[Future[FilePart]]()
    with ThreadPoolExecutor(1) as pool:
        for part, ids in items.items():
            name = f"texts/{graded_name(run)}/{part}"
            waiting.append(pool.submit(_file, name, _part(run, ids, policy)))
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _file(name: str, part: object) -> FilePart:
    return put_file(name, pack(part))


def _part(run: SiteRun, ids: Sequence[str], policy: Policy) -> list[object]:
    """Items by their names in the part and their ids, each with its iterations."""
    part = list[object]()
    for item in texts_of(run, ids, public=True):
        item_id, read = item.record["item_id"], contents(policy.published(item))
        iterations = [{"iteration": n, "read": content} for n, content in sorted(read.items())]
        part.append((slug(item_id), item_id, iterations))
    return part
