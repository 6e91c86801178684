"""What the list of a board's items searches: all its texts, packed in parts, each text once."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from .board_files import graded_name, put_file, text_file
from .gather import SiteBoard, SiteRun
from .policy import Policy
from .shapes import FilePart
from .transcripts import Content, contents, pack, texts_of

PART = 1_000_000
"""Characters of a part, which a page unpacks and searches in one go."""
LEVEL = 1
"""How hard parts are compressed: the hardest takes twice as long for 9 %."""
AHEAD = 16
"""Files that are compressed while what comes next is read."""


class Searched(NamedTuple):
    """The texts of a sample, of a question alone, or of an answer with what judges said of it."""

    item_id: str
    iteration: int
    question: str = ""
    answer: str = ""
    thinking: str = ""
    judged: str = ""


class _Parts:
    """Gathers texts, and makes a file of each part of them; the last says that none follows."""

    def __init__(self, start: str) -> None:
        self._start, self._rows, self._size, self._n = start, list[Searched](), 0, 1

    def add(self, row: Searched) -> Iterator[Callable[[], FilePart]]:
        self._rows.append(row)
        self._size += sum(map(len, row[2:]))
        if self._size > PART:
            yield self.file(more=True)
            self._rows, self._size, self._n = [], 0, self._n + 1

    def file(self, *, more: bool) -> Callable[[], FilePart]:
        return partial(_part, f"{self._start}{self._n}", self._rows, more=more)


def _part(name: str, rows: Iterable[Searched], *, more: bool) -> FilePart:
    return put_file(name, {"more": more, "packed": pack(rows, LEVEL)})


Asked = Mapping[str, Mapping[str, None]]
"""What was asked about each item: the texts of all but the model, in their order."""


def lead_of(board: SiteBoard) -> SiteRun:
    """The run whose questions stand for those of all models: the oldest, so that it stays."""
    return min(board.runs.values(), key=lambda run: (run.run.created_at, run.run.run_id))


def asked_in(run: SiteRun, policy: Policy) -> Asked:
    """What was asked in the first iteration of each item of a run."""
    asked = dict[str, dict[str, None]]()
    for item in texts_of(run, public=True):
        read = contents(policy.published(item))
        turns = read[min(read)]["turns"] if read else ()
        asked[item.record["item_id"]] = {t["text"]: None for t in turns if t["kind"] != "model"}
    return asked


def question_files(start: str, asked: Callable[[], Asked]) -> Iterator[FilePart]:
    """The questions of a board, to be searched."""
    parts = _Parts(start)
    for item_id, texts in asked().items():
        for make in parts.add(Searched(item_id, 0, question="\n\n".join(texts))):
            yield make()
    yield parts.file(more=False)()


def text_files(run: SiteRun, policy: Policy, asked: Callable[[], Asked]) -> Iterator[FilePart]:
    """The transcripts of a run, a file an item, and what of them is searched beside questions."""
    waiting = deque[Future[FilePart]]()
    with ThreadPoolExecutor(1) as pool:
        for make in _makers(run, policy, asked()):
            waiting.append(pool.submit(make))
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _makers(run: SiteRun, policy: Policy, asked: Asked) -> Iterator[Callable[[], FilePart]]:
    parts = _Parts(f"texts/{graded_name(run)}/_")
    for item in texts_of(run, public=True):
        item_id, read = item.record["item_id"], contents(policy.published(item))
        yield partial(text_file, run, item_id, read)
        for iteration, content in read.items():
            yield from parts.add(_searched(item_id, iteration, content, asked.get(item_id, {})))
    yield parts.file(more=False)


def _searched(item_id: str, iteration: int, read: Content, known: Mapping[str, None]) -> Searched:
    turns, grade = read["turns"], read["grade"]
    answers = [
        turn["text"] for turn in turns if turn["kind"] == "model" or turn["text"] not in known
    ]
    thought = [turn["thinking"] for turn in turns if turn["thinking"]]
    judged = [*filter(None, (grade["failed"], grade["reason"])), *(t for _, t in grade["verdicts"])]
    each = ["\n\n".join(texts) for texts in (answers, thought, judged)]
    return Searched(item_id, iteration, "", *each)
