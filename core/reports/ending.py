"""The end of a result in words: the line that says it all, and what is beside the main number."""

from collections.abc import Iterator

from ..text import duration, interval, line, number, plural
from ..types.result_document import MetricRow, ResultDocument
from .comparability import is_graded
from .judge_replies import short_panel
from .ratings import points
from .statements import (
    better_end,
    chance,
    chosen_of,
    judge_findings,
    origin,
    placed,
    whole_judges,
)
from .suggestions import bench


def result_line(document: ResultDocument, *, now: bool = False, more: int = 0) -> str:
    """Main number, interval, against chance, rank, what is against the judge, cost and time.

    Of the command under way (`now`) one whose replies were all in the journal says so last, and
    where nothing was asked, not what others once took. It may have made `more` calls than the
    result has, which were given up.
    """
    name = document["name"] + " DEMO" * document["demo"]
    status = document["status"]
    name += "" if status == "complete" else f" {status.upper()}"
    name += f" ({whole})" if (whole := whole_judges(short_panel(document))) else ""
    facts = [_main(document), chance(document), _rank(document, now=now)]
    facts.append(judge_findings(document["conclusions"]).text)
    source = origin(document) if now else None
    source = source and source._replace(sent_now=source.sent_now + more)
    facts += [] if source and source.kept and not source.sent_now else _took(document)
    facts.append(source.text if source else "")
    return line(f"{name}: {', '.join(filter(None, facts))}")


def others(document: ResultDocument) -> list[str]:
    """The metrics beside the main one that are of no group and say something else.

    The pass that the main one is says nothing else, though the choice of it adds to its interval.
    """
    groups, metrics, shown = document["metric_groups"], document["metrics"], []
    main = next(iter(metrics), "")
    for name, metric in metrics.items():
        same = _numbers(metric) == _numbers(metrics[main]) or name == metrics[main].get("chosen")
        if name not in groups and metric["value"] is not None and not same:
            shown.append(f"{_label(document, name)} {with_interval(metric)}")
    return shown


def _numbers(metric: MetricRow) -> tuple[object, object]:
    return metric["value"], metric["ci95"]


def _main(document: ResultDocument) -> str:
    if not document["metrics"]:
        return "no number"
    name, metric = next(iter(document["metrics"].items()))
    if not is_graded(document):
        return "not graded"
    if metric["value"] is None:
        return f"no {name.replace('_', ' ')}"
    facts = [
        f"{_label(document, name)} {with_interval(metric)}",
        chosen_of(document, name),
        better_end(metric["higher_is_better"]),
    ]
    return ", ".join(filter(None, facts))


def _label(document: ResultDocument, name: str) -> str:
    return document["metric_labels"].get(name, [""])[0] or name


def with_interval(metric: MetricRow) -> str:
    """A number with its interval, where it has one."""
    ends = metric["ci95"]
    return number(metric["value"]) + (f" ({interval(ends)})" if ends else "")


def _rank(document: ResultDocument, *, now: bool) -> str:
    """Rank and rating among the models it was compared with; later, where today's are."""
    rank = placed(document)
    if rank is None:
        return ""
    interval = f" ({points(rank.ci95)})" if rank.ci95 else ""
    text = f"{rank.text}, rating {rank.rating:.0f}{interval}"
    if now:
        return text
    models = plural(len(document["ratings"]), "model")
    today = bench("leaderboard", document["benchmark"], demo=document["demo"])
    return f"{text} when it ended ({models}; today: {today})"


def _took(document: ResultDocument) -> Iterator[str]:
    if document["run_id"] and document["imported"] is None:
        unspent = document["status"] == "budget" and document["cost_usd"] == 0
        yield "$0.00 spent" if unspent else dollars(document["cost_usd"])
        yield duration(document["elapsed_s"])


def dollars(cost: float | None) -> str:
    """What something cost, in words where it cost nothing or nobody knows."""
    if cost is None:
        return "cost unknown"
    return "free" if not cost else f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}"
