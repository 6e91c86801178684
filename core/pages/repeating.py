"""The command that repeats a run, as a page shows it."""

import re

from ..endpoints.sites import without_hosts
from ..hints import another_run, judge_words, pack_of, usual_url
from ..imported import is_imported
from ..journal import RunRecord
from ..plugins import installed
from ..reports.comparability import judge_label
from ..result_document import ResultDocument

_PLACES = re.compile(r" --(?:runs-dir|config) ('[^']*'|\S+)")


def command_that_repeats(run: RunRecord, document: ResultDocument, *, public: bool = False) -> str:
    """The command; nothing where it is not known.

    Args:
        run: That it repeats.
        document: Its result.
        public: Without servers, paths and the system prompt.
    """
    benchmark = installed().benchmarks.things.get(run.benchmark)
    if benchmark is None or is_imported(run.model):
        return ""
    label = judge_label(document)
    judge = judge_words(without_hosts(label) if public else label)
    pack = pack_of(document, None if public else run.settings.get("dataset"))
    settings = {**run.settings, "system": None} if public else run.settings
    command = another_run(document, benchmark, settings, dataset=pack, judge=judge, model=run.model)
    if public:
        return _PLACES.sub("", command)
    return f"{command} --base-url {usual_url(run.endpoint)}" if run.endpoint else command
