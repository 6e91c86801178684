"""What the page of one run shows in words: samples, named items, cost, settings, limits."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from ..journal import RunRecord
from ..reports.comparability import judge_in
from ..reports.items import ItemRow, ItemSample
from ..reports.statements import placed_among
from ..text import plural
from ..types.result_document import ConclusionRow, Facts, ResultDocument
from .board_document import conclusions_of
from .charts.plots import Figure, strip
from .charts.svg import figure, signed
from .gather import SiteBoard, SiteRun
from .plugin_parts import ShownPart, shown_part
from .result_charts import is_charted
from .shapes import SiteBoardDocument, SiteRow
from .words import listed_facts, plain_name, took, verdict

NAMED = 3
"""Items and criteria that are named at either end."""


def row_of(document: SiteBoardDocument, run: SiteRun) -> SiteRow | None:
    """The row of a run."""
    return next((row for row in document["rows"] if row["id"] == run.run.run_id), None)


def on_board(board: SiteBoard, run: SiteRun) -> ResultDocument:
    """A run's result with the ratings and what was found of its judge that its board has now.

    Those that the run ended with are of the models that were there then.
    """
    rated, conclusions = board.board.standing, conclusions_of(board)
    document = {**run.document, "ratings": list(rated.ratings) if rated else []}
    document |= {"conclusions": conclusions} if conclusions else {}
    return cast("ResultDocument", document)


def findings(board: SiteBoard | None, document: ResultDocument) -> list[ConclusionRow]:
    """What was found of the judge: on the board, and how several agree on this run."""
    found = conclusions_of(board) if board else []
    found = found or list(document["conclusions"])
    robustness = document.get("robustness")
    return [*found, *(robustness["conclusions"] if robustness else ())]


def verdict_on(board: SiteBoard | None, run: SiteRun) -> str:
    """What came out, in sentences; on a board of scores with the rank there."""
    said = verdict(run.document)
    place = placed_among(board.document["rows"], run.run.name) if board else None
    if run.document["ratings"] or place is None or place.of < 2:
        return said
    facts = ", ".join(filter(None, [place.text, place.apart]))
    return f"{said} On this board: {facts}."


def special_of(document: SiteBoardDocument, row: SiteRow | None) -> list[str]:
    """What is furthest above and below what the model's main number foretells, a sentence each."""
    residual = row["residual"] if row else {}
    labels = {c["name"]: c["label"] for c in document["criteria"]}
    known = [(value, labels[name]) for name, value in residual.items() if value is not None]
    known.sort(reverse=True)
    above = [pair for pair in known if pair[0] > 0][:NAMED]
    below = [pair for pair in known[::-1] if pair[0] < 0][:NAMED]
    found = (("Above", above), ("Below", below))
    return [f"{side} what its place foretells: {_in_words(of)}." for side, of in found if of]


def _in_words(found: Sequence[tuple[float, str]]) -> str:
    return ", ".join(f"{label} {signed(value)}" for value, label in found)


def limits_of(document: SiteBoardDocument | None, run: SiteRun, row: SiteRow | None) -> list[str]:
    """What a reader of the result has to know, a sentence each."""
    return [_sentence(text) for text in dict.fromkeys(_limits(document, run, row))]


def _limits(document: SiteBoardDocument | None, run: SiteRun, row: SiteRow | None) -> Iterator[str]:
    if document and document["demo"]:
        yield "a demo model is on the board, so no number on it says anything of real models"
    if row and row["changed"]:
        yield f"asked otherwise than the pack says: {row['changed']}"
    if document:
        yield document["comparability"]
    yield from run.document["warnings"]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def other_runs(run: SiteRun, runs: Sequence[RunRecord]) -> list[str]:
    """The other runs of the same model and benchmark."""
    own = run.run
    return [
        f"{other.run_id}: {other.status}, {other.created_at[:10]}, {other.pack_name} pack"
        for other in runs
        if other.run_id != own.run_id and (other.name, other.benchmark) == (own.name, own.benchmark)
    ]


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


def plugin_parts(given: SiteRun) -> list[ShownPart]:
    """The sections of plugins that are not drawn as a chart."""
    return [shown_part(part) for part in given.sections if not is_charted(part)]


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
