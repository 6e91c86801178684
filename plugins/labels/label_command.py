"""`bench label`: a blinded set for people; `bench label read`: their answers into the journal."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

import eibench
from eibench import (
    Benchmark,
    DataError,
    Paragraph,
    PersonLabel,
    RunSet,
    StoredRun,
    Table,
    UsageError,
    bench,
    read_text,
)
from eibench.text import csv_text, line, plural

from .answers import LabelAnswer, Respondent, read_answers
from .drawing import Key
from .grades import default_value, grades, rated_value
from .making import BlindedSet, DrawingPlan, label_set, scale_of, shown_of, test_set
from .page import page, table, words_of
from .sets import PAIR, Entry, LabelSet, write_text

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench label eqbench3 7a3c 9b1e --number 20 --scale 0,25,50,75,100 -o for-people\n"
    "  bench label eqbench3 7a3c 9b1e --pairs -o for-people\n"
    "  bench label eqbench-v2 --take --number 30 -o test\n"
    "  bench label read answers-*.json\n"
)


class _Label(click.Group):
    """A group whose command `draw` need not be named."""

    command_class = eibench.Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """A first word that is no command is a benchmark."""
        if args and args[0] not in (*self.commands, *self.get_help_option_names(ctx)):
            args = ["draw", *args]
        return super().parse_args(ctx, args)


@click.group("label", cls=_Label, epilog=_EXAMPLES)
def label_command() -> None:
    """Have people rate transcripts, blinded, or take a test; read their answers.

    `bench label BENCHMARK RUN...` is `bench label draw BENCHMARK RUN...`.
    """


def _steps(_: click.Context, __: click.Parameter, text: str | None) -> tuple[float, ...]:
    try:
        return tuple(map(float, text.split(","))) if text else ()
    except ValueError:
        raise click.BadParameter(f"needs numbers with commas between them, not {text!r}") from None


@label_command.command("draw", epilog=_EXAMPLES)
@eibench.benchmark_argument
@click.argument("runs", metavar="[RUN]...", nargs=-1, shell_complete=eibench.completion("runs"))
@click.option("--number", type=click.IntRange(1), help="Items to draw; each brings a transcript "
              "of every run (default: 20, or the whole test).")  # fmt: skip
@click.option("--pairs", is_flag=True, help="Ask which of two models' replies is better.")
@click.option("--take", is_flag=True, help="Have people answer the benchmark's items themselves.")
@click.option("--value", metavar="NAME", help="What people rate (default: the benchmark's first).")
@click.option("--scale", metavar="N,N,...", callback=_steps,
              help="What they can answer (default: over the value's range).")  # fmt: skip
@click.option("--strata", type=click.IntRange(0), default=0,
              help="Draw as many from each of so many parts of a judge's scores.")  # fmt: skip
@click.option("--judge", metavar="SPEC", shell_complete=eibench.completion("judges"),
              help="Whose scores --strata means, where several judges have graded.")  # fmt: skip
@click.option("--repeats", type=click.IntRange(0), default=2, show_default=True,
              help="Questions shown twice, to see whether a person answers alike.")  # fmt: skip
@click.option("--seed", type=int, help="Of the drawing (default: a new one, which is kept).")
@click.option("--recruited", metavar="TEXT", default="", help="How people are found, as you know.")
@click.option("--instructions", type=click.Path(path_type=Path), metavar="FILE",
              help="What people read first, in place of our words.")  # fmt: skip
@click.option("--consent", type=click.Path(path_type=Path), metavar="FILE",
              help="What people agree to, in place of our words.")  # fmt: skip
@click.option("--dataset", metavar="NAME|PATH", help="The pack that people take, with --take.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Where page.html and table.csv go (default: labels-SET).")  # fmt: skip
@eibench.shared_options("demo", "runs_dir")
def draw_command(
    benchmark: Benchmark,
    runs: tuple[str, ...],
    number: int | None,
    pairs: bool,
    take: bool,
    value: str | None,
    scale: tuple[float, ...],
    strata: int,
    judge: str | None,
    repeats: int,
    seed: int | None,
    recruited: str,
    instructions: Path | None,
    consent: Path | None,
    dataset: str | None,
    output: Path | None,
    runs_dir: Path,
) -> None:
    """Draw a blinded set, and write the page and the table for people.

    Items are drawn at random, with probabilities that are kept; models' names are taken out,
    left and right are shuffled. The key stays in the runs folder: hand out the page alone.
    """
    plan = DrawingPlan(number or 20, strata, repeats, seed, recruited)
    if take:
        if runs or pairs or value or scale or strata or judge or eibench.provided("demo"):
            raise UsageError("--take is about the benchmark's items: without runs, --pairs, "
                             "--value, --scale, --strata, --judge and --demo")  # fmt: skip
        _, questions = eibench.people_questions(benchmark, dataset)
        new_set, label = test_set(benchmark, questions, number, plan), ""
    else:
        with eibench.open_runs(runs_dir, *runs) as stored:
            chosen = _runs(stored, benchmark, runs)
            new_set, label = _drawn(benchmark, chosen, value, scale, plan, judge, pairs=pairs)
    texts = [read_text(path).strip() if path else "" for path in (instructions, consent)]
    words = words_of(new_set.labels, label, *texts)
    folder = output or Path(f"labels-{new_set.labels.id}")
    key = new_set.labels.write(runs_dir)
    write_text(folder / "page.html", page(new_set.labels, new_set.shown, words))
    write_text(folder / "table.csv", table(new_set.labels, new_set.shown))
    _show_set(new_set.labels, folder, key)


def _runs(stored: RunSet, benchmark: Benchmark, starts: Sequence[str]) -> list[StoredRun]:
    """The runs that are meant, or the newest of each model."""
    starts = [word for word in starts if word != benchmark.name]
    named = eibench.chosen_runs(stored, (benchmark.name, *starts))
    chosen = list(named if starts else named.newest_of_each().values())
    if len(chosen) < len(starts):
        raise UsageError("a run is named twice; name each once")
    stored.of(chosen).refuse_unlike()
    return chosen


def _drawn(
    benchmark: Benchmark,
    runs: Sequence[StoredRun],
    value: str | None,
    scale: tuple[float, ...],
    plan: DrawingPlan,
    judge: str | None,
    *,
    pairs: bool,
) -> tuple[BlindedSet, str]:
    """The set, and what is rated in words for people."""
    if pairs and (len(runs) < 2 or value or scale):
        raise UsageError("--pairs needs two runs or more, and neither --value nor --scale")
    name = value or default_value(benchmark, runs)
    if not pairs and not name:
        raise UsageError(f"say what people rate: --value NAME; {benchmark.name} names nothing")
    scores = _scores(benchmark, runs, name, judge) if plan.strata > 1 else None
    if pairs:
        return label_set(benchmark, runs, PAIR, (), plan, scores), ""
    rated = rated_value(benchmark, name)
    steps = scale_of(rated, name, scale)
    label = rated.label if rated and rated.label else name.replace("_", " ")
    return label_set(benchmark, runs, name, steps, plan, scores), label[0].upper() + label[1:]


def _scores(
    benchmark: Benchmark, runs: Sequence[StoredRun], name: str, judge: str | None
) -> dict[Key, float]:
    """By sample the mean over runs of a judge's score."""
    graders = [run.by_judge(judge) if judge else run.graders()[0] for run in runs]
    columns = [
        grades(benchmark, run, grader, name) for run, grader in zip(runs, graders, strict=True)
    ]
    common = set(columns[0]).intersection(*columns)
    return {key: sum(column[key] for column in columns) / len(columns) for key in common}


