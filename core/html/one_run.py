"""What the page of one run shows in words.

Samples, named items, cost and settings; where it stands on a board: what was found, what is
special, how far the result goes, and other runs of its model.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from ..journal import RunRecord
from ..reports.comparability import judge_in
from ..reports.items import ItemRow
from ..reports.otherwise import AskedOtherwise, judge_name, named, told_otherwise
from ..reports.statements import chance, completeness, judge_findings, placed_among, too_few
from ..text import by_player, plural
from ..types.result_document import ConclusionRow, Facts, ResultDocument
from .board_document import conclusions_of
from .charts.plots import Figure, strip
from .charts.svg import figure, signed
from .gather import SiteBoard, SiteRun
from .shapes import SiteBoardDocument, SiteRow
from .words import listed_facts, plain_name, sentence, took, verdict

NAMED = 3
"""Items and criteria that are named at either end."""
GAINS = 5
"""Items that are named where a model gains most, and where it loses most."""


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
    conclusions = (conclusions_of(board) if board else []) or document["conclusions"]
    robustness = document.get("robustness")
    return [*conclusions, *(robustness["conclusions"] if robustness else ())]


def verdict_on(board: SiteBoard | None, run: SiteRun) -> str:
    """What came out, in sentences; on a board of scores with the rank there."""
    text = verdict(run.document)
    rank = placed_among(board.document["rows"], run.run.name) if board else None
    if run.document["ratings"] or rank is None or rank.of < 2:
        return text
    return f"{text} On this board: {', '.join(filter(None, [rank.text, rank.apart]))}."


def place_and_meaning(board: SiteBoard, run: SiteRun) -> tuple[str, str]:
    """A model's place on a board, and what its number there says, in one sentence."""
    document, rank = run.document, placed_among(board.document["rows"], run.run.name)
    few = too_few(document)
    facts = [
        completeness(document).text,
        few.text if few else chance(document),
        rank.apart if rank else "",
        judge_findings(conclusions_of(board)).text,
    ]
    stated = rank.text if rank else "–"
    return stated, sentence("; ".join(filter(None, facts)))


def special_of(document: SiteBoardDocument, row: SiteRow | None) -> list[str]:
    """What is furthest above and below what the model's main number foretells, a sentence each."""
    labels = {criterion["name"]: criterion["label"] for criterion in document["criteria"]}
    residuals = row["residual"].items() if row else ()
    order = sorted(((v, labels[name]) for name, v in residuals if v is not None), reverse=True)
    sides = (
        ("Above", [pair for pair in order if pair[0] > 0]),
        ("Below", [pair for pair in order[::-1] if pair[0] < 0]),
    )
    return [
        f"{side} what its place foretells: "
        f"{', '.join(f'{label} {signed(value)}' for value, label in pairs[:NAMED])}."
        for side, pairs in sides
        if pairs
    ]


def limits_of(document: SiteBoardDocument | None, run: SiteRun, row: SiteRow | None) -> list[str]:
    """What a reader of the result has to know, a sentence each."""
    limits = []
    if row and row["changed"]:
        limits.append(f"asked otherwise than the pack says: {row['changed']}")
    if document:
        limits.append(document["comparability"])
    if row and row["verified"]:
        limits.append(row["verified"])
    texts = dict.fromkeys([*limits, *run.document["warnings"]])
    return [*map(sentence, texts)]


def other_runs(run: RunRecord, runs: Sequence[RunRecord]) -> list[str]:
    """The other runs of the same model and benchmark."""
    return [
        f"{other.run_id}: {other.status}, {other.created_at[:10]}, {other.pack_name} pack"
        for other in runs
        if other.run_id != run.run_id and (other.name, other.benchmark) == (run.name, run.benchmark)
    ]


class SampleLine(NamedTuple):
    """A sample in the list of items."""

    item_id: str
    iteration: int
    shown: str
    notes: Sequence[str]


def sample_lines(run: SiteRun) -> Iterator[SampleLine]:
    """Every sample, those of the worst item first."""
    for row in run.items.items:
        for sample in row.samples:
            value = figure(sample.value)
            notes = [sample.status] if sample.status != "scored" else []
            notes += ["cut off"] if (row.item_id, sample.iteration) in run.cut_off else []
            notes += [*filter(None, [sample.reason]), *sample.flags]
            yield SampleLine(row.item_id, sample.iteration, value, notes)


def items_plot(run: SiteRun) -> Figure | None:
    """A dot for each item that has a number."""
    values = {row.item_id: row.value for row in run.items.items if row.value is not None}
    if not values or len(run.items.items) < 2:
        return None
    mean = sum(values.values()) / len(values)
    what = plain_name(run.items.value or "score")
    caption = f"Each dot is an item ({what}); the line is their mean, {figure(mean)}."
    return strip(caption, values, mean=mean)


