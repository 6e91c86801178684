"""Published numbers beside those that come out here: a row for each source and kind of number."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import eibench
from eibench import (
    BenchError,
    DataError,
    PublishedData,
    PublishedNumber,
    PublishedRow,
    ReproducesPublished,
    ResultDocument,
    Table,
    read_json,
)

STORED = eibench.folder("reproduced") / "rows.json"
"""The rows as they came out last, which sites show."""
COMES_OUT, DIFFERS, NO_DATA = "comes out", "DIFFERS", "no data"
_DIGITS = 6
"""Of a difference, after the decimal point: what is less is that of floating point."""
_NAMED = 3
"""Numbers that differ and are named."""


class ReproducedRow(NamedTuple):
    """What came of a row.

    Attributes:
        benchmark, compared, source: Of what, and where it was published.
        n: Numbers that should come out.
        largest: Their largest difference; ``None`` without data, or where one has no value here.
        within: What rounding there can make.
        rounding: Why.
        result: Whether they come out, or that there is no data.
        notes: What does not come out, and why; without data, what brings it.
    """

    benchmark: str
    compared: str
    source: str
    n: int
    largest: float | None
    within: float
    rounding: str
    result: str
    notes: Sequence[str]


def reproduce(names: Sequence[str], folders: Sequence[Path]) -> Iterator[ReproducedRow]:
    """The rows of these benchmarks, each as soon as it is computed.

    Args:
        names: Of benchmarks; those of which nothing can be computed again give no row.
        folders: Where copies of the sources are, beside the cache of official packs.

    Raises:
        DataError: A file is not of its form.
    """
    for name in names:
        benchmark = eibench.benchmarks()[name]
        if isinstance(benchmark, ReproducesPublished):
            for row in benchmark.published_rows():
                yield computed(name, row, folders)


def computed(name: str, row: PublishedRow, folders: Sequence[Path]) -> ReproducedRow:
    """What comes of a row of a benchmark."""
    files = _files(row, folders)
    datasets = {pack: word for pack in row.packs if (word := _dataset(pack, row, folders))}
    if (row.files and not files) or len(datasets) < len(row.packs):
        notes = list(_missing(name, row, files, datasets))
        return _row(name, row, (), NO_DATA, notes)
    numbers = _numbers(row, PublishedData(files, datasets))
    expected = [number for number in numbers if not number.why]
    wrong = [number for number in expected if not number.difference <= row.within]
    notes = [_line(number, number.why) for number in numbers if number.why]
    notes += [_line(number, "beyond rounding") for number in wrong[:_NAMED]]
    notes += [f"and {len(wrong) - _NAMED} more"] * (len(wrong) > _NAMED)
    stale = [n for n in numbers if n.why and n.difference <= row.within]
    notes += [f"{number.name}: comes out, and is declared not to" for number in stale]
    result = DIFFERS if wrong or stale or not expected else COMES_OUT
    return _row(name, row, expected, result, notes)


def _numbers(row: PublishedRow, data: PublishedData) -> list[PublishedNumber]:
    try:
        return list(row.numbers(data))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        if not data.files:
            raise
        message = f"holds files that are not as in {row.source}: {error!r:.80}"
        raise DataError(data.files[0].parent, message) from error


def _row(
    name: str,
    row: PublishedRow,
    numbers: Sequence[PublishedNumber],
    result: str,
    notes: Sequence[str],
) -> ReproducedRow:
    largest = max((number.difference for number in numbers), default=None)
    largest = None if largest is None or largest == float("inf") else round(largest, _DIGITS)
    facts = (name, row.compared, str(row.source), len(numbers), largest)
    notes = [*notes, f"not: {row.lacks}"] if row.lacks else notes
    return ReproducedRow(*facts, row.within, row.rounding, result, notes)


def _line(number: PublishedNumber, why: str) -> str:
    ours = "nothing" if number.recomputed is None else f"{number.recomputed:.6g}"
    return f"{number.name}: {number.published:g} there, {ours} here: {why}"


def _homes(row: PublishedRow, names: Sequence[str], folders: Sequence[Path]) -> Iterator[Path]:
    """Where a copy of a source may be in folders: under a name, under its own, or at their top."""
    for folder in folders:
        for name in (*names, row.source.title.rpartition("/")[2], ""):
            yield folder / name


def _files(row: PublishedRow, folders: Sequence[Path]) -> list[Path]:
    for home in _homes(row, [row.folder] if row.folder else [], folders):
        for pattern in row.files:
            if paths := sorted(home.glob(pattern)):
                return paths
    return []


def _dataset(pack: str, row: PublishedRow, folders: Sequence[Path]) -> str | None:
    """What `--dataset` takes for the official pack: a folder's path, or its name in the cache."""
    benchmark = eibench.benchmarks()[pack]
    options = {option.name: option.default for option in benchmark.options}
    homes = [path for home in _homes(row, [pack], folders) for path in (home, home / "data")]
    for word in (*(str(home) for home in homes if home.is_dir()), "official"):
        try:
            if eibench.find_pack(benchmark, word, options).name == "official":
                return word
        except BenchError:
            continue
    return None


