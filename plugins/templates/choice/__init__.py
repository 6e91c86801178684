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
FIELDS = {"id": str, "need": str, "who": str, "situation": str, "right": str, "wrong": list}


class Asked(NamedTuple):
    """The choices in the order in which they were shown, and the reply."""

    choices: list[str]
    reply: eb.ChatResponse


class MyBench(eb.Benchmark):
    """Each row of the data holds a situation, the right reply and the wrong ones."""

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
        choices = [item.content["right"], *item.content["wrong"]]
        model.draw("order").shuffle(choices)
        shown = "\n".join(
            f"{letter}) {text}" for letter, text in zip(LETTERS, choices, strict=False)
        )
        return Asked(choices, await model.chat(ASK.format(**item.content, choices=shown)))

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
        choice = choices[LETTERS.index(letters[-1])]
        return eb.Score({"right": float(choice == item.content["right"])})

    def baselines(self, pack: eb.Pack, options: eb.Options) -> Mapping[str, eb.Baseline]:
        """What random letters get."""
        shares = [1 / (1 + len(item.content["wrong"])) for item in pack.items]
        return {"random": eb.Baseline(sum(shares) / len(shares), "random letters")}

    def demo_reply(
        self, item: eb.Item, request: eb.ChatRequest, ability: float, rng: Random
    ) -> str:
        """The right letter as often as the ability says, else any: for trying it out, free."""
        shown = re.findall(r"^([A-Z])\) (.*)$", request.messages[-1].content, re.MULTILINE)
        letters = {text: str(letter) for letter, text in shown}
        right = letters[item.content["right"]]
        return right if rng.random() < ability else rng.choice([*letters.values()])
