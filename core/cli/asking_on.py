"""A question on a terminal where none of a run's first replies or verdicts could be read.

The command has begun to send, so it stands still for nobody: where other runs wait, and after a
minute, the answer is no.
"""

import select
import sys
from pathlib import Path

import click

from ..errors import Unreadable
from ..runs import run_set
from ..text import line
from ..types.result_document import ResultDocument
from .session import tell

WAIT_S = 60.0
"""For an answer."""
_SHOWN = 400
"""Characters of the first reply."""


def asks_on(why: object, runs_dir: Path, document: ResultDocument, *, alone: bool) -> bool:
    """Whether a run that was stopped for that shall resume; nobody is asked without a terminal.

    Args:
        why: The run was stopped.
        runs_dir: Where it is.
        document: Its result.
        alone: The command has no other run.
    """
    if not (isinstance(why, Unreadable) and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    if why.item_id:
        tell(f"one of them, of {why.item_id} ({why.reason}):")
        tell(f"  {_reply(runs_dir, document, why.item_id) or '(empty)'}")
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
    with run_set.runs(runs_dir) as stored:
        calls = stored[str(document["run_id"])].item(item_id)["iterations"][0]["calls"]
        text = line(" ".join(calls[-1]["text"].split())) if calls else ""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
