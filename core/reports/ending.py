"""The end of a result in words: the line that says it all, and what is beside the main number."""

from collections.abc import Iterator

from ..result_document import BaselineRow, MetricRow, ResultDocument
from ..text import duration, interval, line, number
from .comparability import is_graded
from .ratings import points, ranks


def result_line(document: ResultDocument) -> str:
    """Main number, interval, above or below chance, rank, cost and time, on one line."""
    name = document["name"] + " DEMO" * document["demo"]
    status = document["status"]
    name += "" if status == "complete" else f" {status.upper()}"
    facts = [_main(document), chance(document), _rank(document), *_took(document)]
    return line(f"{name}: {', '.join(filter(None, facts))}")


def others(document: ResultDocument) -> list[str]:
    """The metrics beside the main one that are of no group and say something else."""
    groups, metrics, shown = document.get("metric_groups", {}), document["metrics"], []
    main = next(iter(metrics), "")
    for name, metric in metrics.items():
        same = _numbers(metric) == _numbers(metrics[main])
        if name not in groups and metric["value"] is not None and not same:
            shown.append(f"{_label(document, name)} {_with_interval(metric)}")
    return shown


def _numbers(metric: MetricRow) -> tuple[object, object]:
    return metric["value"], metric["ci95"]


def chance(document: ResultDocument) -> str:
    """Whether the main number is above chance, in words; nothing where that is not known."""
    main = next(iter(document["metrics"].values()), None)
    random = document["baselines"].get("random")
    if not (main and random and is_graded(document)) or main["higher_is_better"] is None:
        return ""
    if main["value"] is None:
        return ""
    standing = _standing(main, random)
    said = f"{_words(main, standing)} chance (random {number(random['value'], 1)})"
    constant = document["baselines"].get("best_constant")
    if constant and standing > 0 >= (other := _standing(main, constant)):
        answer = f"the best constant answer ({number(constant['value'], 1)})"
        said += f" but {_words(main, other)} {answer}"
    return said


def _standing(metric: MetricRow, baseline: BaselineRow) -> int:
    """1 where a metric is better, -1 where it is worse, 0 where its interval does not tell."""
    sign = 1 if metric["higher_is_better"] else -1
    ends = [sign * end for end in metric["ci95"] or [metric["value"] or 0.0]]
    than = sign * baseline["value"]
    return (min(ends) > than) - (max(ends) < than)


def _words(metric: MetricRow, standing: int) -> str:
    if metric["higher_is_better"]:
        return ("not surely above", "above", "below")[standing]
    return ("not surely better than", "better than", "worse than")[standing]


def _main(document: ResultDocument) -> str:
    if not document["metrics"]:
        return "no number"
    name, metric = next(iter(document["metrics"].items()))
    if not is_graded(document):
        return "not graded"
    if metric["value"] is None:
        return f"no {name.replace('_', ' ')}"
    return f"{_label(document, name)} {_with_interval(metric)}"


def _label(document: ResultDocument, name: str) -> str:
    return document["metric_labels"].get(name, [""])[0] or name


def _with_interval(metric: MetricRow) -> str:
    found = metric["ci95"]
    return number(metric["value"]) + (f" ({interval(found)})" if found else "")


def _rank(document: ResultDocument) -> str:
    """Rank and rating among the models it was compared with."""
    rows = document["ratings"]
    own = next((row for row in rows if row["model"] == document["name"]), None)
    if own is None:
        return ""
    may_be = ranks(own["rank_ci95"])
    also = "" if may_be in ("–", str(own["rank"])) else f" ({may_be})"
    rating = f"rating {own['rating']:.0f}" + (f" ({points(own['ci95'])})" if own["ci95"] else "")
    return f"rank {own['rank']} of {len(rows)}{also}, {rating}"


def _took(document: ResultDocument) -> Iterator[str]:
    if document["run_id"] and document.get("imported") is None:
        yield dollars(document["cost_usd"])
        yield duration(document["elapsed_s"])


def dollars(cost: float | None) -> str:
    """What something cost, in words where it cost nothing or nobody knows."""
    if cost is None:
        return "cost unknown"
    return "free" if not cost else f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}"
