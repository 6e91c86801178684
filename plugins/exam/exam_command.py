"""`bench exam`: a judge examined by a benchmark's own prompts."""

from pathlib import Path

import click

import eibench
from eibench import Paragraph, UsageError
from eibench.text import plural

from .samples import write_samples
from .section import words

_EXAMPLES = (
    "\b\nExamples:\n"
    "  bench exam demo/judge\n"
    "  bench exam openai/gpt-4.1 --dry-run\n"
    "  bench exam anthropic/NAME --benchmark eqbench3 --max-cost 3\n"
    "  bench exam openai/NAME --from 7a3c --from 91be --from c02d\n"
    "  bench exam openai/NAME --base-url http://127.0.0.1:8000/v1\n"
)


@click.command(
    "exam",
    cls=eibench.Command,
    epilog=_EXAMPLES,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.argument("judge")
@click.option("--benchmark", default="eqbench3", metavar="NAME", show_default=True,
              help="Whose prompts the judge is given.")  # fmt: skip
@click.option("--people", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
              help="HumaneBench's file beside its human_ratings: 48 replies that people rated are "
                   "a part of the exam.")  # fmt: skip
@click.option("--from", "runs", multiple=True, metavar="RUN",
              help="Have the judge grade the texts of these runs, as judgemark does, in place of "
                   "the set of situations.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              default="samples.jsonl", show_default=True,
              help="Where --from writes the texts.")  # fmt: skip
@click.pass_context
def exam_command(
    ctx: click.Context,
    judge: str,
    benchmark: str,
    people: str | None,
    runs: tuple[str, ...],
    output: Path,
) -> int:
    """Examine a judge before you pay it: 280 calls, a verdict in words.

    It grades and compares replies whose order is known: a good one to each situation, and the same
    one with a fault in three doses; replies with what must not matter, such as length; and replies
    that say nothing. All other options are those of bench run, such as --base-url, --max-cost,
    --dry-run and --json. The same command again resumes the exam, or prints its result.
    """
    root = ctx.find_root()
    assert isinstance(root.command, click.Group)
    run = root.command.get_command(root, "run")
    if run is None:
        raise UsageError("bench run is missing")
    if runs:
        with run.make_context("run", ["judgemark", "--dry-run", *ctx.args], parent=root) as sub:
            runs_dir = sub.params["runs_dir"]
        _write(runs, runs_dir, output)
        arguments = ["judgemark", "--model", judge, "--dataset", str(output), *ctx.args]
        with run.make_context("run", arguments, parent=root) as sub:
            graded: int = run.invoke(sub)
            return graded
    author = judge.rsplit("/", 1)[-1]
    arguments = ["judge-exam", "--model", judge, "--prompts-of", benchmark, "--author", author]
    arguments += ["--people", people] if people else []
    with run.make_context("run", [*arguments, *ctx.args], parent=root) as sub:
        code: int = run.invoke(sub)
        if not (sub.params["dry_run"] or sub.params["json_output"]):
            _say_verdict(sub.params["runs_dir"], judge)
        return code


def _write(starts: tuple[str, ...], runs_dir: Path, samples: Path) -> None:
    """Write the texts of the runs that are named, and say how many there are."""
    with eibench.open_runs(runs_dir, *starts) as stored:
        chosen = eibench.chosen_runs(stored, starts, every=True)
        done = write_samples(chosen, samples)
    left_out = f"; {done.left_out} left out (empty, failed, or repeats)" * bool(done.left_out)
    eibench.tell(f"{samples}: {done.lines} texts of {plural(done.writers, 'writer')}{left_out}")


def _say_verdict(runs_dir: Path, judge: str) -> None:
    """The last exam of a judge in words."""
    with eibench.open_runs(runs_dir, judge) as runs:
        documents = [run.document for run in runs.where(benchmark="judge-exam", model=judge)]
        if not documents or documents[-1] is None or "exam" not in documents[-1]["notes"]:
            return
        exam = documents[-1]["notes"]["exam"]
    eibench.show(Paragraph("\n".join(words(exam)), f"{judge} judging {exam['benchmark']}"))
