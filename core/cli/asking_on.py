"""A question on a terminal where none of a run's first answers or verdicts could be read."""

import sys
from dataclasses import replace

import click

from ..errors import Unreadable
from ..journal import Journal
from ..reports.transcripts import item_record
from ..result_document import ResultDocument
from ..run.session import Session
from ..text import line
from .session import make_session, tell

_SHOWN = 400
"""Characters of the first reply."""


def asks_on(session: Session, document: ResultDocument) -> bool:
    """Whether a run that was stopped for that shall resume; nobody is asked without a terminal."""
    stopped = isinstance(session.stop.reason, Unreadable)
    if not (stopped and document["unscored"] and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    first = document["unscored"][0]
    tell(f"the first, of {first['item_id']} ({first['reason']}):")
    tell(f"  {_reply(session, document) or '(empty)'}")
    return click.confirm("Send the rest all the same?", default=False, err=True)


def resumed(session: Session) -> Session:
    """A session for the rest of a run, under the limits that the first one had."""
    config = replace(session.config, keep_going=True)
    made = make_session(config, session.money, dry=False)
    made.answered, made.absent = session.answered, session.absent
    return made


def _reply(session: Session, document: ResultDocument) -> str:
    """The last reply about the first sample without a score, shortened to one line."""
    item_id = document["unscored"][0]["item_id"]
    with Journal(session.config.runs_dir, create=False) as journal:
        run = journal.find_run(str(document["run_id"]))
        calls = item_record(journal, run, item_id)["iterations"][0]["calls"] if run else []
        text = line(" ".join(calls[-1]["text"].split())) if calls else ""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
