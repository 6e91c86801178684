"""Undercurrents: what somebody in a short scene feels, and why, each chosen from four."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from eibench import (
    Baseline,
    Benchmark,
    ChatRequest,
    ChatResponse,
    Item,
    Model,
    Option,
    Options,
    Pack,
    Sampling,
    Score,
    Value,
    no_answer,
)

PARTS = ("feeling", "reason")
CHOICES = ("feelings", "reasons")
ASK = """{scene}

What does {who} most likely feel?
{feelings}

Why?
{reasons}

End your reply with two lines, one letter each:
feeling: LETTER
reason: LETTER"""
Asked = tuple[Mapping[str, list[int]], ChatResponse]
"""For each part the order in which its choices were shown, and the reply."""


class Undercurrents(Benchmark[dict[str, Any], list[Asked]]):
    """A scene counts where both the feeling and the reason are right; choices are shuffled."""

    name = "undercurrents"
    version = "1"
    title = "what somebody feels, and why: two choices of four"
    data = Path(__file__).parent / "undercurrents_data"
    fields = dict.fromkeys(("id", "who", "scene", "kind"), str) | dict.fromkeys(CHOICES, list)
    sampling = Sampling(temperature=0.6, max_tokens=1000)
    options = (
        Option(
            "shuffles", 1, "How often to ask, in another order.", in_requests=True, min=1, max=9
        ),
        Option(
            "rule", "majority", "What the replies become.", ("majority", "mean"), in_grades=True
        ),
    )
    values = (
        Value("both", "feeling and reason", "share", by=("kind",), over="scenes"),
        *(Value(part, kind="share", group="parts", over="scenes") for part in PARTS),
    )

    def planned_calls(self, item: Item, options: Options) -> Mapping[str, int]:
        """One for each order."""
        return {"model": options["shuffles"]}

    def prompts(self, options: Options) -> Mapping[str, str]:
        """The template."""
        return {"ask": ASK}

    async def generate(self, item: Item, model: Model, options: Options) -> list[Asked]:
        """A reply to each order."""
        orders = [
            {part: model.draw(f"{part} {n}").sample(range(4), 4) for part in PARTS}
            for n in range(options["shuffles"])
        ]
        replies = await asyncio.gather(*(model.chat(_ask(item.content, o)) for o in orders))
        return list(zip(orders, replies, strict=True))

    async def grade(
        self, item: Item, transcript: list[Asked], judge: Model | None, options: Options
    ) -> Score:
        """1 where the choice is the right one; unscored where half of the replies say nothing."""
        read = [_read(order, reply) for order, reply in transcript]
        picks = [pick for pick in read if not isinstance(pick, str)]
        if 2 * len(picks) <= len(read):
            return Score.unscored(next(pick for pick in read if isinstance(pick, str)))
        if options["rule"] == "majority":
            picks = [{part: _most([pick[part] for pick in picks]) for part in PARTS}]
        right = {part: [pick[part] == 0 for pick in picks] for part in PARTS}
        right["both"] = [all(pair) for pair in zip(*right.values(), strict=True)]
        return Score({name: sum(hits) / len(picks) for name, hits in right.items()})

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """Random letters; a majority of several has another chance."""
        several = options["shuffles"] > 1 and options["rule"] == "majority"
        return {} if several else {"random": Baseline(1 / 16, "random letters")}

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """The right letters as often as the ability says."""
        lines = request.messages[-1].content.splitlines()
        right = [line[0] for line in lines for of in CHOICES if line[3:] == item.content[of][0]]
        letters = [one if rng.random() < ability else rng.choice("ABCD") for one in right]
        return "feeling: {}\nreason: {}".format(*letters)


def _ask(row: Mapping[str, Any], order: Mapping[str, list[int]]) -> str:
    shown = {}
    for part in PARTS:
        texts = zip("ABCD", order[part], strict=True)
        shown[f"{part}s"] = "\n".join(f"{letter}) {row[f'{part}s'][n]}" for letter, n in texts)
    return ASK.format(scene=row["scene"], who=row["who"], **shown)


def _read(order: Mapping[str, list[int]], reply: ChatResponse) -> Mapping[str, int | None] | str:
    """Which choice was meant in each part, the right one is 0; or why that cannot be said."""
    if reason := no_answer(reply):
        return reason
    said = {part: re.findall(rf"{part}\W+([A-D])\b", reply.text, re.I) for part in PARTS}
    if missing := [part for part, letters in said.items() if not letters]:
        return f"gives no letter for {' and '.join(missing)}"
    return {part: order[part]["ABCD".index(said[part][-1].upper())] for part in PARTS}


def _most(picks: list[int | None]) -> int | None:
    """The choice with most votes; none where two have as many."""
    (first, most), *rest = Counter(picks).most_common()
    return None if rest and rest[0][1] == most else first
