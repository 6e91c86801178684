"""The lock file: digests of what a benchmark asks and makes of it, under its versions.

It is written by `--update-lock` and kept beside the plugin's code. When what is asked changes and
`version` and `prompts` do not, runs of before and after would be taken for one.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...benchmark.model import JUDGE, is_generating
from ...reading.formats import write_text
from ...types import JsonDict, Score, canonical, digest
from .checks import Finding, NotChecked, check
from .subject import Subject, Trace, spread

NAME = "conformance.lock"
_ITEMS = 20


@check("K14", "raise what is told, and write the lock anew with --update-lock")
def versions_are_raised(subject: Subject) -> "Iterator[Finding | str]":
    """What is asked and how it is graded are as conformance.lock says, or under a new version."""
    locked = _read(subject.lock).get(subject.benchmark.name)
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
    benchmark, options = subject.benchmark, subject.options
    prompts = subject.called("prompts", subject.plugin.prompts, options)
    judged = subject.called("judge_prompts", subject.plugin.judge_prompts, options)
    items = spread(subject.default_pack.items, _ITEMS)
    middling = subject.demo(0.5) if benchmark.has_demo else subject.some_words()
    traces = subject.traces(items, middling)
    return {
        "version": benchmark.version,
        "grading": benchmark.grading,
        "pack": subject.default_pack.source.sha256,
        "prompts": digest(dict(prompts)),
        "judge_prompts": digest(dict(judged)),
        "items": {trace.item.id: _parts(trace) for trace in traces},
    }


def _parts(trace: Trace) -> JsonDict:
    score = trace.score or Score()
    graded = [dict(score.values), score.reason, list(score.flags)]
    return {
        "asked": digest(sorted(trace.digests(is_generating).elements())),
        "judged": digest(sorted(trace.digests(JUDGE.__eq__).elements())),
        "replies": digest(trace.replies),
        "score": digest(graded),
    }


def update(subject: Subject) -> Path:
    """Write what a benchmark asks and grades now, keep what the file says of others; the file."""
    path = subject.lock or Path(NAME)
    kept = {**_read(path), subject.benchmark.name: entry(subject)}
    text = json.dumps(json.loads(canonical(kept)), indent=1, sort_keys=True)
    write_text(path, text + "\n")
    return path


def _read(path: Path | None) -> dict[str, Any]:
    if path is None or not path.is_file():
        return {}
    try:
        known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise NotChecked(f"{path} cannot be read: {error}") from None
    return known
