"""Contamination by twins: a model's gap between published questions and their twins.

A twin asks the same in other words (`data/eqbench_v1/twins.toml`, our writing). A model that has
seen the published ones does better on them than on the twins, beyond what other models do: the
gap less that of reference models, as twins may be harder or easier by themselves.
"""

import json
import re
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eibench import DataError, UsageError, folder, read_json, read_toml
from eibench.statistics import student_cdf, student_quantile

VERSIONS = {"eqbench-v1": "v1", "eqbench-v2": "v2"}
"""The benchmarks whose official questions have twins, and what the file calls their ids."""
FEWEST_REFERENCES = 2
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


class TwinGap(NamedTuple):
    """By how much a model does better on the published questions, beyond reference models.

    Attributes:
        gap: The mean over questions of published less twin, less the mean of the references.
        alone: The model's own gap, without references.
        ci95: Of `gap`, over families.
        p: One-sided: of such a gap or a larger one without a leak.
        items: Questions that all models answered in both wordings.
        families: Dialogues that they are about.
        detectable: The gap that would be found in 80 % of cases.
    """

    gap: float
    alone: float
    ci95: tuple[float, float]
    p: float
    items: int
    families: int
    detectable: float

    @property
    def is_leak(self) -> bool:
        """Whether it is more than chance, at 5 %."""
        return self.p < 0.05


def twin_gap(
    model: Mapping[str, float], references: Sequence[Mapping[str, float]],
    families: Mapping[str, str],
) -> TwinGap:  # fmt: skip
    """The gap of a model relative to others: a one-sided t test over families.

    Args:
        model: By question, its score on the published one less that on the twin.
        references: The same of each reference model.
        families: The family of each question.

    Raises:
        UsageError: There are too few references, or families.
    """
    if len(references) < FEWEST_REFERENCES:
        raise UsageError(f"name {FEWEST_REFERENCES} reference models at least, five are better")
    shared = sorted(set(model).intersection(*references))
    groups: dict[str, list[float]] = {}
    for name in shared:
        middle = sum(one[name] for one in references) / len(references)
        groups.setdefault(families[name], []).append(model[name] - middle)
    if len(groups) < 8:
        raise UsageError(f"there are {len(groups)} families of questions; not below 8")
    values = np.array([value for group in groups.values() for value in group])
    sums = np.array([sum(value - values.mean() for value in group) for group in groups.values()])
    many = len(groups)
    error = sqrt(float((sums**2).sum()) * many / (many - 1)) / values.size
    mean, df = float(values.mean()), many - 1
    high = float(student_quantile(0.975, np.array(float(df))))
    one_sided, power = (float(student_quantile(q, np.array(float(df)))) for q in (0.95, 0.8))
    p = 1 - student_cdf(mean / error, df) if error else float(mean <= 0)
    alone = sum(model[name] for name in shared) / len(shared)
    span = (mean - high * error, mean + high * error)
    return TwinGap(mean, alone, span, p, len(shared), many, (one_sided + power) * error)


def write_pack(pack: Mapping[str, Any], path: Path) -> None:
    """Write a pack as the official file is written."""
    path.write_text(json.dumps(pack, ensure_ascii=False, indent=1) + "\n", "utf-8")
