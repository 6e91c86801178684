"""Data files: of a board as JSON, CSV and for scripts, of a run its items and transcripts."""

import json
from collections.abc import Mapping, Sequence
from typing import cast
from zlib import crc32

from ..parties.party import is_imported
from ..reports.comparing import sent
from ..runs.differences import recorded
from ..text import as_text, csv_text, plain
from ..types import Json, digest
from .gather import SiteBoard, SiteRun
from .policy import Policy
from .shapes import FilePart, SiteBoardDocument, SiteRow
from .slugs import Address, slug

PART_ITEMS, MOST_PARTS = 5, 50
"""Items of a part, or so; and parts of a run, beyond which they have more items."""


def run_file(
    board: SiteBoard, run: SiteRun, policy: Policy, paths: Mapping[str, Address]
) -> FilePart:
    """A run by the grader of a board, as the scripts that compare read it.

    `facts` are what may set it apart from another run. Of each item the values of its samples, its
    page (of `paths`), and `texts`: the file of its transcripts, if there is one; of each criterion
    its number and both ends of its interval.
    """
    texts, main = policy.shows(board.board.pack.source.facts), run.items.value or ""
    items = [
        {
            "item": row.item_id,
            "page": paths[row.item_id],
            "samples": [
                sample.values and {main: sample.value} | {**sample.values, main: sample.value}
                for sample in row.samples
            ],
            "texts": text_name(board, run, row.item_id) if texts else None,
        }
        for row in run.items.items
    ]
    criteria = {
        name: [metric["value"], *(metric["ci95"] or ())]
        for name in run.document["metric_groups"]
        if (metric := run.document["metrics"].get(name)) and metric["value"] is not None
    }
    document = {"value": run.items.value, "graded": graded_name(run), "facts": _facts(run)}
    return put_file(
        f"runs/{board.key}/{run.run.run_id}",
        policy.masked({**document, "criteria": criteria, "items": items}),
    )


def _facts(run: SiteRun) -> list[tuple[str, str]]:
    """What may set a run apart: of prompts a digest, of weights their names, of notes nothing."""
    record, imported = run.run, is_imported(run.run.model)
    facts: dict[str, object] = {"model": record.model, "date": record.created_at[:10]}
    facts |= {"sampling": "not recorded"} if imported else {}
    facts |= sent(record, unknown=imported)
    known = recorded(run.stored.journal, record).items()
    facts |= {n: v for n, v in known if not n.startswith("note ")}
    return [(n.replace("_", " "), _fact(n, v)) for n, v in facts.items() if v not in (None, "", {})]


def _fact(name: str, value: object) -> str:
    if name in ("system", "prompts"):
        return f"digest {digest(cast('Json', value))[:6]}"
    text = plain(value)
    return text.replace("\\", "/").rsplit("/", 1)[-1] if name.startswith("weights") else text


def graded_name(run: SiteRun) -> Address:
    """A run as one grader graded it, which is what stands on a board: its name in addresses."""
    grader = run.document["grader"]
    return Address(f"{run.run.run_id}-{grader[:6]}" if grader else run.run.run_id)


def parts_on(board: SiteBoard) -> int:
    """In how many parts the transcripts of each run on a board are."""
    return max(1, min(MOST_PARTS, -(-len(board.board.pack.items) // PART_ITEMS)))


def part_name(board: SiteBoard, item_id: str) -> Address:
    """The part that an item is in, and its name there: by the item alone, whoever has run it."""
    return Address(f"{crc32(item_id.encode()) % parts_on(board) + 1}#{slug(item_id)}")


def text_name(board: SiteBoard, run: SiteRun, item_id: str) -> Address:
    """Where the transcripts of an item are: a file, and its name there."""
    return Address(f"texts/{graded_name(run)}/{part_name(board, item_id)}")


Cell = str | float | None


def board_files(document: SiteBoardDocument) -> list[FilePart]:
    """What a board can be downloaded as, and what its script reads."""
    path = f"boards/{document['key']}"
    return [
        FilePart(f"{path}.json", (as_text(document) + "\n").encode()),
        FilePart(f"{path}.csv", csv_text(_csv(document)).encode()),
        put_file(path, _as_read(document)),
    ]


_ROW = ("id", "model", "href", "runs", "rank", "tied_with",
        "rating", "rating_ci95", "score", "score_ci95")  # fmt: skip
_METRIC = ("name", "label", "higher_is_better")


def _as_read(document: SiteBoardDocument) -> Mapping[str, object]:
    """What the site's script reads of a board, and no more."""
    return {
        **_some(document, ("title", "rated", "views", "adjusting")),
        "metric": _some(document["metric"], _METRIC),
        "criteria": [
            _some(criterion, (*_METRIC[:2], "group")) for criterion in document["criteria"]
        ],
        "rows": [_some(row, _ROW) for row in document["rows"]],
    }


def _some(document: Mapping[str, object], names: Sequence[str]) -> Mapping[str, object]:
    return {name: document[name] for name in names}


def put_file(name: str, value: object) -> FilePart:
    """A script that hands a value over: pages read it from `file://`, where nothing is fetched."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return FilePart(f"{name}.js", f"eibench.put({json.dumps(name)},{text});\n".encode())


def _csv(document: SiteBoardDocument) -> list[list[Cell]]:
    names = [criterion["name"] for criterion in document["criteria"]]
    heading: list[Cell] = [*_PLAIN, *_ENDS, *names]
    return [heading, *(_csv_row(row, names) for row in document["rows"])]


_PLAIN = ("model", "family", "size_b", "date", "partial", "status", "rating", "score",
          "cost_usd", "scored", "total", "verified", "weights", "prompt_format")  # fmt: skip
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
