"""People's answers from a CSV file: person x item x option.

Two forms, told apart by the header: a line per number (``person, item, option, points``) or
a line per item (``person, item, option_1, ..., option_4``). An option is called by its place
or by its name. Nobody is left out unless that is asked for, and then it is said who.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eibench import DataError, read_csv

from .stories import N_OPTIONS, POINTS, Story, sums_to_ten

_LONG = ("person", "item", "option", "points")
_WIDE = ("person", "item", *(f"option_{n}" for n in range(1, N_OPTIONS + 1)))


class PersonPoints(NamedTuple):
    """One number of a file."""

    line: int
    person: str
    item: str
    option: int
    points: float


@dataclass(frozen=True, slots=True)
class People:
    """Whole answers, shape (n_people, n_items, 4), and who was left out, each with the reason."""

    points: "npt.NDArray[np.float64]"
    left_out: tuple[str, ...]


Answers = dict[str, dict[int, float]]
"""Of one person: points by item and option."""


def read_people(
    path: Path, stories: Sequence[Story], *, leave_out: bool, shared: bool = True
) -> People:
    """The answers of all people in a file, whose items are the ids of these stories.

    Where points are `shared` out they sum to 10; else each is from 0 to 10 by itself.

    With `leave_out` people with a missing answer, or one that does not sum to 10, are left out;
    without, they have the file refused.

    Raises:
        DataError: The file is broken; the message names the line or the person.
    """
    answers = _by_person(path, _marks(path, stories))
    wrong = {
        person: why
        for person, answer in answers.items()
        if (why := _wrong(answer, stories, shared=shared))
    }
    if wrong and not leave_out:
        person, why = next(iter(wrong.items()))
        more = f", and {len(wrong) - 1} more people have such answers" if len(wrong) > 1 else ""
        message = f"{why}{more}; --leave-out goes on without them"
        raise DataError(path, message, f'person "{person}"')
    kept = [answer for person, answer in answers.items() if person not in wrong]
    if len(kept) < 2:
        raise DataError(path, f"holds {len(kept)} people with whole answers; a norm needs more")
    points = [[[answer[s.id][o] for o in range(N_OPTIONS)] for s in stories] for answer in kept]
    told_of = tuple(f"{person}: {why}" for person, why in wrong.items())
    return People(np.array(points, dtype=np.float64), told_of)


def _wrong(answers: Answers, stories: Sequence[Story], *, shared: bool) -> str:
    """What makes one person's answers unusable; empty when they are whole."""
    for story in stories:
        points = answers.get(story.id, {})
        missing = [str(n + 1) for n in range(N_OPTIONS) if n not in points]
        if len(missing) == N_OPTIONS:
            return f'no answer to item "{story.id}"'
        if missing:
            return f'no points for option {", ".join(missing)} of item "{story.id}"'
        if shared and not sums_to_ten(list(points.values())):
            total = math.fsum(points.values())
            return f'the points of item "{story.id}" sum to {total:g}, not {POINTS:g}'
    return ""


def _by_person(path: Path, marks: Iterator[PersonPoints]) -> dict[str, Answers]:
    answers: dict[str, Answers] = {}
    for mark in marks:
        points = answers.setdefault(mark.person, {}).setdefault(mark.item, {})
        if mark.option in points:
            message = f'"{mark.person}" has points for option {mark.option + 1} of item '
            raise DataError(path, f'{message}"{mark.item}" already', f"line {mark.line}")
        points[mark.option] = mark.points
    if not answers:
        raise DataError(path, "holds no answers")
    return answers


def _marks(path: Path, stories: Sequence[Story]) -> Iterator[PersonPoints]:
    known = {story.id: story for story in stories}
    for line, row in _rows(path):
        person, item = row["person"], row["item"]
        if not person:
            raise DataError(path, "has no person", f"line {line}")
        if item not in known:
            message = f"the stories have no item {item!r}"
            raise DataError(path, f"{message}; --dataset names the stories", f"line {line}")
        for option, points in _numbers(path, line, row, known[item]):
            yield PersonPoints(line, person, item, option, points)


def _numbers(
    path: Path, line: int, row: Mapping[str, str], story: Story
) -> Iterator[tuple[int, float]]:
    if "points" in row:
        yield _option(path, line, row["option"], story), _points(path, line, row["points"])
        return
    for option in range(N_OPTIONS):
        if written := row[f"option_{option + 1}"]:
            yield option, _points(path, line, written)


def _option(path: Path, line: int, written: str, story: Story) -> int:
    names = [name.casefold() for name in story.options]
    if written.casefold() in names:
        return names.index(written.casefold())
    if written in {str(n) for n in range(1, N_OPTIONS + 1)}:
        return int(written) - 1
    message = f"item {story.id!r} has no option {written!r}"
    raise DataError(path, f"{message}; it has 1-4: {', '.join(story.options)}", f"line {line}")


def _points(path: Path, line: int, written: str) -> float:
    try:
        points = float(written)
    except ValueError:
        points = math.nan
    if not 0 <= points <= POINTS:
        message = f"points must be a number from 0 to {POINTS:g}, not {written!r:.40}"
        raise DataError(path, message, f"line {line}")
    return points


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Line numbers and rows with stripped cells, one of the two headers checked."""
    lines = read_csv(path)
    header = [cell.strip().casefold() for cell in next(lines, (0, []))[1]]
    columns = _LONG if "points" in header or "option" in header else _WIDE
    _check_header(path, header, columns)
    for number, cells in lines:
        if len(cells) != len(header) and any(cells):
            message = f"has {len(cells)} cells, the header {len(header)}"
            raise DataError(path, message, f"line {number}")
        if any(cell.strip() for cell in cells):
            row = dict(zip(header, (cell.strip() for cell in cells), strict=True))
            yield number, {name: row[name] for name in columns}


def _check_header(path: Path, header: Sequence[str], columns: Sequence[str]) -> None:
    missing = [name for name in columns if name not in header]
    if missing:
        near = get_close_matches(missing[0], header, n=1)
        hint = f"; is it {near[0]!r}?" if near else f"; it needs {', '.join(columns)}"
        raise DataError(path, f"the header has no {missing[0]!r}{hint}", "line 1")
    if len(set(header)) != len(header):
        raise DataError(path, "the header has a name twice", "line 1")
