"""`bench statements`: more statements for EmotionQueen, written by a model, as a pack.

The work is a run like any other (`making`): its replies are journalled, it goes on after a stop,
and it keeps to ``--max-cost``. Only a whole set becomes a file, with its provenance beside it,
and never where a bundled pack lies.
"""

import hashlib
import json
from pathlib import Path

import click

import eibench
from eibench import Generated, JsonDict, Score, StoredRun, UsageError, bench, folder
from eibench.text import as_text

from .making import StatementMaker

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench statements --model openai/NAME -n 50 -o more.jsonl\n"
    "  bench statements --model openai/NAME -n 200 -o more.jsonl --max-cost 2\n"
)
_COUNT, _ATTEMPTS = StatementMaker.options


@click.command(
    "statements",
    cls=eibench.Command,
    epilog=_EXAMPLES,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.option("--model", required=True, metavar="SPEC",
              help="Who writes: PROVIDER/NAME, such as openai/gpt-4.1.")  # fmt: skip
@click.option("-n", "--number", type=click.IntRange(1), default=_COUNT.default, show_default=True,
              metavar="N", help="How many statements; more later go on from these.")  # fmt: skip
@click.option("--attempts", type=click.IntRange(1), default=_ATTEMPTS.default, show_default=True,
              metavar="N", help="How often to ask for a statement until one fits.")  # fmt: skip
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Where they go; it must not exist.")  # fmt: skip
@click.option("--system", metavar="TEXT", help="The writer's system prompt.")
@click.pass_context
def statements_command(
    ctx: click.Context, model: str, number: int, attempts: int, output: Path, system: str | None
) -> int:
    """Have a model write more statements for emotionqueen.

    Every reply is saved before it is used, and the same command again resumes it. Statements that
    do not fit, or that say again what another one says, are refused and asked for again. All other
    options are those of bench run, such as --base-url, --max-cost, --dry-run and --json.
    """
    provenance = output.with_name(f"{output.name}.provenance.json")
    _refuse_taken(output, provenance)
    maker = StatementMaker()
    words = ["--model", model, "--count", str(number), "--attempts", str(attempts)]
    words += [] if system is None else ["--system", system]
    done = eibench.bench_run(maker, [*words, "--dataset", "bundled", *ctx.args])
    for document in done.documents:
        with eibench.runs(done.runs_dir) as stored:
            run = stored[str(document["run_id"])]
            items = _generated(run, document["grader"])
            if items is None or items.missing:
                hint = "the same command with larger --attempts asks on"
                left = f"{items.missing}; {hint}" if items else "the run has not ended"
                eibench.tell(f"no file was written: {left}")
                continue
            _write(output, provenance, items, _provenance(run))
        command = bench("run", "emotionqueen", "--dataset", output, "--model", "SPEC")
        eibench.tell(f"{len(items.lines)} statements in {output} (run {run.id}); next: {command}")
    return done.code


def _refuse_taken(output: Path, provenance: Path) -> None:
    """Refuse a path where something is, or that is among the packs."""
    if output.resolve().is_relative_to(folder("emotionqueen").resolve()):
        raise UsageError(f"{output} is among bundled packs; generated data is kept apart")
    for path in (output, provenance):
        if path.exists() or path.is_symlink():
            message = f"{path} is there already; remove it, or name another file with -o"
            raise UsageError(message)


def _generated(run: StoredRun, grader: str | None) -> Generated | None:
    """What a run gave; ``None`` where it has not ended."""
    if grader is None or ("statements", 1) not in run.samples_begun:
        return None
    (item,) = run.item_documents(["statements"], grader)
    score = item["iterations"][0]["score"]
    if score is None:
        return None
    return StatementMaker().generated(Score(score["values"], detail=score["detail"]), run.model)


def _write(output: Path, provenance: Path, items: Generated, facts: JsonDict) -> None:
    """The statements' file and its provenance."""
    lines = [
        f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n".encode() for row in items.lines
    ]
    sha256 = hashlib.sha256(b"".join(lines)).hexdigest()
    file = {"name": output.name, "sha256": sha256, "items": len(lines)}
    output.parent.mkdir(parents=True, exist_ok=True)
    text = as_text({**facts, **items.details, "file": file})
    eibench.write_lines(provenance, [f"{text}\n".encode()])
    eibench.write_lines(output, lines)


def _provenance(run: StoredRun) -> JsonDict:
    """How the statements came to be."""
    document, settings = run.result(), run.settings
    pack = document["dataset"]
    return {
        "made_for": "emotionqueen",
        "made_by": run.model,
        "maker": {"name": StatementMaker.name, "version": StatementMaker.version},
        "run_id": run.id,
        "started_at": run.record.created_at,
        "sampling": settings["sampling"],
        "system": settings["system"],
        "prompts": settings["prompts"],
        "options": document["options"],
        "kept_apart_from": {"pack": pack["name"], "sha256": pack["sha256"]},
        "eibench": eibench.__version__,
    }
