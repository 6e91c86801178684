"""`bench judges`: how judges of a benchmark's models, or of runs, compare."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

import eibench
from eibench import Benchmark, JudgesDocument, RunSet, Table, UsageError, provided, run_selector
from eibench.text import number

from .agreement import Agreement, Judged, agree
from .agreement_tables import agreement_of_values, agreement_parts
from .two_judges import two_judges

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench judges eqbench3\n"
    "  bench rejudge 7a3c --judge openai/gpt-4.1\n"
    "  bench judges 7a3c\n"
)


@click.command("judges", cls=eibench.Command, epilog=_EXAMPLES)
@click.argument("words", metavar="BENCHMARK|RUN...", nargs=-1,
                shell_complete=eibench.completion("runs"))  # fmt: skip
@eibench.run_options("model", "benchmark")
@click.option("--judge", "judges", multiple=True, metavar="SPEC",
              shell_complete=eibench.completion("judges"),
              help="Only these judges; by default all that graded any model.")  # fmt: skip
@eibench.shared_options("set")
@eibench.run_options("dataset")
@eibench.shared_options("demo", "runs_dir")
@eibench.json_option
def judges_command(
    words: tuple[str, ...],
    judges: tuple[str, ...],
    changes: Mapping[str, str],
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Say how far a ranking hangs on who judges, and how well two judges agree.

    Of a BENCHMARK, by the run of each model that counts: what each judge gives its own family
    beyond its worth, the ranking without each, and the models on which they differ most. Of two
    judges, or of RUNs that two have graded: ICC, Spearman's rho and the mean difference of each
    value over the transcripts that both graded, and the order of models by either.
    docs/judging.md says how to read it.
    """
    named, one = provided("judges") or (), words[0] if len(words) == 1 else ""
    benchmark = eibench.named_benchmark(one, click.get_current_context())
    if benchmark and not benchmark.judged:
        raise UsageError(f"{benchmark.name} asks no judge")
    if not (words or any(run_selector())):
        raise UsageError("name a BENCHMARK, or a RUN that two judges have graded")
    with eibench.open_runs(runs_dir, *words) as stored:
        if benchmark:
            _of_benchmark(stored, benchmark, named, changes, json_output=json_output)
            return
        agreement = _agreement(eibench.chosen_runs(stored, words), named, changes)
    if json_output:
        eibench.show_json(agreement)
    else:
        eibench.show(*agreement_parts(agreement), warnings=agreement.warnings)


def _of_benchmark(
    stored: RunSet,
    benchmark: Benchmark,
    named: Sequence[str],
    changes: Mapping[str, str],
    *,
    json_output: bool,
) -> None:
    """Show what the judges of a benchmark's models make of them; two of them value by value."""
    chosen = provided("dataset")
    pack = chosen and eibench.named_pack(benchmark, chosen)
    document = eibench.compare_judges(stored, benchmark, pack, named=named)
    agreement, warnings = None, list(document.warnings)
    if len(document.judges) == 2:
        runs = stored.of([stored[row.run_id] for row in document.models])
        try:
            agreement = _agreement(runs, [row.judge for row in document.judges], changes)
        except UsageError as error:  # such as grades by several ways of asking
            warnings.append(f"no agreement value by value: {error}")
    if json_output:
        eibench.show_json({**document._asdict(), "warnings": warnings, "agreement": agreement})
        return
    eibench.show_conclusions(document.conclusions, "The judges")
    tables = [_judges(document), _pairs(document), _models(document)]
    tables += [agreement_of_values(agreement)] if agreement else []
    for table in tables:
        eibench.show(table)
    for warning in warnings:
        eibench.warn(warning)


def _agreement(runs: RunSet, judges: Sequence[str], options: Mapping[str, str]) -> Agreement:
    """How well two judges agree on runs that both have graded alike."""
    runs.refuse_unlike()
    first, *_ = each = list(runs)
    graders = [eibench.RunGraders(run.id, run.graders(options)) for run in each]
    pairs = two_judges(first.benchmark, graders, judges)
    pack = first.pack_by(pairs[0][0], run_selector().data_path)
    judged = [
        Judged(*(run.graded(grader, pack.clusters) for grader in pair))
        for run, pair in zip(each, pairs, strict=True)
    ]
    return agree(pack, judged, leave_out=first.plugin.not_judged)


def _judges(document: JudgesDocument) -> Table:
    columns = ("judge", "own family", "order as all", "gives its own more", "moves without it")
    rows = [
        (
            row.judge,
            f"{row.family} ({row.own_models})",
            str(row.pooled),
            str(row.liking_for_kin),
            f"{row.without_moved:g}{', and the first' if row.without_leader else ''}",
        )
        for row in document.judges
    ]
    note = (
        f"{document.value}, pack {document.dataset}; agreement of all: ICC {document.icc}\n"
        f"gives its own more: points, {document.assuming}; no proof; "
        "moves without it: the most ranks that a model moves"
    )
    return Table(f"{document.benchmark}: judges", columns, rows, note=note)


def _pairs(document: JudgesDocument) -> Table:
    rows = [(pair.first, pair.second, str(pair.rho)) for pair in document.pairs]
    return Table("Pairs of judges", ("judge", "judge", "rank correlation"), rows)


def _models(document: JudgesDocument) -> Table:
    judges = [row.judge for row in document.judges]
    columns = ("rank", "without kin", "model", *judges, "spread")
    rows = [
        (
            f"{row.rank:g}",
            "–" if row.rank_without_kin is None else f"{row.rank_without_kin:g}",
            row.model,
            *(number(row.means[judge]) for judge in judges),
            number(row.spread),
        )
        for row in document.models
    ]
    note = "spread: standard deviation of the judges, the strictness of each taken out"
    return Table("Models", columns, rows, note=note)
