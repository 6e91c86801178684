"""A result document as tables: the number, its interval, and all that others hide."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from ..hooks.sections import Paragraph, Part, Table
from ..hooks.sections.formulas import plain
from ..parties.party import is_imported
from ..reports.columns import FitTable
from ..reports.comparability import is_graded
from ..reports.ending import dollars
from ..reports.hints import bench
from ..reports.ratings import note_of, rating_columns, spans
from ..reports.statements import answered_by
from ..text import harmless, interval, line, number, plural, rough
from ..types.result_document import (
    BaselineRow,
    ConclusionRow,
    Grade,
    RatingRow,
    ResultDocument,
    TokenCounts,
    rating_notes,
)
from .fitted import Fitted, cell
from .grid import Column, Grid

_VERDICT_STYLES: Mapping[Grade, str] = {
    "none": "green",
    "not shown": "",
    "weak": "yellow",
    "strong": "bold red",
    "not tested": "bold yellow",
}


def conclusions(found: Sequence[ConclusionRow], title: str = "") -> list[RenderableType]:
    """A line for each, below a title if one is given; nothing where there are none."""
    heading = [Text(title, style="bold")] if title and found else []
    return [*heading, *map(_conclusion, found)]


def strong(found: Sequence[ConclusionRow]) -> list[ConclusionRow]:
    """Those that were found strongly."""
    return [row for row in found if row["verdict"] == "strong"]


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
    parts += [Text(line(message), style="dim") for message in _no_intervals(document)]
    parts += with_command(_facts(document, later), another)
    for section in (*standing(document), *map(part, sections)):
        parts += [Text(""), section]
    if message := document["conclusions"]:
        parts += [Text(""), *conclusions(message, "The judge")]
    if robustness := document.get("robustness"):
        parts += [Text(""), *conclusions(robustness["conclusions"], "The judges")]
    return Group(*parts, Text(""), *foot(document))


def head(document: ResultDocument) -> list[RenderableType]:
    """What a result is of, with its status."""
    return [_title(document), *_view(document)]


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


def titled(text: str, *, demo: bool) -> Text:
    """The line above a table, with what marks demo models."""
    title = Text(line(text), style="bold")
    return title.append(_DEMO, style="bold magenta") if demo else title


_DEMO = "  DEMO"


def _title(document: ResultDocument) -> Text:
    title = titled(f"{document['benchmark']}  {document['name']}", demo=document["demo"])
    style = "green" if document["status"] == "complete" else "bold red"
    title.append(f"  {document['status'].upper()}", style=style)
    if view := document["view"]:
        title.append(f"  VIEW {line(view)}", style="bold cyan")
    if message := "; ".join(filter(None, (document["invalid"], *answered_by(document)))):
        title.append(f": {line(message)}", style="red")
    return title


def _view(document: ResultDocument) -> list[Text]:
    """That a result is not the run's own, where it is not."""
    if not document["view"]:
        return []
    message = f"not the run's own result, which {bench('show', document['run_id'])} prints"
    return [Text(line(message), style="dim")]


def _metrics(document: ResultDocument) -> Grid:
    numbers = [Column(heading, right=True) for heading in ("value", "95 % interval", "n")]
    made = Grid([Column("metric"), *numbers, Column("interval over")])
    groups, group = document["metric_groups"], ""
    for position, (name, metric) in enumerate(document["metrics"].items()):
        if groups.get(name, "") != group:
            group = groups.get(name, "")
            made.add_group(line(group))
        label, over = document["metric_labels"][name]
        cells = [number(metric["value"]), interval(metric["ci95"]), str(metric["n"])]
        style = "bold" if position == 0 else ""
        made.add_row(label or name, *cells, over if metric["ci95"] else "", style=style)
    return made


def _no_intervals(document: ResultDocument) -> list[str]:
    """Why metrics have no interval: a line for each reason."""
    alike: dict[str, list[str]] = {}
    for name, reason in document.get("metric_reasons", {}).items():
        alike.setdefault(reason, []).append(document["metric_labels"][name][0] or name)
    if len(alike) == 1 and not any(metric["ci95"] for metric in document["metrics"].values()):
        return [f"no intervals: {reason}" for reason in alike]
    return [f"no interval for {_first_of(names)}: {reason}" for reason, names in alike.items()]


def _first_of(names: Sequence[str]) -> str:
    """The first of many names, and how many there are beside them."""
    more = [f"{len(names) - _SHOWN} more"] * (len(names) > _SHOWN)
    return ", ".join([*names[:_SHOWN], *more])


