"""`bench twins`: models' scores on published questions and on the same in other words."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import click

import eibench
from eibench import (
    Benchmark,
    JsonObject,
    RunSet,
    StoredRun,
    Table,
    UsageError,
    find_pack,
)
from eibench.text import plural

from .twins import (
    AskedTwice,
    TwinsDocument,
    pack_bytes,
    read_twins,
    shared_questions,
    twin_pack,
    twin_rows,
)

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench twins eqbench-v2 -o twins.json\n"
    "  bench run eqbench-v2 --dataset twins.json --model openai/A --model openai/B\n"
    "  bench twins eqbench-v2 --model openai/A --model openai/B --model openai/C\n"
)


@click.command("twins", cls=eibench.Command, epilog=_EXAMPLES)
@eibench.benchmark_argument
@click.option("--dataset", default="official", show_default=True, metavar="NAME|PATH",
              help="The official questions.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the twins as a pack, which models are then run on.")  # fmt: skip
@click.option("--model", "models", multiple=True, metavar="MODEL",
              help="A model that has been run on both; three at least.")  # fmt: skip
@eibench.shared_options("demo", "runs_dir")
@eibench.json_option
def twins_command(
    benchmark: Benchmark,
    dataset: str,
    output: Path | None,
    models: tuple[str, ...],
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Show models' scores on published questions and on the same in other words.

    With -o the twins are written as a pack. Once models have been run on the official questions
    and on the twins, --model of each shows both scores and the gap, on the questions that all of
    them answered. Gaps differ between models also where none has seen the questions.
    """
    twins, name = read_twins(benchmark.name), benchmark.name
    defaults = {option.name: option.default for option in benchmark.options}
    official = find_pack(benchmark, dataset, defaults)
    pack = twin_pack(name, next(iter(official.files.values())))
    if output:
        output.write_bytes(pack_bytes(pack))
        eibench.tell(
            f"{output}: {len(pack)} twins of {len(twins)} dialogues; bench run {name} "
            f"--dataset {output} --model SPEC for each model"
        )
        return
    if not models:
        raise UsageError("give -o FILE to write the twins, or --model of each model that was run")
    families = {question: twin.family for twin in twins for question in twin.questions}
    packs = (official.sha256, hashlib.sha256(pack_bytes(pack)).hexdigest())
    with eibench.open_runs(runs_dir, *models) as stored:
        runs = stored.where(benchmark=name)
        options = _newest(runs, models[0], packs[1], "the twins").settings["options"]
        asked = [_asked_twice(runs, model, packs, options, families) for model in models]
    rows, shared = twin_rows(asked, families), shared_questions(asked)
    dialogues = len({families[question] for question in shared})
    document = TwinsDocument(name, *packs, options, len(shared), dialogues, rows)
    if json_output:
        eibench.show_json(document)
    else:
        eibench.show(_table(document))


def _asked_twice(
    runs: RunSet,
    model: str,
    packs: tuple[str, str],
    options: JsonObject,
    families: Mapping[str, str],
) -> AskedTwice:
    """A model's newest run on either pack with these options, the first asked as the second."""
    twin = _newest(runs, model, packs[1], "the twins", {"options": options})
    alike = {name: twin.settings[name] for name in ("options", "sampling", "system")}
    published = _newest(runs, model, packs[0], "the official questions", alike)
    both = (_by_question(run, families) for run in (published, twin))
    return AskedTwice(twin.name, published.id, twin.id, *both)


def _newest(
    runs: RunSet, model: str, sha256: str, pack: str, alike: JsonObject | None = None
) -> StoredRun:
    """The newest whole run of a model on exactly that file, with these settings."""
    of_model = runs.where(model=model)
    of_model.refuse_namesakes()
    whole = [
        run
        for run in of_model
        if run.record.pack_sha256 == sha256
        and run.document
        and run.document["status"] in ("complete", "fail")
    ]
    settings = alike or {}
    chosen = [run for run in whole if all(run.settings[k] == v for k, v in settings.items())]
    if chosen:
        return chosen[-1]
    if whole:
        differs = ", ".join(k for k, v in settings.items() if whole[-1].settings[k] != v)
        raise UsageError(
            f"run {whole[-1].id} of {model} on {pack} was made with other {differs}; ask it alike"
        )
    raise UsageError(f"{model} has no whole run on {pack} ({sha256[:12]}); bench run makes one")


def _by_question(run: StoredRun, families: Mapping[str, str]) -> dict[str, float]:
    """The mean of what each question that has a twin adds to the run's score, over iterations."""
    scores: dict[str, list[float]] = {}
    for (item_id, _), value in run.main_values().values.items():
        if item_id in families:
            scores.setdefault(item_id, []).append(value)
    return {name: sum(values) / len(values) for name, values in scores.items()}


def _table(document: TwinsDocument) -> Table:
    rows = [
        (row.model, *map(str, row[3:]), f"{row.run_id} {row.twin_run_id}")
        for row in document.models
    ]
    note = (
        f"{plural(document.items, 'question')} about {plural(document.families, 'dialogue')} that "
        "all answered in both wordings; gap: published less twins, with 95 % intervals over "
        "dialogues. Gaps differ between models also where none has seen the questions."
    )
    columns = ("model", "published", "twins", "gap", "runs")
    title = f"{document.benchmark}: published questions and their twins"
    return Table(title, columns, rows, note=note, right=(1, 2, 3))
