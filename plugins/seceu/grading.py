"""From a reply to a score: what was read, as it is scored, and how far that is off."""

from eibench import ChatResponse, Score, no_answer

from .answers import Reading, ordered, read_answer
from .scoring import distance, prepared
from .stories import POINT_NAMES, Asked

_NONE = dict.fromkeys(("distance", *POINT_NAMES))


def graded(asked: Asked, response: ChatResponse) -> Score:
    """The distance of a reply to the reference, or why there is none."""
    reading = read_answer(response.text, asked.shown)
    flags = {"cut_off"} if response.truncated else set()
    why = no_answer(response) or reading.reason
    if why is not None or reading.values is None:
        return Score(_NONE, why, ordered(flags))
    answer = prepared(reading.values)
    if answer is None:
        message = f"all four numbers are {reading.values[0]:g}, which has no direction"
        return Score(_NONE, message, ordered(flags | set(reading.flags)))
    return _scored(asked, reading, answer, flags | set(reading.flags))


def _scored(asked: Asked, reading: Reading, answer: tuple[float, ...], flags: set[str]) -> Score:
    assert reading.values is not None
    placed = asked.in_pack_order(answer)
    points = dict(zip(POINT_NAMES, placed, strict=True))
    written = asked.in_pack_order(reading.values)
    return Score(
        {"distance": distance(placed, asked.reference), **points},
        None,
        ordered(flags),
        {"options": list(asked.options), "written": list(written), "sum": sum(written)},
    )
