"""Undercurrents: what somebody in a short scene feels, and why, each chosen from four."""

import asyncio
from collections.abc import Mapping, Sequence
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
)
from eibench.judges import VOTES, chance, lettered, read_choices, shuffled, vote

PARTS = {"feeling": "feelings", "reason": "reasons"}
"""By what is asked, the column with its choices, the right one first."""
ASK = """{scene}

What does {who} most likely feel?
{feelings}

Why?
{reasons}

End your reply with two lines, one letter each:
feeling: LETTER
reason: LETTER"""
Asked = tuple[Mapping[str, Sequence[str]], ChatResponse]
"""For each part its choices in the order in which they were shown, and the reply."""


class Undercurrents(Benchmark[dict[str, Any], list[Asked]]):
    """A scene counts where both the feeling and the reason are right; choices are shuffled."""

    name = "undercurrents"
    version = "1"
    title = "what somebody feels, and why: two choices of four"
    data = Path(__file__).parent / "undercurrents_data"
    fields = dict.fromkeys(("id", "who", "scene", "kind"), str) | dict.fromkeys(
        PARTS.values(), list
    )
    sampling = Sampling(temperature=0.6, max_tokens=1000)
    options = (
        Option(
            "shuffles", 1, "How often to ask, in another order.", in_requests=True, min=1, max=9
        ),
        Option("rule", VOTES[0], "What the replies become.", VOTES, in_grades=True),
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
        content, times = item.content, options["shuffles"]
        shown = [shuffled(content[of], model, times, part) for part, of in PARTS.items()]
        orders = [dict(zip(PARTS, choices, strict=True)) for choices in zip(*shown, strict=True)]
        replies = await asyncio.gather(*(model.chat(_ask(content, o)) for o in orders))
        return list(zip(orders, replies, strict=True))

    async def grade(
        self, item: Item, transcript: list[Asked], judge: Model | None, options: Options
    ) -> Score:
        """1 where the choice is the right one; unscored where half of the replies say nothing."""
        answers = [read_choices(reply, order) for order, reply in transcript]
        right = {part: item.content[of][0] for part, of in PARTS.items()}
        return vote(answers, right, options["rule"], whole="both")

    def baselines(self, pack: Pack, options: Options) -> Mapping[str, Baseline]:
        """Random letters, put to the same vote."""
        value = chance(4, options["shuffles"], options["rule"]) ** 2
        return {"random": Baseline(value, "random letters")}

    def demo_reply(self, item: Item, request: ChatRequest, ability: float, rng: Random) -> str:
        """The right letters as often as the ability says."""
        lines = request.messages[-1].content.splitlines()
        right = [
            line[0] for line in lines for of in PARTS.values() if line[3:] == item.content[of][0]
        ]
        letters = [one if rng.random() < ability else rng.choice("ABCD") for one in right]
        return "feeling: {}\nreason: {}".format(*letters)


def _ask(row: Mapping[str, Any], order: Mapping[str, Sequence[str]]) -> str:
    shown = {PARTS[part]: lettered(choices) for part, choices in order.items()}
    return ASK.format(scene=row["scene"], who=row["who"], **shown)
