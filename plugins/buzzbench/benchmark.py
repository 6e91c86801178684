"""BuzzBench (Paech 2025): jokes about a quiz's guests, explained and rated.

A judge gives each guest four numbers beside a human's answer; an item is the mean of all of them.
What is upstream's and what is ours is in docs/buzzbench.md.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from eibench import (
    Benchmark,
    ChatRequest,
    ChatResponse,
    DataError,
    Item,
    Model,
    Options,
    Pack,
    PackSource,
    PublishedWith,
    Sampling,
    Score,
    Table,
    Value,
    folder,
    read_rows,
    read_toml,
)
from eibench.judges import Rubric, Template, demo_verdict, fill

from .guests import GUEST, GUESTS, REASONING, GuestRubric, plain

DATA = folder("buzzbench")
TEXTS = read_toml(DATA / "prompts.toml")
JUDGE = Template(**TEXTS["judge"])
SCALE = 100
FIELDS: dict[str, type] = dict.fromkeys(("intro_text", "gold_answer"), str)
HEADING = re.compile(r"^#+[ \t*]*([^\s*].*?)(?:['’]s?)?[ \t]+intro(?:duction)?\b", re.M | re.I)
"""How an answer names the guest whom it goes on about."""
APT = "The words promise one thing and mean another, and the host lets us see it."
BLAND = "This is a warm and friendly welcome, and everybody feels at home."
Row = dict[str, Any]


class BuzzBench(Benchmark[Row, ChatResponse]):
    """The score is the mean over introductions of the mean of all numbers of all guests."""

    name = "buzzbench"
    version = "1"
    grading = "2"
    title = "jokes about a quiz's guests explained and rated, beside a human's answer (Paech 2025)"
    kind, languages = "rubric", ("en",)
    data = DATA
    cite = data / "citation.bib"
    comparability = "not comparable with published scores: the judge's prompt is in our words"
    published_with = PublishedWith(("claude-3-5-sonnet",))
    sampling = Sampling(temperature=0.7, max_tokens=4_000)
    judge_sampling = Sampling(temperature=0.0, max_tokens=4_000)
    iterations = 5
    judged = asks_again = True
    unjudged_values = ("characters",)
    values = (
        *Rubric(TEXTS["criteria"], SCALE).values(over="introductions"),
        Value("characters", "length in characters", higher_is_better=None, judged=False,
              group="answers", over="introductions"),
    )  # fmt: skip

    def read_pack(self, source: PackSource, options: Options) -> Pack:
        """The introductions, each with the names of its guests."""
        path = next(iter(source.files.values()))
        rows: list[Row] = read_rows(path, FIELDS)
        if any("id" in row for row in rows):
            rows = list(read_rows(path, {"id": str, **FIELDS}))
        items = [_item(path, n, row) for n, row in enumerate(rows, start=1)]
        unused = (TEXTS["unused"],) * any(row.get("judge_prompt") for row in rows)
        demonstration = TEXTS["demonstration"] * (source.name == "bundled")
        return Pack(source, items, demonstration + self.comparability, unused)

    def prompts(self, options: Options) -> Mapping[str, str]:
        """What is asked where the row has no prompt."""
        return {"ask": TEXTS["ask"]}

    def judge_prompts(self, options: Options) -> Mapping[str, str]:
        """The judge's, and the form for a guest."""
        return GuestRubric(TEXTS["criteria"], SCALE, guests=("NAME",)).judge_prompts(JUDGE)

    async def generate(self, item: Item[Row], model: Model, options: Options) -> ChatResponse:
        """The answer to the row's prompt, or to ours."""
        return await model.chat(item.content["asked"])

    async def grade(
        self, item: Item[Row], transcript: ChatResponse, judge: Model | None, options: Options
    ) -> Score:
        """The mean of all numbers of all guests."""
        row, names = item.content, item.content["names"]
        rubric = GuestRubric(TEXTS["criteria"], SCALE, guests=names)
        texts = {**{name: row[name] for name in FIELDS}, "guests": ", ".join(names)}
        score = await rubric.grade(judge, JUDGE, transcript, **texts)
        if score.reason is not None:
            return score
        return replace(score, values={**score.values, "characters": len(transcript.text)})

    def published(self, pack: Pack) -> Table:
        """The published board, beside any pack, as nothing of ours is comparable with it."""
        fields = {"model": str, **dict.fromkeys(("score", "c95_lower", "c95_upper"), float)}
        rows: list[Row] = read_rows(DATA / "published_leaderboard.csv", fields)
        rows.sort(key=lambda row: -row["score"])
        cells = [(n, *map(row.get, fields)) for n, row in enumerate(rows, start=1)]
        return Table(rows=cells, **TEXTS["board"])

    def demo_reply(self, item: Item[Row], request: ChatRequest, ability: float, rng: Random) -> str:
        """Of each guest four sentences, each as good as the ability says, and two ratings."""
        return "\n\n".join(
            f"# {name}'s intro\n"
            + " ".join(APT if rng.random() < ability else BLAND for _ in range(4))
            + f"\n- for the audience at home: {rng.randint(2, 5)}\n- for a comedy writer: 3"
            for name in item.content["names"]
        )

    def demo_verdict(self, item: Item[Row], request: ChatRequest, rng: Random) -> str:
        """The same for each guest, by the share of sentences that see a joke."""
        flat = json.loads(demo_verdict(Rubric(TEXTS["criteria"], SCALE), request, _worth, rng))
        reasons = {REASONING: flat.pop(REASONING)}
        entries = [{GUEST: name, **flat} for name in item.content["names"]]
        return json.dumps({**reasons, GUESTS: entries}, ensure_ascii=False)


def _item(path: Path, number: int, row: Row) -> Item[Row]:
    """A row with what is asked and whom it is about."""
    names = [name.strip() for name in _names(row) if name.strip()]
    twice = len({plain(name) for name in names}) < len(names)
    if twice or not names:
        lack = 'has no guests: neither headings "# NAME\'s intro" in gold_answer nor guests'
        raise DataError(path, "names a guest twice" if twice else lack, f"row {number}")
    intro = row["intro_text"].strip()
    asked = fill(str(row.get("prompt") or TEXTS["ask"]), {"intro_text": intro})
    asked = asked if intro in asked else f"{asked}\n\n{intro}"
    return Item(str(row.get("id", number)), {**row, "asked": asked, "names": tuple(names)})


def _names(row: Row) -> list[str]:
    """The guests: as a row lists them, else as the headings of its answer name them."""
    listed = row.get("guests") or HEADING.findall(row["gold_answer"])
    names = listed.split(";") if isinstance(listed, str) else listed
    return list(map(str, names)) if isinstance(names, list) else []


def _worth(text: str) -> float:
    """The share of sentences that see a joke, from .1 to .9."""
    apt = text.count(APT)
    return 0.1 + 0.8 * apt / max(1, apt + text.count(BLAND))
