"""What the page of one run shows: typed rows and charts, which the template only sets."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeGuard

from ..hooks.sections import Part, Table
from ..reports.comparability import judge_in
from ..reports.items import ItemRow, ItemSample
from ..reports.ratings import ranks
from ..reports.statements import better_end, joint_rank
from ..reports.statements.baselines import main_metric
from ..text import plural
from ..types.result_document import Facts, ResultDocument
from .charts.plots import Figure, strip
from .charts.rows import ChartRow, Mark, RowChart, ladder
from .gather import SiteRun
from .plugin_parts import ShownPart, shown_part
from .words import ends, figure, label_of, listed_facts, plain_name, took

NAMED = 3
"""Items that are named as the best, the worst and the least certain."""


class SampleLine(NamedTuple):
    """A sample in the list of items."""

    item_id: str
    iteration: int
    shown: str
    notes: Sequence[str]


class NamedItems(NamedTuple):
    """Some items by a rule, each with what it goes by."""

    rule: str
    items: Sequence[tuple[str, str]]


def standing(given: SiteRun) -> list[RowChart]:
    """Where the main number stands: among baselines, and among published scores."""
    document = given.document
    made = [_among_baselines(document), *_among_published(given.sections, document)]
    return [chart for chart in made if chart and chart.rows]


def _among_baselines(document: ResultDocument) -> RowChart | None:
    found = main_metric(document)
    if found is None or found[1]["value"] is None:
        return None
    metric = found[1]
    own = ChartRow(document["name"], [Mark(metric["value"], metric["ci95"])],
                   (figure(metric["value"]), ends(metric["ci95"])), "own")  # fmt: skip
    rows = [own]
    for baseline in document["baselines"].values():
        marks = [Mark(baseline["value"], None, "diamond", 1)]
        rows.append(ChartRow(baseline["label"], marks, (figure(baseline["value"]), "baseline")))
    return main_ladder(document, rows, "its 95 % interval", ("", "", "value", "95 % interval"))


def main_ladder(
    document: ResultDocument, rows: list[ChartRow], interval: str, columns: Sequence[str]
) -> RowChart:
    """Numbers of a result's main metric, the best first; where less is better, it says so."""
    name, metric = main_metric(document) or ("score", None)
    end = better_end(metric["higher_is_better"]) if metric else ""
    rows.sort(key=lambda row: (row.marks[0].value or 0.0) * (1 if end else -1))
    title = label_of(document, name) + (f" ({end})" if end else "")
    return ladder(f"{title}, with {interval}", rows, columns)


def _among_published(sections: Sequence[Part], document: ResultDocument) -> Iterator[RowChart]:
    """A plugin's table in which the result's own row is marked, as a chart."""
    found = main_metric(document)
    for table in sections:
        if not _is_charted(table) or found is None:
            continue
        rows = list[ChartRow]()
        for n, row in enumerate(table.rows):
            value = row[-1]
            if not isinstance(value, int | float):
                break
            own = n == table.marked
            mark = Mark(value, found[1]["ci95"]) if own else Mark(value, None, "ring", 2)
            cells = (figure(value), ends(mark.ci95) if own else "published")
            rows.append(
                ChartRow(str(row[1]), [mark], cells, "own" if own else "beside", str(row[0]))
            )
        else:
            yield ladder(table.title, rows, ("", "", "value", "95 % interval"))


def among_rated(document: ResultDocument) -> RowChart | None:
    """Where the rating stands among those that the result itself holds."""
    if not document["ratings"]:
        return None
    rows = [
        ChartRow(
            row["model"] + (" DEMO" if row.get("demo") else ""),
            [Mark(row["rating"], row["ci95"], series=0 if own else 5)],
            (figure(row["rating"], 0), ends(row["ci95"], 0)),
            "own" if own else "other",
            ranks(joint_rank(row)),
        )
        for row in document["ratings"]
        for own in [row["model"] == document["name"]]
    ]
    engine = document["notes"].get("rating", {}).get("engine", "")
    caption = (
        f"Rating by comparison ({engine}), with 95 % intervals; ranks are of all models at once"
    )
    return ladder(caption, rows, ("", "", "rating", "95 % interval"))


def _is_charted(part: Part) -> TypeGuard[Table]:
    return isinstance(part, Table) and part.marked is not None


def plugin_parts(given: SiteRun) -> list[ShownPart]:
    """The sections of plugins that are not drawn as a chart."""
    return [shown_part(part) for part in given.sections if not _is_charted(part)]


