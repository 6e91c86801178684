"""How a run was made, as far as that becomes public: no host, no folder."""

import re

from ..hints import another_run, judge_words, pack_of
from ..imported import is_imported
from ..pages.inputs import RunInput
from ..pages.words import listed_facts
from ..plugins import installed
from ..reports.comparability import judge_label
from ..text import plural
from .gather import SiteRun
from .policy import Policy, without_hosts

_FOLDER = re.compile(r" --(?:runs-dir|config|base-url|judge-base-url|system) ('[^']*'|\S+)")


def input_of(run: SiteRun) -> RunInput:
    """A run as the parts of a report take it, without texts and sections."""
    return RunInput(run.run, run.document, run.items, frozenset(), (), _again(run))


def published_input(given: RunInput, policy: Policy) -> RunInput:
    """A run as a report for others takes it: what names machines or folders is not in it."""
    document = policy.masker.value({**given.document, "endpoint": None})
    document["judge"] = without_hosts(document["judge"])
    texts = (policy.published(text, {}) for text in given.texts)
    return given._replace(
        document=document,
        texts=[text for text in texts if text],
        command=policy.masker.text(without_place(given.command)),
    )


def without_place(command: str) -> str:
    """A command without its server, folders and system prompt."""
    return _FOLDER.sub("", command)


def _again(run: SiteRun) -> str:
    """The command that repeats a run, without its server; nothing where that is not known."""
    benchmark = installed().benchmarks.things.get(run.run.benchmark)
    if benchmark is None or is_imported(run.run.model):
        return ""
    document = run.document
    pack = pack_of(document, None)
    judge = judge_words(without_hosts(judge_label(document)))
    about = (document, benchmark, {**run.run.settings, "system": None})
    command = another_run(*about, dataset=pack, judge=judge, model=run.run.model)
    return without_place(command)


def settings_of(run: SiteRun) -> list[tuple[str, str]]:
    """Everything that decides what the numbers mean, but for hosts and folders."""
    document, pack = run.document, run.document["dataset"]
    roles = document.get("roles", {})
    return listed_facts([
        ("Model", run.run.model),
        ("Judge", without_hosts(judge_label(document))),
        *((f"Role: {name}", player["model"]) for name, player in roles.items()),
        ("Benchmark", f"{document['benchmark']}, version {document['benchmark_version']}"),
        ("Pack", f"{pack['name']}, {plural(pack['n_items'], 'item')}, SHA-256 {pack['sha256']}"),
        ("Iterations", document["iterations"]),
        ("Sampling", _pairs(document["sampling"])),
        ("System prompt", run.run.settings.get("system") and "one of its own, not published"),
        ("Not taken by the provider", ", ".join(document.get("not_sent", ()))),
        ("Options", _pairs(document["options"])),
        ("Run", f"{run.run.run_id}, started {run.run.created_at[:10]}"),
        ("Comparable with", document["comparability"]),
    ])  # fmt: skip


def _pairs(facts: object) -> str:
    found = facts.items() if isinstance(facts, dict) else ()
    return ", ".join(f"{k} {v}" for k, v in found if v not in (None, ""))
