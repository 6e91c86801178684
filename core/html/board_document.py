"""A board as one JSON document."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from ..clients.families import family
from ..compare.boards import Board
from ..compare.leaderboard import LeaderboardDocument
from ..guard import guard
from ..parties.party import is_imported
from ..parties.providers import ModelSpec
from ..reports.ratings import BoardRow
from ..reports.statements import (
    Leader,
    chosen_of,
    completeness,
    first_mark,
    joint_rank,
    leader,
    short_of,
    tied_names,
)
from ..text import in_words
from ..types.result_document import ConclusionRow, MetricRow, RatingRow
from .board_numbers import residuals
from .gather import SiteBoard, Submission
from .shapes import SiteAdjusting, SiteBoardDocument, SiteMetric, SitePublished, SiteRow, SiteView
from .slugs import model_path, slug
from .words import sentence

_SIZE = re.compile(r"(?<![\d.a-z])(\d+(?:\.\d+)?)b(?![a-z\d])", re.IGNORECASE)
_RANGE = re.compile(r"\((\d+)-(\d+)\)")
Numbers = Sequence[float | None]
Scale = tuple[float | None, float | None]
LONGEST = 200
"""Characters of a name on a page."""
_RANGES = (1.0, 10.0, 20.0, 100.0)


def board_document(board: SiteBoard) -> SiteBoardDocument:
    """The document of a board; it holds all that its page shows."""
    read, leaderboard = board.board, board.document
    documents = read.documents
    first = next(iter(documents.values()), None)
    baselines = first["baselines"].values() if first else ()
    metric, criteria = _metrics(board)
    front = leader(leaderboard["rows"])
    rows = [_row(board, row, front, metric, criteria) for row in leaderboard["rows"]]
    rows = residuals(rows, criteria)
    dates = sorted(row["date"] for row in rows if row["date"])
    return {
        "key": board.key,
        "benchmark": read.benchmark.name,
        "title": board.title,
        "pack": read.board.pack_name,
        "pack_sha256": read.board.pack_sha256,
        "n_items": leaderboard["dataset"]["n_items"],
        "judge": read.board.public_judge or None,
        "roles": read.board.public_roles,
        "options": [" ".join(words) for words in _options(read.board)],
        "date_from": dates[0] if dates else None,
        "date_to": dates[-1] if dates else None,
        "version": read.benchmark.version,
        "comparability": read.pack.comparability,
        "demo": leaderboard["demo"],
        "sentence": _sentence(leaderboard),
        "rated": any(row["rating"] is not None for row in rows),
        "engine": leaderboard["engine"],
        "metric": metric,
        "criteria": criteria,
        "rows": rows,
        "views": _views(board, rows),
        "adjusting": _adjusting(board, rows),
        "published": _published(board),
        "baselines": [{"label": b["label"], "value": b["value"]} for b in baselines],
        "conclusions": conclusions_of(board),
        "warnings": [
            *leaderboard["warnings"],
            *_of_judges(leaderboard),
            *map(sentence, board.submissions.limits),
        ],
    }


def _of_judges(board: LeaderboardDocument) -> Iterator[str]:
    """What is known of its judges: their exams."""
    yield from board.get("judge_exams", ())


def _options(board: Board) -> Iterator[tuple[str, str]]:
    """The options that are not as usual, as words."""
    for name, value in board.protocol.items():
        yield name.replace("_", " "), in_words(value)


def _sentence(board: LeaderboardDocument) -> str:
    """What it comes to, as a sentence; a model's name stays as it is written."""
    text = board["statement"]
    is_name = any(text.startswith(row["model"]) for row in board["rows"])
    return f"{text if is_name else text[:1].upper() + text[1:]}."


