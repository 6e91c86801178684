"""The command that repeats a run, as a page shows it."""

import re
from collections.abc import Iterator

from ..journal import RunRecord
from ..parties.imported import is_imported
from ..parties.panels import judges_in, rule_in
from ..plugins import installed
from ..reports.comparability import judge_label
from ..reports.hints import another_run, judge_words, pack_of, usual_url
from ..types.result_document import ResultDocument

URL = "URL"
"""Stands for an address that is not told: without it the command would ask the provider itself."""
_PLACES = re.compile(r" --(?:runs-dir|config) ('[^']*'|\S+)")
_PLAYERS = re.compile(r"(--role-base-url [^\s=]+=)\S+")


def command_that_repeats(run: RunRecord, document: ResultDocument, *, public: bool = False) -> str:
    """The command; nothing where it is not known.

    Args:
        run: That it repeats.
        document: Its result.
        public: Without hosts, paths and the system prompt; ``URL`` stands for an address.
    """
    benchmark = installed().benchmarks.things.get(run.benchmark)
    if benchmark is None or is_imported(run.model):
        return ""
    judge = list(_judges(judge_label(document), public=public))
    pack = pack_of(document, None if public else run.settings.get("dataset"))
    settings = {**run.settings, "system": None} if public else run.settings
    command = another_run(document, benchmark, settings, dataset=pack, judge=judge, model=run.model)
    if run.endpoint:
        command += f" --base-url {URL if public else usual_url(run.endpoint)}"
    return _PLAYERS.sub(rf"\1{URL}", _PLACES.sub("", command)) if public else command


def _judges(label: str | None, *, public: bool) -> Iterator[str]:
    """The options that name a judge, or each of a panel and its rule."""
    rule, judges = rule_in(label or ""), judges_in(label) if label else ()
    for judge in judges:
        spec, _, host = judge.partition(" at ")
        yield from judge_words(spec)
        if host:
            url = URL if public else usual_url(host)
            yield from ("--judge-base-url", f"{spec}={url}" if rule else url)
    yield from ("--panel", rule) if rule else ()
