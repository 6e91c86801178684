"""Numbers side by side: two runs and their paired differences; before and after scoring again."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from ..hooks.sections import Table
from ..statistics.few_families import ALPHA, too_few_for
from ..text import in_words, interval, line, listed, number, p_value, plain, plural, signed
from ..types import digest
from .fitted import Column, Grid
from .screen import ScreenPart
from .tables import table, titled, warning

if TYPE_CHECKING:
    from ..reports.changes import Number
    from ..reports.comparing import MetricNumbers, RunComparison
    from ..reports.pairing import ItemDifference, ValueDifference
    from ..run.rescore_all import CheckedRun
    from ..statistics.estimate import Estimate


def regraded(checked: Sequence["CheckedRun"], *, dry: bool) -> RenderableType:
    """Everything `bench rescore --all` prints."""
    changed = [one for one in checked if one.changes]
    parts: list[RenderableType] = [_table(changed)] if changed else []
    parts += [
        Text(line(f"left as it is: {one.run.run_id} ({one.run.name}): {one.reason}"))
        for one in checked
        if one.reason
    ]
    done = "would change" if dry else "changed"
    message = f"{plural(len(checked), 'result')} looked at, {len(changed)} {done}"
    more = "; bench rescore --all changes them" if dry and changed else ""
    return Group(*parts, Text(message + more))


def _table(changed: Sequence["CheckedRun"]) -> Grid:
    columns = [Column(heading) for heading in ("run", "benchmark", "model", "metric")]
    grid = Grid([*columns, *(Column(heading, right=True) for heading in ("old", "new"))])
    for one in changed:
        named = [line(name) for name in (one.run.run_id, one.run.benchmark, one.run.name)]
        for change in one.changes:
            grid.add_row(*named, line(change.metric), _cell(change.old), _cell(change.new))
    return grid


def _cell(value: "Number") -> str:
    ends = f" ({' … '.join(map(number, value.ci95))})" if value.ci95 else ""
    return number(value.value) + ends


_MOST, _LONG = 3, 24
"""Criteria and items on a short screen, and letters of a value there."""


def comparison(document: "RunComparison", command: str) -> list[ScreenPart]:
    """What `bench compare` prints above its last line.

    `command` shows what both said about an item.
    """
    shown = [message for message in document.warnings if message not in document.minor]
    left = len(document.warnings) - len(shown)
    more = f"; --details has {plural(left, 'more warning')}" if left else ""
    names = f"{document.a.name} − {document.b.name}"
    return [
        ScreenPart(title(document, names)),
        *(ScreenPart(_labelled(name, words), _WEIGHTS.get(name, 2), "row")
          for name, words in _brief(document)),
        ScreenPart(_labelled("texts", command + more)),
        *(ScreenPart(warning(message), 5, "warning") for message in shown),
    ]  # fmt: skip


_WEIGHTS = {"means": 1, "changed": 3, "criteria": 4}
"""Of rows of a short screen; others are of items."""
_LABEL = 9


def _labelled(label: str, words: str) -> RichTable:
    """A row of a short screen, whose label stands by itself."""
    grid = RichTable.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, min_width=_LABEL)
    grid.add_column(overflow="fold")
    grid.add_row(line(label), line(words))
    return grid


def _brief(document: "RunComparison") -> Iterator[tuple[str, str]]:
    """What the rows of a short screen are about, and their words."""
    main, samples = document.main, document.samples
    if main and main.row.difference is not None:
        means = f"{number(main.row.mean_a)} − {number(main.row.mean_b)}"
        gap = f"{means} = {signed(main.row.difference)}"
        gap += f" ({interval(main.row.ci95)})" if main.row.ci95 else ""
        sides = (document.a, samples.only_a), (document.b, samples.only_b)
        only = [f"{one.total} of {side.name}" for side, one in sides if one.total]
        alone = f" ({', '.join(only)} alone)" if only else ""
        yield "means", f"{gap} on {plural(main.row.n, 'sample')}{alone}"
    if document.criteria:
        yield "criteria", _criteria(document.criteria, len(document.differences))
    yield "changed", changes(document)
    end = main.higher_is_better if main else None
    won, lost = ("higher in", "lower in") if end is None else ("won most", "lost most")
    for label, sign in ((won, 1), (lost, -1)):
        rows = [r for r in document.items if r.difference * sign * (-1 if end is False else 1) > 0]
        yield label, ", ".join(map(_item, rows[:_MOST])) or "no item"


def _criteria(rows: "Mapping[str, ValueDifference]", tests: int) -> str:
    """Those that differ surely, all of them looked at, or how many these are."""
    sure = [(name, row) for name, row in rows.items() if (row.p_holm or 1.0) < ALPHA]
    texts = max(row.families for row in rows.values())
    if not sure and too_few_for(texts, tests):
        return f"too few texts to tell: {texts}, for {tests} values that are looked at"
    if not sure:
        return f"none of {len(rows)} differs surely"
    sure.sort(key=lambda pair: abs(pair[1].difference or 0.0), reverse=True)
    shown = [f"{name.replace('_', ' ')} {signed(row.difference or 0.0)}" for name, row in sure]
    return f"{listed(shown, _MOST)} (surely, of {len(rows)} looked at)"


def _item(row: "ItemDifference") -> str:
    return f"{row.item_id} {signed(row.difference)} ({number(row.a)}, {number(row.b)})"


def changes(document: "RunComparison") -> str:
    """What differs between the two runs beside what was said, as far as it is known."""
    facts = {**document.changed, **document.differs}
    same = document.a.model == document.b.model
    nothing = "nothing that is recorded" if same else "nothing but the model"
    return "; ".join(_change(name, *both) for name, both in facts.items()) or nothing


def _change(name: str, a: object, b: object) -> str:
    called = name.replace("_", " ")
    if isinstance(a, Mapping) or isinstance(b, Mapping):
        return f"{called} differ"
    return f"{called} {_shown(a)} against {_shown(b)}"


def _shown(value: object) -> str:
    """A value, of a long one the beginning and what tells it from others that begin so."""
    text = "none" if value is None else line(plain(value))
    return text if len(text) <= _LONG else f"{text[:_LONG]}… ({digest(text)[:6]})"


def all_differences(document: "RunComparison") -> RenderableType:
    """Everything that is known of two runs but what they come to."""
    parts: list[RenderableType] = [title(document, "A − B"), *_sides(document)]
    parts.append(Text(line(f"changed {changes(document)}")))
    if metrics := _metrics(document):
        parts += [Text(""), table(metrics)]
    parts += [Text(""), table(_differences(document)), *(Text(t) for t in _missing(document))]
    parts += [Text(line(document.settle.text))] if document.settle else []
    return Group(*parts, *map(warning, document.warnings))


def title(document: "RunComparison", what: str) -> Text:
    """The line above a table of several runs: what it is about, and by whom it was graded."""
    return titled(f"{document.benchmark}  {what}", demo=document.demo)


def graded_by(document: "RunComparison") -> str:
    """Pack and grading options, on one line."""
    pack = document.dataset
    message = f"pack    {pack['name']} ({pack['sha256'][:12]})"
    for name, value in document.grade_options.items():
        message += f"  ·  {name} {in_words(value)}"
    return line(message)


def share(value: float | None) -> str:
    """A share in per cent."""
    return "–" if value is None else f"{value:.0%}"


def _sides(document: "RunComparison") -> list[Text]:
    lines = []
    for letter, side in (("A", document.a), ("B", document.b)):
        counts = side.samples
        lines.append(
            f"{letter}       {side.name}  (run {side.run_id}, {side.status})  ·  "
            f"{plural(counts.total, 'sample')} = {counts.scored} scored + "
            f"{counts.unscored} unscored + {counts.failed} failed + {counts.pending} to do"
        )
    lines.append(graded_by(document))
    lines += [f"judge   {document.judge}"] if document.judge else []
    return [Text(line(message)) for message in lines]


def _metrics(document: "RunComparison") -> Table | None:
    """The main metrics of both runs; the others are in the JSON document."""
    rows = [
        (metric.label or name, *_numbers(metric.a), *_numbers(metric.b))
        for name, metric in document.metrics.items()
        if not metric.group
    ]
    columns = ("metric", "A", "95 % interval", "n", "B", "95 % interval", "n")
    note = "Each over all scored samples of its own run."
    main, metrics = document.main, document.metrics
    if main and any(main.chosen):  # which of several numbers the main metric is
        words = [metrics[name].label if name else main.label for name in main.chosen]
        note += f" {main.label} is A's {words[0]} and B's {words[1]}."
    return Table("Metrics side by side", columns, rows, note=note) if rows else None


def _numbers(metric: "MetricNumbers | None") -> tuple[float | None, str, int | None]:
    if metric is None:
        return None, "–", None
    return metric.value, interval(metric.ci95), metric.n


def _differences(document: "RunComparison") -> Table:
    """The main difference first, then those of the values that are not the same numbers."""
    main = document.main
    rows = [_difference(main.label, main.row)] if main else []
    rows += [
        _difference(name, row)
        for name, row in document.differences.items()
        if not main or row._replace(p_holm=None) != main.row
    ]
    columns = ("value", "A − B", "95 % interval", "SE", "p", "p (Holm)", "A higher", "pairs")
    note = (
        "On the samples that both runs have. Intervals and tests are over families of items; "
        f"p (Holm) allows for all {len(document.differences)} values being looked at, "
        "p is of one difference alone."
    )
    marked = 0 if main else None
    return Table("Paired differences", (*columns, "families"), rows, note=note, marked=marked)


def _difference(name: str, row: "ValueDifference") -> tuple[str | float | None, ...]:
    return (
        name.replace("_", " "),
        row.difference,
        interval(row.ci95),
        row.standard_error,
        p_value(row.p),
        p_value(row.p_holm),
        share(row.share_a_higher),
        row.n,
        row.families,
    )


def _missing(document: "RunComparison") -> list[str]:
    """What only one of the runs has."""
    lines, counts = [], document.samples
    for one, other, only in (("A", "B", counts.only_a), ("B", "A", counts.only_b)):
        if only.total:
            message = f"only {one} has a score for {plural(only.total, 'sample')}"
            lines.append(f"{message} (in {other}: {only}); they are left out")
    for name, row in document.differences.items():
        if row.reason and row.reason not in document.warnings:
            lines.append(line(f"{name}: {row.reason}"))
    return lines


def estimate(row: "Estimate") -> tuple[str, str]:
    """An estimate and its interval as two cells."""
    return number(row.value), interval(row.ci95)