def named_items(run: SiteRun) -> list[tuple[str, Sequence[tuple[str, str]]]]:
    """The worst, the one in the middle, the best, and those whose iterations differ most.

    Of equal ones those that stand first; the middle of an even number is the worse of two.
    """

    def shown(rows: Sequence[ItemRow]) -> list[tuple[str, str]]:
        return [(row.item_id, figure(row.value)) for row in rows]

    rows = [row for row in run.items.items if row.value is not None]
    spreads = sorted((r for r in rows if r.spread), key=lambda row: -(row.spread or 0.0))
    uncertain = [(r.item_id, f"± {figure((r.spread or 0.0) / 2)}") for r in spreads[:NAMED]]
    named = [
        ("Worst", shown(rows[:NAMED])),
        ("Median", shown(rows[(len(rows) - 1) // 2 :][:1])),
        ("Best", shown(rows[::-1][:NAMED])),
        ("Least certain: iterations differ most", uncertain),
    ]
    return [(rule, items) for rule, items in named if items]


def gains_of(
    run: SiteRun, means: Mapping[str, float], *, less_is_better: bool
) -> list[tuple[str, Sequence[tuple[str, str, str]]]]:
    """The items on which a run is furthest better than the means of all, and furthest worse.

    Each with the run's value and the signed difference.
    """
    rows = [(row.value - means[row.item_id], row) for row in run.items.items
            if row.value is not None and row.item_id in means]  # fmt: skip
    rows.sort(key=lambda pair: pair[0] if less_is_better else -pair[0])
    sign = -1 if less_is_better else 1

    def shown(pairs: Sequence[tuple[float, ItemRow]]) -> Sequence[tuple[str, str, str]]:
        return [(row.item_id, figure(row.value), signed(gap)) for gap, row in pairs[:GAINS]]

    better = shown([pair for pair in rows if sign * pair[0] > 0])
    worse = shown([pair for pair in rows[::-1] if sign * pair[0] < 0])
    return [("Gains most", better), ("Loses most", worse)]


def tally(document: ResultDocument) -> str:
    """How the samples ended, in words."""
    items = document["items"]
    text = f"{items['scored']} of {plural(items['total'], 'sample')} scored"
    for name in ("unscored", "failed", "pending", "truncated"):
        if count := items.get(name):
            text += f", {count} {'to do' if name == 'pending' else name}"
    return text


def cost(document: ResultDocument) -> list[tuple[str, str]]:
    """What the run took."""
    calls, tokens = document["calls"], document["tokens"]
    counts = (f"{count:,} {kind}" for kind, count in tokens.items() if isinstance(count, int))
    return listed_facts([
        ("Cost and time", took(document)),
        ("Calls to the model", f"{calls['model']:,}"),
        ("Calls to the judge", f"{calls['judge']:,}" if calls["judge"] else ""),
        ("Answered from the journal", f"{calls['replayed']:,}" if calls["replayed"] else ""),
        ("Retries", f"{calls['retries']:,}" if calls["retries"] else ""),
        ("Tokens", ", ".join(counts)),
    ])  # fmt: skip


def how_it_was_run(site_run: SiteRun) -> list[tuple[str, str]]:
    """Everything that decides what the numbers mean."""
    run, document = site_run.run, site_run.document
    pack = document["dataset"]
    judge = judge_in(document)
    asked, by_party = AskedOtherwise.read(document, judge), document.get("asked_otherwise", {})
    played = dict(asked.playing)
    roles = by_player({
        name: named(who["model"], played.get(name, ()))
        for name, who in document.get("roles", {}).items()
    })  # fmt: skip
    return listed_facts([
        ("Model", run.model),
        ("Endpoint", document["endpoint"]),
        ("Judge", judge_name(judge, asked.grading)),
        *((f"Role: {name}", player) for name, player in roles.items()),
        ("Benchmark", f"{document['benchmark']}, version {document['benchmark_version']}"),
        ("Pack", f"{pack['name']}, {plural(pack['n_items'], 'item')}, SHA-256 {pack['sha256']}"),
        ("Iterations", document["iterations"]),
        ("Sampling", _pairs(document["sampling"])),
        ("System prompt", run.settings.get("system") and "one of its own"),
        ("Not taken by the provider", ", ".join(document["not_sent"])),
        ("Asked otherwise than meant", told_otherwise(by_party)),
        ("Options", _pairs(document["options"])),
        ("Run", f"{run.run_id}, started {run.created_at[:16].replace('T', ' ')} UTC"),
        ("Comparable with", document["comparability"]),
    ])  # fmt: skip


def _pairs(facts: Facts) -> str:
    return ", ".join(f"{k} {v}" for k, v in facts.items() if v not in (None, ""))