def _facts(document: ResultDocument, later: str = "") -> list[str]:
    items, calls, tokens = document["items"], document["calls"], document["tokens"]
    lines: list[str] = []
    imported = document["imported"] is not None
    if document["baselines"]:
        message = "  ·  ".join(map(_baseline, document["baselines"].values()))
        whole = items["total"] >= document["dataset"]["n_items"] * document["iterations"]
        lines.append(f"baselines  {message}" + ("" if whole else "  (of the whole pack)"))
    lines.append(samples(document))
    if imported:
        lines += _imported(document)
    elif document["run_id"]:
        others = "".join(f", {n} to {role}" for role, n in calls.get("roles", {}).items())
        others += f", {calls['judge']} to the judge" if document["judge"] else ""
        lines.append(
            f"calls      {calls['model']} to the model{others}"
            f" ({calls['replayed']} of them answered from the journal)"
            f"  ·  {plural(calls['retries'], 'retry')}"
        )
        cost = dollars(document["cost_usd"])
        lines.append(f"tokens     {_used(tokens)}  ·  {cost}  ·  {document['elapsed_s']:.1f} s")
    lines += rating(document, later)
    if flags := document["flags"]:
        shown = [f"{n} {line(flag)}" for flag, n in list(flags.items())[:_SHOWN]]
        more = [f"{len(flags) - _SHOWN} more kinds"] * (len(flags) > _SHOWN)
        lines.append(f"flags      {'  ·  '.join(shown + more)}")
    return lines + missing(document)


def samples(document: ResultDocument) -> str:
    """How many samples ended how."""
    items = document["items"]
    return (
        f"samples    {items['total']} = {_scored_samples(document)} + {items['unscored']} unscored"
        + (f" ({items['absent']} absent)" if items["absent"] else "")
        + f" + {items['failed']} failed"
        + (f" + {items['pending']} {_pending(document)}" if items["pending"] else "")
        + ("" if items["truncated"] is None else f"  ·  {items['truncated']} truncated")
    )


def rating(document: ResultDocument, later: str = "") -> list[str]:
    """Why there is no rating, where there could be one."""
    if document["ratings"]:
        return []
    if later:
        return [f"rating     {line(later)}"]
    return [f"rating     none yet: {_no_rating(document)}"] if document["comparisons"] else []


def _scored_samples(document: ResultDocument) -> str:
    """How many samples have a score; where nobody was to grade them, that they have none."""
    n = document["items"]["scored"]
    return f"{n} scored" if is_graded(document) else f"{n} not graded"


def _pending(document: ResultDocument) -> str:
    """What samples are that are neither scored, unscored nor failed."""
    if document["imported"] is None:
        return "to do"
    return "not there or not judged" if document["judge"] else "not there"


def _imported(document: ResultDocument) -> list[str]:
    """What there is of an imported run, in the place of what is not recorded."""
    calls, judge = document["calls"], document["judge"]
    also = f" and {calls['judge']} of the judge" if judge and is_imported(judge) else ""
    lines = [f"imported   {calls['model']} replies of the model{also}"]
    lines[0] += "; what was sent, tokens, cost and time are not recorded"
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


def standing(document: ResultDocument, most: int | None = None) -> Iterable[Fitted]:
    """The table of ratings, the run's own marked; `most` rows about it, or all."""
    rows = document["ratings"]
    if not rows:
        return []
    names = [row["model"] for row in rows]
    marked = names.index(document["name"]) if document["name"] in names else None
    shown = rows if most is None else _around(rows, marked or 0, most)
    title, note = "Ratings", _note(document)
    if len(shown) < len(rows):
        left = f"{plural(len(rows) - len(shown), 'model')} more"
        title += f" ({left}: {bench('leaderboard', document['benchmark'])})"
    if most is not None:
        note = ""
    named = [row["model"] + " DEMO" * bool(row.get("demo")) for row in shown]
    own = None if marked is None else shown.index(rows[marked])
    columns = rating_columns(shown, named, details=most is None)
    return [Fitted(FitTable(title, columns, own, note, spans(shown), _DRAWN_AFTER))]


_DRAWN_AFTER = "95 % interval"


def _around(rows: Sequence[RatingRow], own: int, most: int) -> Sequence[RatingRow]:
    """So many rows, with one of them in the middle where that can be."""
    start = max(0, min(own - most // 2, len(rows) - most))
    return rows[start : start + most]


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


def _used(tokens: TokenCounts) -> str:
    if tokens["input"] is None:
        return "not counted by the server"
    return (
        f"{tokens['input']:,} in ({tokens['cached']:,} cached), "
        f"{tokens['output']:,} out ({tokens['reasoning']:,} reasoning)"
    )


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
    found = plain(shown)
    if not isinstance(found, Paragraph):
        return table(found)
    text = [Text(harmless(found.text))] if found.text or not (found.title or found.note) else []
    return Group(*_title_of(found), *text, *_note_of(found))


def table(section: Table) -> RenderableType:
    """A section's table with its title and note."""
    grid = Grid(
        Column(line(heading), n in section.right or _is_numeric(section.rows, n))
        for n, heading in enumerate(section.columns)
    )
    for position, row in enumerate(section.rows):
        style = "bold" if position == section.marked else ""
        grid.add_row(*map(cell, row), style=style)
    return Group(*_title_of(section), grid, *_note_of(section))


def _title_of(shown: Table | Paragraph) -> list[Text]:
    title = shown.title.removesuffix(_DEMO)
    return [titled(title, demo=title != shown.title)] if title else []


def _note_of(shown: Table | Paragraph) -> list[Text]:
    return [Text(harmless(shown.note), style="dim")] if shown.note else []


def _is_numeric(rows: Sequence[Sequence[object]], column: int) -> bool:
    return all(not isinstance(row[column], str) for row in rows)
