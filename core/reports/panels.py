"""The part of a result about a panel: what each judge says, and how far they agree."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .. import statistics
from ..benchmark import Pack
from ..guard import guard
from ..hooks.sections import Table
from ..parties.graders import Panel, Replies
from ..parties.party import Party
from ..text import number, plural
from ..types import SampleScore
from ..types.result_document import (
    AgreementRow,
    JudgeComparisons,
    JudgeRow,
    PanelPart,
    PanelRow,
    RatingRow,
    ResultDocument,
)
from .evidence import ModelComparisons, RunData
from .ratings import rating_cell
from .robustness import estimate_row, robustness_of

if TYPE_CHECKING:
    from ..settings.run_config import RunConfig

MAIN = 3
"""How many of a benchmark's values a result has the judges' agreement on: its first ones."""


def panel_part(
    config: "RunConfig",
    pack: Pack,
    evidence: RunData,
    compared: ModelComparisons | None = None,
) -> PanelPart:
    """What a result says of several judges: of a panel, or of all that have graded the run.

    A panel whose judges' own scores are not read gets its ``panel`` row alone. ``{}`` where neither
    is there.
    """
    panel, compared_by = config.panel, compared.replies if compared else {}
    if not evidence.by_judge:
        return {"panel": _panel(config, panel, evidence, {})} if panel and evidence.replies else {}
    robustness = robustness_of(evidence.by_judge, config.benchmark.not_judged)
    part: PanelPart = {"robustness": robustness} if robustness else {}
    if panel is None:
        return part
    rated = compared.notes.get("by_judge", {}) if compared else {}
    judges: list[JudgeRow] = [
        {
            **_judge(config, pack, judge, scores, evidence.replies[judge].asked),
            **_of_comparisons(rated.get(judge.label), compared_by.get(judge)),
        }
        for judge, scores in evidence.by_judge.items()
    ]
    return {"judges": judges, "panel": _panel(config, panel, evidence, compared_by), **part}


def panel_table(document: ResultDocument) -> Table | None:
    """What each judge of a panel says, and how far they agree; ``None`` where there is none."""
    panel, judges = document.get("panel"), document.get("judges", ())
    if panel is None or not judges:
        return _judges_table(document)
    main = next(iter(document["metrics"]), "")
    label = document["metric_labels"].get(main, [main])[0]
    rows: list[tuple[str | float | None, ...]] = [
        (row["judge"], number(_value(row, main)), _graded(row), row["unread"]) for row in judges
    ]
    note = f"{panel['rule']} of those that could be read, at least {panel['quorum']}"
    if panel["rule"] == "rotate":
        note = f"one judge a sample, all of them on about {panel.get('overlap', 0):.0%}"
        note += "; each judge's number is of its own samples, so it is confounded with items"
    note += f"; {panel['split']} samples with a split vote" if panel["split"] else ""
    agreement = [_agreement(name, row) for name, row in panel["agreement"].items()]
    columns = ["judge", label, "answered", "unread"]
    if any("comparisons" in row for row in judges):
        columns.append("compared")
        rows = [(*r, _compared(j)) for r, j in zip(rows, judges, strict=True)]
    if any("ratings" in row for row in judges):
        columns.append("rating")
        rows = [(*r, _rating(j, document["name"])) for r, j in zip(rows, judges, strict=True)]
    return Table("Judges of the panel", columns, rows, note="\n".join([note, *agreement]))


def _value(row: JudgeRow, metric: str) -> float | None:
    return row["metrics"][metric]["value"] if metric in row["metrics"] else None


def _graded(row: JudgeRow) -> str:
    """How many samples a judge graded, of those that it was asked to grade."""
    return f"{row['graded']} of {row['asked']}"


def _compared(row: JudgeRow) -> str:
    """How many comparisons a judge made of those it was asked for, and how many were unread."""
    replies = row.get("comparisons")
    if replies is None:
        return "–"
    unread = f", {replies['unread']} unread" if replies["unread"] else ""
    return f"{replies['answered']} of {replies['asked']}{unread}"


def _rating(row: JudgeRow, model: str) -> str:
    """The model's rating by one judge; a dash where there is none."""
    return rating_cell(next((r for r in row.get("ratings", ()) if r["model"] == model), None))


