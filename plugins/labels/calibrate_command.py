"""`bench calibrate`: how far judges go with people, and scores that people's labels correct."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import isclose, isfinite
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import click

import eibench
from eibench import (
    Benchmark,
    DataError,
    Estimate,
    Grader,
    JsonObject,
    Pack,
    Paragraph,
    RunSet,
    StoredRun,
    Table,
    UsageError,
    bench,
)
from eibench.text import line, number, plural

from .calibration import Calibration, Corrected, JudgedRuns, Label, Unit, calibrate
from .drawing import Key
from .grades import grades, rated_value
from .rated_replies import numbered, rated_replies, rating_parts, write_replies
from .sets import ANSWERS, PAIR, find_set

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench calibrate eqbench3\n"
    "  bench calibrate humanebench --dataset humane_bench.jsonl -o rated.jsonl\n"
    "  bench score humanebench rated.jsonl --dataset humane_bench.jsonl --judge openai/gpt-4.1\n"
    "  bench calibrate humanebench 7a3c --dataset humane_bench.jsonl\n"
)
_RULE = "graded by rule"
PUBLISHED = "published ratings"


class _Labelled(NamedTuple):
    """Labels of one value of one set, and the runs that they are of."""

    label_set: str
    value: str
    labels: Sequence[Label]
    runs: Sequence[StoredRun]
    scale: tuple[float, float] | None = None
    pack: Pack | None = None
    warnings: Sequence[str] = ()


@click.command("calibrate", cls=eibench.Command, epilog=_EXAMPLES)
@eibench.benchmark_argument
@click.argument("run", required=False, shell_complete=eibench.completion("runs"))
@click.option("--labels", "label_set", metavar="SET", help="Which set of labels, if several.")
@click.option("--value", metavar="NAME",
              help="With a RUN, what its people rated, where that is several things.")  # fmt: skip
@click.option("--judge", "judges", multiple=True, metavar="SPEC",
              shell_complete=eibench.completion("judges"),
              help="Only these judges and panels; by default all that graded.")  # fmt: skip
@click.option("--dataset", metavar="NAME|PATH", help="Where the pack is, if it was moved.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write the replies that the benchmark's own people rated to this file, for "
                   "bench score, and show what people gave them.")  # fmt: skip
@eibench.shared_options("demo", "runs_dir")
@eibench.json_option
def calibrate_command(
    benchmark: Benchmark,
    run: str | None,
    label_set: str | None,
    value: str | None,
    judges: tuple[str, ...],
    dataset: str | None,
    output: Path | None,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Say how far judges go with people, and correct their scores by what people say.

    By the labels that `bench label read` has kept; or with a RUN that holds the replies which the
    benchmark's own people rated (-o, then bench score --judge), by these. A judge's own
    number stands beside the corrected one.
    """
    if output:
        _write(benchmark, dataset, output, json_output=json_output)
        return
    if (run and label_set) or (value and not run):
        raise UsageError("--labels is for labels of the journal, --value for those of a RUN")
    with eibench.open_runs(runs_dir, run) as stored:
        labelled = (
            _published(benchmark, stored, run, dataset, value)
            if run
            else _of_set(benchmark, stored, label_set, runs_dir)
        )
        document = _calibration(benchmark, labelled, judges, dataset)
    if json_output:
        eibench.show_json(document)
    else:
        show_calibration(document)


def _write(benchmark: Benchmark, dataset: str | None, path: Path, *, json_output: bool) -> None:
    """Write the replies that people rated, and show what people gave them."""
    pack, rated = eibench.human_ratings(benchmark, dataset)
    document = rated_replies(benchmark.name, pack, rated)
    write_replies(path, rated)
    command = bench("score", benchmark.name, str(path), "--judge", "SPEC")
    eibench.tell(f"{plural(len(rated), 'reply')} in {path}; {command} has a judge grade them")
    if json_output:
        eibench.show_json(document)
    else:
        eibench.show(*rating_parts(document), warnings=document.warnings)


