"""The lock file: digests of what a benchmark asks and makes of it, under its versions.

It is written by `--update-lock` and kept beside the plugin's code. When what is asked changes and
`version` and `prompts` do not, runs of before and after would be taken for one.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eibench import DataError
from eibench.checking import Finding, NotChecked, Subject, spread

from .checks import check

NAME = "conformance.lock"
_ITEMS = 20


@check("K14", "raise what is told, and write the lock anew with --update-lock")
def versions_are_raised(subject: Subject) -> "Iterator[Finding | str]":
    """What is asked and how it is graded are as conformance.lock says, or under a new version."""
    locked = _read(_path(subject)).get(subject.benchmark.name)
    if locked is None:
        raise NotChecked(f"no {NAME} knows it (--update-lock writes one)")
    now = entry(subject)
    if locked["pack"] != now["pack"]:
        yield "the lock is of another pack: --update-lock"
        return
    if locked["version"] != now["version"]:
        yield f"the lock is of version {locked['version']}: --update-lock"
        return
    for name, parts in now["items"].items():
        asked, judged, replies, score = (
            parts[key] == locked["items"].get(name, {}).get(key)
            for key in ("asked", "judged", "replies", "score")
        )
        where = {item.id: item for item in subject.default_pack.items}[name]
        if not asked and locked["prompts"] == now["prompts"]:
            message = f"asks something else than version {now['version']} of {NAME} did"
            todo = "raise version (or give the changed template in prompts), then --update-lock"
            yield subject.finding("generate", message, where, todo=todo)
            return
        graded_alike = all(locked[key] == now[key] for key in ("grading", "judge_prompts"))
        if asked and graded_alike and not (judged and (score or not replies)):
            what = "gives another score" if judged else "asks the judge something else"
            message = f"{what} than grading {now['grading']} of {NAME} did"
            todo = "raise grading, then --update-lock"
            yield subject.finding("grade", message, where, todo=todo)
            return
    if any(locked[key] != now[key] for key in ("grading", "prompts", "judge_prompts")):
        yield "the lock is of other prompts or another grading: --update-lock"


def entry(subject: Subject) -> dict[str, Any]:
    """What the lock file holds of a benchmark."""
    middling = subject.demo(0.5) if subject.benchmark.has_demo else subject.some_words()
    traces = subject.traces(spread(subject.default_pack.items, _ITEMS), middling)
    items = {trace.item.id: trace.as_locked() for trace in traces}
    return {**subject.versions(), "items": items}


def update(subject: Subject) -> Path:
    """Write what a benchmark asks and grades now, keep what the file says of others; the file."""
    path = _path(subject)
    kept = {**_read(path), subject.benchmark.name: entry(subject)}
    try:
        path.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    except OSError as error:
        raise DataError(path, f"cannot be written: {error.strerror}") from None
    return path


def _path(subject: Subject) -> Path:
    """The file that is named, or the one in its project, or else here."""
    return subject.lock or (subject.project or Path()) / NAME


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise NotChecked(f"{path} cannot be read: {error}") from None
    return known
