"""`bench people`: what people gave replies, and how far a judge agrees with them."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

import eibench
from eibench import Benchmark, HumanRatedReply, Paragraph, StoredRun, Table, UsageError, bench
from eibench.text import interval, line, number, plural

from .people import PeopleDocument, numbered, people_document

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench people my-bench --replies rated.jsonl\n"
    "  bench score my-bench rated.jsonl --judge openai/gpt-4.1\n"
    "  bench people my-bench 7a3c\n"
)


@click.command("people", cls=eibench.Command, epilog=_EXAMPLES)
@eibench.benchmark_argument
@click.argument("run", required=False, shell_complete=eibench.completion("runs"))
@click.option("--judge", metavar="SPEC", shell_complete=eibench.completion("judges"),
              help="Whose grades of the run, where several judges have graded it.")  # fmt: skip
@click.option("--dataset", metavar="NAME|PATH", help="The pack whose replies people rated.")
@click.option("--replies", type=click.Path(path_type=Path, dir_okay=False),
              help="Write the rated replies to this file, for bench score.")  # fmt: skip
@eibench.shared_options("runs_dir")
@eibench.json_option
def people_command(
    benchmark: Benchmark,
    run: str | None,
    judge: str | None,
    dataset: str | None,
    replies: Path | None,
    runs_dir: Path,
    json_output: bool,
) -> None:
    """Show how people rated replies, and how far a judge agrees with them.

    Of each value the mean with its interval, and how far people agree. With a RUN that holds
    these replies (--replies, then bench score --judge), the judge's grades beside the mean of
    people: rank correlation, mean difference and ICC, with intervals.
    """
    if run is None:
        pack, rated = eibench.human_ratings(benchmark, dataset)
        document = people_document(benchmark.name, pack, rated)
    else:
        with eibench.open_runs(runs_dir, run) as stored:
            document, rated = _compare(benchmark, stored[run], judge, dataset)
    if replies:
        _write(replies, rated)
        command = bench("score", benchmark.name, str(replies), "--judge", "SPEC")
        eibench.tell(
            f"{plural(len(rated), 'reply')} in {replies}; {command} has a judge grade them"
        )
    if json_output:
        eibench.show_json(document)
    else:
        show_people(document)


def _compare(
    benchmark: Benchmark, run: StoredRun, judge: str | None, dataset: str | None
) -> tuple[PeopleDocument, Sequence[HumanRatedReply]]:
    if run.benchmark != benchmark.name:
        raise UsageError(f"run {run.id} is of {run.benchmark}, not of {benchmark.name}")
    graders = run.graders()
    judges = list(dict.fromkeys(str(one.judge) for one in graders))
    if judge is None and len(judges) > 1:
        raise UsageError(f"{', '.join(judges)} graded run {run.id}; name one of them with --judge")
    grader = graders[0] if judge is None else run.by_judge(judge)
    pack, rated = eibench.human_ratings(benchmark, pack=run.pack_by(grader, dataset))
    keys = [(reply.item_id, n) for n, reply in numbered(rated)]
    other = [key for key, reply in zip(keys, rated, strict=True) if _reply(run, *key) != reply.text]
    if len(other) == len(rated):
        command = bench("people", benchmark.name, "--replies", "rated.jsonl")
        message = f"run {run.id} holds none of the replies that people rated; {command} writes them"
        raise UsageError(f"{message} for bench score")
    graded = run.graded(grader, pack.clusters)
    return people_document(benchmark.name, pack, rated, graded, other), rated


def _reply(run: StoredRun, item_id: str, iteration: int) -> str | None:
    """What the model said last in a sample of a run; ``None`` where it holds nothing of it."""
    if (item_id, iteration) not in run.samples_begun:
        return None
    calls = run.transcript(item_id, iteration)["calls"]
    replies = [call["text"] for call in calls if call["phase"] == "generate"]
    return replies[-1] if replies else None


def _write(path: Path, rated: Sequence[HumanRatedReply]) -> None:
    rows = (
        {"item_id": reply.item_id, "iteration": n, "response": reply.text}
        for n, reply in numbered(rated)
    )
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def show_people(document: PeopleDocument) -> None:
    """Everything `bench people` prints."""
    sources = ", ".join(f"{name} ({n})" for name, n in document.sources.items())
    head = [f"replies {document.replies} to {plural(document.families, 'text')}: {sources}"]
    if document.run:
        head.append(f"run     {document.run['name']}  (run {document.run['run_id']})")
        head.append(f"judge   {document.judge or 'none: graded by rule'}")
    title = f"{document.benchmark}  people's ratings" + "  DEMO" * document.demo
    tables = [_people(document), *([_judge(document)] if document.run else [])]
    eibench.show(Paragraph("\n".join(map(line, head)), title), *tables, warnings=document.warnings)


def _people(document: PeopleDocument) -> Table:
    rows = [
        (name, row.n, row.raters, row.mean, interval(row.ci95), str(row.alpha))
        for name, row in document.values.items()
    ]
    columns = ("value", "replies", "raters", "mean", "95 %", "alpha of raters")
    return Table("People", columns, rows, note="Intervals are over families of items.")


def _judge(document: PeopleDocument) -> Table:
    rows = [
        (name, number(of.mean), number(of.mean_people), str(of.mean_difference), str(of.spearman),
         str(of.icc), of.n)
        for name, row in document.values.items()
        if (of := row.judge)
    ]  # fmt: skip
    columns = ("value", "judge", "people", "judge − people", "Spearman", "ICC(A,1)", "n")
    note = "The judge beside the mean of a reply's raters."
    return Table("Judge and people", columns, rows, note=note)