# What is labelled


def _of_set(
    benchmark: Benchmark, stored: RunSet, label_set: str | None, runs_dir: Path
) -> _Labelled:
    runs = list(stored.where(benchmark=benchmark.name))
    rows = [(run, label) for run in runs for label in run.labels]
    sets = sorted({label.label_set for _, label in rows})
    if label_set:
        sets = [one for one in sets if one.startswith(label_set)]
    if len(sets) != 1:
        if sets:
            raise UsageError(
                f"there are labels of the sets {', '.join(sets)}; choose: --labels SET"
            )
        to_do = f"{bench('label', benchmark.name, 'RUN')} draws a set, bench label read keeps it"
        which = f" of a set {label_set}" if label_set else ""
        raise UsageError(f"the journal has no labels{which} of {benchmark.name}; {to_do}")
    rows = [(run, label) for run, label in rows if label.label_set == sets[0]]
    named = {run_id for run, label in rows for run_id in (run.id, label.run_b)}
    chosen = [run for run in runs if run.id in named]
    order = {run.id: n for n, run in enumerate(chosen)}
    labels = []
    for run, label in rows:
        rating, of = label.rating, run.id
        if label.run_b is not None:
            if label.run_b not in order:
                raise UsageError(f"labels are about run {label.run_b}, which the journal has not")
            if order[label.run_b] < order[run.id]:  # seen from the run that came first
                of, rating = f"{label.run_b} {run.id}", 1 - rating
            else:
                of = f"{run.id} {label.run_b}"
        unit = of, (label.item_id, label.iteration)
        again = label.repeats is not None
        labels.append(Label(unit, label.person, rating, label.probability, again))
    value, of_set = rows[0][1].value, find_set(runs_dir, sets[0])
    scale = (min(ANSWERS.values()), max(ANSWERS.values())) if value == PAIR else None
    if of_set and of_set.scale:
        scale = of_set.scale[0], of_set.scale[-1]
    return _Labelled(sets[0], value, labels, chosen, scale)


def _published(
    benchmark: Benchmark, stored: RunSet, word: str, dataset: str | None, value: str | None
) -> _Labelled:
    """The ratings that the benchmark's own people gave the replies which a run holds."""
    run = eibench.chosen_runs(stored, (benchmark.name, word)).only(word)
    pack, rated = eibench.human_ratings(benchmark, pack=run.pack_by(run.graders()[0], dataset))
    names = list(dict.fromkeys(name for reply in rated for name in reply.ratings))
    if value and value not in names:
        raise UsageError(f"people rated {', '.join(names)}, not {value}")
    labels, name, left_out = list[Label](), value or names[0], 0
    for n, reply in numbered(rated):
        key = reply.item_id, n
        if _reply(run, key) != reply.text:
            left_out += 1
            continue
        ratings = reply.ratings.get(name, {})
        labels += [Label((run.id, key), who, rating, 1.0) for who, rating in ratings.items()]
    if not labels:
        command = bench("calibrate", benchmark.name, "-o", "rated.jsonl")
        message = f"run {run.id} holds none of the replies that people rated; {command} writes them"
        raise UsageError(f"{message} for bench score")
    some = f"{left_out} of {len(rated)} rated replies are not those of the run, and are left out"
    declared = rated_value(benchmark, name)
    scale = declared.ends if declared and isfinite(sum(declared.ends)) else None
    return _Labelled(PUBLISHED, name, labels, [run], scale, pack, [some] if left_out else [])


def _reply(run: StoredRun, key: Key) -> str | None:
    if key not in run.samples_begun:
        return None
    calls = run.transcript(*key)["calls"]
    return next((call["text"] for call in calls[::-1] if call["phase"] == "generate"), None)


# Who judged it