def _metrics(board: SiteBoard) -> tuple[SiteMetric, list[SiteMetric]]:
    """The main metric, and those of groups."""
    groups, labels = dict[str, str](), dict[str, str]()
    better = dict[str, bool | None]()
    for document in board.board.documents.values():
        groups |= {n: g for n, g in document["metric_groups"].items() if n not in groups}
        labels |= {n: text[0] for n, text in document["metric_labels"].items() if n not in labels}
        better |= {n: m["higher_is_better"] for n, m in document["metrics"].items()}

    def metric(name: str, group: str, low: float | None, high: float | None) -> SiteMetric:
        label = (labels.get(name) or name).replace("_", " ")
        return {"name": name, "label": label, "group": group,
                "higher_is_better": better.get(name), "low": low, "high": high}  # fmt: skip

    scales = {group: _scale(board, group, groups) for group in dict.fromkeys(groups.values())}
    main = metric(board.board.metric, "", None, None)
    return main, [metric(name, group, *scales[group]) for name, group in groups.items()]


def _scale(board: SiteBoard, group: str, groups: Mapping[str, str]) -> Scale:
    """The fixed scale of a group: what its title says, else the smallest usual that holds all.

    It never depends on which models are shown more closely than that, so that noise is no signal.
    """
    if stated := _RANGE.search(group):
        return float(stated[1]), float(stated[2])
    values = [
        metric["value"]
        for document in board.board.documents.values()
        for name, metric in document["metrics"].items()
        if groups.get(name) == group and metric["value"] is not None
    ]
    if not values or min(values) < 0:
        return None, None
    high = next((end for end in _RANGES if end >= max(values)), None)
    return (0.0, high) if high else (None, None)


def _row(
    board: SiteBoard,
    row: BoardRow,
    front: Leader,
    metric: SiteMetric,
    criteria: Sequence[SiteMetric],
) -> SiteRow:
    name, items = row["model"], row["items"]
    run = board.board.runs.get(name)
    main = row["metrics"].get(metric["name"])
    values = {c["name"]: row["metrics"].get(c["name"]) for c in criteria}
    scored, result = board.runs.get(name), board.board.documents.get(name)
    asked = board.document["dataset"]["n_items"] * (row["iterations"] or 1)
    submission = board.submissions.runs.get(row["run_id"] or "", Submission(""))
    return {
        "id": row["run_id"] or slug(name),
        "model": shown_name(name),
        "href": model_path(name) if scored else None,
        "family": "demo" if run and run.demo else _family(run.model if run else name),
        "size_b": size_of(name),
        "date": run.created_at[:10] if run else None,
        "partial": bool(row["partial"]),
        "changed": row["changed"],
        "status": row["status"],
        "rank": joint_rank(row),
        "rank_alone": row["rank_ci95"],
        "first": first_mark(front, name),
        "short_of": short_of(result) if result else "",
        "rating": row["rating"],
        "rating_ci95": row["ci95"],
        "score": main["value"] if main else None,
        "score_ci95": main["ci95"] if main else None,
        "chosen": chosen_of(result, metric["name"]) if result and main else "",
        "criteria": {n: m["value"] if m else None for n, m in values.items()},
        "residual": {},
        "cost_usd": row["cost_usd"],
        "output_tokens": result["tokens"]["output"] if result else None,
        "seconds": result["elapsed_s"] if result else None,
        "completeness": completeness(result).text if result else _stopped(row),
        "scored": items["scored"] if items else None,
        "total": asked if items else None,
        "tied_with": [*map(shown_name, tied_names(row) or ())],
        "runs": [row["run_id"]] if row["run_id"] else [],
        "verified": submission.verified,
        "weights": submission.weights and shown_name(submission.weights),
        "prompt_format": submission.prompt_format and shown_name(submission.prompt_format),
    }


def _stopped(row: BoardRow) -> str:
    """How a run ended that was compared and has no score here; empty where that is well."""
    return (row["status"] or "").upper() if row["status"] != "complete" else ""


def _family(model: str) -> str:
    """The maker of a model, as far as its name tells."""
    provider, _, name = model.partition("/")
    if is_imported(model):
        return "imported"
    return family(ModelSpec(provider, name or provider)) or "–"


def shown_name(name: str) -> str:
    """A name, cut where no page could hold it."""
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}…"