def _show_set(labels: LabelSet, folder: Path, key: Path) -> None:
    what = {"single": "transcripts", "pair": "pairs", "take": "questions"}[labels.kind]
    repeats = sum(bool(entry.repeats) for entry in labels.entries)
    asked = len(labels.entries) - repeats
    rows = [
        f"set        {labels.id}: {asked} {what}, {repeats} of them shown twice",
        f"drawn      {labels.drawn} of {plural(labels.population, 'item')}, seed {labels.seed}",
        f"for people {folder / 'page.html'}, or {folder / 'table.csv'}",
        f"key        {key}; whoever answers must not see it",
        f"next       {bench('label', 'read', 'FILE...')} with the files that come back",
    ]
    eibench.show(Paragraph("\n".join(map(line, rows)), f"{labels.benchmark}  labels of people"))


# Reading


@label_command.command("read")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="HUMANS.csv",
              help="Where answers to a test go, for bench norm.")  # fmt: skip
@eibench.shared_options("runs_dir")
@eibench.json_option
def read_command(
    files: tuple[Path, ...], output: Path | None, runs_dir: Path, json_output: bool
) -> None:
    """Read what people answered, and keep it in the journal with a pseudonym each.

    All FILES are checked first: of one that does not belong to its set, or is a person's second,
    nothing is kept, nor of the others.
    """
    people = [read_answers(path, runs_dir) for path in files]
    _refuse_twice(people)
    tests = [person for person in people if person.labels.kind == "take"]
    if tests and len(tests) < len(people):
        raise UsageError("some files are answers to a test and some are labels; read them apart")
    if tests:
        if output is None or len({person.labels.id for person in tests}) > 1:
            raise UsageError("answers to one test go into one table: -o HUMANS.csv")
        write_text(output, csv_text(_human_rows(tests)))
    else:
        if output is not None:
            raise UsageError("-o is for answers to a test; labels go into the journal")
        _keep(people, runs_dir)
    rows = [_facts(person) for person in people]
    if json_output:
        eibench.show_json({"people": rows, "output": str(output) if output else None})
        return
    cells = [[row[n] for n in ("file", "set", "person", "answers", "missing")] for row in rows]
    columns = ("file", "set", "person", "answers", "missing")
    eibench.show(Table("Read", columns, cells, note=_next(people[0].labels, output)))


