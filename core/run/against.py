"""What runs are set against: found, or refused, before anything is asked, and compared after it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..compare.pairs import GradersChoice, compare_runs
from ..errors import BenchError, JournalError, UsageError
from ..journal import Journal
from ..journal.file import has_journal
from ..reports.choosing import RunGraders, same_grader
from ..reports.comparability import judge_in
from ..reports.statements import PairVerdict
from ..reports.suggestions import url_of, with_options
from ..runs.finding import asked_unlike
from ..runs.folders import is_of_other_kind
from ..runs.run_set import RunSet
from ..runs.stored_run import StoredRun
from ..settings.run_config import grader, identity
from ..text import plain, plural
from ..types.result_document import AgainstRow, AgainstVerdict, ResultDocument
from .task import Task


class Base(NamedTuple):
    """What a run is set against: a stored run, or that of a task of the same command."""

    name: str
    run_id: str | None = None
    task: Task | None = None


Say = Callable[[str], None]
Bases = Mapping[Task, Base]


def find_bases(tasks: Sequence[Task], say: Say, *, strict: bool = True) -> Bases:
    """What the runs of tasks will be set against, those that are.

    What cannot be compared is refused if `strict`, else said.

    Raises:
        UsageError: One cannot; the message says why, and the command that makes them alike.
    """
    bases = dict[Task, Base]()
    for task in tasks:
        try:
            if base := _find(task, tasks, say):
                bases[task] = base
        except UsageError as error:
            if strict:
                raise
            say(f"note: {error}")
    return bases


def _find(task: Task, tasks: Sequence[Task], say: Say) -> Base | None:
    word, benchmark = task.config.against, task.config.benchmark
    if word is None:
        return None
    alongside = [one for one in tasks if one.config.benchmark is benchmark]
    names = [one.config.display_name for one in alongside]
    listed = [n for n in names if n == word] or [n for n in names if n.endswith(f"/{word}")]
    if len(alongside) == 1 or not listed:
        return _find_stored(task, word, say)
    if len(listed) > 1:
        raise UsageError(f"--against {word} could be {plural(len(listed), 'run')} of this command")
    base = alongside[names.index(listed[0])]
    if base is task:
        return None  # the others are set against it
    return Base(listed[0], task=base)


def _find_stored(task: Task, word: str, say: Say) -> Base:
    """The newest run that is meant and can be compared, whole ones first."""
    config, option = task.config, f"--against {word}"
    if not has_journal(config.runs_dir):
        raise _unknown(config.runs_dir, word, f"no run is in {config.runs_dir} yet")
    with RunSet(Journal(config.runs_dir, create=False)) as stored:
        task = task.find(stored.journal)
        runs = _of_benchmark(stored, word, config.benchmark.name)
        others = [run for run in runs if task.run is None or run.id != task.run.run_id]
        if not others:
            message = f"{option} is the run itself, {runs[0].id}"
            raise UsageError(f"{message}; --name NAME or --fresh starts another run of this model")
        refused = {run.id: why for run in others if (why := _why_not(task, run))}
        fitting = [run for run in others if run.id not in refused]
        if not fitting:
            raise UsageError(f"{option}: {refused[others[-1].id]}")
        base = stored.of(fitting).of_one_model(word)
        more = f", of {len(fitting)} that can be compared" if len(fitting) > 1 else ""
        say(f"against {base.name}: run {base.id} of {base.record.created_at[:10]}{more}")
        return Base(base.name, base.id)


def _of_benchmark(stored: RunSet, word: str, benchmark: str) -> list[StoredRun]:
    """The runs of a benchmark that are meant by a word; `UsageError` where there is none."""
    of_benchmark = stored.where(benchmark=benchmark)
    if of_benchmark.read(word):
        return list(of_benchmark.named(word))
    if stored.read(word):
        message = f"--against {word}: it has no run of {benchmark} yet"
        raise UsageError(f"{message}; {_first(word, next(iter(stored.named(word))))}")
    folder = stored.journal.folder
    raise _unknown(folder, word, f"no such run or model in {folder}{stored.near(word)}")


def _unknown(folder: Path, word: str, message: str) -> UsageError:
    """The error about a word that names no run in a folder; one of the other kind is no base."""
    if is_of_other_kind(folder, word):
        message = "a demo run and a real one never stand beside each other"
        return UsageError(f"--against {word}: {message}")
    return UsageError(f"--against {word}: {message}; {_first(word)}")


def _first(word: str, run: StoredRun | None = None) -> str:
    spec = run.model if run else word if "/" in word else "SPEC"
    name = [] if "/" in word or run else ["--name", word]
    return f"{_command(spec, name, run)} runs it first"


def _command(spec: str, name: Sequence[str], run: StoredRun | None) -> str:
    """The command under way for another model, or for that of a run."""
    words, settings = ["--model", spec, *name], run.settings if run else {}
    words += ["--name", settings["name"]] if settings.get("name") else []
    url = run and url_of(run.record.party, run.addresses)
    words += ["--base-url", url] if url else []
    valued, switches = (
        ("against", "name", *["base-url"] * bool(run)),
        ("fresh", "fail-if-worse", "dry-run"),
    )
    leave = dict.fromkeys(valued, True) | dict.fromkeys(switches, False)
    return with_options(*words, without=leave)


def _why_not(task: Task, run: StoredRun) -> str:
    """Why a run cannot be compared with that of a task, and what to do; empty where it can."""
    config = task.config
    if unlike := asked_unlike(run.settings, identity(config, task.pack)):
        pack = f"pack {run.record.pack_name} ({run.record.pack_sha256[:12]})"
        unlike = [pack if what == "pack" else what for what in unlike]
        alike = f"{_command(run.model, (), run)} makes one that can be compared"
        return f"run {run.id} was asked otherwise, by {', '.join(unlike)}; {alike}"
    try:
        asked = {one.party: one.base_url for one in config.judges if one.base_url}
        base = RunGraders(run.id, run.graders(), {**run.journal.addresses(), **asked})
        same_grader(RunGraders("this run", [grader(config)]), base)
    except (UsageError, JournalError) as error:
        return str(error)
    if not task.selection.samples & run.samples_done:
        return f"run {run.id} has none of the items that are asked for"
    return ""


def set_against(results: Mapping[Task, ResultDocument], bases: Bases) -> list[ResultDocument]:
    """The results, each with what it comes to against its base, if it has one."""
    documents = dict(results)
    for task in results.keys() & bases.keys():
        base, document = bases[task], results[task]
        of_base = results.get(base.task) if base.task else None
        row = _row(task, document, base.name, of_base["run_id"] if of_base else base.run_id)
        documents[task] = {**document, "against": row}
    return list(documents.values())


def _row(task: Task, document: ResultDocument, name: str, base_id: str | None) -> AgainstRow:
    options = grader(task.config).options
    choice = GradersChoice(
        judge_in(document),
        {option: plain(value) for option, value in options.items()},
        samples=task.selection.samples,
    )
    try:
        if base_id is None:
            raise UsageError("it has no result")
        with RunSet(Journal(task.config.runs_dir, create=False)) as stored:
            two = [stored[str(document["run_id"])], stored[base_id]]
            pair = compare_runs(two, choice, task.config.dataset)
    except BenchError as error:
        statement = f"not compared with {name}: {error}"
        return AgainstRow(run_id=base_id, name=name, verdict="unknown", difference=None, ci95=None,
                          n=0, statement=statement)  # fmt: skip
    main, claim = pair.document.main, pair.statement
    row = main and main.row
    return AgainstRow(
        run_id=base_id,
        name=name,
        verdict=_VERDICTS[claim.verdict],
        difference=row.difference if row else None,
        ci95=row.ci95 if row else None,
        n=row.n if row else pair.document.samples.both,
        statement=claim.text,
    )


_VERDICTS: Mapping[PairVerdict, AgainstVerdict] = {
    PairVerdict.A: "better",
    PairVerdict.B: "worse",
    PairVerdict.NEITHER: "neither",
    PairVerdict.UNKNOWN: "unknown",
}