def size_of(name: str) -> float | None:
    """Billions of parameters, where the name says so: 70 of ``llama-3-70b``."""
    sizes = _SIZE.findall(name)
    return float(sizes[-1]) if sizes else None


def _views(board: SiteBoard, rows: Sequence[SiteRow]) -> list[SiteView]:
    """By each judge of a panel alone, without kin, and with what the judge likes of length off."""
    ids, metric = {row["model"]: row["id"] for row in rows}, board.board.metric
    views = [_view(f"only {board.public.get(judge, judge)}", rated, ids, _rating)
             for judge, rated in board.board.by_judge.items()]  # fmt: skip
    views += [_scored_view(f"only {board.public.get(judge, judge)}", scores, ids)
              for judge, scores in board.board.judge_scores.items()]  # fmt: skip
    if board.without_kin:
        kinless = board.without_kin["rows"]
        views.append(_view("without kin", kinless, ids, lambda row: _number(row, metric)))
    if adjusted := [r for r in board.document["rows"] if r["rating_length_adjusted"] is not None]:
        view = _view("length adjusted", adjusted, ids, lambda row: _with_ends(
            row["rating_length_adjusted"], row["ci95_length_adjusted"]))  # fmt: skip
        views.append({**view, "ranks": {}})  # by it alone they are not known to be sure
    return views


def _scored_view(name: str, scores: Mapping[str, MetricRow], ids: Mapping[str, str]) -> SiteView:
    """Of a panel that rated nobody, the metric by one judge; what ranks are sure is not known."""
    values = {ids[n]: _with_ends(m["value"], m["ci95"]) for n, m in scores.items() if n in ids}
    return {"name": name, "ranks": {}, "values": values}


AnyRow = TypeVar("AnyRow", RatingRow, BoardRow)


def _view(
    name: str, rows: Sequence[AnyRow], ids: Mapping[str, str], values: Callable[[AnyRow], Numbers]
) -> SiteView:
    known = {ids[row["model"]]: row for row in rows if row["model"] in ids}
    return {
        "name": name,
        "ranks": {n: ranks for n, row in known.items() if (ranks := joint_rank(row))},
        "values": {n: values(row) for n, row in known.items()},
    }


def _with_ends(value: float | None, ci95: Numbers | None) -> Numbers:
    return [value, *(ci95 or (None, None))]


def _rating(row: RatingRow | BoardRow) -> Numbers:
    return _with_ends(row["rating"], row["ci95"])


def _number(row: BoardRow, metric: str) -> Numbers:
    """The rating, else the score, with both ends."""
    score = row["metrics"].get(metric)
    if row["rating"] is not None or score is None:
        return _rating(row)
    return _with_ends(score["value"], score["ci95"])


def _adjusting(board: SiteBoard, rows: Sequence[SiteRow]) -> SiteAdjusting | None:
    if board.adjusting is None:
        return None
    ids, adjusting = {row["model"]: row["id"] for row in rows}, board.adjusting
    known = adjusting.known
    return {
        "controls": [{"name": c.name, "label": c.label, "value": c.value, "scale": c.scale}
                     for c in adjusting.controls],
        "absent": [f"{c.label}: {c.missing}" for c in adjusting.absent],
        "models": [ids[shown_name(name)] for name in adjusting.models],
        "values": known.values.tolist(),
        "left_out": known.left_out.tolist(),
        "t": known.t,
        "t_pairs": known.t_pairs,
    }  # fmt: skip


def _published(board: SiteBoard) -> SitePublished | None:
    read = board.board
    table = guard(read.benchmark).published(read.pack)
    if table is None:
        return None
    note = "\n".join(filter(None, [read.off_published, table.note]))
    return {
        "title": table.title, "note": note, "columns": list(table.columns),
        "rows": [list(row) for row in table.rows], "comparable": read.beside_published,
    }  # fmt: skip


def conclusions_of(board: SiteBoard) -> list[ConclusionRow]:
    """What was found of its judge, by comparisons and by how several agree."""
    studies = (study.conclusions for study in board.board.robustness)
    return [*board.document["conclusions"], *chain.from_iterable(studies)]
