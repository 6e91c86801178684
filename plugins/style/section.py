"""The section of a run's report and of a model's page: measures, and the phrases that stand out."""

from collections.abc import Sequence
from statistics import median

from eibench import StoredRun, Table, bench
from eibench.text import interval, number, plural

from .measures import MEASURES
from .study import ModelStyle, StyleDocument, style_document
from .texts import texts_of_runs

MOST_OTHERS = 500
"""Texts of other models, in the board's order, that a run is set beside."""
LEAST_WORDS = 100
"""Words of a text, on average, from which on its style says anything."""
_PHRASES = 10
_BOARDS = 100
_documents: dict[object, StyleDocument] = {}
"""Of the boards that were looked at, by what their runs held; at most `_BOARDS`."""


def style_section(_: object, runs: Sequence[StoredRun]) -> list[Table]:
    """Of the first run, beside the others; nothing of texts that are shorter than `LEAST_WORDS`."""
    compared, n = [runs[0]], 0
    for other in runs[1:]:
        n += len(other.samples_begun)
        if n > MOST_OTHERS:
            break
        compared.append(other)
    document = _document(compared)
    style = next((model for model in document.models if model.model == runs[0].name), None)
    if style is None or style.words < LEAST_WORDS * style.texts:
        return []
    others = [model for model in document.models if model is not style]
    apart = [_phrases(style, others, runs[0])] if style.phrases else []
    return [_measures(style, others, left_out=len(runs) - len(compared)), *apart]


def _document(runs: Sequence[StoredRun]) -> StyleDocument:
    """The style of runs without lists, made once for all pages of a board."""
    runs = sorted(runs, key=lambda run: run.id)
    key = tuple((run.id, run.journal.state_of(run.record)) for run in runs)
    if key not in _documents:
        if len(_documents) == _BOARDS:
            _documents.clear()
        models = [model for model in texts_of_runs(runs) if model.texts]
        _documents[key] = style_document("", models, None, _PHRASES)
    return _documents[key]


def _measures(style: ModelStyle, others: Sequence[ModelStyle], left_out: int) -> Table:
    rows = []
    for name, row in style.measures.items():
        values = [v for other in others if (v := other.measures[name].value) is not None]
        if row.value is not None:
            rest = number(median(values), 3) if values else "–"
            rows.append((MEASURES[name].label, number(row.value, 3), interval(row.ci95, 3), rest))
    note = f"Counted in {plural(style.texts, 'text')} of {style.words:,} words, without a judge"
    note += f"; others: the median of {plural(len(others), 'model')}" if others else ""
    note += f", without {left_out} more on the board" if left_out else ""
    note += f"; {len(style.left_out)} samples failed or have no words" if style.left_out else ""
    command = bench("style", *style.runs)
    note += f". The rules are for English; {command} --lists DIR counts slop too."
    columns = ("measure", "value", "95 %", "others")
    return Table("Style", columns, rows, note=note, right=(1, 2, 3))


def _phrases(style: ModelStyle, others: Sequence[ModelStyle], run: StoredRun) -> Table:
    items = {bench("show", run.id, item_id): item_id for item_id, _ in run.samples_begun}
    rows: list[tuple[str | float, ...]] = []
    for p in style.phrases:
        ids = [*(items[example] for example in p.examples), ""][:2]
        rows.append((p.phrase, p.times, f"{p.texts} of {p.of_texts}",
                     f"{p.elsewhere} of {p.of_elsewhere}", *ids))  # fmt: skip
    models = plural(len(others), "other model")
    note = f"Ordered by how far they set its texts apart from those of {models}; this is no test."
    columns = ("phrase", "times", "in texts", "in others", "for example", "and in")
    return Table(
        "Phrases that set it apart", columns, rows, note=note, right=(2, 3), item_columns=(4, 5)
    )
