"""Packs as one JSON file: our own stories, and what `bench norm` writes.

An object with ``items`` (each ``id``, ``story``, ``options``, ``reference``) and, where there
are any, ``lang``, ``norm`` and ``prompts``; docs/seceu.md shows one. Errors name the place.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from sys import float_info
from typing import NamedTuple

from eibench import DataError, read_json

from .norms import MeanAndSD, Norm
from .stories import N_OPTIONS, POINTS, ROUNDING, Contents, Story
from .wording import PROMPTINGS


class _At(NamedTuple):
    """A place in a file, for messages."""

    path: Path
    position: str

    def error(self, message: str) -> DataError:
        return DataError(self.path, message, self.position)


def read_file(path: Path, *, lang: str) -> Contents:
    """The contents of a JSON pack; `lang` is of the stories where the file does not say.

    Raises:
        DataError: The file is not of that form.
    """
    raw = read_json(path)
    rows = raw.get("items") if isinstance(raw, dict) else None
    if not isinstance(rows, list) or not rows:
        raise DataError(path, 'must be a JSON object with "items", a list that is not empty')
    stories = tuple(_story(path, n, row) for n, row in enumerate(rows, start=1))
    ids = [story.id for story in stories]
    if twice := next((i for n, i in enumerate(ids) if i in ids[:n]), None):
        raise DataError(path, "this id stands twice", f'item "{twice}"')
    norm = raw.get("norm")
    return Contents(
        stories,
        _text(_At(path, "lang"), raw.get("lang", lang)),
        None if norm is None else _norm(_At(path, "norm"), norm, len(stories)),
        _prompts(path, raw.get("prompts", {})),
    )


def _story(path: Path, number: int, row: object) -> Story:
    at = _At(path, f"item {number}")
    if not isinstance(row, Mapping):
        raise at.error("must be a JSON object")
    at = _At(path, f'item "{_line(at, row.get("id"), "id")}"')
    options = row.get("options")
    options = options if isinstance(options, list) else []
    names = tuple(_line(at, name, "options") for name in options)
    if len(names) != N_OPTIONS or len({name.casefold() for name in names}) != N_OPTIONS:
        raise at.error('"options" must be a list of four different emotions')
    if any(not any(c.isalpha() for c in name) for name in names):
        raise at.error('"options" must be words')
    raw = row.get("reference")
    reference = None if raw is None else _numbers(at, raw, "reference", N_OPTIONS)
    if reference is not None:
        _check_points(at, reference)
    return Story(row["id"], _text(at, row.get("story"), "story"), names, reference)


def _check_points(at: _At, reference: Sequence[float]) -> None:
    if min(reference) < 0 or abs(sum(reference) - POINTS) > ROUNDING + 1e-9:
        written = ", ".join(f"{value:g}" for value in reference)
        raise at.error(f'"reference" must be points of 0 or more that sum to 10, not {written}')


def _norm(at: _At, raw: object, n_items: int) -> Norm:
    if not isinstance(raw, Mapping):
        raise at.error("must be a JSON object")
    mean, sd = (_number(at, raw.get(name), name, above_zero=True) for name in ("mean", "sd"))
    people, best, similarity = (raw.get(name) for name in ("people", "best", "similarity"))
    return Norm(
        _line(at, raw.get("source", "people"), "source"),
        mean,
        sd,
        _numbers(at, raw.get("template"), "template", n_items),
        people=None if people is None else int(_number(at, people, "people", above_zero=True)),
        best=None if best is None else _number(at, best, "best"),
        similarity=None if similarity is None else _spread(at, similarity),
        scores=_ascending(at, raw.get("scores", []), "scores"),
        similarities=_ascending(at, raw.get("similarities", []), "similarities"),
    )


def _spread(at: _At, raw: object) -> MeanAndSD:
    if not isinstance(raw, Mapping):
        raise at.error('"similarity" must be an object with "mean" and "sd"')
    mean = _number(at, raw.get("mean"), "similarity mean")
    return MeanAndSD(mean, _number(at, raw.get("sd"), "similarity sd", above_zero=True))


def _prompts(path: Path, raw: object) -> dict[str, str]:
    if not isinstance(raw, Mapping):
        raise DataError(path, '"prompts" must be an object from prompting to text')
    for name, text in raw.items():
        at = _At(path, f'prompt "{name}"')
        if name not in PROMPTINGS:
            raise at.error(f"no such prompting; there are {', '.join(PROMPTINGS)}")
        for mark in ("{story}", "{options}"):
            if _text(at, text).count(mark) != 1:
                raise at.error(f"must have {mark} in one place")
    return dict(raw)


def _text(at: _At, value: object, name: str = "") -> str:
    """A text that can be shown: not blank, and without control characters but line breaks."""
    what = f'"{name}"' if name else "it"
    if not isinstance(value, str) or not value.strip():
        raise at.error(f"{what} must be a text, not {value!r:.40}")
    if not all(c.isprintable() or c in "\n\t" for c in value):
        raise at.error(f"{what} holds a control character")
    return value


def _line(at: _At, value: object, name: str) -> str:
    text = _text(at, value, name)
    if not text.isprintable() or text != text.strip():
        raise at.error(f'"{name}" must be one line, without spaces around it')
    return text


def _numbers(at: _At, values: object, name: str, n: int | None = None) -> tuple[float, ...]:
    if not isinstance(values, list) or (n is not None and len(values) != n):
        expected = "a list of numbers" if n is None else f"a list of {n} numbers"
        raise at.error(f'"{name}" must be {expected}')
    return tuple(_number(at, value, name) for value in values)


def _ascending(at: _At, values: object, name: str) -> tuple[float, ...]:
    numbers = _numbers(at, values, name)
    if list(numbers) != sorted(numbers):
        raise at.error(f'"{name}" must be in rising order')
    return numbers


def _number(at: _At, value: object, name: str, *, above_zero: bool = False) -> float:
    # A whole number may be beyond what a float can hold.
    if isinstance(value, int | float) and not isinstance(value, bool):
        fits = value > 0 or not above_zero
        if fits and abs(value) <= float_info.max:
            return float(value)
    expected = "a number above 0" if above_zero else "a number"
    raise at.error(f'"{name}" must be {expected}, not {value!r:.40}')
