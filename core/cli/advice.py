"""What to do after a run: the command that is of most use next, and a question on a terminal.

A command that asks whether to go on has begun to send, so it stands still for nobody: where other
runs wait, and after a minute, the answer is no.
"""

import select
import sys
from pathlib import Path

import click

from .. import console
from ..benchmark.model import FILTERED, JUDGE_FILTERED, MODEL, ONLY_THOUGHT, TOOK_FOR_THINKING
from ..compare.contest import Contest
from ..errors import ErrorKind, Unreadable
from ..guard import guard
from ..journal import Journal
from ..reading.base_models import ASK_BASE_MODEL, base_model_sign
from ..reports.result import Result
from ..reports.suggestions import another_run, bench, judge_words, pack_of
from ..run.session import Session
from ..run.task import Regrade, Task
from ..runs.run_set import RunSet
from ..settings.run_config import RunConfig
from ..text import line, plural
from ..types.result_document import JudgeRow, ResultDocument
from . import options
from .session import PlannedRun, on_terminal, print_result, tell

UNREAD_FLAGS = ("unread", "judge unread")
"""Of samples whose judge could not be read."""
WAIT_S = 60.0
"""For an answer."""
_SHOWN = 400
"""Characters of the first reply."""


def asks_on(run: PlannedRun, document: ResultDocument, *, alone: bool) -> bool:
    """Whether a run that was stopped for that shall resume; nobody is asked without a terminal."""
    why = run.session.stop.reason
    if not (isinstance(why, Unreadable) and on_terminal()):
        return False
    if why.item_id:
        tell(f"one of them, of {why.item_id} ({why.reason}):")
        tell(f"  {_reply(run.config.runs_dir, document, why.item_id) or '(empty)'}")
    return alone and _confirms("Send the rest all the same?")


def _confirms(question: str) -> bool:
    """The user's answer; no where none comes in time, or where that cannot be told."""
    click.echo(f"{question} [y/N] (no after {WAIT_S:g} s): ", nl=False, err=True)
    try:
        answered, _, _ = select.select([sys.stdin], [], [], WAIT_S)
    except OSError:  # Windows waits for sockets alone
        answered = []
    if not answered:
        tell("no")
        return False
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _reply(runs_dir: Path, document: ResultDocument, item_id: str) -> str:
    """The last reply about an item, shortened to one line."""
    with RunSet(Journal(runs_dir, create=False)) as stored:
        calls = stored[str(document["run_id"])].item(item_id)["iterations"][0]["calls"]
        text = line(" ".join(calls[-1]["text"].split())) if calls else ""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def finish(
    result: Result, run: PlannedRun, *, json_output: bool, following: int, alone: bool
) -> None:
    """Print a result; so many models of this command are still to run on its benchmark.

    Of several runs each is a line, with what must be done about it; a table follows.
    """
    config, document = run.config, result.document
    special = (
        _after_a_stop(document, run.session)
        or _filtered(document, run.task)
        or _unread(document, run.task)
        or _ungraded(document, config)
        or _rejudged(document, run.task)
    )
    advice = f"next: {special or _next(document, config)}"
    if json_output:
        tell(advice)
        return
    if not (alone or options.wants_details()):
        if special:
            tell(advice)
        last = console.short.last(document, now=True, more=run.unanswered)
        console.output.show_line(console.short.bold(f"{config.benchmark.name} {last.plain}"))
        return
    another = _another(document, config)
    later = ""
    if following and document["comparisons"]:
        later = f"none yet: {plural(following, 'model')} of this command will be compared with it"
    messages = [f"saved in {result.path}", advice]
    print_result(
        document,
        another=another,
        later=later,
        messages=messages,
        now=True,
        unanswered=run.unanswered,
    )


def _another(document: ResultDocument, config: RunConfig, model: str = "SPEC") -> str:
    """The command for another model; for a real one after a demo model, with a real judge."""
    judges, real = config.judges, model != "SPEC"
    asked = (*judges, *config.roles.values())
    known = {one.party: one.base_url for one in asked if one.base_url}
    named = judge_words(config.judge, known)
    return another_run(
        document,
        config.benchmark,
        {"sampling": config.effective_sampling.sent(), "system": config.system},
        dataset=config.dataset if real else pack_of(document, config.dataset),
        judge=["--judge", "openai/NAME"] if judges and real else named,
        known=known,
        model=model,
    )


def _after_a_stop(document: ResultDocument, session: Session) -> str | None:
    """What to do when no limit can be kept, or none of the first replies could be read."""
    why, budget = session.stop.reason, session.pricing.budget
    if document["status"] == "budget" and budget and budget.excess:
        return "the same command without --max-cost goes on from here"
    if not isinstance(why, Unreadable):
        return None
    one = f"{_show(document, why.item_id or '--items')} shows what could not be read"
    return f"{one}; the same command with --keep-going asks the rest"


def _rejudged(document: ResultDocument, task: Task) -> str | None:
    """What to do with a run that two judges have graded by now, the last one in full."""
    if not isinstance(task, Regrade) or document["status"] != "complete":
        return None
    run_id = str(document["run_id"])
    with Journal(task.config.runs_dir, create=False) as journal:
        run = journal.find_run(run_id)
        if run is None or len(journal.judges(run)) < 2:
            return None
    return f"{bench('judges', run_id)} says how well its judges agree"