def sample_lines(given: SiteRun) -> list[SampleLine]:
    """Every sample, those of the worst item first."""
    return [_line(given, row, sample) for row in given.items.items for sample in row.samples]


def _line(given: SiteRun, row: ItemRow, sample: ItemSample) -> SampleLine:
    value = figure(sample.values.get(given.items.value or ""))
    notes = [sample.status] if sample.status != "scored" else []
    notes += ["cut off"] if (row.item_id, sample.iteration) in given.cut_off else []
    notes += [*filter(None, [sample.reason]), *sample.flags]
    return SampleLine(row.item_id, sample.iteration, value, notes)


def items_plot(given: SiteRun) -> Figure | None:
    """A dot for each item that has a number."""
    values = {row.item_id: row.value for row in given.items.items if row.value is not None}
    if not values:
        return None
    what = plain_name(given.items.value or "score")
    mean = sum(values.values()) / len(values)
    caption = f"Each dot is an item ({what}); the line is their mean, {figure(mean)}."
    return strip(caption, values, mean=mean)


def named_items(given: SiteRun) -> list[NamedItems]:
    """The worst, the one in the middle, the best, and those whose iterations differ most.

    Of equal ones those that stand first; the middle of an even number is the worse of two.
    """
    rows = [row for row in given.items.items if row.value is not None]
    spread = sorted((r for r in rows if r.spread), key=lambda row: -(row.spread or 0.0))
    uncertain = [(r.item_id, f"± {figure((r.spread or 0.0) / 2)}") for r in spread[:NAMED]]
    made = [
        NamedItems("Worst", _shown(rows[:NAMED])),
        NamedItems("Median", _shown(rows[(len(rows) - 1) // 2 :][:1])),
        NamedItems("Best", _shown(rows[::-1][:NAMED])),
        NamedItems("Least certain: iterations differ most", uncertain),
    ]
    return [one for one in made if one.items]


def _shown(rows: Sequence[ItemRow]) -> list[tuple[str, str]]:
    return [(row.item_id, figure(row.value)) for row in rows]


def tally(document: ResultDocument) -> str:
    """How the samples ended, in words."""
    items = document["items"]
    said = f"{items['scored']} of {plural(items['total'], 'sample')} scored"
    for name in ("unscored", "failed", "pending", "truncated"):
        if count := items.get(name):
            said += f", {count} {'to do' if name == 'pending' else name}"
    return said


def cost(document: ResultDocument) -> list[tuple[str, str]]:
    """What the run took."""
    calls, tokens = document["calls"], document["tokens"]
    counted = (f"{count:,} {kind}" for kind, count in tokens.items() if isinstance(count, int))
    return listed_facts([
        ("Cost and time", took(document)),
        ("Calls to the model", f"{calls['model']:,}"),
        ("Calls to the judge", f"{calls['judge']:,}" if calls["judge"] else ""),
        ("Answered from the journal", f"{calls['replayed']:,}" if calls["replayed"] else ""),
        ("Retries", f"{calls['retries']:,}" if calls["retries"] else ""),
        ("Tokens", ", ".join(counted)),
    ])  # fmt: skip


def how_it_was_run(given: SiteRun) -> list[tuple[str, str]]:
    """Everything that decides what the numbers mean."""
    run, document = given.run, given.document
    pack = document["dataset"]
    roles = document.get("roles", {})
    return listed_facts([
        ("Model", run.model),
        ("Endpoint", document["endpoint"]),
        ("Judge", judge_in(document)),
        *((f"Role: {name}", player["model"]) for name, player in roles.items()),
        ("Benchmark", f"{document['benchmark']}, version {document['benchmark_version']}"),
        ("Pack", f"{pack['name']}, {plural(pack['n_items'], 'item')}, SHA-256 {pack['sha256']}"),
        ("Iterations", document["iterations"]),
        ("Sampling", _pairs(document["sampling"])),
        ("System prompt", run.settings.get("system") and "one of its own"),
        ("Not taken by the provider", ", ".join(document["not_sent"])),
        ("Options", _pairs(document["options"])),
        ("Run", f"{run.run_id}, started {run.created_at[:16].replace('T', ' ')} UTC"),
        ("Comparable with", document["comparability"]),
    ])  # fmt: skip


def _pairs(facts: Facts) -> str:
    return ", ".join(f"{k} {v}" for k, v in facts.items() if v not in (None, ""))
