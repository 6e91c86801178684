"""A result document as tables and sentences: its conclusions, its metrics, its ratings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from ..hooks.sections import Paragraph, Part, Table
from ..hooks.sections.formulas import plain
from ..parties.party import is_imported
from ..reports.columns import FitTable
from ..reports.comparability import is_graded
from ..reports.ending import dollars
from ..reports.otherwise import told_otherwise
from ..reports.ratings import note_of, rating_columns, spans
from ..reports.statements import answered_by
from ..reports.suggestions import bench
from ..text import by_player, harmless, interval, line, number, plural, rough
from ..types.result_document import (
    BaselineRow,
    ConclusionRow,
    Grade,
    ResultDocument,
    TokenCounts,
    rating_notes,
)
from .fitted import Column, Fitted, Grid, cell

if TYPE_CHECKING:
    from ..reports.judges import JudgesDocument

_VERDICT_STYLES: Mapping[Grade, str] = {
    "none": "green",
    "not shown": "",
    "weak": "yellow",
    "strong": "bold red",
    "not tested": "bold yellow",
}


def conclusions(rows: Sequence[ConclusionRow], title: str = "") -> list[RenderableType]:
    """A line for each, below a title if one is given; nothing where there are none."""
    heading = [Text(title, style="bold")] if title and rows else []
    return [*heading, *map(_conclusion, rows)]


def strong(rows: Sequence[ConclusionRow]) -> list[ConclusionRow]:
    """Those that were found strongly."""
    return [row for row in rows if row["verdict"] == "strong"]


def judges_in_words(
    documents: "Sequence[JudgesDocument]", *, details: bool = True
) -> list[RenderableType]:
    """What is said of several judges, by scores and ratings: all, or what was found strongly."""
    parts: list[RenderableType] = []
    for one in documents:
        rows = one.conclusions if details else strong(one.conclusions)
        parts += conclusions(rows, f"\nThe judges, by {one.value}" * details)
    return parts


def _conclusion(conclusion: ConclusionRow) -> Text:
    verdict = conclusion["verdict"]
    shown = verdict.upper() if verdict in ("strong", "not tested") else verdict
    sentence = Text(f"{line(conclusion['about'])}: ")
    sentence.append(line(shown), style=_VERDICT_STYLES.get(verdict, ""))
    return sentence.append(f"  {line(conclusion['text'])}")


def details(
    document: ResultDocument, sections: Iterable[Part], another: str = "", later: str = ""
) -> RenderableType:
    """Everything that is known of a run's result.

    `another` is the command that asks another model the same, `later` what became of the rating
    after the result, where it has none.
    """
    parts: list[RenderableType] = [*head(document), _metrics(document)]
    parts += [Text(line(note), style="dim") for note in document["metric_notes"].values()]
    parts += [Text(line(message), style="dim") for message in _no_numbers(document)]
    parts += with_command(_facts(document, later), another)
    for section in (*standing(document), *map(part, sections)):
        parts += [Text(""), section]
    if message := document["conclusions"]:
        parts += [Text(""), *conclusions(message, "The judge")]
    if robustness := document.get("robustness"):
        parts += [Text(""), *conclusions(robustness["conclusions"], "The judges")]
    return Group(*parts, Text(""), *foot(document))


def head(document: ResultDocument) -> list[RenderableType]:
    """What a result is of, with its status, and whether it is the run's own."""
    title = titled(f"{document['benchmark']}  {document['name']}", demo=document["demo"])
    style = "green" if document["status"] == "complete" else "bold red"
    title.append(f"  {document['status'].upper()}", style=style)
    if message := "; ".join(filter(None, (document["invalid"], *answered_by(document)))):
        title.append(f": {line(message)}", style="red")
    text = f"not the run's own result, which {bench('show', document['run_id'])} prints"
    return [title, *[Text(line(text), style="bold cyan")] * (not document["main"])]


def foot(document: ResultDocument) -> list[RenderableType]:
    """With what it may be compared, and warnings."""
    comparability = Text(line(document["comparability"]), style="dim")
    return [comparability, *map(warning, document["warnings"])]


def with_command(facts: Iterable[str], another: str) -> Iterator[RenderableType]:
    """Lines, below that of a model alone the command for another one."""
    for fact in facts:
        yield Text(fact)
        if fact.endswith(_ALONE) and another:
            yield Text(f"           {another}", no_wrap=True, overflow="ignore")


def warning(message: str) -> RenderableType:
    """A warning's line."""
    return Text(f"warning: {line(message)}", style="yellow")


_DEMO = "  DEMO"


def titled(text: str, *, demo: bool) -> Text:
    """The line above a table, with what marks demo models."""
    title = Text(line(text), style="bold")
    return title.append(_DEMO, style="bold magenta") if demo else title


