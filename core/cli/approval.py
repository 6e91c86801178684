"""The question whether a key may go where bench.toml sends it."""

import sys

import click

from ..clients.approvals import Approvals
from ..errors import ConfigError
from ..settings.file import FILE
from ..settings.run_config import Endpoint
from ..settings.targets import Target
from ..text import line
from .settings import current


def allow(target: Target) -> Endpoint:
    """The target's endpoint, once the user has approved what the file does with a key.

    Asks on a terminal; nothing but an answer there counts as a yes, ``--yes`` does not.

    Raises:
        ConfigError: It is not approved, or the approvals cannot be read.
    """
    sending = target.sending
    if sending is None or sending in (approvals := Approvals()):
        return target.endpoint
    message = f"{current().path or FILE} sends the key in {sending.variable} to {sending.place}"
    if "://" in sending.place:
        message += ", not encrypted, so that anyone on the way can read it"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError(f"{message}; that is not approved on this machine: {target.way_out}")
    if not click.confirm(line(f"{message}. Allow that on this machine?"), default=False, err=True):
        raise ConfigError(f"not approved: {sending.place} gets no key; {target.way_out}")
    approvals.add(sending)
    return target.endpoint
