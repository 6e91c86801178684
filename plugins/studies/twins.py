"""Contamination by twins: models' scores on published questions and on their twins.

A twin asks the same in other words (`data/eqbench_v1/twins.toml`, our writing). Models that have
seen the published ones may do better on them than on the twins; but twins may be harder or easier
by themselves, and models take wordings differently. So gaps of several models stand beside each
other, on the same questions, and nothing is concluded.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eibench import DataError, Estimate, JsonObject, UsageError, folder, read_json, read_toml
from eibench.statistics import NO_SPREAD, mean_interval, why_no_interval

VERSIONS = {"eqbench-v1": "v1", "eqbench-v2": "v2"}
"""The benchmarks whose official questions have twins, and what the file calls their ids."""
FEWEST_MODELS = 3
"""Below so many it cannot be seen how far gaps differ between models."""
_SEED = 0
_BEGIN, _END = "dialogue:\n", "[End dialogue]"


class TwinDialogue(NamedTuple):
    """A dialogue told anew.

    Attributes:
        family: Of the questions that are about it.
        questions: By id, after how many lines it is asked.
        names: Who stands for whom.
        lines: Speaker and words.
    """

    family: str
    questions: Mapping[str, int]
    names: Mapping[str, str]
    lines: tuple[str, ...]


def read_twins(benchmark: str) -> list[TwinDialogue]:
    """The twins of a benchmark's official questions.

    Raises:
        UsageError: It has none.
    """
    if benchmark not in VERSIONS:
        known = " and ".join(VERSIONS)
        raise UsageError(f"{benchmark} has no twins; {known} have: their questions are public")
    rows = read_toml(folder("eqbench_v1") / "twins.toml")["twin"]
    key = VERSIONS[benchmark]
    return [
        TwinDialogue(f"twin {n}", row[key], row["names"], tuple(row["lines"].strip().split("\n")))
        for n, row in enumerate(rows, 1)
        if row[key]
    ]


def twin_pack(benchmark: str, official: Path) -> dict[str, Any]:
    """The official questions that have twins, with these in place of their dialogues.

    Args:
        benchmark: One of `VERSIONS`.
        official: The official file, whose emotions and reference ratings hold.

    Raises:
        DataError: A question is not there, or is another one.
    """
    questions = read_json(official)
    pack = {}
    for twin in read_twins(benchmark):
        for name, cut in twin.questions.items():
            question = questions.get(name) if isinstance(questions, dict) else None
            if not isinstance(question, dict) or not isinstance(question.get("prompt"), str):
                raise DataError(official, f"has no question {name}")
            prompt = question["prompt"]
            start, end = prompt.find(_BEGIN), prompt.find(_END)
            body = [line for line in prompt[start:end].splitlines()[1:] if line.strip()]
            if start < 0 or end < 0 or len(body) != cut:
                raise DataError(official, f"question {name} is not that of the official file")
            head, tail = prompt[: start + len(_BEGIN)], prompt[end:]
            anew = "\n".join(twin.lines[:cut])
            pack[name] = question | {"prompt": f"{head}\n{anew}\n{_renamed(tail, twin.names)}"}
    return pack


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """The sentence that asks about somebody, with the name of whoever stands for them."""
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"\b(?:{pattern})(?!\w)", lambda match: names[match[0]], text)


def pack_bytes(pack: Mapping[str, Any]) -> bytes:
    """A pack as the official file is written."""
    return (json.dumps(pack, ensure_ascii=False, indent=1) + "\n").encode()


class AskedTwice(NamedTuple):
    """A model's runs on either wording: their ids, and their scores by question."""

    model: str
    run_id: str
    twin_run_id: str
    published: Mapping[str, float]
    twins: Mapping[str, float]


class TwinRow(NamedTuple):
    """A model's mean score on either wording, and the first less the second."""

    model: str
    run_id: str
    twin_run_id: str
    published: Estimate
    twins: Estimate
    gap: Estimate


class TwinsDocument(NamedTuple):
    """The document of `bench twins` (docs/twins.md describes it)."""

    benchmark: str
    published_sha256: str
    twins_sha256: str
    options: JsonObject
    items: int
    families: int
    models: Sequence[TwinRow]


def twin_rows(models: Sequence[AskedTwice], families: Mapping[str, str]) -> list[TwinRow]:
    """The scores of each model on the questions that all answered in both wordings.

    Args:
        models: At least `FEWEST_MODELS`.
        families: The family of each question; intervals are over these.

    Raises:
        UsageError: There are too few models, or no question that all answered.
    """
    if len(models) < FEWEST_MODELS:
        raise UsageError(
            f"name {FEWEST_MODELS} models at least, such as one and two to set it beside: twins "
            "may be harder by themselves"
        )
    names = shared_questions(models)
    if not names:
        raise UsageError("there is no question that all models answered in both wordings")
    groups = [families[name] for name in names]

    def mean(values: Sequence[float]) -> Estimate:
        ci95 = mean_interval(values, groups, rng=np.random.default_rng(_SEED))
        why = None if ci95 else why_no_interval(len(set(groups))) or NO_SPREAD
        return Estimate(sum(values) / len(values), ci95, why)

    rows = []
    for of in models:
        published, twins = ([scores[n] for n in names] for scores in (of.published, of.twins))
        gaps = [one - other for one, other in zip(published, twins, strict=True)]
        rows.append(TwinRow(*of[:3], mean(published), mean(twins), mean(gaps)))
    return rows


def shared_questions(models: Sequence[AskedTwice]) -> list[str]:
    """Those that all models answered in both wordings."""
    answered = [set(scores) for of in models for scores in (of.published, of.twins)]
    return sorted(set.intersection(*answered))
