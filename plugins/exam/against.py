"""`bench exam JUDGE --against FILE`: published texts graded by a judge that is still there."""

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import eibench
from eibench import DataError, Paragraph, Table, UsageError, is_blank, read_jsonl
from eibench.statistics import JudgeScale, fit_scale
from eibench.text import number

Published = Mapping[str, list[dict[str, object]]]
"""By writer the lines of a file of published texts."""


def read_published(path: Path) -> Published:
    """The lines of a file: ``writer``, ``item_id``, ``response``, ``published``, ``iteration``.

    ``judge`` may name whose verdicts are published; all lines name the same.

    Raises:
        DataError: A line is not that.
    """
    writers: dict[str, list[dict[str, object]]] = {}
    for n, row in read_jsonl(path):
        if not isinstance(row, dict):
            raise DataError(path, "is no JSON object", f"line {n}")
        for name in ("writer", "item_id", "response"):
            if not isinstance(row.get(name), str) or is_blank(str(row[name])):
                raise DataError(path, f'needs "{name}", a text', f"line {n}")
        score = row.get("published")
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise DataError(path, 'needs "published", a number: the verdict', f"line {n}")
        writers.setdefault(str(row["writer"]), []).append(dict(row))
    if not writers:
        raise DataError(path, "holds no texts")
    if len(judges := {_judge(row) for rows in writers.values() for row in rows}) > 1:
        raise DataError(path, f"has several judges: {', '.join(sorted(judges))}; keep one")
    return writers


def _judge(row: Mapping[str, object]) -> str:
    return str(row.get("judge") or "the published judge")


def grade_published(
    published: Published, benchmark: str, judge: str, score: Callable[[Sequence[str]], Path]
) -> JudgeScale:
    """The scale between a judge and published verdicts, which is kept for boards.

    Args:
        published: As `read_published` gives it.
        benchmark: Whose prompts the judge is given.
        judge: Its spec.
        score: Runs ``bench score`` with arguments, and says where its runs are kept.

    Raises:
        UsageError: There is no common scale; the message says why.
    """
    judged: dict[str, float] = {}
    run_ids: dict[str, str] = {}
    runs_dir: Path | None = None
    for writer, rows in published.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "responses.jsonl"
            path.write_text("".join(json.dumps(_response(row)) + "\n" for row in rows), "utf-8")
            arguments = [benchmark, str(path), "--judge", judge, "--name", writer]
            with contextlib.redirect_stdout(io.StringIO()):
                runs_dir = score(arguments)
        with eibench.runs(runs_dir) as runs:
            stored = [r for r in runs.where(benchmark=benchmark) if _writer(r.name) == writer]
            documents = [run.result(judge) for run in stored]
            run_ids[writer] = stored[-1].id if stored else ""
        value = next(iter(documents[-1]["metrics"].values()))["value"] if documents else None
        if value is None:
            eibench.warn(f"{writer}: the judge's verdicts give no score; it is left out")
        else:
            judged[writer] = value
    means = {
        writer: sum(float(str(row["published"])) for row in rows) / len(rows)
        for writer, rows in published.items()
    }
    try:
        scale = fit_scale(judged, means)
    except ValueError as error:
        raise UsageError(f"{judge} and the published verdicts: {error}") from None
    by = {run_ids[of.writer]: of.published for of in scale.writers}
    assert runs_dir is not None  # there is a writer, or there were no scale
    eibench.keep_scale(runs_dir, benchmark, _judge(next(iter(published.values()))[0]), by)
    return scale


def _writer(name: str) -> str:
    """Who answered, from what a run of answers made elsewhere is called."""
    return name.removesuffix(" (imported)")


def _response(row: Mapping[str, object]) -> dict[str, object]:
    return {name: row[name] for name in ("item_id", "iteration", "response") if name in row}


def show_scale(scale: JudgeScale, judge: str) -> None:
    """The line, what a score is on the other scale, and each writer as the others predict it."""
    middle = scale.centre
    value, low, high = scale.published(middle)
    lines = [
        f"published = {number(scale.intercept)} + {number(scale.slope, 3)} x {judge}",
        f"a score of {number(middle)} is about {number(value)} on the published scale "
        f"(95 %: {number(low)} to {number(high)}, for a writer that is not among these)",
        f"rank correlation {number(scale.rank_correlation)}; writers left out are "
        f"{number(scale.error)} off (root mean square)",
    ]
    rows = [(w.writer, w.published, w.judge, w.left_out) for w in scale.writers]
    columns = ("writer", "published", judge, "by the others' line")
    eibench.show(
        Paragraph("\n".join(lines), f"{judge} on the published scale"),
        Table("Writers", columns, rows),
    )