def _filtered(document: ResultDocument, task: Task) -> str | None:
    """What may help where nothing is left to do but what a filter refused."""
    if document["items"]["failed"] or document["items"]["pending"]:
        return None
    flags, unread = document["flags"], document["comparisons"].get("unread", 0)
    pairs = _filtered_pairs(document, task) if unread else 0
    at_judge = flags.get(JUDGE_FILTERED, 0)
    if at_judge + pairs and unread == pairs:
        n = plural(at_judge, "verdict") if at_judge else plural(pairs, "comparison")
        return f"another --judge: a filter refuses this one {n}, and would again"
    if refused := flags.get(FILTERED, 0):
        n = plural(refused, "sample")
        return (
            f"another provider, or --items without what is refused: a filter refuses {n}, which "
            "the same command does not ask again"
        )
    return None


def _filtered_pairs(document: ResultDocument, task: Task) -> int:
    """How many comparisons of a run were refused by a filter of its judge."""
    with Journal(task.config.runs_dir, create=False) as journal:
        run = journal.find_run(str(document["run_id"]))
        rows = Contest(journal, task.config, task.pack).rows(run) if run else ()
    return sum(row.status == "unread" and JUDGE_FILTERED in row.flags for row in rows)


def _unread(document: ResultDocument, task: Task) -> str | None:
    """How to have asked anew what a judge could not be read in; by its own command nothing is."""
    config, flags = task.config, document["flags"]
    if task.asks_anew or document["status"] != "incomplete" or not config.judges:
        return None
    if document["items"]["failed"] or document["items"]["pending"]:
        return None
    by_judge = {row["judge"]: _unread_in(row) for row in document.get("judges", ())}
    if config.panel is None:
        unread = sum(flags.get(name, 0) for name in UNREAD_FLAGS)
        by_judge = {config.judges[0].party.label: unread + document["comparisons"].get("unread", 0)}
    endpoint = next((one for one in config.judges if by_judge.get(one.party.label)), None)
    if endpoint is None:
        return None
    known = {endpoint.party: endpoint.base_url} if endpoint.base_url else {}
    words = judge_words(endpoint.party, known)
    n = plural(by_judge[endpoint.party.label], "verdict")
    again = bench("rejudge", document["run_id"], *words)
    return f"{again} asks anew {n} that could not be read"


def _unread_in(row: JudgeRow) -> int:
    """How many verdicts and comparisons of a panel's judge could not be read."""
    comparisons = row.get("comparisons")
    return row["unread"] + (comparisons["unread"] if comparisons else 0)


def _ungraded(document: ResultDocument, config: RunConfig) -> str | None:
    """How to add verdicts to a complete run that asked for none, though its benchmark has some."""
    benchmark = config.benchmark
    if not benchmark.judged or guard(benchmark).needs_judge(config.options):
        return None
    if document["status"] != "complete":
        return None
    judge = "demo/judge" if document["demo"] else "SPEC"
    return f"{bench('rejudge', document['run_id'], '--judge', judge)} adds a judge's verdicts"


def _next(document: ResultDocument, config: RunConfig) -> str:
    """The most useful thing to do with a result."""
    if document["status"] == "interrupted":
        return "the same command goes on from here; everything answered so far is kept"
    if document["status"] == "waiting":
        return "the same command reads what has come by then; bench runs lists what waits"
    if document["status"] == "budget":
        return "the same command with a larger --max-cost goes on from here"
    to_do = document["comparisons"].get("planned")
    pending = document["items"]["pending"] and document["imported"] is None
    kinds = [sample.get("kind") for sample in document["failed"]]
    if set(kinds) == {str(ErrorKind.CONTEXT_TOO_LONG)}:
        return (
            f"a longer context for {plural(len(kinds), 'sample')}, which else would fail again; "
            "the same command then asks what failed, and keeps the rest"
        )
    if document["items"]["failed"] or pending or to_do:
        return "the same command tries again what failed, and keeps the rest"
    if sign := _sign_of_base(document, config):
        return f"{ASK_BASE_MODEL}: the last reply about {sign}"
    if cut := sum("cut off" in sample["reason"] for sample in document["unscored"]):
        now = config.effective_sampling.max_tokens
        limit = f"more --max-tokens than {now:,}" if now else "a larger --max-tokens"
        return f"{limit}: {plural(cut, 'answer', 'was', 'were')} cut off before they could be read"
    if thoughts := sum(ONLY_THOUGHT in sample["reason"] for sample in document["unscored"]):
        return f"{plural(thoughts, 'reply')} held thinking alone; {TOOK_FOR_THINKING}"
    if document["unscored"]:
        item = document["unscored"][0]["item_id"]
        return f"{_show(document, item)} shows an answer that could not be read"
    if document["demo"]:
        command = _another(document, config, "openai/NAME")
        return f"a real model: {command} (with --base-url URL for your own server)"
    return f"{_show(document, '--items')} lists what came of each item"


def _sign_of_base(document: ResultDocument, config: RunConfig) -> str | None:
    """The first item without a score whose reply looks like a base model's, and how."""
    if not document["unscored"] or config.template or document["imported"] is not None:
        return None
    item_id = document["unscored"][0]["item_id"]
    with RunSet(Journal(config.runs_dir, create=False)) as stored:
        calls = stored[str(document["run_id"])].item(item_id)["iterations"][0]["calls"]
    mine = [call for call in calls if call["phase"] == MODEL]
    messages = mine[-1]["messages"] if mine else None
    if not messages:
        return None
    sign = base_model_sign(messages[-1][1], mine[-1]["text"])
    return sign and f"{item_id} {sign}"


def _show(document: ResultDocument, item: str) -> str:
    return bench("show", document["run_id"], item)