def _metrics(document: ResultDocument) -> Grid:
    numbers = [Column(heading, right=True) for heading in ("value", "95 % interval", "n")]
    grid = Grid([Column("metric"), *numbers, Column("interval over")])
    groups, group = document["metric_groups"], ""
    for position, (name, metric) in enumerate(document["metrics"].items()):
        if groups.get(name, "") != group:
            group = groups.get(name, "")
            grid.add_group(line(group))
        label, over = document["metric_labels"][name]
        value = None if name in document.get("unmeasured", ()) else metric["value"]
        cells = [number(value), interval(metric["ci95"]), str(metric["n"])]
        style = "bold" if position == 0 else ""
        grid.add_row(label or name, *cells, over if metric["ci95"] else "", style=style)
    return grid


def _no_numbers(document: ResultDocument) -> list[str]:
    """Why metrics have no number, or no interval."""
    labels = document["metric_labels"]
    unmeasured = document.get("unmeasured", {}).items()
    lines = [f"no {labels[name][0] or name}: {reason}" for name, reason in unmeasured]
    return [*lines, *_no_intervals(document)]


def _no_intervals(document: ResultDocument) -> list[str]:
    """Why metrics have no interval: a line for each reason."""
    alike: dict[str, list[str]] = {}
    for name, reason in document.get("metric_reasons", {}).items():
        alike.setdefault(reason, []).append(document["metric_labels"][name][0] or name)
    if len(alike) == 1 and not any(metric["ci95"] for metric in document["metrics"].values()):
        return [f"no intervals: {reason}" for reason in alike]
    return [
        f"no interval for {', '.join(_first_of(names, ''))}: {why}" for why, names in alike.items()
    ]


def _first_of(texts: Sequence[str], noun: str) -> list[str]:
    """The first of many, and how many more there are."""
    return [*texts[:_SHOWN], *[f"{len(texts) - _SHOWN} more{noun}"] * (len(texts) > _SHOWN)]


def _facts(document: ResultDocument, later: str = "") -> list[str]:
    items, calls, tokens = document["items"], document["calls"], document["tokens"]
    lines: list[str] = []
    if document["baselines"]:
        message = "  ·  ".join(map(_baseline, document["baselines"].values()))
        whole = items["total"] >= document["dataset"]["n_items"] * document["iterations"]
        lines.append(f"baselines  {message}" + ("" if whole else "  (of the whole pack)"))
    lines.append(samples(document))
    if document["imported"] is not None:
        lines += _imported(document)
    elif document["run_id"]:
        to_roles = by_player(calls.get("roles", {})).items()
        others = "".join(f", {n} to {_each(role)}" for role, n in to_roles)
        others += f", {calls['judge']} to the judge" if document["judge"] else ""
        lines.append(
            f"calls      {calls['model']} to the model{others}"
            f" ({calls['replayed']} of them answered from the journal)"
            f"  ·  {plural(calls['retries'], 'retry')}"
        )
        used = _used(tokens) or "not counted by the server"
        cost = dollars(document["cost_usd"])
        lines.append(f"tokens     {used}  ·  {cost}  ·  {document['elapsed_s']:.1f} s")
    if told_only := told_otherwise(document.get("asked_otherwise", {}), draws=False):
        lines.append(f"asked      {line(told_only)}")
    lines += rating(document, later)
    if flags := [f"{n} {line(flag)}" for flag, n in document["flags"].items()]:
        lines.append(f"flags      {'  ·  '.join(_first_of(flags, ' kinds'))}")
    return lines + missing(document)


def samples(document: ResultDocument) -> str:
    """How many samples ended how."""
    items, scored = document["items"], "scored" if is_graded(document) else "not graded"
    absent = "not there or not judged" if document["judge"] else "not there"
    pending = "to do" if document["imported"] is None else absent
    return (
        f"samples    {items['total']} = {items['scored']} {scored} + {items['unscored']} unscored"
        + (f" ({items['absent']} absent)" if items["absent"] else "")
        + f" + {items['failed']} failed"
        + (f" + {items['pending']} {pending}" if items["pending"] else "")
        + ("" if items["truncated"] is None else f"  ·  {items['truncated']} truncated")
    )


def rating(document: ResultDocument, later: str = "") -> list[str]:
    """Why there is no rating, where there could be one."""
    if document["ratings"]:
        return []
    if later:
        return [f"rating     {line(later)}"]
    return [f"rating     none yet: {_no_rating(document)}"] if document["comparisons"] else []


def _used(tokens: TokenCounts) -> str | None:
    if tokens["input"] is None:
        return None
    used = f"{tokens['input']:,} in ({tokens['cached']:,} cached), "
    return used + f"{tokens['output']:,} out ({tokens['reasoning']:,} reasoning)"