def _calibration(
    benchmark: Benchmark, labelled: _Labelled, wanting: Sequence[str], dataset: str | None
) -> Calibration:
    first, *_ = runs = labelled.runs
    by_judge = _graders(runs)
    if wanting:
        meant = {str(run.by_judge(name).judge) for name in wanting for run in runs}
        by_judge = {judge: of for judge, of in by_judge.items() if judge in meant}
    pack = labelled.pack or first.pack_by(first.graders()[0], dataset)
    pairs = labelled.value == PAIR
    judges = [
        _compared(benchmark, judge, runs, of) if pairs else _graded(benchmark, judge, of, labelled)
        for judge, of in by_judge.items()
    ]
    names = {run.id: run.name for run in runs}
    if pairs:
        named = dict.fromkeys(label.unit[0] for label in labelled.labels)
        names = {of: " beats ".join(names[i] for i in of.split(" ")) for of in named}
    source = pack.source
    facts: JsonObject = {"name": source.name, "sha256": source.sha256, "n_items": len(pack.items)}
    document = calibrate(
        labelled.labels,
        judges,
        names,
        _cluster(pack),
        benchmark=benchmark.name,
        dataset=facts,
        label_set=labelled.label_set,
        value=labelled.value,
        scale=labelled.scale,
        demo=any(run.demo for run in runs),
    )
    return document._replace(warnings=[*labelled.warnings, *document.warnings])


def _cluster(pack: Pack) -> Callable[[Unit], str]:
    clusters = pack.clusters
    return lambda unit: clusters.get(unit[1][0], unit[1][0])


def _graders(runs: Sequence[StoredRun]) -> dict[str, dict[str, tuple[StoredRun, Grader]]]:
    """By judge, how it has graded each run last."""
    by_judge: dict[str, dict[str, tuple[StoredRun, Grader]]] = {}
    for run in runs:
        for grader in run.graders():
            judge = str(grader.judge) if grader.judge else _RULE
            by_judge.setdefault(judge, {}).setdefault(run.id, (run, grader))
    return by_judge


_Graders = Mapping[str, tuple[StoredRun, Grader]]


def _graded(benchmark: Benchmark, judge: str, graders: _Graders, labelled: _Labelled) -> JudgedRuns:
    by_run = {
        run_id: grades(benchmark, run, grader, labelled.value)
        for run_id, (run, grader) in graders.items()
    }
    metrics = {
        run_id: metric
        for run_id, (run, grader) in graders.items()
        if (metric := _in_result(run, grader, labelled.value, by_run[run_id]))
    }
    rows = {(run_id, key): of[key] for run_id, of in by_run.items() for key in of}
    return JudgedRuns(judge, rows, metrics)


def _in_result(
    run: StoredRun, grader: Grader, name: str, of_samples: Mapping[Key, float]
) -> Estimate | None:
    """The mean of grades with its interval as the run's result by that judge has them.

    ``None`` where the result has another number, such as a mean of groups, or the run's data is
    not where it was.
    """
    mean = fmean(of_samples.values()) if of_samples else float("nan")
    with suppress(DataError, UsageError):
        metrics = run.result(str(grader.judge) if grader.judge else None)["metrics"]
        for metric in (metrics.get(name), next(iter(metrics.values()), None)):
            value = metric and metric["value"]
            if metric and value is not None and isclose(value, mean, rel_tol=1e-9):
                low, high = metric["ci95"] or (None, None)
                ci95 = None if low is None or high is None else (low, high)
                return Estimate(value, ci95)
    return None


