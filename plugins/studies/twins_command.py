"""`bench twins`: whether a model has seen the published questions."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import click

import eibench
from eibench import RunSet, Table, UsageError, find_pack, scaled_values
from eibench.text import interval, listed, number

from .twins import TwinGap, read_twins, twin_gap, twin_pack, write_pack

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench twins eqbench-v2 -o twins.json\n"
    "  bench run eqbench-v2 --dataset twins.json --model openai/A --model openai/B\n"
    "  bench twins eqbench-v2 --pack twins.json --model openai/A --reference openai/B "
    "--reference openai/C\n"
)


@click.command("twins", cls=eibench.Command, epilog=_EXAMPLES)
@click.argument("benchmark")
@click.option("--dataset", default="official", show_default=True, metavar="NAME|PATH",
              help="The official questions.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the twins as a pack, which models are then run on.")  # fmt: skip
@click.option("--pack", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="That pack, to read what came of it.")  # fmt: skip
@click.option("--model", help="The model that may have seen the questions.")
@click.option("--reference", "references", multiple=True, metavar="MODEL",
              help="A model to compare it with; two at least, five are better.")  # fmt: skip
@eibench.shared_options("demo", "runs_dir")
@eibench.json_option
def twins_command(
    benchmark: str,
    dataset: str,
    output: Path | None,
    pack: Path | None,
    model: str | None,
    references: tuple[str, ...],
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Say whether a model has seen the published questions, by twins in other words.

    With -o the twins are written as a pack. Once the model and reference models have been run on
    the official questions and on the twins, --pack, --model and --reference say by how much the
    model does better on the published wording, relative to these models.
    """
    twins = read_twins(benchmark)
    if output:
        plugin = eibench.benchmarks()[benchmark]
        options = {option.name: option.default for option in plugin.options}
        source = find_pack(plugin, dataset, options)
        written = twin_pack(benchmark, next(iter(source.files.values())))
        write_pack(written, output)
        eibench.tell(
            f"{output}: {len(written)} twins of {len(twins)} dialogues; bench run {benchmark} "
            f"--dataset {output} --model SPEC for the model and for each reference"
        )
        return
    if not (pack and model and references):
        raise UsageError("give -o FILE to write the twins, or --pack FILE --model M --reference R")
    sha = hashlib.sha256(pack.read_bytes()).hexdigest()
    families = {name: twin.family for twin in twins for name in twin.questions}
    with eibench.open_runs(runs_dir) as stored:
        runs = stored.where(benchmark=benchmark)
        gaps = [_gaps(runs, name, sha, pack, families) for name in (model, *references)]
    result = twin_gap(gaps[0], gaps[1:], families)
    if json_output:
        document = {"benchmark": benchmark, "model": model, "references": list(references)}
        eibench.show_json({**document, **result._asdict(), "is_leak": result.is_leak})
        return
    eibench.show(_table(benchmark, model, references, result))


def _gaps(
    runs: RunSet, model: str, sha: str, pack: Path, families: dict[str, str]
) -> dict[str, float]:
    """By question, the score on the published one less that on its twin."""
    scores: dict[bool, dict[str, float]] = {}
    for run in runs.where(model=model):
        document = run.document
        if document is None or document["status"] not in ("complete", "fail"):
            continue
        sums: dict[str, list[float]] = {}
        for (item_id, _), value in scaled_values(run).items():
            if item_id in families:
                sums.setdefault(item_id, []).append(value)
        is_twin = run.record.pack_sha256 == sha or run.settings.get("dataset") == str(pack)
        scores[is_twin] = {name: sum(v) / len(v) for name, v in sums.items()}
    for is_twin, what in ((False, "the official questions"), (True, str(pack))):
        if not scores.get(is_twin):
            raise UsageError(f"{model} has no whole run on {what}; bench run makes one")
    return {n: value - scores[True][n] for n, value in scores[False].items() if n in scores[True]}


def _table(benchmark: str, model: str, references: Sequence[str], result: TwinGap) -> Table:
    rows = [
        ("published less twin, the model's own", number(result.alone)),
        ("the same less the references'", f"{number(result.gap)} ({interval(result.ci95)})"),
        ("one-sided p", number(result.p, 3)),
        ("found in 80 % of cases from", number(result.detectable)),
    ]
    words = "does better on the published wording than they do" if result.is_leak else (
        "shows no more than they do"
    )  # fmt: skip
    note = (
        f"Relative to {listed(references, 5)}, {model} {words}: {result.items} questions about "
        f"{result.families} dialogues. Where references have seen the questions too, a leak "
        "looks smaller."
    )
    return Table(f"{benchmark}: published questions and their twins", ("what", "points"), rows,
                 note=note, right=(1,))  # fmt: skip
