"""my-bench: which of four replies does somebody need?

The model reads a situation and chooses among four replies, of which one gives what is needed now:
comfort, facts or space. Their order is drawn anew for each situation. The score is the share of
right choices.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

import eibench as eb

LETTERS = "ABCDEFGHIJ"
ASK = """{situation}

Which of these replies does {who} need most, now?

{choices}

End with the letter of that reply, alone on the last line."""
FIELDS = {"id": str, "need": str, "who": str, "situation": str, "choices": list, "right": str}


class Asked(NamedTuple):
    """The choices in the order in which they were shown, and the reply."""

    choices: list[str]
    reply: eb.ChatResponse


class MyBench(eb.Benchmark):
    """Each row of the data holds a situation, the replies to choose from and the right one."""

    name = "my-bench"
    version = "1"
    title = "choose the reply that somebody needs"
    kind = "choice"
    languages = ("en",)
    cite = Path(__file__).with_name("CITATION.bib")
    data = Path(__file__).with_name("data")
    fields = FIELDS
    values = (eb.Value("right", "right choices", "share", by=("need",), over="situations"),)
    sampling = eb.Sampling(temperature=0.0, max_tokens=1000)

    def prompts(self, options: eb.Options) -> Mapping[str, str]:
        """The words around a situation: when they change, the run is another."""
        return {"ask": ASK}

    async def generate(self, item: eb.Item, model: eb.Model, options: eb.Options) -> Asked:
        """The model's reply to the choices in an order of their own."""
        choices = list(item.content["choices"])
        model.draw("order").shuffle(choices)
        shown = "\n".join(
            f"{letter}) {text}" for letter, text in zip(LETTERS, choices, strict=False)
        )
        ask = ASK.format(**{**item.content, "choices": shown})
        return Asked(choices, await model.chat(ask))

    async def grade(
        self, item: eb.Item, transcript: Asked, judge: eb.Model | None, options: eb.Options
    ) -> eb.Score:
        """1 for the right choice, 0 for another; unscored when the reply names none."""
        choices, reply = transcript
        if reason := eb.no_answer(reply):
            return eb.Score.unscored(reason)
        letters = re.findall(r"^\W*([A-Z])(?:\W*|\).*)$", reply.text, re.MULTILINE)
        if not letters or letters[-1] not in LETTERS[: len(choices)]:
            return eb.Score.unscored(f"names no choice: {reply.text[-40:]!r}")
        right = LETTERS[choices.index(item.content["right"])]
        return eb.Score({"right": float(letters[-1] == right)})

    def baselines(self, pack: eb.Pack, options: eb.Options) -> Mapping[str, eb.Baseline]:
        """What random letters get."""
        shares = [1 / len(item.content["choices"]) for item in pack.items]
        return {"random": eb.Baseline(sum(shares) / len(shares), "random letters")}

    def demo_reply(
        self, item: eb.Item, request: eb.ChatRequest, ability: float, rng: Random
    ) -> str:
        """The right letter as often as the ability says, else any: for trying it out, free."""
        shown = re.findall(r"^([A-Z])\) (.*)$", request.messages[-1].content, re.MULTILINE)
        letters = {text: str(letter) for letter, text in shown}
        right = letters[item.content["right"]]
        return right if rng.random() < ability else rng.choice([*letters.values()])
