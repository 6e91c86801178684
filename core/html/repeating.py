"""The command that repeats a run, as a page shows it."""

import re
from collections.abc import Mapping

from ..errors import BenchError
from ..journal import RunRecord
from ..parties.party import Party, is_imported
from ..plugins import benchmark_of, installed
from ..reports.comparability import judge_in
from ..reports.suggestions import another_run, judge_words, pack_of, url_of
from ..types.result_document import ResultDocument

_PLACES = re.compile(r" --(?:runs-dir|config) ('[^']*'|\S+)")


def command_that_repeats(
    run: RunRecord, document: ResultDocument, known: Mapping[Party, str] | None
) -> str:
    """The command; nothing where it is not known.

    It has the addresses that are `known` (`url_of`). A public one, ``None`` for that, has no hosts,
    paths and system prompt: ``URL`` stands for an address.
    """
    if is_imported(run.model):
        return ""
    try:
        benchmark = benchmark_of(run, installed())
    except BenchError:  # it is not installed any more
        return ""
    public = known is None
    judge = judge_words(judge_in(document), known)
    pack = pack_of(document, None if public else run.settings.get("dataset"))
    settings = {**run.settings, "system": None} if public else run.settings
    command = another_run(
        document, benchmark, settings, dataset=pack, judge=judge, known=known, model=run.model
    )
    if url := url_of(run.party, known):
        command += f" --base-url {url}"
    return _PLACES.sub("", command) if public else command