def _facts(person: Respondent) -> dict[str, str | int]:
    return {
        "file": person.path.name,
        "set": person.labels.id,
        "person": person.name,
        "answers": len(person.answers),
        "missing": len(person.labels.entries) - len(person.answers),
    }


def _next(labels: LabelSet, output: Path | None) -> str:
    words = ("norm", labels.benchmark, str(output)) if output else ("calibrate", labels.benchmark)
    return f"next: {bench(*words)}"


def _refuse_twice(people: Sequence[Respondent]) -> None:
    counts = Counter((person.labels.id, person.name) for person in people)
    for person in people:
        if counts[person.labels.id, person.name] > 1:
            message = "is of a person who has another file here; keep the last one alone"
            raise DataError(person.path, message, "line 1")


def _human_rows(people: Sequence[Respondent]) -> list[Sequence[str | float | None]]:
    rows: list[Sequence[str | float | None]] = [("person", "item", "option", "points")]
    for person in people:
        for entry, numbers, _ in person.answers:
            named = zip(entry.options, numbers, strict=True)
            rows += [(person.name, entry.item_id, name, number) for name, number in named]
    return rows


def _keep(people: Sequence[Respondent], runs_dir: Path) -> None:
    """Store labels; what people saw must still be what the runs hold.

    Raises:
        DataError: It is not, or the person's answers are there already.
    """
    labels = list[tuple[str, PersonLabel]]()
    asked = dict.fromkeys(entry.run for person in people for entry in person.labels.entries)
    with eibench.runs(runs_dir, *asked) as stored:
        known, digests = dict[str, StoredRun](), dict[tuple[str, str, Key], str]()
        for person in people:
            ids = sorted({i for e in person.labels.entries for i in (e.run, e.run_b) if i})
            known |= {run_id: _run(stored, person, run_id) for run_id in ids if run_id not in known}
            runs = [known[run_id] for run_id in ids]
            if any(one.label_set == person.labels.id and one.person == person.name
                   for run in runs for one in run.labels):  # fmt: skip
                message = f"is of {person.name}, whose answers to this set were read before"
                raise DataError(person.path, message, "line 1")
            for answer in person.answers:
                _refuse_changed(person, answer.entry, runs, digests)
            labels += [(answer.entry.run, _label(person, answer)) for answer in person.answers]
        folder = stored.journal.folder
    eibench.keep_labels(folder, labels)


def _run(stored: RunSet, person: Respondent, run_id: str) -> StoredRun:
    for run in stored:
        if run.id == run_id:
            return run
    raise DataError(person.path, f"is about run {run_id}, which the journal has no more", "line 1")


def _refuse_changed(
    person: Respondent,
    entry: Entry,
    runs: Sequence[StoredRun],
    digests: dict[tuple[str, str, Key], str],
) -> None:
    by_id, key = {run.id: run for run in runs}, (entry.item_id, entry.iteration)
    for run_id, shown in ((entry.run, entry.transcript), (entry.run_b, entry.transcript_b)):
        if not run_id:
            continue
        of = person.labels.id, run_id, key
        if of not in digests:
            digests[of] = shown_of(by_id[run_id], key, runs)
        if digests[of] != shown:
            message = f"{entry.id}: the transcript of {entry.item_id} in run {run_id} has changed"
            line_of = next(
                n
                for n, text in enumerate(read_text(person.path).split("\n"), start=1)
                if entry.id in text
            )
            raise DataError(person.path, f"{message} since people saw it", f"line {line_of}")


def _label(person: Respondent, answer: LabelAnswer) -> PersonLabel:
    entry, labels = answer.entry, person.labels
    return PersonLabel(
        label_set=labels.id,
        entry=entry.id,
        person=person.name,
        item_id=entry.item_id,
        iteration=entry.iteration,
        run_b=entry.run_b or None,
        value=labels.value,
        rating=answer.numbers[0],
        probability=entry.probability,
        stratum=entry.stratum,
        repeats=entry.repeats or None,
        transcript=entry.transcript,
        transcript_b=entry.transcript_b or None,
        recruited=person.recruited,
        comment=answer.comment,
    )
