"""`bench style`: how texts are written, counted without a judge."""

from collections.abc import Sequence
from pathlib import Path

import click

import eibench
from eibench import Paragraph, Table, UsageError, run_selector
from eibench.text import interval, line, number, plural

from .lists import read_lists
from .measures import MEASURES
from .study import ModelStyle, StyleDocument, style_document
from .texts import ModelTexts, read_texts, texts_of_runs

_EXAMPLES = (
    "\b\nExamples:\n  bench style texts.jsonl\n  bench style 7a3c 9b1d --lists slop-score/data\n"
)


@click.command("style", cls=eibench.Command, epilog=_EXAMPLES)
@click.argument("sources", metavar="RUN|BENCHMARK...|FILE.jsonl", nargs=-1,
                shell_complete=eibench.completion("runs"))  # fmt: skip
@eibench.run_options("model", "benchmark", "judge")
@click.option("--lists", type=click.Path(path_type=Path, exists=True, file_okay=False),
              metavar="DIR",
              help="The folder with slop_list.json and slop_list_trigrams.json.")  # fmt: skip
@eibench.shared_options("demo", "runs_dir")
@eibench.json_option
def style_command(
    sources: tuple[str, ...], lists: Path | None, runs_dir: Path, json_output: bool
) -> None:
    """Count how texts are written, without a judge: slop, repetition, vocabulary.

    Of runs, or of FILE.jsonl: one object a line with "text", and "model", "id", "family" where
    it has them. Each measure has a 95 % interval over items.
    """
    if any(source.lower().endswith(".jsonl") for source in sources):
        source, models = sources[0], _of_file(sources)
    else:
        source, models = _of_runs(sources, runs_dir)
    document = style_document(source, models, read_lists(lists) if lists else None)
    if json_output:
        eibench.show_json(document)
    else:
        show_style(document)


def _of_file(sources: Sequence[str]) -> list[ModelTexts]:
    if any(run_selector()):
        raise UsageError(f"{run_selector()} is for runs; a file of texts has none")
    if len(sources) > 1:
        raise UsageError("name one file, or runs; not more than one file, and not both")
    return read_texts(Path(sources[0]))


def _of_runs(sources: tuple[str, ...], runs_dir: Path) -> tuple[str, list[ModelTexts]]:
    if not (sources or any(run_selector())):
        raise UsageError("Missing argument 'RUN...|FILE.jsonl'.")
    with eibench.open_runs(runs_dir, *sources) as stored:
        source = f"runs in {stored.journal.folder}"
        runs = eibench.chosen_runs(stored, sources)
        models = texts_of_runs(runs, runs.names)
    for model in models:
        if not model.texts:
            why = model.left_out[0] if model.left_out else "no sample has begun"
            raise UsageError(f"{model.model} has no text to look at: {why}")
    return source, models


def show_style(document: StyleDocument) -> None:
    """Everything `bench style` prints."""
    lists = document.lists or "none: no slop words, trigrams and scores without --lists DIR"
    head = [f"texts  {document.source}", f"lists  {lists}"]
    head += [
        f"{_name(m)}: {plural(m.texts, 'text')} of {plural(m.families, 'family')}, {m.words} words"
        for m in document.models
    ]
    eibench.show(
        Paragraph("\n".join(map(line, head)), "Style, counted without a judge"),
        *map(_measures, document.models),
        *([_scores(document.models)] if document.lists else []),
        *(_phrases(model) for model in document.models if model.phrases),
        warnings=document.warnings,
    )


def _name(model: ModelStyle) -> str:
    return model.model + "  DEMO" * model.demo


def _measures(model: ModelStyle) -> Table:
    rows = [
        (MEASURES[name].label, number(row.value, 3),
         interval(row.ci95, 3) if row.value is not None else f"({row.reason})")
        for name, row in model.measures.items()
    ]  # fmt: skip
    return Table(line(_name(model)), ("measure", "value", "95 %"), rows)


def _scores(models: Sequence[ModelStyle]) -> Table:
    rows = [
        (_name(m), number(m.slop_score.value), interval(m.slop_score.ci95),
         number(m.slop_score_among))
        for m in models
    ]  # fmt: skip
    columns = ("model", "slop score", "95 %", "among these models")
    note = (
        "More is sloppier. The first stands on fixed limits, those of the board of November 2025; "
        "the last moves when a model joins, as on the published page."
    )
    return Table("Slop score", columns, rows, note=note)


def _phrases(model: ModelStyle) -> Table:
    rows = [
        (p.phrase, p.times, f"{p.texts} of {p.of_texts}", f"{p.elsewhere} of {p.of_elsewhere}",
         number(p.z, 1), p.examples[0])
        for p in model.phrases
    ]  # fmt: skip
    columns = ("phrase", "times", "in texts", "elsewhere", "z", "for example")
    return Table(f"What sets {line(_name(model))} apart", columns, rows)
