"""The command that repeats a run, as a page shows it."""

import re

from ..errors import BenchError
from ..journal import RunRecord
from ..parties.party import is_imported
from ..plugins import benchmark_of, installed
from ..reports.comparability import judge_in
from ..reports.suggestions import another_run, judge_words, pack_of, usual_url
from ..types.result_document import ResultDocument

URL = "URL"
"""Stands for an address that is not told: without it the command would ask the provider itself."""
_PLACES = re.compile(r" --(?:runs-dir|config) ('[^']*'|\S+)")
_PLAYERS = re.compile(r"(--role-base-url [^\s=]+=)\S+")


def command_that_repeats(run: RunRecord, document: ResultDocument, *, public: bool = False) -> str:
    """The command; nothing where it is not known.

    A public one has no hosts, paths and system prompt: ``URL`` stands for an address.
    """
    if is_imported(run.model):
        return ""
    try:
        benchmark = benchmark_of(run, installed())
    except BenchError:  # it is not installed any more
        return ""
    judge = judge_words(judge_in(document), address=(lambda host: URL) if public else usual_url)
    pack = pack_of(document, None if public else run.settings.get("dataset"))
    settings = {**run.settings, "system": None} if public else run.settings
    command = another_run(document, benchmark, settings, dataset=pack, judge=judge, model=run.model)
    if run.endpoint:
        command += f" --base-url {URL if public else usual_url(run.endpoint)}"
    return _PLAYERS.sub(rf"\1{URL}", _PLACES.sub("", command)) if public else command