def _compared(
    benchmark: Benchmark, judge: str, runs: Sequence[StoredRun], graders: _Graders
) -> JudgedRuns:
    """By pair, how the first did: its margin in comparisons, or whether its score is higher."""
    order = {run.id: n for n, run in enumerate(runs)}
    margins = defaultdict[Unit, list[float]](list)
    for run in runs:
        for one in run.comparisons():
            if one.status != "read" or str(one.judge) != judge or one.run_b not in order:
                continue
            mean = sum(one.margins.values()) / len(one.margins) if one.margins else 0.0
            forward = order[one.run_a] < order[one.run_b]
            ids = (one.run_a, one.run_b) if forward else (one.run_b, one.run_a)
            unit = " ".join(ids), (one.item_id, one.iteration)
            margins[unit].append(0.5 + (mean if forward else -mean) / 10)
    if margins:
        return JudgedRuns(judge, {unit: sum(of) / len(of) for unit, of in margins.items()})
    rows, name = dict[str, dict[Key, float]](), _main(benchmark, graders)
    for run_id, (run, grader) in graders.items():
        rows[run_id] = grades(benchmark, run, grader, name)
    known = sorted(rows, key=order.__getitem__)
    wins = {
        (f"{a} {b}", key): 0.5 + ((rows[a][key] > rows[b][key]) - (rows[a][key] < rows[b][key])) / 2
        for n, a in enumerate(known)
        for b in known[n + 1 :]
        for key in rows[a].keys() & rows[b].keys()
    }
    return JudgedRuns(judge, wins)


def _main(benchmark: Benchmark, graders: _Graders) -> str:
    declared = (one.name for one in benchmark.values if one.judged)
    graded = (n for run, grader in graders.values() for s in run.samples(grader) for n in s.values)
    return next(declared, "") or next(graded, "")


# What is printed


def show_calibration(document: Calibration) -> None:
    """Everything `bench calibrate` prints."""
    people = document.people
    rated = "pairs" if document.value == PAIR else document.value
    rows = [
        f"labels  {people.labels} of {rated} by {people.people} people, on "
        f"{plural(people.units, 'text')}  ·  set {document.label_set}",
        f"people  mean {number(people.mean)}  alpha {people.alpha}  "
        f"correlation of two {people.with_one_person}",
    ]
    title = f"{document.benchmark}  judges and people" + "  DEMO" * document.demo
    tables = [_each(document)] if any(one.repeats for one in people.each) else []
    tables += [_judges(document)]
    tables += [_corrected("Win rates" if document.value == PAIR else "Scores", document.scores)]
    tables += [_corrected("Differences", document.differences)] if document.differences else []
    conclusions = (
        [Paragraph("\n".join(map(line, document.conclusions)))] if document.conclusions else []
    )
    eibench.show(
        Paragraph("\n".join(map(line, rows)), title),
        *tables,
        *conclusions,
        warnings=document.warnings,
    )


def _each(document: Calibration) -> Table:
    rows = [
        (one.person, one.labels, one.repeats, one.equal, number(one.mean_change))
        for one in document.people.each
    ]
    columns = ("person", "labels", "shown twice", "answered alike", "mean change")
    return Table("Each person with themselves", columns, rows)


def _judges(document: Calibration) -> Table:
    rows = [
        (one.judge, str(one.spearman), str(one.mean_difference), str(one.icc),
         str(one.with_one_person), str(one.less_people), one.n)
        for one in document.judges
    ]  # fmt: skip
    columns = ("judge", "Spearman", "judge − people", "ICC(A,1)", "r with a person",
               "less people's", "n")  # fmt: skip
    note = (
        "The first three are beside the mean of people; r with a person is the mean correlation "
        "with each alone, and beside it how much more that is than of two people."
    )
    return Table("Judges beside people", columns, rows, note=note)


def _corrected(title: str, rows: Sequence[Corrected]) -> Table:
    cells = [
        (row.what, row.judge, _short(row.judge_alone), _short(row.labels_alone),
         _short(row.corrected), f"{row.n}/{row.n_judged}", number(row.correlation),
         number(row.width_ratio), row.labels_for_half or "–", row.statement)
        for row in rows
    ]  # fmt: skip
    columns = ("model", "judge", "judge alone", "labels alone", "corrected", "labels", "r", "width",
               "for half", "")  # fmt: skip
    note = (
        "corrected: labels and judge together (PPI++). r: of judge and labels. width: of the "
        "interval over that of labels alone. for half: labels until it is half as wide."
    )
    return Table(title, columns, cells, note=note)


def _short(row: Estimate) -> str:
    return str(row._replace(reason=None))