def _imported(document: ResultDocument) -> list[str]:
    """What there is of an imported run, in the place of what is not recorded."""
    calls, judge = document["calls"], document["judge"]
    also = f" and {calls['judge']} of the judge" if judge and is_imported(judge) else ""
    used = _used(document["tokens"])
    lines = [f"imported   {calls['model']} replies of the model{also}"]
    lines[0] += f"; what was sent, {'' if used else 'tokens, '}cost and time are not recorded"
    lines += [f"tokens     {used}"] if used else []
    if judge and not also:
        lines.append(f"calls      {calls['judge']} to the judge")
    return lines


def _no_rating(document: ResultDocument) -> str:
    """Why there is none, with what to do."""
    read, unread, planned = _comparisons(document)
    if total := read + unread + planned:
        return (
            f"{plural(total, 'comparison')}: {read} read, {unread} "
            f"could not be read, {planned} to be made"
        )
    stopped = document["notes"].get("rating", {}).get("stopped")
    if stopped and stopped["kind"] == "none":
        return line(stopped["told"])
    return _ALONE


def _comparisons(document: ResultDocument) -> tuple[int, int, int]:
    """How many comparisons were read, could not be read, and are planned."""
    counts = document["comparisons"]
    return counts.get("read", 0), counts.get("unread", 0), counts.get("planned", 0)


_ALONE = "no other model was compared; run another one on this pack"


def standing(document: ResultDocument, *, details: bool = True) -> Iterable[Fitted]:
    """The table of ratings, the run's own marked."""
    rows = document["ratings"]
    if not rows:
        return []
    names = [row["model"] for row in rows]
    marked = names.index(document["name"]) if document["name"] in names else None
    named = [row["model"] for row in rows]
    columns = rating_columns(rows, named, details=details)
    title, note = ("Ratings", _note(document)) if details else ("", "")
    return [Fitted(FitTable(title, columns, marked, note, spans(rows), "95 % interval"))]


def _note(document: ResultDocument) -> str:
    read, unread, planned = _comparisons(document)
    rating = rating_notes(document) or {}
    anchors = ", ".join(f"{a['model']} = {a['rating']:g}" for a in rating.get("anchors", ()))
    scale = f"anchored at {anchors}" if anchors else "not anchored"
    note = (
        f"engine {rating.get('engine')}; {scale}; "
        f"{plural(read, 'comparison')} read, {unread} unread, "
        f"{planned} to do; intervals over families of items"
    )
    if stopped := rating.get("stopped"):
        note += f"; stopped: {stopped['told']}"
    return "\n".join([note, *note_of(document["ratings"])])


def _baseline(baseline: BaselineRow) -> str:
    spread = f" (SD {rough(baseline['sd'])})" if baseline["sd"] is not None else ""
    answer = baseline["answer"]
    which = f" ({','.join(f'{a:g}' for a in answer)})" if answer else ""
    return f"{baseline['label']}{which} {rough(baseline['value'])}{spread}"


_SHOWN = 5


def missing(document: ResultDocument, most: int = _SHOWN) -> list[str]:
    """The first samples of each kind that have no score, with the reason."""
    lines = []
    for kind in ("unscored", "failed"):
        entries = document[kind]
        for entry in entries[:most]:
            where = f"{entry['item_id']} (iteration {entry['iteration']})"
            lines.append(line(f"{kind:<10} {where}: {entry['reason']}"))
        if len(entries) > most:
            lines.append(f"{'':10} and {len(entries) - most} more {kind}")
    return lines


def part(shown: Part) -> RenderableType:
    """A part of a plugin's section, as a table or a text."""
    content = plain(shown)
    if not isinstance(content, Paragraph):
        return table(content)
    text = (
        [Text(harmless(content.text))]
        if content.text or not (content.title or content.note)
        else []
    )
    return _around(content, *text)


def table(section: Table) -> RenderableType:
    """A section's table with its title and note."""
    grid = Grid(
        Column(
            line(heading),
            n in section.right or not any(isinstance(row[n], str) for row in section.rows),
        )
        for n, heading in enumerate(section.columns)
    )
    for position, row in enumerate(section.rows):
        style = "bold" if position == section.marked else ""
        grid.add_row(*map(cell, row), style=style)
    return _around(section, grid)


def _around(shown: Table | Paragraph, *content: RenderableType) -> Group:
    """What is shown between its title and its note."""
    title = shown.title.removesuffix(_DEMO)
    above = [titled(title, demo=title != shown.title)] if title else []
    return Group(*above, *content, *[Text(harmless(shown.note), style="dim")] * bool(shown.note))


def _each(role: str) -> str:
    """A role, or each member of a group."""
    return f"each of {role}" if " " in role else role
