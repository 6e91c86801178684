"""Numbers and verdicts in words, as pages say them."""

from collections.abc import Iterator, Sequence

from ..reports.ending import dollars
from ..reports.statements import (
    StatedRank,
    better_end,
    chance,
    chosen_of,
    completeness,
    judge_findings,
    placed,
    too_few,
)
from ..reports.statements.baselines import main_metric
from ..text import duration
from ..types.result_document import ResultDocument
from .charts.svg import ends, figure


def plain_name(name: str) -> str:
    """The name of a metric or an ability as people write it."""
    return name.removeprefix("profile_").replace("_", " ")


def label_of(document: ResultDocument, name: str) -> str:
    """What a metric is called."""
    return document["metric_labels"].get(name, [""])[0] or plain_name(name)


def sentence(text: str) -> str:
    """A text as a sentence; nothing of nothing."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def verdict(document: ResultDocument) -> str:
    """What came out, with how sure it is, in sentences."""
    return " ".join(filter(None, _sentences(document)))


def _sentences(document: ResultDocument) -> Iterator[str]:
    name, main = document["name"], main_metric(document)
    if main is None or main[1]["value"] is None:
        reason = completeness(document).text or "no sample could be scored"
        yield f"{name} has no result: {reason}."
        return
    key, metric = main
    chosen = chosen_of(document, key)
    what = label_of(document, key) + (f" ({chosen})" if chosen else "")
    yield f"{name} reaches {figure(metric['value'])} in {what},"
    if metric["ci95"] is None:
        yield "without an interval, as the data is too little for one."
    else:
        over = document["metric_labels"].get(key, ["", ""])[1] or "items"
        low, high = map(figure, metric["ci95"])
        yield f"and with other {over} of this kind between {low} and {high} (95 % interval)."
    if end := better_end(metric["higher_is_better"]):
        yield f"Of this number {end}."
    if few := too_few(document):
        yield sentence(few.text)
    elif text := chance(document):
        yield f"That is {text}."
    if rank := placed(document):
        yield _placed(rank, document)
    yield sentence(judge_findings(document["conclusions"]).text)
    if text := completeness(document).text:
        yield f"The result is {text}."


def _placed(rank: StatedRank, document: ResultDocument) -> str:
    judge = f" by {document['judge']}" if document["judge"] else ""
    facts = [rank.text, f"rating {figure(rank.rating, 0)} {ends(rank.ci95, 0)}", rank.apart]
    return f"Compared{judge}: {', '.join(filter(None, facts))}."


def took(document: ResultDocument) -> str:
    """Cost and time."""
    return f"{dollars(document['cost_usd'])}, {duration(document['elapsed_s'])}"


def listed_facts(facts: Sequence[tuple[str, object]]) -> list[tuple[str, str]]:
    """Facts as texts, without those that there are none of."""
    return [(name, str(value)) for name, value in facts if value not in (None, "", {}, [])]