def _missing(
    name: str, row: PublishedRow, files: Sequence[Path], datasets: Mapping[str, str]
) -> Iterator[str]:
    """Which commands bring the data."""
    if row.files and not files and row.source.commit:
        url, repository = f"https://github.com/{row.source.title}", row.source.title.split("/")[1]
        clone = f"git clone {url} && git -C {repository} checkout {row.source.commit}"
        yield f"to have it: {clone} && bench reproduce {name} --data ."
    elif row.files and not files:
        path = f"{row.folder}/{row.files[0]}"
        yield f"not at hand: write it to {path} and say where with --data FOLDER"
    yield from (
        f"to have its questions: bench data fetch {pack}"
        for pack in row.packs
        if pack not in datasets
    )


_COLUMNS = ("benchmark", "what is compared", "n", "largest difference", "within", "result")
_NOTES = "rounding there; what does not come out; what brings data"
_MORE = ("benchmark", "what is compared", "source", _NOTES)


def tables(rows: Sequence[ReproducedRow]) -> list[Table]:
    """What came out, and beside it sources and exceptions."""
    results = [
        (r.benchmark, r.compared, r.n or None, _number(r), f"{r.within:g}", r.result) for r in rows
    ]
    more = [(r.benchmark, r.compared, r.source, _words(r)) for r in rows]
    count = Counter(r.result for r in rows)
    note = f"{count[COMES_OUT]} of {len(rows)} rows come out, {count[NO_DATA]} have no data"
    return [
        Table("Published numbers, computed again", _COLUMNS, results, note=note, right=(3, 4)),
        Table("Sources", _MORE, more),
    ]


def _number(row: ReproducedRow) -> str:
    return "–" if row.largest is None else f"{row.largest:.2g}"


def _words(row: ReproducedRow) -> str:
    return "; ".join(([row.rounding] if row.rounding else []) + list(row.notes))


def as_markdown(rows: Sequence[ReproducedRow]) -> str:
    """The same as one table."""
    heads = ("benchmark", "what is compared", "n", "largest difference", "within", "result",
             "source", _NOTES)  # fmt: skip
    cells = [
        (r.benchmark, r.compared, f"{r.n:,}" if r.n else "–", _number(r), f"{r.within:g}",
         r.result, r.source, _words(r))
        for r in rows
    ]  # fmt: skip
    lines = [heads, ("---",) * len(heads), *cells]
    return "".join(f"| {' | '.join(c.replace('|', '/') for c in line)} |\n" for line in lines)


def as_json(rows: Sequence[ReproducedRow]) -> dict[str, Any]:
    """The document of `bench reproduce --json`."""
    return {"rows": [row._asdict() for row in rows]}


def page(documents: Sequence[ResultDocument]) -> list[Table] | None:
    """What came out last of the benchmarks on a site."""
    shown = {document["benchmark"] for document in documents}
    stored = [ReproducedRow(**row) for row in read_json(STORED)["rows"]]
    rows = [row for row in stored if row.benchmark in shown]
    return tables(rows) if rows else None
