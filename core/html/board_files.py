"""The data files of a board: JSON, CSV, and the same for scripts."""

import json
from collections.abc import Mapping, Sequence

from ..analysis.csv_tables import csv_text
from ..text import as_text
from .shapes import FilePart, SiteBoardDocument, SiteRow

Cell = str | float | None


def board_files(document: SiteBoardDocument) -> list[FilePart]:
    """What a board can be downloaded as, and what its script reads."""
    path = f"boards/{document['key']}"
    return [
        FilePart(f"{path}.json", (as_text(document) + "\n").encode()),
        FilePart(f"{path}.csv", csv_text(_csv(document)).encode()),
        put_file(path, _as_read(document)),
    ]


_ROW = ("id", "model", "href", "runs", "rank", "tied_with", "cost_usd",
        "rating", "rating_ci95", "score", "score_ci95")  # fmt: skip
_METRIC = ("name", "label", "higher_is_better")


def _as_read(document: SiteBoardDocument) -> Mapping[str, object]:
    """What the site's script reads of a board, and no more."""
    return {
        **_some(document, ("title", "rated", "views")),
        "metric": _some(document["metric"], _METRIC),
        "criteria": [_some(criterion, _METRIC[:2]) for criterion in document["criteria"]],
        "rows": [_some(row, _ROW) for row in document["rows"]],
    }


def _some(found: Mapping[str, object], names: Sequence[str]) -> Mapping[str, object]:
    return {name: found[name] for name in names}


def put_file(name: str, value: object) -> FilePart:
    """A script that hands a value over: pages read it from `file://`, where nothing is fetched."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return FilePart(f"{name}.js", f"eibench.put({json.dumps(name)},{text});\n".encode())


def _csv(document: SiteBoardDocument) -> list[list[Cell]]:
    names = [criterion["name"] for criterion in document["criteria"]]
    heading: list[Cell] = [*_PLAIN, *_ENDS, *names]
    return [heading, *(_csv_row(row, names) for row in document["rows"])]


_PLAIN = ("model", "family", "size_b", "date", "demo", "partial", "status", "rating", "score",
          "cost_usd", "scored", "total")  # fmt: skip
_ENDS = ("rank_low", "rank_high", "rating_low", "rating_high", "score_low", "score_high",
         "tied_with", "run")  # fmt: skip


def _csv_row(row: SiteRow, names: list[str]) -> list[Cell]:
    plain = [_cell(row[name]) for name in _PLAIN]  # type: ignore[literal-required]
    pairs = (row["rank"], row["rating_ci95"], row["score_ci95"])
    ends = [end for pair in pairs for end in (pair or (None, None))]
    last = ["; ".join(row["tied_with"]), "; ".join(row["runs"])]
    return [*plain, *ends, *last, *(row["criteria"].get(name) for name in names)]


def _cell(value: object) -> Cell:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str | int | float) else None