def _judges_table(document: ResultDocument) -> Table | None:
    """How far the judges that have graded a run agree; ``None`` where only one has."""
    robustness = document.get("robustness")
    if robustness is None:
        return None
    rows = [(judge, str(estimate_row(row))) for judge, row in robustness["judges"].items()]
    columns = ("judge", f"{robustness['value']}, rank correlation with the others")
    return Table(f"Judges of these {plural(robustness['n'], 'transcript')}", columns, rows)


def _agreement(name: str, row: AgreementRow) -> str:
    """How far the judges agree on a value, in words."""
    if row["icc"] is None:
        return f"agreement on {name}: not known ({row['reason']})"
    low, high = row["ci95"] or (None, None)
    interval = f" [{number(low)}, {number(high)}]" if row["ci95"] else ""
    return f"agreement on {name}: ICC {number(row['icc'])}{interval}, {plural(row['n'], 'sample')}"


def _judge(
    config: "RunConfig", pack: Pack, judge: Party, scores: Sequence[SampleScore], asked: int
) -> JudgeRow:
    """What the result would be by one judge alone."""
    summary = guard(config.benchmark).summarise(pack, scores, config.options)
    return {
        "judge": judge.label,
        "metrics": {name: metric.as_json() for name, metric in summary.metrics.items()},
        "asked": asked,
        "graded": len(scores),
        "unread": sum(s.score.reason is not None for s in scores),
    }


def _of_comparisons(
    ratings: Sequence[RatingRow] | None, replies: Replies | None
) -> JudgeComparisons:
    """What a judge's comparisons say, and how many it made, where models are compared."""
    part: JudgeComparisons = {"ratings": ratings} if ratings else {}
    if replies is None or not replies.asked:
        return part
    return {**part, "comparisons": replies._asdict()}  # type: ignore[typeddict-item]


def _panel(
    config: "RunConfig",
    panel: Panel,
    evidence: RunData,
    compared_by: Mapping[Party, Replies],
) -> PanelRow:
    """How a panel judged; ``whole`` counts the judges that gave all that they were asked for."""
    whole = {judge for judge, replies in evidence.replies.items() if replies.whole}
    whole -= {judge for judge, replies in compared_by.items() if not replies.whole}
    row: PanelRow = {
        "rule": panel.rule,
        "quorum": panel.needed(len(panel.judges)),
        "exclude_kin": panel.exclude_kin,
        "split": sum("split" in s.score.flags for s in evidence.scores),
        "agreement": agreement_of(evidence.by_judge, config.benchmark.not_judged),
        "judges": len(panel.judges),
        "whole": len(whole),
    }
    return {**row, "overlap": panel.overlap} if panel.rule == "rotate" else row


def agreement_of(
    by_judge: Mapping[Party, Sequence[SampleScore]], unjudged: Sequence[str]
) -> dict[str, AgreementRow]:
    """ICC(A,1) of all judges for the first ``MAIN`` values, on the samples that all could grade."""
    read = [
        {(s.item_id, s.iteration): s for s in scores if s.score.reason is None}
        for scores in by_judge.values()
    ]
    common = sorted(set.intersection(*map(set, read))) if read else []
    first = read[0][common[0]].score.values if common else {}
    rows_of_values: dict[str, AgreementRow] = {}
    for name in [n for n in first if n not in unjudged][:MAIN]:
        rows = [[scores[key].score.values.get(name) for scores in read] for key in common]
        clusters = [read[0][key].cluster for key in common]
        icc = statistics.agreement.icc_agreement(
            [[float("nan") if v is None else v for v in row] for row in rows], clusters
        )
        ci95 = icc.ci95 and list(icc.ci95)
        rows_of_values[name] = {"n": len(common), "icc": icc.value, "ci95": ci95,
                                "reason": icc.reason}  # fmt: skip
    return rows_of_values
