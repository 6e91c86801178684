"""A question on a terminal where none of a run's first replies or verdicts could be read.

The command has begun to send, so it stands still for nobody: where other runs wait, and after a
minute, the answer is no.
"""

import select
import sys
from dataclasses import replace

import click

from ..errors import Unreadable
from ..journal import Journal
from ..reports.transcripts import item_record
from ..run.session import Session
from ..text import line
from ..types.result_document import ResultDocument
from .session import make_session, tell

WAIT_S = 60.0
"""For an answer."""
_SHOWN = 400
"""Characters of the first reply."""


def asks_on(session: Session, document: ResultDocument, *, alone: bool) -> bool:
    """Whether a run that was stopped for that shall resume; nobody is asked without a terminal.

    Args:
        session: Of the run.
        document: Its result.
        alone: The command has no other run.
    """
    why = session.stop.reason
    if not (isinstance(why, Unreadable) and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    if why.item_id:
        tell(f"one of them, of {why.item_id} ({why.reason}):")
        tell(f"  {_reply(session, document, why.item_id) or '(empty)'}")
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


def resumed(session: Session) -> Session:
    """A session for the rest of a run, under the limits that the first one had."""
    config = replace(session.task.config, keep_going=True)
    made = make_session(replace(session.task, config=config), session.money, dry=False)
    made.answered, made.absent = session.answered, session.absent
    return made


def _reply(session: Session, document: ResultDocument, item_id: str) -> str:
    """The last reply about an item, shortened to one line."""
    with Journal(session.task.config.runs_dir, create=False) as journal:
        run = journal.find_run(str(document["run_id"]))
        calls = item_record(journal, run, item_id)["iterations"][0]["calls"] if run else []
        text = line(" ".join(calls[-1]["text"].split())) if calls else ""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
